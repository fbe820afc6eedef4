import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withQuietEnd } from '../../src/core/question/cancellation.ts';
import { Secret } from '../../src/core/secret.ts';
import { withService } from '../../src/core/workspaces/own-service.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { storeFile } from '../../src/storage/embedded-store.ts';
import { openStorage, type Storage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, type Quirks, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import type { FakeSlack } from '../support/fake-slack/fake-slack.ts';
import { type InstallingSlack, startInstallingSlack } from '../support/fake-slack/installing-slack.ts';
import { envelope, messageOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { type InstalledWorld, installationKey, startInstalledWorld } from '../support/world/installed-world.ts';

/*
 * Two workspaces: the first asks at the app's own service, the second at a service of its own. Both services give out
 * the same ids.
 */

const [FIRST, SECOND] = ['T0ONE', 'T0TWO'];
const admin = await builtProgram('src/cli/admin.ts');
const ownToken = 'sgp_of-the-second';

let slack: InstallingSlack;
/** Of the second workspace's service. */
let quirks: Quirks;
let shared: FakeService;
let own: FakeService;
let world: InstalledWorld;
let first: FakeSlack;
let second: FakeSlack;

beforeEach(async () => {
  slack = await startInstallingSlack();
  first = await slack.add(FIRST);
  second = await slack.add(SECOND);
  shared = await startFakeService({ username: 'app-bot' });
  quirks = { token: ownToken, username: 'bot' };
  own = await startFakeService(quirks);
  world = await startInstalledWorld({
    slack,
    service: { url: shared.url, token: serviceToken },
    settings: { ADMINS: people.ada },
  });
  await world.install(FIRST);
  await world.install(SECOND);
});

afterEach(async () => {
  await world.stop();
  await shared.stop();
  await own.stop();
  expect(slack.violations()).toEqual([]);
  await slack.stop();
});

const inFirst = () => world.within(FIRST, first);
const inSecond = () => world.within(SECOND, second);

/** Gives a workspace a service with the program, beside the running app. Without a service: the app's own one again. */
async function change(id: string, service: FakeService | undefined, token = ownToken): Promise<void> {
  const args = service === undefined ? ['--clear'] : ['--endpoint', service.url, '--token-file', '-'];
  const run = runProgram(admin, ['workspace', '--id', id, ...args], world.environment(), token);
  expect([await run.ended, run.output()]).toEqual([0, expect.stringContaining(`${id} asks at `)]);
}

/** The app must not run. */
async function withStorage<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const encryptionKeys = [{ id: installationKey.id, key: new Secret(installationKey.key) }];
  const { log } = createRecordingLog();
  const storage = await openStorage({ dataDir: world.dataDir }, { clock: Date.now, log, encryptionKeys });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Asks in a workspace, answers at a service, and waits for the answer. */
async function askAt(service: FakeService, inside: ReturnType<typeof inFirst>, text: string): Promise<string> {
  const ts = await inside.mention(text);
  service.answer(await eventually(() => one(service.find(text))));
  await eventually(() => expect(inside.answersIn(ts)).toHaveLength(1));
  return ts;
}

/** The message stands in the thread: the app takes one that Slack does not have for a deleted one. */
function replyTo(id: string, threadTs: string, text: string) {
  const ts = (id === FIRST ? first : second).say('C0GENERAL', people.ada, text, threadTs);
  return world.deliver(id, messageOf({ user: people.ada, text, ts, threadTs }));
}

const noOneElseWasAsked = () => {
  expect([...shared.authorizations]).toEqual([`token ${serviceToken}`]);
  expect([...own.authorizations].filter((each) => each !== `token ${ownToken}`)).toEqual([]);
};

describe('a workspace with its own service', () => {
  test('asks there with its token, and the others ask where they did', async () => {
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Where is ours?');
    await askAt(shared, inFirst(), 'Where is theirs?');
    expect(shared.find('Where is ours?')).toEqual([]);
    expect(own.find('Where is theirs?')).toEqual([]);
    noOneElseWasAsked();
  });

  test('continues its threads there, although both services give out the same ids', async () => {
    await change(SECOND, own);
    const theirs = await askAt(shared, inFirst(), 'Where is theirs?');
    const ours = await askAt(own, inSecond(), 'Where is ours?');
    expect(own.conversations[0]?.id).toBe(shared.conversations[0]?.id);
    await replyTo(SECOND, ours, 'And who wrote ours?');
    await replyTo(FIRST, theirs, 'And who wrote theirs?');
    own.answer(await eventually(() => one(own.find('And who wrote ours?'))));
    shared.answer(await eventually(() => one(shared.find('And who wrote theirs?'))));
    await eventually(() => expect(inSecond().answersIn(ours)).toHaveLength(2));
    await eventually(() => expect(inFirst().answersIn(theirs)).toHaveLength(2));
    expect([shared.conversations.length, own.conversations.length]).toEqual([1, 1]);
    noOneElseWasAsked();
  });

  test('goes on after a restart', async () => {
    await change(SECOND, own);
    const ts = await inSecond().mention('Where is ours?');
    const question = await eventually(() => one(own.find('Where is ours?')));
    await eventually(() => expect(inSecond().card(ts)).toBeDefined());
    await world.stopApp();
    await world.startApp();
    own.answer(question);
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(1));
    expect(own.questions()).toHaveLength(1);
    noOneElseWasAsked();
  });

  test('is not stopped by another service that is down, and does not stop others', async () => {
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Is ours up?');
    own.scriptFaults(() => ({ status: 503 }));
    await inSecond().mention('Does ours answer?');
    await eventually(async () =>
      expect(await world.metrics()).toContain('deepsearch_slack_reachable{target="deepsearch.T0TWO"} 0'),
    );
    await askAt(shared, inFirst(), 'Is theirs up?');
    const metrics = await world.metrics();
    expect(metrics).toContain('deepsearch_slack_reachable{target="deepsearch"} 1');
    const page = await world.readyz();
    expect(JSON.parse(page)).toMatchObject({ ready: true, access: { deepsearch: 'ok', ownServices: 'unreachable' } });
    expect(page).not.toContain(SECOND);
    own.scriptFaults(() => undefined);
    shared.scriptFaults(() => ({ status: 503 }));
    const text = 'Is ours up again?';
    const ts = await inSecond().mention(text, { user: people.bob });
    own.answer(await eventually(() => one(own.find(text))));
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(1));
    shared.scriptFaults(() => undefined);
  });

  test('asks there with the account of its token, although people must use their own account', async () => {
    await world.stop();
    world = await startInstalledWorld({
      slack,
      service: { url: shared.url, token: serviceToken },
      settings: { ACCOUNTS: 'required' },
    });
    await world.install(SECOND);
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Whose access?');
    expect(shared.questions()).toEqual([]);
  });

  test('has a doctor that checks it, and not the service of the app', async () => {
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Where is ours?');
    const before = shared.calls.length;
    await inSecond().command('doctor');
    const { channel, text, ts } = await eventually(() =>
      one(second.messages.filter((message) => /\bdoctor-[0-9a-f]{16}\b/.test(message.text))),
    );
    const spoken = { channel, text, ts, user: team.botUserId, channelType: 'im' as const };
    await world.deliver(SECOND, messageOf({ ...spoken, more: { bot_id: team.botId } }));
    const report = await eventually(() => JSON.stringify(one(second.responses).body.blocks));
    expect(report).toContain(`This workspace has a service of its own, ${new URL(own.url).host}`);
    expect(report).toContain('The app asks as bot.');
    expect(report).not.toContain(new URL(shared.url).host);
    expect(report).not.toContain(ownToken);
    expect(shared.calls).toHaveLength(before);
    noOneElseWasAsked();
  });

  test('has its token encrypted in the storage', async () => {
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Where is ours?');
    await world.stopApp();
    expect(readFileSync(storeFile(world.dataDir)).includes(ownToken)).toBe(false);
  });
});

