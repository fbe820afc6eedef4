import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUESTION_FOR_EVERYONE } from '../../src/demo/accounts.ts';
import { people } from '../../src/local-slack/people.ts';
import {
  actAs,
  chooseAt,
  closeForm,
  goTo,
  hasBrowser,
  messages,
  openBrowser,
  say,
  sendForm,
} from '../support/browser/browser.ts';
import { eventually } from '../support/eventually.ts';
import { createLocalSlack, type LocalSlack, places, textOf } from '../support/local-slack/local-slack.ts';
import { postedIn } from '../support/local-slack/threads.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { type Run, runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';

const waitMs = 30_000;

describe.skipIf(!hasBrowser())('npm run demo -- --accounts', () => {
  let temp: Awaited<ReturnType<typeof createTempDir>>;
  let demo: Run;
  let browser: Browser;

  beforeAll(async () => {
    temp = await createTempDir();
    demo = runProgram(await builtProgram('src/demo/main.ts'), ['--accounts'], {
      TMPDIR: temp.path,
    });
    browser = await openBrowser();
    await eventually(() => expect(demo.output()).toContain('Acting as'));
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    await temp?.remove();
  });

  it('gives two people different answers to the same question, each with what they may read', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    const url = found(/Open\s+(http:\S+)/);
    await page.goto(url);
    await signIn(page, 'Ada Adams', tokenOf('ada'));
    await enterToken(page, 'Bob Brown', tokenOf('bob'));
    const slack = createLocalSlack(url);
    const alices = await answerFor(page, slack, 'Ada Adams', people.ada);
    expect(alices).toContain('acme/ledger');
    expect(alices).not.toMatch(/warehouse/);
    const bobs = await answerFor(page, slack, 'Bob Brown', people.bob);
    expect(bobs).toContain('acme/warehouse');
    expect(bobs).not.toMatch(/ledger/);
  });

  it('says on Home what is left to do after a person disconnected there', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    await page.goto(found(/Open\s+(http:\S+)/));
    // The test before connected him.
    await actAs(page, 'Bob Brown');
    await goTo(page, 'deepsearch');
    await page.locator('.home').getByRole('button', { name: 'Disconnect' }).click();
    await page.locator('.modal', { hasText: 'Disconnected. This app has removed your account' }).waitFor();
    await page.locator('.home').getByRole('button', { name: 'Connect', exact: true }).waitFor();
  });

  it('lets Ada, who is an admin there, choose the repositories of a channel', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    await page.goto(found(/Open\s+(http:\S+)/));
    await actAs(page, 'Ada Adams');
    await say(page, '/deepsearch settings');
    await page.locator('.modal', { hasText: 'No one has saved settings here yet.' }).waitFor();
    const chosen = page.locator('.modal label:has(input:checked)');
    await eventually(async () => expect(await chosen.count()).toBe(4));
    expect((await chosen.allTextContents()).map((label) => label.trim())).toEqual([
      'On',
      'Full members ask; guests must not read here',
      'They are follow-ups',
      'In the thread',
    ]);
    await page.locator('.modal .bk-plain-input').fill('git.example.com/acme/handbook');
    await sendForm(page);
    await page.locator('.modal', { hasText: 'Saved. It holds from the next question on.' }).waitFor();
    await closeForm(page);
    await say(page, '/deepsearch Who reads the handbook?');
    await messages(page, 'Searches only in git.example.com/acme/handbook').waitFor();
  });

  function found(pattern: RegExp): string {
    const [, hit] = pattern.exec(demo.output()) ?? [];
    if (hit === undefined) throw new Error(`not in the banner: ${String(pattern)}`);
    return hit;
  }

  function tokenOf(name: string): string {
    return found(new RegExp(`^ {2}${name} +(token-[\\w-]+) `, 'm'));
  }
});

/** Signs in at the service, in the window that the button opens. */
async function signIn(page: Page, name: string, token: string): Promise<void> {
  await actAs(page, name);
  await say(page, '/deepsearch connect');
  const [opened] = await Promise.all([
    page.context().waitForEvent('page', { timeout: waitMs }),
    messages(page, 'Use an access token').last().getByRole('button', { name: 'Sign in' }).click(),
  ]);
  opened.setDefaultTimeout(waitMs);
  await opened.getByRole('button', { name: 'This is me' }).click();
  await opened.getByLabel('Access token').fill(token);
  await opened.locator('main').getByRole('button', { name: 'Sign in' }).click();
  await opened.getByRole('button', { name: 'Allow', exact: true }).click();
  await opened.getByText('ada').first().waitFor();
  await opened.close();
}

/** Connects with an access token in the form. */
async function enterToken(page: Page, name: string, token: string): Promise<void> {
  await actAs(page, name);
  await say(page, '/deepsearch connect');
  await messages(page, 'Use an access token').last().getByRole('button', { name: 'Use an access token' }).click();
  await page.locator('.modal .bk-plain-input').fill(token);
  await sendForm(page);
  await page.locator('.modal', { hasText: 'Connected as' }).waitFor();
  await closeForm(page);
}

/** Asks in the channel, agrees to show the answer there, and returns what everyone reads. */
async function answerFor(page: Page, slack: LocalSlack, name: string, userId: string): Promise<string> {
  await actAs(page, name);
  await say(page, `/deepsearch ${QUESTION_FOR_EVERYONE}`);
  const asked = await eventually(
    async () => {
      const found = (await slack.messages(places.general)).find(
        (message) => message.privateTo === userId && JSON.stringify(message.blocks).includes('Show here'),
      );
      if (found === undefined) throw new Error(`${name} was not asked who may see the answer`);
      return found;
    },
    { timeoutMs: waitMs },
  );
  // A private reply to a message without other replies: Slack shows it in the thread only.
  await chooseAt(page.locator(`main .msg[data-ts="${asked.thread_ts}"]`), 'Reply in thread');
  await page.locator(`.thread-body .msg[data-ts="${asked.ts}"]`).getByRole('button', { name: 'Show here' }).click();
  return eventually(
    async () => {
      const posted = await postedIn(slack, places.general);
      const own = posted.find(({ cards }) => cards.some((card) => textOf(card).includes(`<@${userId}>`)));
      const [answer] = own?.parts ?? [];
      if (answer === undefined) throw new Error(`no answer for ${name}`);
      return textOf(answer);
    },
    { timeoutMs: waitMs },
  );
}
