import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, openThread, say } from '../support/browser/browser.ts';
import { places } from '../support/local-slack/local-slack.ts';
import { cardOfCommand } from '../support/local-slack/threads.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const waitMs = 30_000;

describe.skipIf(!hasBrowser())('a person at the local Slack in a browser', () => {
  let stack: Stack;
  let browser: Browser;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack({ stepDelayMs: 100 }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  it('types a question, reads the answer in the thread, presses a follow-up and opens a source', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    await page.goto(stack.slack.url);
    await say(page, '/deepsearch How are failed payments retried?');
    const card = await cardOfCommand(stack.slack, places.general, 'How are failed payments retried?');
    await page.locator('main .msg', { hasText: 'Answered in' }).waitFor();
    await openThread(page, card.ts);

    const replies = page.locator('.thread-body .msg');
    const answer = replies.nth(1);
    await answer.getByText('retry-policy.ts').first().waitFor();
    expect(await answer.textContent()).toContain('Ada Adams');
    const code = answer.locator('pre').first();
    expect(await code.textContent()).toMatch(/[<>*]|=>/);
    expect(await answer.textContent()).not.toMatch(/```|&lt;|&gt;/);

    const [source] = await Promise.all([
      page.context().waitForEvent('page', { timeout: waitMs }),
      answer
        .getByRole('link', { name: /retry-policy\.ts:\d/ })
        .first()
        .click(),
    ]);
    await source.getByText('MAX_PAYMENT_RETRIES').first().waitFor();
    expect(await source.locator('mark, .marked').count()).toBeGreaterThan(0);
    await source.close();

    const suggestion = answer.locator('.bk-actions:has(.bk-overflow)').getByRole('button').first();
    const asked = (await suggestion.textContent()) ?? '';
    await suggestion.click();
    // The root and the first answer, plus the card and the answer of the follow-up.
    await replies.nth(3).waitFor();
    expect(await replies.nth(2).textContent()).toContain(asked.replaceAll('`', '').slice(0, 20));

    const composer = page.locator('.thread-pane .composer-input');
    await composer.pressSequentially('Which files are about reports?');
    await composer.press('Enter');
    await replies.nth(6).getByText('daily-report.ts').first().waitFor();
  });
});
