import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chooseAt, goTo, hasBrowser, messages, openBrowser, replies, reply, say } from '../support/browser/browser.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const waitMs = 30_000;
/** So long that questions run until they are cancelled. */
const stepDelayMs = 60_000;

describe.skipIf(!hasBrowser())('while a question runs, a person in a browser', () => {
  let stack: Stack;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack({ stepDelayMs }), openBrowser()]);
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

  /** Asks by a mention, opens its thread and waits for its card. */
  async function askAndOpen(question: string): Promise<void> {
    await say(tab, `@deepsearch ${question}`);
    await messages(tab, question).locator('.thread-summary').click();
    await replies(tab, /Starting|Searching/).waitFor();
  }

  it('cancels it on the Home tab', async () => {
    await askAndOpen('How are failed payments retried?');
    await goTo(tab, 'deepsearch');
    const row = tab.locator('.home .bk-section', { hasText: 'How are failed payments retried?' });
    await row.getByText('searching since').waitFor();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.getByText('cancelled').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    await row.getByRole('link', { name: 'open' }).click();
    await replies(tab, 'Cancelled by @Ada Adams').waitFor();
  });

  it('cancels it with a reply in its thread', async () => {
    await askAndOpen('What does chargeCard do?');
    await reply(tab, 'cancel');
    await replies(tab, 'Cancelled by @Ada Adams').waitFor();
    expect(await replies(tab, /Starting|Searching/).count()).toBe(0);
  });

  it('edits it, and asks the new version when the app offers that', async () => {
    await askAndOpen('Where is the gateway?');
    const question = messages(tab, 'Where is the gateway?');
    await chooseAt(question, 'Edit message');
    const editor = tab.locator('main .msg-edit-input');
    await editor.fill('@deepsearch Where is the report built?');
    await editor.press('Enter');
    const offer = messages(tab, 'You edited a question that is still running.');
    await offer.waitFor();
    expect(await offer.textContent()).toContain('only visible to you');
    await offer.getByRole('button', { name: 'Ask the edited version' }).click();
    await replies(tab, 'Cancelled by @Ada Adams').waitFor();
    const card = replies(tab, 'Where is the report built?').filter({ hasText: /Starting|Searching/ });
    await card.getByRole('button', { name: 'Cancel' }).click();
    await replies(tab, 'Cancelled by @Ada Adams').nth(1).waitFor();
  });
});