describe('a change of the service', () => {
  test('lets what runs end where it was asked, and a later reply begins a new conversation and says so', async () => {
    const ts = await inSecond().mention('Asked before?');
    const question = await eventually(() => one(shared.find('Asked before?')));
    await eventually(() => expect(inSecond().card(ts)).toBeDefined());
    await change(SECOND, own);
    const other = await askAt(own, inSecond(), 'Asked after?');
    shared.answer(question);
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(1));
    await replyTo(SECOND, ts, 'And what then?');
    const asked = await eventually(() => {
      const found = own.questions().filter(({ question }) => question.includes('And what then?'));
      return one(found);
    });
    own.answer(asked);
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(2));
    expect(JSON.stringify(second.inThread(ts))).toContain('can no longer be continued');
    // The link to a conversation of the other service opens it for everyone.
    expect(asked.question).not.toContain(shared.url);
    expect(shared.questions()).toHaveLength(1);
    expect(own.conversations).toHaveLength(2);
    expect(inSecond().answersIn(other)).toHaveLength(1);
    noOneElseWasAsked();
  });

  test('back to the service of the app does the same, also across a restart', async () => {
    await change(SECOND, own);
    const ts = await inSecond().mention('Asked at ours?');
    const question = await eventually(() => one(own.find('Asked at ours?')));
    await eventually(() => expect(inSecond().card(ts)).toBeDefined());
    await change(SECOND, undefined);
    await world.stopApp();
    await world.startApp();
    await askAt(shared, inSecond(), 'Asked at theirs?');
    own.answer(question);
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(1));
    noOneElseWasAsked();
  });

  test('between the call that asks and its reply leaves one question, at the service where it was asked', async () => {
    shared.fault('create', { breakAfterEffect: true });
    const ts = await inSecond().mention('Asked once?');
    const question = await eventually(() => one(shared.find('Asked once?')));
    await world.stopApp();
    await change(SECOND, own);
    await world.startApp();
    shared.answer(question);
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(1));
    expect(own.questions()).toEqual([]);
    expect(shared.questions()).toHaveLength(1);
  });

  test('lets people cancel what runs at the service before', async () => {
    const ts = await inSecond().mention('To be cancelled?');
    const question = await eventually(() => one(shared.find('To be cancelled?')));
    await eventually(() => expect(inSecond().card(ts)).toBeDefined());
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Another?');
    await inSecond().press('Cancel', { threadTs: ts });
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    noOneElseWasAsked();
  });

  test('to another token of the same account continues its threads', async () => {
    await change(SECOND, own);
    const ts = await askAt(own, inSecond(), 'Where is ours?');
    quirks.token = 'sgp_renewed';
    await change(SECOND, own, 'sgp_renewed');
    await replyTo(SECOND, ts, 'And who wrote it?');
    own.answer(await eventually(() => one(own.find('And who wrote it?'))));
    await eventually(() => expect(inSecond().answersIn(ts)).toHaveLength(2));
    expect(own.conversations).toHaveLength(1);
  });

  test('keeps the token before for a day', async () => {
    await world.stopApp();
    const service = { endpoint: own.url, token: new Secret(ownToken), username: 'bot', api: 'auto' as const };
    await withStorage(async ({ workspaceServices }) => {
      const dayAgoMs = Date.now() - 24 * 60 * 60 * 1000 - 1;
      await workspaceServices.update(SECOND, (stored) => withService(SECOND, stored, service, dayAgoMs - 1_000));
      await workspaceServices.update(SECOND, (stored) => withService(SECOND, stored, undefined, dayAgoMs));
      await workspaceServices.update(FIRST, (stored) => withService(FIRST, stored, service, dayAgoMs));
    });
    await world.startApp();
    await askAt(own, inFirst(), 'Still there?');
    await eventually(async () => {
      const list = runProgram(admin, ['workspace'], world.environment());
      expect(await list.ended).toBe(0);
      expect(list.output()).not.toContain('ends at');
    });
    await world.stopApp();
    expect(await withStorage(({ workspaceServices }) => workspaceServices.ids())).toEqual([FIRST]);
  });
});

