import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLocalSlack } from '../../src/local-slack/local-slack.ts';
import { readManifest } from '../../src/local-slack/manifest.ts';
import { createPage } from '../../src/local-slack/page/page.ts';
import { team } from '../../src/local-slack/people.ts';
import { hasBrowser, openBrowser } from '../support/browser/browser.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/fake-service/scripted-server.ts';

type Sent = Record<string, unknown> & { type?: string; trigger_id?: string; command?: string; text?: string };

const plain = (text: string) => ({ type: 'plain_text', text });
const button = (text: string) => ({ type: 'button', action_id: text.toLowerCase(), text: plain(text) });

describe.skipIf(!hasBrowser())('in a browser, the page of the local Slack', () => {
  let local: Awaited<ReturnType<typeof startLocalSlack>>;
  let app: Server;
  let browser: Browser;
  let tab: Tab;
  /** What the app got. */
  let sent: Sent[] = [];
  /** What no page may do: errors in the console, breaches of the policy, requests to other hosts. */
  let complaints: string[] = [];

  beforeAll(async () => {
    app = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += String(piece);
      const form = new URLSearchParams(body);
      const payload = form.get('payload');
      const got =
        payload === null ? (body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(form)) : JSON.parse(payload);
      sent.push(got);
      response.end(await answer(got));
    });
    const port = await listenLocally(app);
    const manifest = readManifest(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
    const events = { url: `http://127.0.0.1:${port}`, signingSecret: team.signingSecret };
    local = await startLocalSlack({ manifest, events, pages: createPage });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await local?.stop();
    app?.close();
    app?.closeAllConnections();
  });

  beforeEach(async () => {
    [sent, complaints] = [[], []];
    tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    tab.setDefaultTimeout(20_000);
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${local.url}/`) && !request.url().startsWith('data:'))
        complaints.push(`request to ${request.url()}`);
    });
    await tab.goto(local.url);
  });
  afterEach(async () => {
    await tab.close();
    expect(complaints).toEqual([]);
    expect(local.violations).toEqual([]);
  });

  /** A small app: it opens a form for a button or shortcut, and shows what was written there on Home. */
  async function answer(got: Sent): Promise<string> {
    if (got.command !== undefined) return JSON.stringify({ text: `Only you asked: ${got.text}` });
    if (got.type === 'block_actions' || got.type === 'shortcut' || got.type === 'message_action') {
      await call('views.open', { trigger_id: got.trigger_id, view: form });
    }
    if (got.type !== 'view_submission') return '';
    const { view, user } = got as { view?: { state: { values: typeof values } }; user?: { id: string } };
    const values: Record<string, Record<string, { value?: string | null }>> = view?.state.values ?? {};
    const written = values.question?.text?.value ?? '';
    if (written.length < 5)
      return JSON.stringify({ response_action: 'errors', errors: { question: 'Write a longer question.' } });
    await call('views.publish', {
      user_id: user?.id,
      view: { type: 'home', blocks: [{ type: 'header', text: plain(written) }] },
    });
    return '';
  }

  const form = {
    type: 'modal',
    title: plain('Ask'),
    submit: plain('Send it'),
    blocks: [
      {
        type: 'input',
        block_id: 'question',
        label: plain('Question'),
        element: { type: 'plain_text_input', action_id: 'text', multiline: true },
      },
    ],
  };

  async function call(method: string, args: object): Promise<void> {
    const reply = await fetch(`${local.url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.botToken}` },
      body: new URLSearchParams(
        Object.entries(args).map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
    });
    expect(await reply.json()).toMatchObject({ ok: true });
  }

  const composer = (pane = 'main') => tab.locator(`${pane} .composer-input`);
  const messages = (text: string, pane = 'main') => tab.locator(`${pane} .msg`, { hasText: text });

  async function send(text: string, pane = 'main'): Promise<void> {
    await composer(pane).fill(text);
    await composer(pane).press('Enter');
    await expect.poll(() => composer(pane).inputValue(), { timeout: 20_000 }).toBe('');
  }

  async function choose(message: ReturnType<typeof messages>, entry: string): Promise<void> {
    await message.hover();
    await message.getByRole('button', { name: 'More actions' }).click();
    await message.getByRole('menuitem', { name: entry }).click();
  }

  it('posts, replies in a thread beside, edits and deletes, and keeps a draft while others write', async () => {
    await send('Where are *refunds* retried? @deepsearch');
    const root = messages('Where are refunds retried?');
    expect(await root.locator('strong', { hasText: 'refunds' }).count()).toBe(1);
    await choose(root, 'Reply in thread');
    await send('One more thing', '.thread-pane');
    await messages('One more thing', '.thread-body').waitFor();
    await root.getByRole('link', { name: '1 reply' }).waitFor();

    await composer().fill('not sent yet');
    await composer().press('Shift+Enter');
    await local.act.post({ person: 'U0BOB', channel: 'C0GENERAL', text: 'Meanwhile' });
    await messages('Meanwhile').waitFor();
    expect(await composer().inputValue()).toBe('not sent yet\n');
    expect(await composer().evaluate((area) => area.matches(':focus'))).toBe(true);

    await choose(messages('One more thing', '.thread-body'), 'Edit message');
    await tab.locator('.msg-edit-input').fill('Another thing');
    await tab.locator('.msg-edit-input').press('Enter');
    const edited = messages('Another thing', '.thread-body');
    await edited.getByText('(edited)').waitFor();
    tab.once('dialog', (dialog) => void dialog.accept());
    await choose(edited, 'Delete message…');
    await edited.waitFor({ state: 'detached' });
    await composer('.thread-pane').press('Escape');
    await tab.locator('.thread-pane').waitFor({ state: 'detached' });
  });

  it('presses a button, writes in its modal, is told what is wrong there, and sees Home', async () => {
    await call('chat.postMessage', {
      channel: 'C0GENERAL',
      text: 'x',
      unfurl_links: 'false',
      unfurl_media: 'false',
      blocks: [{ type: 'actions', elements: [button('Open'), button('Other')] }],
    });
    await tab.getByRole('button', { name: 'Open' }).click();
    const modal = tab.getByRole('dialog', { name: 'Ask' });
    await modal.getByRole('textbox').fill('four');
    await modal.getByRole('button', { name: 'Send it' }).click();
    await modal.getByRole('alert').getByText('Write a longer question.').waitFor();
    expect(await modal.getByRole('textbox').inputValue()).toBe('four');
    await modal.getByRole('textbox').fill('Where is it?');
    await modal.getByRole('button', { name: 'Send it' }).click();
    await modal.waitFor({ state: 'detached' });
    await tab.getByRole('link', { name: 'deepsearch', exact: true }).click();
    await tab.locator('.home').getByRole('heading', { name: 'Where is it?' }).waitFor();
    await eventually(() => expect(JSON.stringify(sent)).toContain('app_home_opened'));

    await tab.getByRole('button', { name: 'Ask Deep Search' }).click();
    await modal.waitFor();
    await tab.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });
  });

  it('answers a command privately, acts as another person, and counts what is new for them', async () => {
    await send('/deepsearch status');
    const told = messages('Only you asked: status');
    expect(await told.textContent()).toContain('only visible to you');
    await local.act.post({ person: 'U0ADA', channel: 'C0PAYMENTS', text: '@bob look' });
    await tab.getByLabel('Acting as').selectOption({ label: 'Bob Brown' });
    await tab.getByRole('link', { name: 'payments' }).getByLabel('1 new for you').waitFor();
    await expect.poll(() => tab.title(), { timeout: 20_000 }).toMatch(/^\(\d+\) #general/);
    expect(await told.count()).toBe(0);
    await tab.getByRole('link', { name: 'payments' }).click();
    await tab.locator('.channel-title', { hasText: '#payments' }).waitFor();
    await tab.getByRole('link', { name: 'payments' }).locator('.badge').waitFor({ state: 'detached' });
    await choose(messages('look'), 'Forward…');
    const forward = tab.getByRole('dialog', { name: 'Forward message' });
    await forward.getByLabel('To').selectOption({ label: '#general' });
    await forward.getByRole('button', { name: 'Forward' }).click();
    await tab.locator('.attachment', { hasText: 'look' }).waitFor();
  });

  it('stays where the person went when the page of an earlier place comes late', async () => {
    const earlier = `${local.url}/`;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await tab.route(earlier, (route) => held.then(() => route.continue()));
    const asked = tab.waitForRequest(earlier);
    await local.act.post({ person: 'U0BOB', channel: 'C0GENERAL', text: 'A change' });
    await asked;
    await tab.getByRole('link', { name: 'payments' }).click();
    await tab.locator('.channel-title', { hasText: '#payments' }).waitFor();
    // Each page that is put in place sets the title, also one that the next change replaces.
    await tab.evaluate(
      'titles = []; new MutationObserver(() => titles.push(document.title)).observe(document.querySelector("title"), { childList: true })',
    );
    const late = tab.waitForResponse(earlier);
    release();
    await (await late).finished();
    await local.act.post({ person: 'U0BOB', channel: 'C0PAYMENTS', text: 'A later change' });
    await messages('A later change').waitFor();
    expect(await tab.evaluate('titles.filter((title) => !title.includes("#payments"))')).toEqual([]);
    expect(await tab.evaluate('titles.length')).toBeGreaterThan(0);
  });

  it('does what a person presses though the field loses the focus and others write before the release', async () => {
    const channel = 'C0PAYMENTS';
    await tab.goto(`${local.url}/archives/${channel}?as=U0ADA`);
    for (let n = 1; n <= 12; n += 1) await local.act.post({ person: 'U0BOB', channel, text: `Line ${n}\nand more` });
    await send('Who replies?');
    const root = messages('Who replies?');
    await choose(root, 'Reply in thread');
    await send('I do', '.thread-pane');
    await root.getByRole('link', { name: '1 reply' }).waitFor();
    // Another thread leaves little room for the field under the list, so that it is higher while it has the focus.
    await choose(messages('Line 12'), 'Reply in thread');
    await messages('I do', '.thread-body').waitFor({ state: 'detached' });
    await composer().focus();
    await root.getByRole('link', { name: '1 reply' }).hover();
    await tab.mouse.down();
    await local.act.post({ person: 'U0BOB', channel, text: 'Written meanwhile' });
    // The page is told of changes; what it asks for then would come before this reply.
    await tab.evaluate('fetch(location.href).then((reply) => reply.text())');
    expect(await messages('Written meanwhile').count()).toBe(0);
    await tab.mouse.up();
    await messages('I do', '.thread-body').waitFor();
    await messages('Written meanwhile').waitFor();
  });

  it('fits a phone, without scrolling sideways', async () => {
    const wide = `| ${'column | '.repeat(12)}\n|${' - |'.repeat(12)}\n| ${'value | '.repeat(12)}`;
    const code = `\`\`\`ts\nexport const ${'long'.repeat(40)} = 1;\n\`\`\``;
    await call('chat.postMessage', {
      channel: 'C0GENERAL',
      text: 'x',
      unfurl_links: 'false',
      unfurl_media: 'false',
      blocks: [{ type: 'markdown', text: `${wide}\n\n${code}\n\n${'unbroken'.repeat(30)}` }],
    });
    await tab.setViewportSize({ width: 375, height: 740 });
    const places = ['/?channel=C0GENERAL', '/?channel=C0GENERAL&list=1', '/?channel=D0ADA&home=1', '/?channel=D0ADA'];
    for (const place of places) {
      await tab.goto(`${local.url}${place}`);
      const fits = () => Reflect.get(globalThis, 'document').documentElement.scrollWidth;
      expect(await tab.evaluate(fits), place).toBeLessThanOrEqual(375);
    }
    await tab.getByLabel('All channels').click();
    await tab.getByRole('link', { name: 'payments' }).click();
    await messages('Refunds of yesterday').waitFor();
    expect(await tab.locator('.sidebar').isVisible()).toBe(false);
  });
});
