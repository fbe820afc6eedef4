import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dmOf } from '../../src/local-slack/channels.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { mentionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { ada, bob } = people;
const channel = 'C0GENERAL';
const minuteMs = 60_000;
const patient = { timeoutMs: 30_000 };
const bot = `<@${team.botUserId}>`;

const { world, service, beginWorld, endWorld } = worldOfEachTest();
let data: Awaited<ReturnType<typeof createTempDir>>;

beforeEach(async () => {
  data = await createTempDir();
  await beginWorld({ settings: { DATA_DIR: data.path } });
  // The search reads each channel, and the app keeps within Slack's limits.
  for (const id of world.slack.channels.keys()) if (id !== channel && id !== dmOf(ada)) world.slack.channels.delete(id);
});
afterEach(async () => {
  await endWorld();
  await data.remove();
});

/** The app stops, and was last reached `minutes` ago. */
async function stopsAsIfAway(minutes: number): Promise<void> {
  await world.stopApp();
  const storage = await openStorage({ dataDir: data.path }, { clock: Date.now, log: createRecordingLog().log });
  const lastMs = Date.now() - minutes * minuteMs;
  await storage.attendance.update(team.id, (stored) => ({
    ...stored,
    version: 1,
    threads: stored?.threads ?? [],
    lastMs,
  }));
  await storage.close();
}

/** A person writes while the app is away, some minutes ago. */
function wrote(text: string, { minutesAgo = 0, place = channel, user = ada, threadTs = '' } = {}): string {
  const second = Math.floor((Date.now() - minutesAgo * minuteMs) / 1000);
  const ts = minutesAgo === 0 ? undefined : `${second}.${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`;
  return world.slack.say(place, user, text, threadTs === '' ? undefined : threadTs, ts);
}

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)), patient);
}

const privately = (user = ada): string[] => world.ephemeralsTo(user).map(visibleText);

/** What a person reads in their direct messages with the app. */
const directly = (user = ada): string[] =>
  world.slack.messages
    .filter(({ channel: place, bot_id: id }) => place === dmOf(user) && id !== undefined)
    .map((message) => visibleText(message));

/** Resolves once the search after a start has ended. */
async function searched(): Promise<void> {
  await eventually(async () => {
    expect(await world.metrics()).toMatch(/event="missed_messages",outcome="ok"[^\n]* 1/);
  }, patient);
}