describe('a conversation of another service', () => {
  test.each<[string, boolean]>([
    ['by its link', false],
    ['by typing its link', true],
  ])('is not shown in a workspace that asks elsewhere %s', async (_, composer) => {
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Where is the quetzal?');
    await askAt(shared, inFirst(), 'Where is the heron?');
    const before = [own.calls.length, shared.calls.length];
    await inFirst().shareLink(one(own.conversations).share_url, { composer });
    await inSecond().shareLink(one(shared.conversations).share_url, { composer });
    await askAt(own, inSecond(), 'Is all done?');
    await askAt(shared, inFirst(), 'Is all done there?');
    expect(JSON.stringify(first.requests)).not.toContain('quetzal');
    expect(JSON.stringify(second.requests)).not.toContain('heron');
    const lists = [own, shared].map(({ calls }, at) => calls.slice(before[at]).filter((call) => call === 'list'));
    expect(lists).toEqual([[], []]);
  });

  test('of the same service with another account is not shown in the workspace that did not ask', async () => {
    // The same address as the app's own service. Its shared links open for each account.
    await change(SECOND, shared, serviceToken);
    await askAt(shared, inSecond(), 'Where is the quetzal?');
    await inFirst().shareLink(one(shared.conversations).share_url);
    await askAt(shared, inFirst(), 'Is all done?');
    expect(JSON.stringify(first.requests)).not.toContain('quetzal');
  });

  test('gets a preview where it was asked', async () => {
    await change(SECOND, own);
    await askAt(own, inSecond(), 'Where is the quetzal?');
    await inSecond().shareLink(one(own.conversations).share_url);
    await eventually(() =>
      expect(JSON.stringify(second.requests.filter(({ method }) => method === 'chat.unfurl'))).toContain('quetzal'),
    );
  });
});

