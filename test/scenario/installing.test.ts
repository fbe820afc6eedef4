import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Secret } from '../../src/core/secret.ts';
import type { Installation } from '../../src/core/workspaces/installations.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { storeFile } from '../../src/storage/embedded-store.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { memberOf } from '../support/fake-slack/installing-slack.ts';
import { envelope } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { installationKey, startInstallable } from '../support/world/installed-world.ts';

type Started = Awaited<ReturnType<typeof startInstallable>>;

let slack: Started['slack'];
let first: Started['first'];
let service: Started['service'];
let world: Started['world'];
let stop: Started['stop'];

beforeEach(async () => {
  ({ slack, first, service, world, stop } = await startInstallable());
});

afterEach(async () => {
  expect(await stop()).toEqual([]);
});

/** What the storage has of a workspace. The app must not run. */
async function stored(id: string): Promise<Installation | undefined> {
  const encryptionKeys = [{ id: installationKey.id, key: new Secret(installationKey.key) }];
  const storage = await openStorage(
    { dataDir: world.dataDir },
    { clock: Date.now, log: createRecordingLog().log, encryptionKeys },
  );
  try {
    return await storage.installations.get(id);
  } finally {
    await storage.close();
  }
}

const uninstalled = () => envelope({ type: 'app_uninstalled', event_ts: '1700000000.000000' });
const revoked = () =>
  envelope({ type: 'tokens_revoked', tokens: { bot: [team.botUserId] }, event_ts: '1700000000.000000' });

describe('a workspace that installs the app', () => {
  test('is shown that it worked, and its questions are answered', async () => {
    const reply = await world.install('T0ONE');
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('Installed in Workspace T0ONE');
    const t = world.within('T0ONE', first);
    const ts = await t.mention('Where is it?');
    service.answer(await eventually(() => one(service.find('Where is it?'))));
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
  });

  test('has its token encrypted in the storage, and the log and the pages do not show it', async () => {
    const page = await (await world.install('T0ONE')).text();
    await world.stopApp();
    const token = one(slack.tokens());
    expect((await stored('T0ONE'))?.token.reveal()).toBe(token);
    expect(page).not.toContain(token);
    expect(readFileSync(storeFile(world.dataDir)).includes(token)).toBe(false);
  });

  test('is still served after a restart', async () => {
    await world.install('T0ONE');
    await world.stopApp();
    await world.startApp();
    const t = world.within('T0ONE', first);
    const ts = await t.mention('Still there?');
    service.answer(await eventually(() => one(service.find('Still there?'))));
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
  });

  test('can install it again: the new token replaces the old one, also for questions that run', async () => {
    await world.install('T0ONE');
    const t = world.within('T0ONE', first);
    const ts = await t.mention('Asked before?');
    const question = await eventually(() => one(service.find('Asked before?')));
    slack.revoke('T0ONE');
    await world.install('T0ONE');
    service.answer(question);
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
    expect(slack.tokens()).toHaveLength(2);
  });

  test('is refused when the settings do not list it: nothing is stored, and its token is given back', async () => {
    await slack.add('T0STRANGER');
    const reply = await world.install('T0STRANGER');
    expect(reply.status).toBe(403);
    expect(await reply.text()).toContain('T0STRANGER');
    const delivery = await world.within('T0STRANGER', first).command('Where is it?');
    expect(delivery).toMatchObject({ acknowledged: true, response: { response_type: 'ephemeral' } });
    await world.stopApp();
    expect(await stored('T0STRANGER')).toBeUndefined();
    expect(service.find('Where is it?')).toEqual([]);
  });
});

