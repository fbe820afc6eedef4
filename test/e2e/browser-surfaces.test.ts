import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import {
  actAs,
  chooseIn,
  goTo,
  hasBrowser,
  messages,
  openBrowser,
  openThread,
  replies,
  reply,
  say,
  sendForm,
} from '../support/browser/browser.ts';
import { places } from '../support/local-slack/local-slack.ts';
import { cardOfCommand } from '../support/local-slack/threads.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const waitMs = 30_000;

describe.skipIf(!hasBrowser())('in a browser, a person with an answer', () => {
  let stack: Stack;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack(), openBrowser()]);
  });
  beforeEach(async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    await page.goto(stack.slack.url);
    tab = page;
    return () => page.close();
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  /** Asks with the command and opens the thread of its answer. */
  async function askAndOpen(question: string): Promise<void> {
    await say(tab, `/deepsearch ${question}`);
    const card = await cardOfCommand(stack.slack, places.general, question);
    await messages(tab, question).filter({ hasText: 'Answered in' }).waitFor();
    await openThread(tab, card.ts);
    await replies(tab, 'Open in Deep Search').waitFor();
  }

  it('sees all sources, edits a follow-up before it is asked, and says why an answer did not help', async () => {
    await askAndOpen('Which functions have to do with payments?');
    const modal = tab.locator('.modal');
    const first = replies(tab, 'Open in Deep Search').first();

    const all = first.getByRole('button', { name: /^All sources \(\d+\)$/ });
    const count = Number(/\d+/.exec((await all.textContent()) ?? '')?.[0]);
    expect(count).toBe(5);
    await all.click();
    await modal.getByText('Sources', { exact: true }).waitFor();
    // The heading, which is the repository, is a link of its own.
    expect(await modal.getByRole('link').count()).toBe(count + 1);
    await tab.locator('.modal-x').click();

    const row = first.locator('.bk-actions:has(.bk-overflow)');
    const suggested = (await row.getByRole('button').first().textContent()) ?? '';
    await chooseIn(row, 'Edit or ask privately');
    const input = modal.locator('.bk-plain-input');
    await input.waitFor();
    expect((await input.inputValue()).replaceAll('`', '')).toBe(suggested);
    await input.fill('  ');
    await sendForm(tab);
    await modal.locator('.modal-error', { hasText: 'Write a question.' }).waitFor();
    await input.fill('Where is MAX_PAYMENT_RETRIES used?');
    await sendForm(tab);
    await modal.waitFor({ state: 'detached' });
    await replies(tab, 'Where is MAX_PAYMENT_RETRIES used?').filter({ hasText: 'Answered in' }).waitFor();
    await first.locator('.bk-context', { hasText: `@Ada Adams asked: ${suggested}` }).waitFor();

    // An unchanged text is asked as it is.
    const other = (await row.getByRole('button').first().textContent()) ?? '';
    expect(other).not.toBe(suggested);
    await chooseIn(row, 'Edit or ask privately');
    await input.waitFor();
    await sendForm(tab);
    await modal.waitFor({ state: 'detached' });
    await first.locator('.bk-context', { hasText: `@Ada Adams asked: ${other}` }).waitFor();

    await first.getByRole('button', { name: 'Not helpful' }).click();
    await modal.getByText('It is outdated').click();
    await modal.locator('.bk-plain-input').fill('The limit is 7 by now.');
    await sendForm(tab);
    await modal.waitFor({ state: 'detached' });
    await replies(tab, 'Your vote is saved.').filter({ hasText: 'only visible to you' }).waitFor();
  });

  it('asks privately from the Home tab and finds the answer again from there', async () => {
    const question = 'How is a gateway request signed?';
    await goTo(tab, 'deepsearch');
    await tab.getByRole('button', { name: 'Ask a question' }).click();
    const modal = tab.locator('.modal');
    await sendForm(tab);
    // Slack itself does not send an empty field.
    await modal.locator('.modal-error', { hasText: 'Please complete this required field.' }).waitFor();
    await modal.locator('.bk-plain-input').fill(question);
    await modal.getByText('Only for me, in our direct messages').click();
    await sendForm(tab);
    await modal.waitFor({ state: 'detached' });

    const asked = tab.locator('.home .bk-section', { hasText: question });
    await asked.filter({ hasText: 'answered in' }).waitFor();
    expect(await asked.textContent()).toMatch(/direct message · today at \d/);
    // The link leads to the card until the answer is posted.
    await asked.locator('a[href*="thread_ts="]').click();
    await replies(tab, 'signGatewayRequest').first().waitFor();
    expect(await tab.locator('.channel-title').textContent()).toContain('deepsearch');

    await actAs(tab, 'Bob Brown');
    await goTo(tab, 'deepsearch');
    await tab.getByText('You have not asked anything yet.').waitFor();
  });

  it('mentions the app in a thread of people, which the app reads', async () => {
    const { general } = places;
    const { bob, gerd } = people;
    const root = await stack.slack.post({ channel: general, user: bob, text: '`buildDailyReport` looks odd.' });
    await stack.slack.post({ channel: general, user: gerd, text: 'Its sum is too low.', threadTs: root.ts });
    await openThread(tab, root.ts);
    await reply(tab, '@deepsearch where is it defined?');
    const card = replies(tab, 'Answered in');
    await card.waitFor();
    expect(await card.textContent()).toContain('read 2 messages');
    await replies(tab, 'daily-report.ts').first().waitFor();

    // A reply without a mention is not for the app here.
    await reply(tab, 'Thank you');
    await reply(tab, '@deepsearch why');
    const why = replies(tab, 'What I did with the latest messages here');
    await why.waitFor();
    expect(await why.textContent()).toMatch(
      /This thread did not start with a question to me, so I only answer messages that mention me/,
    );
  });

  it('mutes a thread, and is told privately what the app did and does there', async () => {
    await askAndOpen('What does chargeCard do?');
    await reply(tab, '@deepsearch mute');
    await replies(tab, 'I no longer treat plain replies here as questions.').waitFor();
    await reply(tab, 'Where is the gateway?');
    await reply(tab, '@deepsearch why');
    const why = replies(tab, 'What I did with the latest messages here');
    await why.getByText('ignored: this thread is muted').waitFor();
    await reply(tab, '@deepsearch status');
    const status = replies(tab, 'In this thread');
    await status.getByText('Nothing is running or waiting.').waitFor();
    for (const sendPrivately of [why, status])
      expect(await sendPrivately.textContent()).toContain('only visible to you');
    const said = (await stack.slack.messages(places.general)).filter(({ privateTo: to }) => to !== undefined);
    expect(new Set(said.map(({ privateTo: to }) => to))).toEqual(new Set([people.ada]));
    expect(await replies(tab, 'Answered in').count()).toBe(1);
  });
});