describe('what people wrote while the app was away', () => {
  test('is asked when it is young: a mention, one in a thread of people, a direct message, a follow-up', async () => {
    const followed = await world.mention('first?');
    service.answer(await asked('first?'));
    await world.answered(followed);
    const people_ = world.slack.say(channel, bob, 'deploys fail');
    await stopsAsIfAway(20);
    wrote(`${bot} missed mention?`, { minutesAgo: 10 });
    wrote(`${bot} why do they?`, { threadTs: people_ });
    wrote('missed direct?', { place: dmOf(ada), minutesAgo: 14 });
    wrote('and its tests?', { threadTs: followed });
    wrote('nothing for the app');
    await world.startApp();
    for (const text of ['missed mention?', 'missed direct?', 'and its tests?']) await asked(text);
    await eventually(() =>
      expect(service.questions().some(({ question }) => question.startsWith('why do they?'))).toBe(true),
    );
    await searched();
    expect(service.questions()).toHaveLength(5);
    expect(privately()).toEqual([]);
  });

  test('is asked once, although Slack delivers it too and the app starts again', async () => {
    await stopsAsIfAway(5);
    const ts = wrote(`${bot} only once?`);
    const help = wrote(`${bot} help`);
    await world.startApp();
    await asked('only once?');
    await world.deliver(mentionOf({ text: 'only once?', ts, channel, user: ada, channelType: 'channel' }));
    await world.deliver(mentionOf({ text: 'help', ts: help, channel, user: ada, channelType: 'channel' }));
    await searched();
    await stopsAsIfAway(5);
    await world.startApp();
    await searched();
    expect(service.find('only once?')).toHaveLength(1);
    expect(world.slack.inThread(ts).filter(({ bot_id: id }) => id !== undefined)).toHaveLength(1);
    await eventually(() => expect(privately()).toHaveLength(1));
  });

  test('gets one direct message with a link and a button when it is old, which asks it', async () => {
    await stopsAsIfAway(120);
    const ts = wrote(`${bot} an old question?`, { minutesAgo: 60 });
    await world.startApp();
    await eventually(
      () =>
        expect(directly()).toEqual([
          expect.stringMatching(/^I was away\. <[^|]+\|You asked>:[\s\S]*an old question\?/),
        ]),
      patient,
    );
    expect(directly()[0]).toContain(`/archives/${channel}/p${ts.replace('.', '')}`);
    await searched();
    await stopsAsIfAway(120);
    await world.startApp();
    await searched();
    expect(directly()).toHaveLength(1);
    expect(service.questions()).toEqual([]);
    await world.press('Ask it now');
    await asked('an old question?');
    await eventually(() => expect(world.card(ts)).toBeDefined());
    expect(directly()).toHaveLength(1);
  });

  test('gets its line beside it in direct messages, and in the channel if those are off', async () => {
    await stopsAsIfAway(120);
    const root = wrote('an old direct one?', { place: dmOf(ada), minutesAgo: 60 });
    wrote(`${bot} an old mention?`, { minutesAgo: 50, user: bob });
    world.slack.scriptFaults((method, args) =>
      method === 'chat.postMessage' && args.channel === bob ? { error: 'messages_tab_disabled' } : undefined,
    );
    await world.startApp();
    await searched();
    expect(directly()).toEqual([expect.stringMatching(/^I was away\. You asked:/)]);
    expect(privately(bob)).toEqual([expect.stringContaining('an old mention?')]);
    await world.press('Ask it now');
    await asked('an old direct one?');
    await eventually(() => expect(world.slack.inThread(root).some(({ bot_id: id }) => id !== undefined)).toBe(true));
  });

  test('is not asked again under a new id of its channel', async () => {
    const before = await world.mention('asked before?');
    await asked('asked before?');
    await stopsAsIfAway(5);
    const general = world.slack.channels.get(channel);
    if (general === undefined) throw new Error('there is no such channel');
    world.slack.channels.set('C0MOVED', general).delete(channel);
    for (const message of world.slack.messages) if (message.channel === channel) message.channel = 'C0MOVED';
    wrote(`${bot} asked after?`, { place: 'C0MOVED' });
    await world.startApp();
    await asked('asked after?');
    await searched();
    expect(service.find('asked before?')).toHaveLength(1);
    expect(world.slack.inThread(before).length).toBeGreaterThan(0);
  });

  test('changes what runs: an edit shows its author the new question', async () => {
    const edited = await world.mention('first version?');
    await asked('first version?');
    await eventually(() => expect(world.card(edited)).toBeDefined());
    await stopsAsIfAway(5);
    world.slack.edit(edited, `${bot} second version?`);
    await world.startApp();
    await eventually(() => expect(privately()).toEqual([expect.stringContaining('second version?')]), patient);
    await searched();
    expect(service.questions()).toHaveLength(1);
  });

  test('cancels what runs: by a reply, and by the deletion of the question', async () => {
    const cancelled = await world.mention('cancel me?');
    const deleted = await world.mention('delete me?');
    const kept = await world.mention('keep me?');
    const questions = await Promise.all(['cancel me?', 'delete me?', 'keep me?'].map(asked));
    await eventually(() => expect(world.card(deleted)).toBeDefined());
    await stopsAsIfAway(5);
    wrote('cancel', { threadTs: cancelled });
    world.slack.remove(deleted);
    await world.startApp();
    await eventually(
      () => expect(visibleText(world.card(cancelled) ?? { text: '' })).toContain('Cancelled by'),
      patient,
    );
    await eventually(() => expect(questions[1]?.error?.kind).toBe('Cancelled'), patient);
    await searched();
    expect(visibleText(world.card(kept) ?? { text: '' })).toContain('Searching');
  });

  test('is found although the app may not read some of its channels', async () => {
    await stopsAsIfAway(5);
    wrote(`${bot} readable?`);
    world.slack.scriptFaults((method, args) =>
      method === 'conversations.history' && args.channel !== channel ? { error: 'missing_scope' } : undefined,
    );
    await world.startApp();
    await asked('readable?');
  });
});
