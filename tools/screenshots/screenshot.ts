import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { people } from '../../src/local-slack/people.ts';
import { openBrowser } from '../../test/support/browser/browser.ts';
import { startStack } from '../../test/support/processes/processes.ts';
import { projectFolder } from '../../test/support/processes/run.ts';
import { createTempDir } from '../../test/support/processes/temp-dir.ts';
import { takeInstalled } from './install-picture.ts';
import {
  type PictureContext,
  pageWidth,
  takeDoctor,
  takeFollowUp,
  takeHome,
  takeMention,
  takePrivate,
  takeThread,
} from './pictures.ts';

// Takes the pictures for the documentation: `npm run screenshot -- [question] [file]`. Asks questions about this project in
// the local Slack and saves the thread as `file` and the other pictures beside it. Needs chromium and a font with emoji.

const question = process.argv[2] ?? 'What does isCancel do?';
const target = process.argv[3] ?? join(projectFolder, 'docs/images/thread.png');

/** Size of the page in CSS pixels. */
const size = { width: pageWidth, height: 1075 };
/** Long enough that the card shows a duration. */
const stepDelayMs = 700;

/** Pictures that are also taken in the dark and on a phone. */
const variants = ['thread', 'home'];
const phone = { width: 375, height: 812 };

async function captureVariants(page: Page, path: string, laptop: typeof phone): Promise<void> {
  for (const [suffix, viewport, colorScheme] of [
    ['dark', laptop, 'dark'],
    ['phone', phone, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page
      .locator('.thread-body, .home')
      .first()
      .evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.screenshot({ path: path.replace(/\.png$/, `-${suffix}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

const temp = await createTempDir();
// The pictures show the folder's name as the name of the repository.
const repository = join(temp.path, 'deepsearch-slack');
execFileSync('git', ['clone', '--quiet', projectFolder, repository]);
const stack = await startStack({
  repositories: [repository],
  stepDelayMs,
  // Not Ada, whose Home would show the usage too.
  settings: { ADMINS: people.bob },
});
const browser = await openBrowser();
try {
  mkdirSync(dirname(target), { recursive: true });
  const page = await browser.newPage({ viewport: size });
  await page.goto(stack.slack.url);
  const context: PictureContext = {
    page,
    slack: stack.slack,
    capture: async (name, { x = 0, width, height }) => {
      const path = name === 'thread' ? target : join(dirname(target), `${name}.png`);
      await page.setViewportSize({ width: x + width, height });
      const threads = await page.locator('.thread-body').all();
      for (const thread of threads) await thread.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.screenshot({ path, clip: { x, y: 0, width, height } });
      if (variants.includes(name)) await captureVariants(page, path, { width, height });
      await page.setViewportSize(size);
    },
  };
  await takeThread(context, question);
  await takeFollowUp(context);
  await takePrivate(context);
  await takeHome(context);
  await takeMention(context);
  await takeDoctor(context, 'Bob Brown');
  await takeInstalled(await browser.newPage({ viewport: { width: 640, height: 300 } }), (name) =>
    join(dirname(target), `${name}.png`),
  );
} finally {
  await browser.close();
  await stack.stop();
  await temp.remove();
}
