import type { Page } from 'playwright-core';
import { people } from '../../src/local-slack/people.ts';
import {
  actAs,
  chooseIn,
  goTo,
  messages,
  openThread,
  replies,
  reply,
  say,
  sendForm,
} from '../../test/support/browser/browser.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type LocalSlack, places, textOf } from '../../test/support/local-slack/local-slack.ts';
import { answerIn, cardOfCommand } from '../../test/support/local-slack/threads.ts';

/** What taking pictures needs: the page of a person, and the local Slack behind it. */
export interface PictureContext {
  page: Page;
  slack: LocalSlack;
  /**
   * Saves a picture of the page from `x` on, in CSS pixels, with an open thread scrolled to its end.
   */
  capture(name: string, size: { x?: number; width: number; height: number }): Promise<void>;
}

/** Width of the whole page in CSS pixels. */
export const pageWidth = 1280;
const threadWidth = 624;

/** Takes a picture of a thread: question, card, answer, sources, follow-ups. The thread stays open. */
export async function takeThread({ page, slack, capture }: PictureContext, question: string): Promise<void> {
  await slack.post({
    channel: places.general,
    user: people.bob,
    text: 'Does anyone know what happens when I just reply "cancel" to it?',
  });
  await say(page, `/deepsearch ${question}`);
  const root = await cardOfCommand(slack, places.general, question);
  await answerIn(slack, root);
  await openThread(page, root.ts);
  await capture('thread', { width: pageWidth, height: 960 });
}

/** Takes a picture of the first question in a channel, asked by a mention. The thread stays open. */
export async function takeMention({ page, slack, capture }: PictureContext): Promise<void> {
  await goTo(page, 'payments');
  await say(page, '@deepsearch What does lockDataDir do?');
  const root = await eventually(async () => {
    const asked = (await slack.messages(places.payments)).find((message) => textOf(message).includes('lockDataDir'));
    if (asked === undefined) throw new Error('the mention is not there yet');
    return asked;
  });
  await answerIn(slack, root);
  await openThread(page, root.ts);
  await capture('mention', { width: pageWidth, height: 960 });
}

/** Takes a picture of what `/deepsearch doctor` says to one of the people in `ADMINS`. */
export async function takeDoctor({ page, capture }: PictureContext, admin: string): Promise<void> {
  // Closes the open thread.
  await page.reload();
  await actAs(page, admin);
  await goTo(page, 'payments');
  await say(page, '/deepsearch doctor');
  await messages(page, 'Doctor:').waitFor();
  await page.mouse.move(0, 0);
  await capture('doctor', { width: pageWidth, height: 960 });
}

/** Takes a picture of an edited follow-up in the modal, then asks it. */
export async function takeFollowUp({ page, capture }: PictureContext): Promise<void> {
  await chooseIn(page.locator('.thread-body .bk-actions:has(.bk-overflow)').first(), 'Edit or ask privately');
  const input = page.locator('.modal .bk-plain-input');
  await input.fill('How does readIntent tell "cancel" from a question about cancelling?');
  await capture('follow-up', { width: pageWidth, height: 760 });
  await sendForm(page);
  await page.locator('.modal').waitFor({ state: 'detached' });
  await replies(page, 'tell "cancel" from a question').filter({ hasText: 'Answered in' }).waitFor();
}

/** Takes a picture of a private reply. */
export async function takePrivate({ page, slack, capture }: PictureContext): Promise<void> {
  const threadTs = await page.locator('.thread-body .msg').first().getAttribute('data-ts');
  await reply(page, 'Which tests cover readIntent?');
  await replies(page, 'Answered in').nth(2).waitFor();
  await replies(page, 'Open in Deep Search').nth(2).waitFor();
  await slack.post({
    channel: places.general,
    user: people.bob,
    text: '@gerd is that the verb you looked for?',
    ...(threadTs === null ? {} : { threadTs }),
  });
  await reply(page, '@deepsearch why');
  await replies(page, 'What I did with').waitFor();
  await page.mouse.move(0, 0);
  await capture('private', { x: pageWidth - threadWidth, width: threadWidth, height: 520 });
}

/** Takes a picture of the Home tab with a running question and some finished ones. */
export async function takeHome({ page, capture }: PictureContext): Promise<void> {
  await goTo(page, 'payments');
  await say(page, '/deepsearch How is a Slack event acknowledged?');
  await messages(page, /Starting|Searching/).waitFor();
  await goTo(page, 'deepsearch');
  await page.locator('.home .bk-section:has(button)', { hasText: 'searching since' }).waitFor();
  await capture('home', { width: 1020, height: 660 });
}
