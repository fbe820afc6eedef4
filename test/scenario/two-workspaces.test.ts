import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { SHORTCUTS } from '../../src/render/ids.ts';
import { openStorage, type Storage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import type { FakeSlack } from '../support/fake-slack/fake-slack.ts';
import { type InstallingSlack, startInstallingSlack } from '../support/fake-slack/installing-slack.ts';
import {
  agentSessionStoppedOf,
  envelope,
  mentionOf,
  messageChangedOf,
  messageDeletedOf,
  messageOf,
  messageShortcutOf,
} from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { type InstalledWorld, installationKey, startInstalledWorld } from '../support/world/installed-world.ts';

/*
 * Two workspaces with the same people and channels, by the same ids. What `first` has of a question (ids in buttons,
 * timestamps, modals) is used by the second workspace, as if its people had chosen these ids.
 */

const [FIRST, SECOND] = ['T0ONE', 'T0TWO'];
/** A word that only the first workspace may see. */
const SECRET = 'quetzal';

let slack: InstallingSlack;
let service: FakeService;
let world: InstalledWorld;
let first: FakeSlack;
let second: FakeSlack;
let settings: Record<string, string>;

beforeEach(async () => {
  slack = await startInstallingSlack();
  first = await slack.add(FIRST);
  second = await slack.add(SECOND);
  settings = { RUNNING_PER_PERSON: '1', ADMINS: people.ada };
  service = await startFakeService();
  world = await startInstalledWorld({
    slack,
    service: { url: service.url, token: serviceToken },
    settings,
  });
  await world.install(FIRST);
  await world.install(SECOND);
});

afterEach(async () => {
  await world.stop();
  await service.stop();
  await slack.stop();
});

/** The people of the first workspace, those of the second, and those of the second with the ids of the first. */
const owner = () => world.within(FIRST, first);
const neighbour = () => world.within(SECOND, second);
const intruder = () => world.within(SECOND, first);

async function answered(): Promise<{ ts: string; shareUrl: string }> {
  const ts = await owner().mention(`Where is the ${SECRET}?`);
  const question = await eventually(() => one(service.find(`Where is the ${SECRET}?`)));
  service.answer(question, {
    answer: `The ${SECRET} is in main.ts.`,
    suggested_followups: [`Why is the ${SECRET} there?`],
  });
  await eventually(() => expect(owner().answersIn(ts)).toHaveLength(1));
  return { ts, shareUrl: one(service.conversations).share_url };
}

async function running(): Promise<{ ts: string; question: ReturnType<typeof service.find>[number] }> {
  const ts = await owner().mention(`Which ${SECRET} runs?`);
  const question = await eventually(() => one(service.find(`Which ${SECRET} runs?`)));
  await eventually(() => expect(owner().card(ts)).toBeDefined());
  return { ts, question };
}

/** Everything that the app sent to the second workspace, or to its people. */
function seenBySecond(responsesBefore: number): string {
  return JSON.stringify([second.requests, first.responses.slice(responsesBefore)]);
}

/** What the app posted or opened in the first workspace. Edits of a running card come and go with time. */
function madeInFirst(): number {
  return first.requests.filter(({ method }) => /^(chat\.post|views\.open)/.test(method)).length;
}

/** Does what the second workspace tries, and checks that it neither saw anything of the first nor did anything there. */
async function tryFromSecond(attempt: () => Promise<unknown>): Promise<void> {
  const [responses, made] = [first.responses.length, madeInFirst()];
  const reply = await attempt();
  // While this question is answered, what the attempt began ends.
  const ts = await neighbour().mention('Is all done?', { user: people.bob });
  service.answer(await eventually(() => one(service.find('Is all done?'))));
  await eventually(() => expect(neighbour().answersIn(ts)).toHaveLength(1));
  expect(seenBySecond(responses)).not.toContain(SECRET);
  expect(JSON.stringify(reply ?? '')).not.toContain(SECRET);
  expect(madeInFirst()).toBe(made);
}

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

describe('a running question of another workspace', () => {
  test.each<[string, (ts: string) => Promise<unknown>]>([
    ['the button of its card', (ts) => intruder().press('Cancel', { threadTs: ts })],
    ['a verb in its thread', (ts) => world.deliver(SECOND, mentionIn(ts, 'cancel'))],
    ['the stop button of its session', (ts) => world.deliver(SECOND, agentSessionStoppedOf({ ...there(ts) }))],
    [
      'the deletion of its message',
      (ts) => world.deliver(SECOND, messageDeletedOf({ message: messageAt(ts), ts: '1800000000.000100' })),
    ],
    ['an edit of its message', (ts) => world.deliver(SECOND, editOf(ts))],
  ])('can not be cancelled or changed by %s', async (_, attempt) => {
    const { ts, question } = await running();
    await tryFromSecond(() => attempt(ts));
    expect(question.error).toBeUndefined();
    service.answer(question);
    await eventually(() => expect(owner().answersIn(ts)).toHaveLength(1));
  });

  test('can not be cancelled from the Home tab', async () => {
    const { ts, question } = await running();
    await owner().openHome();
    await eventually(() => expect(JSON.stringify(owner().home())).toContain(SECRET));
    await tryFromSecond(() => intruder().pressInHome('Cancel'));
    service.answer(question);
    await eventually(() => expect(owner().answersIn(ts)).toHaveLength(1));
  });

  test('does not use up what people of this workspace may run', async () => {
    const { question } = await running();
    const ts = await neighbour().mention('At the same time?');
    service.answer(await eventually(() => one(service.find('At the same time?'))));
    await eventually(() => expect(neighbour().answersIn(ts)).toHaveLength(1));
    service.answer(question);
  });
});

describe('an answer of another workspace', () => {
  test.each<[string, (from: { ts: string; shareUrl: string }) => Promise<unknown>]>([
    ['by the button of a follow-up', ({ ts }) => intruder().press(`Why is the ${SECRET} there?`, { threadTs: ts })],
    ['by a vote', () => intruder().feedback('positive')],
    ['by a vote against it', () => intruder().feedback('negative')],
    ['by its link', ({ shareUrl }) => neighbour().shareLink(shareUrl)],
    ['by typing its link', ({ shareUrl }) => neighbour().shareLink(shareUrl, { composer: true })],
    ['by the verb why', ({ ts }) => world.deliver(SECOND, mentionIn(ts, 'why'))],
    ['by the verb status', ({ ts }) => world.deliver(SECOND, mentionIn(ts, 'status'))],
    ['by the verb mute', ({ ts }) => world.deliver(SECOND, mentionIn(ts, 'mute'))],
    ['by the verb unmute', ({ ts }) => world.deliver(SECOND, mentionIn(ts, 'unmute'))],
    ['by the command status', () => neighbour().command('status')],
    ['by the command history', () => neighbour().command('history')],
    ['by the command help', () => neighbour().command('help')],
    ['by the Home tab', () => neighbour().openHome()],
    ["by a person's Home tab of the same id", () => neighbour().openHome(people.bob)],
  ])('is neither shown nor changed %s', async (_, attempt) => {
    const from = await answered();
    await tryFromSecond(() => attempt(from));
    const questions = service.find(`Why is the ${SECRET} there?`);
    expect(questions).toEqual([]);
    await world.stopApp();
    await withStorage(async ({ threads, votes, askedQuestions }) => {
      const place = { teamId: FIRST, channelId: 'C0GENERAL', threadTs: from.ts };
      const thread = await threads.get(place);
      expect(thread?.muted).toBeUndefined();
      // It has a thread of the second workspace by the same timestamp, with its own conversation.
      const other = await threads.get({ ...place, teamId: SECOND });
      expect(thread?.conversationId).toBeDefined();
      expect(other?.conversationId).not.toBe(thread?.conversationId);
      const [asked] = (await askedQuestions.get(`${FIRST}:${people.ada}`))?.entries ?? [];
      expect(await votes.get(asked?.questionId ?? '', people.ada)).toBeUndefined();
    });
  });

  test('is not continued by a reply in a thread with the same timestamp', async () => {
    const { ts } = await answered();
    const reply = { user: people.ada, text: 'And who wrote it?', ts: '1800000000.000200', threadTs: ts };
    await tryFromSecond(() => world.deliver(SECOND, messageOf(reply)));
    expect(service.find('And who wrote it?')).toEqual([]);
  });

  test('is not continued by a shortcut on a message with the same timestamp', async () => {
    const { ts } = await answered();
    const [conversation] = service.conversations;
    const message = { ...messageAt(ts), text: 'A harmless message' };
    second.say('C0GENERAL', people.bob, 'A harmless message');
    await tryFromSecond(async () => {
      const responseUrl = first.responseUrl('shortcut');
      const about = { callbackId: SHORTCUTS.askAbout, message, user: people.ada, responseUrl };
      await world.deliver(SECOND, messageShortcutOf(about));
      const view = await neighbour().modal();
      return neighbour().submit(view, {});
    });
    expect(conversation?.questions).toHaveLength(1);
  });
});

test('forms with the same id in two workspaces ask two questions', async () => {
  for (const [inside, text] of [
    [owner(), 'From the first?'],
    [neighbour(), 'From the second?'],
  ] as const) {
    await inside.shortcut(SHORTCUTS.ask);
    const view = await inside.modal();
    await inside.submit(view, { question: text, channel: 'C0GENERAL' });
  }
  for (const text of ['From the first?', 'From the second?']) {
    service.answer(await eventually(() => one(service.find(text))));
  }
  await eventually(() => expect(JSON.stringify(second.messages)).toContain('The answer to'));
  expect(JSON.stringify(second.messages)).not.toContain('From the first?');
});

describe('settings and accounts', () => {
  test('of a channel are kept apart from a channel with the same id', async () => {
    await neighbour().command('settings');
    const view = await neighbour().modal();
    await neighbour().submit(view, {});
    await world.stopApp();
    await withStorage(async ({ channelSettings }) => {
      expect(await channelSettings.get(`${SECOND}:C0GENERAL`)).toBeDefined();
      expect(await channelSettings.get(`${FIRST}:C0GENERAL`)).toBeUndefined();
    });
  });

  test('of a channel stay when the other workspace gives its channel a new id', async () => {
    await owner().command('settings');
    await owner().submit(await owner().modal(), {});
    const changed = { type: 'channel_id_changed', old_channel_id: 'C0GENERAL', new_channel_id: 'C0MOVED' };
    const { acknowledged } = await world.deliver(SECOND, envelope({ ...changed, event_ts: '1700000100.001400' }));
    expect(acknowledged).toBe(true);
    await world.stopApp();
    await withStorage(async ({ channelSettings }) => {
      expect(await channelSettings.get(`${FIRST}:C0GENERAL`)).toBeDefined();
      expect(await channelSettings.get(`${FIRST}:C0MOVED`)).toBeUndefined();
    });
  });

  test('a person with the same id asks with no account of the other workspace, and can not remove it', async () => {
    const person = { teamId: FIRST, userId: people.ada };
    await world.stopApp();
    await withStorage(({ accounts }) =>
      accounts.update(person, () => ({
        person,
        username: SECRET,
        credential: { kind: 'token', token: new Secret('sgp_of-ada') },
        connectedMs: 1,
      })),
    );
    settings.ACCOUNTS = 'preferred';
    await world.startApp();
    await neighbour().command('disconnect');
    const ts = await neighbour().mention('With whose account?');
    service.answer(await eventually(() => one(service.find('With whose account?'))));
    await eventually(() => expect(neighbour().answersIn(ts)).toHaveLength(1));
    await neighbour().openHome();
    expect(seenBySecond(0)).not.toContain(SECRET);
    await world.stopApp();
    expect(await withStorage(({ accounts }) => accounts.get(person))).toBeDefined();
  });
});

test('the doctor of a workspace uses its token', async () => {
  await neighbour().command('doctor');
  const { channel, text, ts } = await eventually(() =>
    one(second.messages.filter((message) => /\bdoctor-[0-9a-f]{16}\b/.test(message.text))),
  );
  const spoken = { channel, text, ts, user: team.botUserId, channelType: 'im' as const };
  await world.deliver(SECOND, messageOf({ ...spoken, more: { bot_id: team.botId } }));
  const report = await eventually(() => JSON.stringify(one(second.responses).body.blocks));
  expect(report).toContain(`in workspace ${SECOND}`);
  expect(first.responses).toEqual([]);
});

test('a sign-in belongs to the workspace where it began', async () => {
  await world.stopApp();
  Object.assign(settings, {
    ACCOUNTS: 'preferred',
    SRC_OAUTH_CLIENT_ID: 'client',
    SRC_OAUTH_AUTHORIZE_URL: `${service.url}/authorize`,
    SRC_OAUTH_TOKEN_URL: `${service.url}/token`,
  });
  await world.startApp();
  const open = (ticket: string) => fetch(`${world.pages}/accounts/start?${new URLSearchParams({ ticket })}`);
  const begun: string[] = [];
  for (const inside of [owner(), neighbour()]) {
    const { response } = await inside.command('connect');
    begun.push(/accounts\/start\?ticket=([\w.-]+)/.exec(JSON.stringify(response))?.[1] ?? '');
  }
  const [[ownId = '', ownSecret = ''] = [], [otherId = '', otherSecret = ''] = []] = begun.map((each) =>
    each.split('.'),
  );
  expect((await open(`${ownId}.${ownSecret}`)).status).toBe(200);
  expect((await open(`${ownId}.${otherSecret}`)).status).toBe(400);
  await world.stopApp();
  await withStorage(async ({ signInTickets }) => {
    expect((await signInTickets.get(ownId))?.person).toEqual({ teamId: FIRST, userId: people.ada });
    expect((await signInTickets.get(otherId))?.person).toEqual({ teamId: SECOND, userId: people.ada });
  });
});

function there(threadTs: string) {
  return { user: people.ada, channel: 'C0GENERAL', threadTs };
}

/** A mention in the thread with this timestamp. */
function mentionIn(threadTs: string, text: string) {
  return mentionOf({ user: people.ada, text, ts: '1800000000.000300', threadTs });
}

function editOf(ts: string) {
  const before = { ...messageAt(ts), text: `<@${team.botUserId}> Which one runs?` };
  const after = {
    ...before,
    text: `<@${team.botUserId}> Which one does not run?`,
    edited: { user: before.user, ts: '1800000000.000400' },
  };
  return messageChangedOf({ before, after, ts: '1800000000.000400' });
}

function messageAt(ts: string): SlackMessage {
  const message = first.messages.find((each) => each.ts === ts);
  if (message === undefined) throw new Error(`no message ${ts}`);
  return message;
}
