import { openPage } from '../../src/demo/page.ts';
import { WORKSPACE } from '../../src/demo/workspace.ts';
import { openBrowser, openThread, say } from './browser.ts';
import { localSlackProgram } from './local-slack.ts';
import { answerIn, cardOfCommand } from './local-slack-threads.ts';
import { projectFolder, startStack } from './processes.ts';

/** Asks this project about itself in the local Slack and writes the picture of the thread that the README shows. */
const question = process.argv[2] ?? 'How long does the app wait between two looks at a running question?';
const target = process.argv[3] ?? `${projectFolder}docs/images/thread.png`;

const stack = await startStack({ localSlack: localSlackProgram() ?? '', repositories: [projectFolder] });
const slackPage = await openPage(stack.slack.url, 0);
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(slackPage.url);
  await say(page, `/deepsearch ${question}`);
  const root = await cardOfCommand(stack.slack, WORKSPACE.general, question);
  const { answer } = await answerIn(stack.slack, root);
  await openThread(page, root.ts);
  const handle = page.locator('.thread-resize-handle');
  const box = await handle.boundingBox();
  if (box === null) throw new Error('the thread pane has no handle');
  await page.mouse.move(box.x + 2, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(500, box.y + 200, { steps: 5 });
  await page.mouse.up();
  process.stdout.write(JSON.stringify(answer, null, 1));
  await page.locator('.thread-body').evaluate((body) => body.scrollTo({ top: 0 }));
  await page.screenshot({ path: target });
} finally {
  await browser.close();
  await slackPage.close();
  await stack.stop();
}