describe('the pages of the installation', () => {
  test('ask Slack for the scopes of the manifest', async () => {
    const begun = await fetch(`${world.pages}/slack/install`, { redirect: 'manual' });
    const location = new URL(begun.headers.get('location') ?? '');
    const manifest = parse(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
    expect(location.searchParams.get('scope')?.split(',')).toEqual(manifest.oauth_config.scopes.bot);
    expect(location.searchParams.get('redirect_uri')).toBe(`${world.pages}/slack/oauth_redirect`);
  });

  test.each([
    ['without the cookie of the browser that began', async () => ({})],
    [
      'with the cookie of another browser',
      async () => {
        const other = await fetch(`${world.pages}/slack/install`, { redirect: 'manual' });
        return { cookie: (other.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
      },
    ],
  ])('refuse a redirect %s', async (_, headersOf) => {
    const begun = await fetch(`${world.pages}/slack/install`, { redirect: 'manual' });
    const back = slack.grant(new URL(begun.headers.get('location') ?? ''), 'T0ONE');
    const reply = await fetch(back, { headers: await headersOf(), redirect: 'manual' });
    expect(reply.status).toBe(400);
    expect(slack.tokens()).toEqual([]);
  });

  test('say so when the person cancels, and when Slack refuses the code', async () => {
    const cancelled = await fetch(`${world.pages}/slack/oauth_redirect?error=access_denied&state=x`);
    expect(await cancelled.text()).toContain('Not installed');
    const begun = await fetch(`${world.pages}/slack/install`, { redirect: 'manual' });
    const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ code: 'made-up', state });
    const failed = await fetch(`${world.pages}/slack/oauth_redirect?${query}`, { headers: { cookie } });
    expect(failed.status).toBe(502);
    expect(await failed.text()).toContain('Begin again');
  });

  test('answer only GET', async () => {
    expect((await fetch(`${world.pages}/slack/install`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${world.pages}/slack/oauth_redirect`, { method: 'POST' })).status).toBe(405);
  });
});

describe('an organization that installs the app', () => {
  test('is served in its workspaces, with the people of all of them listed', async () => {
    const org = await slack.add('E0ORG');
    const reply = await world.install('E0ORG');
    expect(await reply.text()).toContain('Installed in Organization E0ORG');
    const t = world.within('E0ORG', org);
    const ts = await t.mention('Where is it?');
    service.answer(await eventually(() => one(service.find('Where is it?'))));
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
    await eventually(() => {
      const listed = org.requests.filter(({ method }) => method === 'users.list');
      expect(listed.map(({ args }) => args.team_id)).toContain(team.id);
    });
    await t.openHome();
    await eventually(() => expect(JSON.stringify(t.home())).toContain('Where is it?'));
    await world.stopApp();
    expect((await stored('E0ORG'))?.enterpriseId).toBe('E0ORG');
    expect(await stored(memberOf('E0ORG'))).toBeUndefined();
  });

  test('ends its questions in a workspace from which it took the app', async () => {
    const org = await slack.add('E0ORG');
    await world.install('E0ORG');
    const t = world.within('E0ORG', org);
    await t.mention('Taken away?');
    const running = await eventually(() => one(service.find('Taken away?')));
    for (const method of ['chat.postMessage', 'chat.update', 'conversations.replies', 'conversations.open']) {
      org.fault(method, { error: 'team_access_not_granted' }, 10_000);
    }
    service.answer(running);
    await eventually(async () => expect(await world.metrics()).toMatch(/deepsearch_slack_open_questions 0\b/));
  });

  test('does not give its token to a workspace of it that installed the app alone', async () => {
    await slack.add('E0ORG');
    const alone = await slack.add('T0TWO', 'E0ORG');
    await world.install('E0ORG');
    await world.install('T0TWO');
    const t = world.within('T0TWO', alone);
    const ts = await t.mention('Alone?');
    service.answer(await eventually(() => one(service.find('Alone?'))));
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
  });
});

describe.each([
  ['removes the app', uninstalled],
  ["revokes the bot's token", revoked],
])('a workspace that %s', (_, endOf) => {
  test('gets nothing more, its question stops at the service, and its installation is erased', async () => {
    await world.install('T0ONE');
    const t = world.within('T0ONE', first);
    await t.mention('runs?');
    const running = await eventually(() => {
      expect(first.messages.filter(({ bot_id: bot }) => bot !== undefined)).toHaveLength(1);
      return one(service.find('runs?'));
    });
    slack.revoke('T0ONE');
    expect((await world.deliver('T0ONE', endOf())).acknowledged).toBe(true);
    await world.untilEnded(1);
    await eventually(() => expect(running.error?.kind).toBe('Cancelled'));
    expect((await t.command('help')).response).toMatchObject({ text: expect.stringContaining('not installed') });
    await world.stopApp();
    expect(await stored('T0ONE')).toBeUndefined();
  });

  test('is no trouble of Slack for those who operate the app', async () => {
    await world.install('T0ONE');
    await world.within('T0ONE', first).mention('runs?');
    await eventually(() => one(service.find('runs?')));
    slack.revoke('T0ONE');
    await world.deliver('T0ONE', endOf());
    await world.untilEnded(1);
    await eventually(async () => expect(await world.readyz()).toContain('"access":{"slack":"ok"'));
  });

  test('ends although Slack does not say whether another workspace removed the app', async () => {
    await slack.add('T0TWO');
    await world.install('T0ONE');
    await world.install('T0TWO');
    first.fault('auth.test', { error: 'internal_error' }, 1_000);
    await world.deliver('T0ONE', endOf());
    slack.revoke('T0TWO');
    await world.deliver('T0TWO', endOf());
    await world.untilEnded(1);
    await world.stopApp();
    expect(await stored('T0ONE')).toBeDefined();
    expect(await stored('T0TWO')).toBeUndefined();
  });

  test('is erased as an organization although the event names only one of its workspaces', async () => {
    await slack.add('E0ORG');
    await slack.add('T0MEMBER', 'E0ORG');
    await world.install('E0ORG');
    slack.revoke('E0ORG');
    await world.deliver('T0MEMBER', endOf());
    await world.untilEnded(2);
    await world.stopApp();
    expect(await stored('E0ORG')).toBeUndefined();
  });

  test('keeps a later installation when the event comes late', async () => {
    await world.install('T0ONE');
    slack.revoke('T0ONE');
    await world.install('T0ONE');
    await world.deliver('T0ONE', endOf());
    await world.untilEnded(1);
    const t = world.within('T0ONE', first);
    const ts = await t.mention('Again?', { user: people.bob });
    service.answer(await eventually(() => one(service.find('Again?'))));
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
    await world.stopApp();
    expect(await stored('T0ONE')).toBeDefined();
  });

  test('ends nothing in another workspace', async () => {
    const second = await slack.add('T0TWO');
    await world.install('T0ONE');
    await world.install('T0TWO');
    const t = world.within('T0TWO', second);
    const ts = await t.mention('Goes on?');
    const running = await eventually(() => one(service.find('Goes on?')));
    slack.revoke('T0ONE');
    await world.deliver('T0ONE', endOf());
    await world.untilEnded(1);
    service.answer(running);
    await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
  });
});
