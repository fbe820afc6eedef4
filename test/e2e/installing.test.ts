import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import type { Installation } from '../../src/core/workspaces/installations.ts';
import type { Child } from '../../src/demo/child.ts';
import { type BaseSetup, type Program, startApp, startCodeSearch } from '../../src/demo/programs.ts';
import { botScopes } from '../../src/slack/install/install-pages.ts';
import { storeFile } from '../../src/storage/embedded-store.ts';
import { createKeyRing } from '../../src/storage/encryption.ts';
import { openStoreBeside } from '../../src/storage/open-storage.ts';
import { createInstallations } from '../../src/storage/sealed-records.ts';
import { hasBrowser, openBrowser } from '../support/browser/browser.ts';
import {
  type EmulatedSlack,
  emulatedApp,
  emulatedTeam,
  startEmulatedSlack,
} from '../support/emulate/emulated-slack.ts';
import { eventually } from '../support/eventually.ts';
import { textOf } from '../support/local-slack/local-slack.ts';
import { builtSource } from '../support/processes/built-programs.ts';
import { freePort } from '../support/processes/free-port.ts';
import { createSampleRepository } from '../support/processes/sample-repository.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const waitMs = 30_000;
const key = randomBytes(32).toString('base64');

// Each test goes on where the one before ended: a workspace installs the app, uses it, removes it, and installs it again.
describe.skipIf(!hasBrowser())('a workspace of another Slack (emulate)', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let slack: EmulatedSlack;
  let browser: Browser;
  let base: BaseSetup;
  let appUrl: string;
  let start: () => Promise<void>;
  let app: Child;

  beforeAll(async () => {
    const folder = await createTempDir();
    cleanUps.push(folder.remove);
    const repository = await createSampleRepository();
    cleanUps.push(repository.remove);
    base = { folder: folder.path, environment: { PATH: process.env.PATH ?? '' }, dist: await builtSource() };
    const port = await freePort();
    appUrl = `http://127.0.0.1:${port}`;
    slack = await startEmulatedSlack({
      redirectUri: `${appUrl}/slack/oauth_redirect`,
      eventsUrl: `${appUrl}/slack/events`,
    });
    cleanUps.push(slack.stop);
    const token = randomUUID();
    const search = { repositories: [repository.path], port: 0, tokens: [token] };
    const { ready: codeSearch } = await running(startCodeSearch(base, search));
    start = async () => {
      const settings = {
        SLACK_CLIENT_ID: emulatedApp.clientId,
        SLACK_CLIENT_SECRET: emulatedApp.clientSecret,
        SLACK_SIGNING_SECRET: emulatedApp.signingSecret,
        SLACK_WORKSPACES: emulatedTeam.id,
        SLACK_STAND_IN: 'true',
        PUBLIC_URL: appUrl,
        ENCRYPTION_KEYS: `k1:${key}`,
      };
      const unused = { apiUrl: slack.apiUrl, botToken: '', appToken: '', admins: [] };
      const setup = { slack: unused, serviceUrl: codeSearch.url, token, port, settings };
      ({ child: app } = await running(startApp(base, setup)));
    };
    await start();
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
  });

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  it('installs the app on the page of Slack, and gets an answer in the thread of a mention', async () => {
    await install();
    await answerTo(await mention('Where are gateway requests signed?'), 'client.ts');
  });

  it('has its token stored, encrypted, and with the scopes that it granted', async () => {
    const installation = await stored();
    const token = installation?.token.reveal() ?? '';
    expect(installation).toMatchObject({
      workspaceId: emulatedTeam.id,
      name: emulatedTeam.name,
      scopes: Object.keys(botScopes),
    });
    expect(await slack.botOf(token)).toBe(installation?.botUserId);
    expect(readFileSync(storeFile(join(base.folder, 'app'))).includes(token)).toBe(false);
    expect(readFileSync(join(base.folder, 'app.log'), 'utf8')).not.toContain(token);
  });

  it('is answered after a restart, also without a mention in a thread that goes on', async () => {
    await app.stop();
    await start();
    const ts = await mention('How are failed payments retried?');
    await answerTo(ts, 'retry-policy.ts');
    const reply = await slack.say('What does chargeCard do?', ts);
    expect(await slack.deliver({ ...reply, type: 'message', channel_type: 'channel' })).toBe(200);
    await answerTo(ts, 'charge.ts', 2);
  });

  it('installs it again: the new token takes the place of the old one', async () => {
    const before = (await stored())?.token.reveal();
    await install();
    await answerTo(await mention('Where is the delay of a payment retry?'), 'retry-policy.ts');
    const after = (await stored())?.token.reveal();
    expect(after).not.toBe(before);
    expect(await slack.botOf(after ?? '')).toBeDefined();
  });

  it('removes it: its token is erased, once Slack does not take it any more', async () => {
    const token = (await stored())?.token.reveal() ?? '';
    slack.forget();
    expect(await slack.botOf(token)).toBeUndefined();
    expect(await slack.deliver({ type: 'app_uninstalled', event_ts: '1700000000.000000' })).toBe(200);
    await eventually(async () => expect(await stored()).toBeUndefined());
  });

  it('can install it after that, and is answered', async () => {
    await install();
    await answerTo(await mention('Where are gateway requests signed?'), 'client.ts');
  });

  /** What the storage has of the workspace, read beside the running app. */
  async function stored(): Promise<Installation | undefined> {
    const { log } = createRecordingLog();
    const store = await openStoreBeside({ dataDir: join(base.folder, 'app') }, { clock: Date.now, log });
    const keyRing = createKeyRing([{ id: 'k1', key: new Secret(key) }]);
    return createInstallations(store, keyRing)
      .get(emulatedTeam.id)
      .finally(() => store.close());
  }

  async function running<Ready>({ child, ready }: Program<Ready>): Promise<{ child: Child; ready: Ready }> {
    cleanUps.push(() => child.stop());
    return { child, ready: await ready };
  }

  /** Begins at the page of the app, allows what it asks for on the page of Slack, and is back at the app. */
  async function install(): Promise<void> {
    const page: Page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    await page.goto(`${appUrl}/slack/install`);
    await slack.allow(page);
    await page.getByRole('heading', { name: `Installed in ${emulatedTeam.name}` }).waitFor();
    await page.close();
  }

  /** Asks in the channel, and returns the thread. */
  async function mention(question: string): Promise<string> {
    const message = await slack.say(`<@${(await stored())?.botUserId}> ${question}`);
    expect(await slack.deliver({ ...message, type: 'app_mention' })).toBe(200);
    return message.ts;
  }

  async function answerTo(thread: string, words: string, count = 1): Promise<void> {
    await eventually(
      async () => {
        const texts = (await slack.inThread(thread)).map(textOf);
        expect(texts.filter((text) => text.includes('Answered in'))).toHaveLength(count);
        expect(texts.join('\n')).toContain(words);
      },
      { timeoutMs: waitMs },
    );
  }
});
