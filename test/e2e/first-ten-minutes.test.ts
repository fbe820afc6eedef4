import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chooseAt,
  goTo,
  hasBrowser,
  messages,
  openBrowser,
  replies,
  reply,
  say,
  sendForm,
} from '../support/browser/browser.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const waitMs = 30_000;

/** How people cancel is in browser-running.test.ts, with a slower service. */
describe.skipIf(!hasBrowser())('a stranger in the first ten minutes, in a browser', () => {
  let stack: Stack;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack(), openBrowser()]);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(waitMs);
    await page.goto(stack.slack.url);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  it('asks, reads the answer in the thread, and opens a source', async () => {
    await say(page, '/deepsearch How are failed payments retried?');
    await messages(page, 'Answered in').waitFor();
    await messages(page, 'How are failed payments retried?').locator('.thread-summary').click();
    const answer = replies(page, 'Open in Deep Search').first();
    await answer.waitFor();
    expect(await answer.locator('pre').first().textContent()).not.toMatch(/```|&lt;|&gt;/);

    // A laptop shows the card and a usual answer at once.
    const body = (await answer.locator('.markdown').allTextContents()).join('\n');
    expect(body.length).toBeGreaterThan(700);
    const card = await replies(page, 'Answered in').first().boundingBox();
    const posted = await answer.boundingBox();
    const shown = await page.locator('.thread-body').evaluate(({ clientHeight }) => clientHeight);
    expect((posted?.y ?? 0) + (posted?.height ?? 0) - (card?.y ?? 0)).toBeLessThanOrEqual(shown);

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
  });

  it('follows up by a button and by typing', async () => {
    const suggestion = page.locator('.thread-body .bk-actions:has(.bk-overflow)').getByRole('button').first();
    await suggestion.click();
    await replies(page, 'Answered in').nth(1).waitFor();
    await reply(page, 'Which files are about reports?');
    await replies(page, 'Answered in').nth(2).waitFor();
    await replies(page, 'daily-report.ts').last().waitFor();
  });

  it('asks in direct messages, with a file and about a forwarded message', async () => {
    await goTo(page, 'general');
    await chooseAt(messages(page, 'The release of this week is out.'), 'Forward…');
    const forward = page.getByRole('dialog', { name: 'Forward message' });
    await forward.getByLabel('To').selectOption({ label: 'deepsearch' });
    await forward.getByLabel('Comment').fill('Where is the report of the release built?');
    await forward.getByRole('button', { name: 'Forward' }).click();
    const forwarded = messages(page, 'Where is the report of the release built?').first();
    await forwarded.locator('.thread-summary').click();
    await replies(page, 'Answered in').waitFor();

    const composer = page.locator('main .composer');
    await composer.locator('input[type=file]').setInputFiles({
      name: 'error.log',
      mimeType: 'text/plain',
      buffer: Buffer.from('Error: payment failed\n    at chargeCard (src/payments/charge.ts:11)\n'),
    });
    await say(page, 'Which function throws this?');
    await messages(page, 'Which function throws this?').locator('.thread-summary').click();
    await replies(page, 'Answered in').waitFor();
    await replies(page, 'charge.ts').first().waitFor();
  });

  it('shares that answer in a channel, after reading who is there', async () => {
    await replies(page, 'Open in Deep Search').getByRole('button', { name: 'Share…' }).click();
    const modal = page.locator('.modal');
    await modal.locator('select').selectOption({ label: '#payments' });
    await modal.getByText(/\d people/).waitFor();
    await sendForm(page);
    await modal.waitFor({ state: 'detached' });
    await goTo(page, 'payments');
    const shared = messages(page, 'Which function throws this?').filter({ hasText: 'shared an answer' });
    await shared.locator('.thread-summary').click();
    await replies(page, 'charge.ts').first().waitFor();
  });

  it('finds the questions on Home, and reads the settings of the channel and the doctor as an admin', async () => {
    await goTo(page, 'deepsearch');
    for (const question of ['How are failed payments retried?', 'Which function throws this?'])
      await page.locator('.home .bk-section', { hasText: question }).filter({ hasText: 'answered in' }).waitFor();
    await goTo(page, 'payments');
    await say(page, '/deepsearch settings');
    await page.locator('.modal', { hasText: 'No one has saved settings here yet.' }).waitFor();
    await page.locator('.modal-x').click();
    await page.locator('.modal').waitFor({ state: 'detached' });
    await say(page, '/deepsearch doctor');
    expect(await messages(page, 'Doctor:').textContent()).toContain('0 fail, 0 warn');
  });
});
