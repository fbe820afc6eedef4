import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startTestService, TOKEN } from '../../test/codesearch/support/service.ts';
import { openBrowser } from '../../test/support/browser/browser.ts';
import { projectFolder } from '../../test/support/processes/run.ts';
import { createTempDir } from '../../test/support/processes/temp-dir.ts';

// Takes the pictures of the code search service's pages for the documentation: `npm run screenshot:pages -- [folder] [scheme]`. They
// show this project's own code. Needs chromium; the scheme is light (default) or dark.

const folder = process.argv[2] ?? join(projectFolder, 'docs/images');
const colorScheme = process.argv[3] === 'dark' ? 'dark' : 'light';

const temp = await createTempDir();
// The pictures show the folder's name as the name of the repository.
const repository = join(temp.path, 'deepsearch-slack');
execFileSync('git', ['clone', '--quiet', projectFolder, repository]);
const service = await startTestService({ repos: [repository] });
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme });
  const open = (path: string) => page.goto(`${service.url}${path}`);
  const capture = (name: string) => page.screenshot({ path: join(folder, `codesearch-${name}.png`) });

  await open('/sign-in');
  await page.fill('main input[name="token"]', TOKEN);
  await page.click('main button');

  await open(`/search?${new URLSearchParams({ q: 'lang:typescript -file:test isCancel' })}`);
  await page.locator('mark').first().waitFor();
  await capture('search');

  await open('/deepsearch-slack/-/blob/src/core/intake/intents.ts?L8-10&blame=1');
  await page.locator('td.who').first().waitFor();
  await capture('blame');
} finally {
  await browser.close();
  await service.stop();
  await temp.remove();
}