describe('removing the app', () => {
  const uninstalled = () => envelope({ type: 'app_uninstalled', event_ts: '1700000000.000000' });

  test('stops the questions at the own service and erases its token', async () => {
    await change(SECOND, own);
    const ts = await inSecond().mention('Still running?');
    const question = await eventually(() => one(own.find('Still running?')));
    await eventually(() => expect(inSecond().card(ts)).toBeDefined());
    slack.revoke(SECOND);
    await world.deliver(SECOND, uninstalled());
    await world.untilEnded(1);
    expect(question.error?.kind).toBe('Cancelled');
    await world.stopApp();
    expect(await withStorage(({ workspaceServices }) => workspaceServices.get(SECOND))).toBeUndefined();
  });

  test('does so too if the app is killed in between', async () => {
    await change(SECOND, own);
    await inSecond().mention('Still running?');
    const question = await eventually(() => one(own.find('Still running?')));
    slack.revoke(SECOND);
    await world.deliver(SECOND, uninstalled());
    await world.stopApp();
    await world.startApp();
    await world.untilEnded(1);
    expect(question.error?.kind).toBe('Cancelled');
    await world.stopApp();
    expect(await withStorage(({ workspaceServices }) => workspaceServices.get(SECOND))).toBeUndefined();
  });

  test('leaves a new installation its own service, also if an earlier question ends later', async () => {
    await change(SECOND, own);
    const ts = await inSecond().mention('Still running?');
    const question = await eventually(() => one(own.find('Still running?')));
    await eventually(() => expect(inSecond().card(ts)).toBeDefined());
    await world.stopApp();
    await withStorage(async ({ installations, questions }) => {
      await installations.update(SECOND, () => undefined);
      for (const id of await questions.openIds()) {
        await questions.update(id, (stored) => withQuietEnd(stored, Date.now()));
      }
    });
    own.fault('cancel', { carriedOutAfterMs: 3_000 });
    await world.startApp();
    await eventually(() => expect(own.calls).toContain('cancel'));
    await world.install(SECOND);
    await askAt(own, inSecond(), 'Asked after?');
    await eventually(async () => expect(await world.metrics()).toContain('deepsearch_slack_open_questions 0'));
    expect(question.error?.kind).toBe('Cancelled');
    expect(await world.metrics()).toContain('deepsearch_slack_reachable{target="deepsearch.T0TWO"} 1');
  });
});
