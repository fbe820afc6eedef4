import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openPage } from '../../src/demo/page.ts';
import { WORKSPACE } from '../../src/demo/workspace.ts';
import { openBrowser, openThread, say } from './browser.ts';
import { localSlackProgram } from './local-slack.ts';
import { answerIn, cardOfCommand } from './local-slack-threads.ts';
import { projectFolder, startStack } from './processes.ts';
import { createTempDir } from './temp-dir.ts';

// Makes the README's picture: `npx tsx test/support/browser-screenshot.ts [question] [file]`. This project is asked about
// itself in the local Slack, and the thread is shown as a person sees it. Needs chromium and a font with emoji.

const question = process.argv[2] ?? 'Where is a bare "cancel" handled?';
const target = process.argv[3] ?? join(projectFolder, 'docs/images/thread.png');

/** In CSS pixels, drawn smaller: a whole thread fits in a picture 1,280 pixels wide. */
const size = { width: 1440, height: 975 };
const deviceScaleFactor = 1280 / size.width;
/** The bar at the top belongs to the local Slack and not to the workspace. */
const barHeight = 44;
const threadWidth = 780;
/** Long enough for the card to show a time. */
const stepDelayMs = 700;

const temp = await createTempDir();
// The folder's name is the repository's name in the picture.
const repository = join(temp.path, 'deepsearch-slack');
execFileSync('git', ['clone', '--quiet', projectFolder, repository]);
const stack = await startStack({ localSlack: localSlackProgram() ?? '', repositories: [repository], stepDelayMs });
const slackPage = await openPage(stack.slack.url, 0);
const browser = await openBrowser();
try {
  await stack.slack.post({
    channel: WORKSPACE.general,
    user: WORKSPACE.bob,
    text: 'Does anyone know what happens when I just reply "cancel" to it?',
  });
  const page = await browser.newPage({
    viewport: { ...size, height: size.height + barHeight },
    deviceScaleFactor,
  });
  await page.goto(slackPage.url);
  await say(page, `/deepsearch ${question}`);
  const root = await cardOfCommand(stack.slack, WORKSPACE.general, question);
  await answerIn(stack.slack, root);
  await openThread(page, root.ts);
  const handle = await page.locator('.thread-resize-handle').boundingBox();
  if (handle === null) throw new Error('the thread pane cannot be made wider');
  await page.mouse.move(handle.x + 2, 200);
  await page.mouse.down();
  await page.mouse.move(size.width - threadWidth, 200, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(size.width / 4, size.height);
  mkdirSync(dirname(target), { recursive: true });
  await page.screenshot({ path: target, clip: { ...size, x: 0, y: barHeight } });
} finally {
  await browser.close();
  await slackPage.close();
  await stack.stop();
  await temp.remove();
}
