import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SlackBlock } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { answerConsent, registerOAuthApp } from '../codesearch/support/oauth-app.ts';
import { createPerson, hiddenField, type Person } from '../codesearch/support/people.ts';
import { freePort } from '../support/processes/free-port.ts';
import { startRecordedService } from '../support/world/recorded-service.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

// The app with its real accounts against the embedded service with its real OAuth; only Slack is faked.

let service: Awaited<ReturnType<typeof startRecordedService>>;
let world: World;
/** How far the service's clock is ahead. */
let aheadMs = 0;

beforeEach(async () => {
  aheadMs = 0;
  service = await startRecordedService({ clock: () => Date.now() + aheadMs });
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/deepsearch`;
  const app = await registerOAuthApp(service.url, service.token, `${publicUrl}/accounts/callback`);
  world = await startWorld({
    service,
    settings: {
      ACCOUNTS: 'preferred',
      ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
      SRC_OAUTH_CLIENT_ID: app.clientId,
      SRC_OAUTH_CLIENT_SECRET: app.clientSecret,
      SRC_OAUTH_AUTHORIZE_URL: app.authorizeUrl,
      SRC_OAUTH_TOKEN_URL: app.tokenUrl,
      PUBLIC_URL: publicUrl,
      PORT: String(port),
    },
  });
});

afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(service.problems).toEqual([]);
  expect(world.slack.violations).toEqual([]);
});

interface Reply {
  text: string;
  blocks?: SlackBlock[];
}

async function connectCommand(user: string): Promise<Reply> {
  return (await world.command('connect', { user })).response as Reply;
}

/** The address of the button Sign in. */
async function signInUrl(user: string): Promise<string> {
  const reply = await connectCommand(user);
  const url = /"url":"([^"]*accounts\/start[^"]*)"/.exec(JSON.stringify(reply.blocks))?.[1];
  if (url === undefined) throw new Error(`no address to sign in: ${visibleText(reply)}`);
  return url;
}

/** Opens the address in a browser and presses the button. Returns the address at the service. */
async function begin(url: string, browser: Person): Promise<string> {
  const { text } = await browser.open(url);
  const { response } = await browser.submit(new URL(url).pathname, { ticket: hiddenField(text, 'ticket') });
  expect(response.status).toBe(303);
  return response.headers.get('location') ?? '';
}

/** Signs in as a user of the service, from the button in Slack to the last page, with one browser. */
async function signIn(user: string, username: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const url = await signInUrl(user);
  const browser = createPerson(new URL(url).origin);
  const authorizeUrl = await begin(url, browser);
  const atService = createPerson(service.url);
  await atService.signIn(service.tokenOf(username));
  const target = await answerConsent(atService, authorizeUrl, decision);
  return (await browser.open(target.href)).text;
}

/** Asks as bob where only he reads. Returns the schemes of the credentials with which the question was asked. */
async function schemesOf(question: string): Promise<string[]> {
  const ts = await world.direct(question, { user: people.bob });
  await world.answered(ts);
  return [...new Set(service.requests.filter((each) => each.question?.includes(question)).map(({ scheme }) => scheme))];
}

test('a person signs in with the browser, and the app knows whose account it is', async () => {
  expect(await signIn(people.bob, 'bob')).toContain('<h1>Connected as bob</h1>');
  expect(visibleText(await connectCommand(people.bob))).toMatch(/Connected as bob .*by signing in/);
  expect(visibleText(await connectCommand(people.ada))).toContain('You have not connected an account');
});

test('the pages are in the language that the person has in Slack', async () => {
  const url = await signInUrl(people.gerd);
  const { text } = await createPerson(new URL(url).origin).open(url);
  expect(text).toContain('<html lang="de">');
  expect(text).toContain('Mit dem eigenen Konto fragen?');
});

test('a sign-in survives a restart of the app between the button and the last page', async () => {
  const url = await signInUrl(people.bob);
  const browser = createPerson(new URL(url).origin);
  const authorizeUrl = await begin(url, browser);
  await world.restart();
  const atService = createPerson(service.url);
  await atService.signIn(service.tokenOf('bob'));
  const target = await answerConsent(atService, authorizeUrl);
  expect((await browser.open(target.href)).text).toContain('<h1>Connected as bob</h1>');
  expect(visibleText(await connectCommand(people.bob))).toContain('Connected as bob');
});

test('a person who denies the access at the service is not connected, and may try again', async () => {
  expect(await signIn(people.bob, 'bob', 'deny')).toContain('<h1>Not connected</h1>');
  expect(visibleText(await connectCommand(people.bob))).toContain('You have not connected an account');
  expect(await signIn(people.bob, 'bob')).toContain('<h1>Connected as bob</h1>');
});

test('a link that someone sent on after they began with it connects no one else', async () => {
  const url = await signInUrl(people.bob);
  const sender = createPerson(new URL(url).origin);
  const authorizeUrl = await begin(url, sender);
  const colleague = createPerson(service.url);
  await colleague.signIn(service.tokenOf('ada'));
  const target = await answerConsent(colleague, authorizeUrl);
  const other = createPerson(new URL(url).origin);
  expect((await other.open(target.href)).text).toContain('<h1>This sign-in belongs to another browser</h1>');
  expect(visibleText(await connectCommand(people.bob))).toContain('You have not connected an account');
});

test('questions use the person’s own access, also after their access token expired', async () => {
  await signIn(people.bob, 'bob');
  expect(await schemesOf('Where is the first retry?')).toEqual(['Bearer']);
  // The service counts the token as expired before the app does: it refreshes after the 401.
  aheadMs += 2 * 60 * 60 * 1_000;
  expect(await schemesOf('Where is the second retry?')).toEqual(['Bearer']);
  expect(visibleText(await connectCommand(people.bob))).toContain('Connected as bob');
});
