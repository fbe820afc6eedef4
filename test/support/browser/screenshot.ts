import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localSlackProgram } from '../local-slack/local-slack.ts';
import { projectFolder, startStack } from '../processes/processes.ts';
import { createTempDir } from '../processes/temp-dir.ts';
import { openBrowser } from './browser.ts';
import {
  barHeight,
  type PictureContext,
  pageWidth,
  takeFollowUp,
  takeHome,
  takePrivate,
  takeThread,
} from './pictures.ts';

// Makes the pictures of the documentation: `npm run screenshot -- [question] [file]`. This project is asked about itself in
// the local Slack, and what a person sees there is shown: the thread in `file`, the rest beside it. Needs chromium and a
// font with emoji.

const question = process.argv[2] ?? 'Where is a bare "cancel" handled?';
const target = process.argv[3] ?? join(projectFolder, 'docs/images/thread.png');

/** In CSS pixels, drawn smaller: a picture as wide as the page has 1,280 pixels. */
const size = { width: pageWidth, height: 1075 + barHeight };
const deviceScaleFactor = 1280 / size.width;
/** Long enough for the card to show a time. */
const stepDelayMs = 700;

const temp = await createTempDir();
// The folder's name is the repository's name in the picture.
const repository = join(temp.path, 'deepsearch-slack');
execFileSync('git', ['clone', '--quiet', projectFolder, repository]);
const stack = await startStack({ localSlack: localSlackProgram() ?? '', repositories: [repository], stepDelayMs });
const browser = await openBrowser();
try {
  mkdirSync(dirname(target), { recursive: true });
  const page = await browser.newPage({ viewport: size, deviceScaleFactor });
  await page.goto(stack.pageUrl);
  const studio: PictureContext = {
    page,
    slack: stack.slack,
    keep: async (name, { x = 0, width, height }) => {
      const path = name === 'thread' ? target : join(dirname(target), `${name}.png`);
      // A little more than is kept, because the last row of pixels is drawn in part only.
      await page.setViewportSize({ width: size.width, height: height + barHeight + 2 });
      const threads = await page.locator('.thread-body').all();
      for (const thread of threads) await thread.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.screenshot({ path, clip: { x, y: barHeight, width, height } });
      await page.setViewportSize(size);
    },
  };
  await takeThread(studio, question);
  await takeFollowUp(studio);
  await takePrivate(studio);
  await takeHome(studio);
} finally {
  await browser.close();
  await stack.stop();
  await temp.remove();
}
