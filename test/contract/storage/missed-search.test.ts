import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createAttendanceKeeper } from '../../../src/slack/missed/attendance-keeper.ts';
import { createCatchUp, toTs } from '../../../src/slack/missed/catch-up.ts';
import { missedLeaseMs, missedPerPage, mostMissedPages } from '../../../src/slack/settings.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fake-slack/fake-slack.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';
import { hasRedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

type Storage = Awaited<ReturnType<typeof openStorage>>;

let slack: FakeSlack;
let aheadMs: number;
/** The question of each message, by its key, as any copy stored it. */
let asked: Map<string, Question>;
let handled: string[];
let deleted: string[];
let reads: string[];
const { log } = createRecordingLog();
const clock = (): number => Date.now() + aheadMs;

beforeEach(async () => {
  slack = await startFakeSlack();
  [aheadMs, asked, handled, deleted, reads] = [0, new Map(), [], [], []];
});
afterEach(() => slack.stop());

/** A copy of the app that was not reached for a while. `stopsAt`: it is killed while it handles this message. */
async function copyOn(storage: Storage, stopsAt?: string): Promise<() => Promise<void>> {
  const { requests, accept, life } = createCoreHarness();
  const identity = { teamId: team.id, botUserId: team.botUserId };
  const client = createWebClient(team.botToken, webClientOptions(slack.url, createLibraryLogger(log)));
  const api = createUnlimitedSlackApi(client, identity, (method) => void reads.push(method));
  const keeper = createAttendanceKeeper({ attendance: storage.attendance, teamId: team.id, now: clock });
  await keeper.store();
  const w = only<WorkspaceContext>({
    slack: api,
    storedAttendance: storage.attendance,
    attendance: keeper,
    questions: {
      ...storage.questions,
      get: async (id) => asked.get(id) ?? (await life.ports.questions.get(id)) ?? storage.questions.get(id),
    },
    digest: life.ports.digest,
    askedQuestions: only({ of: async () => [] }),
    claims: storage.claims,
    tasks: only({ isStopping: () => false }),
    now: clock,
    log,
  });
  return createCatchUp(w, async (raw) => {
    const { ts, channel, subtype } = Object.assign({ ts: '', channel: '', subtype: '' }, raw);
    if (subtype === 'message_deleted') return void deleted.push(ts);
    if (ts === stopsAt) await new Promise(() => undefined);
    handled.push(ts);
    const key = `message:${team.id}:${channel}:${ts}`;
    const place = { teamId: team.id, channelId: channel, threadTs: ts };
    await accept({ key, place, askerId: people.ada, text: 'where?', origin: 'mention', beginsThread: true });
    const question = await requests.startedBy(key);
    if (question !== undefined) asked.set(question.id, { ...question, phase: 'waiting' });
  });
}

async function wasAway({ attendance }: Storage): Promise<string[]> {
  await attendance.update(team.id, () => ({ version: 1, lastMs: clock() - 60_000, threads: [] }));
  return ['one?', 'two?', 'three?'].map((text) => slack.say('C0GENERAL', people.ada, `<@${team.botUserId}> ${text}`));
}

it('a search that is killed in the middle is done again by the next start: nothing is lost, and nothing is doubled', async () => {
  const data = await createTempDir();
  const storage = await openStorage({ dataDir: data.path }, { clock, log });
  const written = await wasAway(storage);
  const killed = await copyOn(storage, written[1]);
  void killed();
  await eventually(() => expect(handled).toEqual(written.slice(0, 1)));
  const next = await copyOn(storage);
  await next();
  expect(handled).toEqual(written.slice(0, 1));
  aheadMs = missedLeaseMs + 1_000;
  await next();
  expect(handled).toEqual(written);
  await next();
  expect(handled).toEqual(written);
  await storage.close();
  await data.remove();
});

it('a mention in a thread that is older than the gap is found, though no one asked there before', async () => {
  const data = await createTempDir();
  const storage = await openStorage({ dataDir: data.path }, { clock, log });
  const root = slack.say('C0GENERAL', people.bob, 'deploys fail', undefined, toTs(clock() - 3 * 3_600_000));
  await storage.attendance.update(team.id, () => ({ version: 1, lastMs: clock() - 60_000, threads: [] }));
  const mention = slack.say('C0GENERAL', people.ada, `<@${team.botUserId}> why?`, root);
  await (await copyOn(storage))();
  expect(handled).toEqual([mention]);
  await storage.close();
  await data.remove();
});

it('a question is taken back when its message is gone, and not when its thread is too long to be read', async () => {
  const data = await createTempDir();
  const storage = await openStorage({ dataDir: data.path }, { clock, log });
  const root = slack.say('C0GENERAL', people.bob, 'deploys fail', undefined, toTs(clock() - 3 * 3_600_000));
  for (let n = 0; n <= mostMissedPages * missedPerPage; n += 1)
    slack.say('C0GENERAL', team.botUserId, 'said', root, toTs(clock() - 300_000 + n));
  const [kept, gone] = ['kept?', 'gone?'].map((text) => slack.say('C0GENERAL', people.ada, text, root));
  for (const [index, messageTs] of [kept, gone].entries()) {
    if (messageTs === undefined) throw new Error('not said');
    const place = { teamId: team.id, channelId: 'C0GENERAL', threadTs: root };
    await storage.questions.create(questionWith({ id: `q${String(index).repeat(24)}`, place, messageTs }));
  }
  slack.remove(gone ?? '');
  await storage.attendance.update(team.id, () => ({ version: 1, lastMs: clock() - 60_000, threads: [] }));
  await (await copyOn(storage))();
  expect(deleted).toEqual([gone]);
  await storage.close();
  await data.remove();
});

describe.skipIf(!hasRedisServer())('two copies on one Redis', () => {
  it('search once', async () => {
    const server = await startRedisServer();
    const open = () => openStorage({ redisUrl: server.url }, { clock, log });
    const storages = [await open(), await open()] as const;
    const written = await wasAway(storages[0]);
    const copies = [await copyOn(storages[0]), await copyOn(storages[1])];
    await Promise.all(copies.map((search) => search()));
    await Promise.all(copies.map((search) => search()));
    expect(handled).toEqual(written);
    expect(reads.filter((method) => method === 'users.conversations')).toHaveLength(2);
    for (const storage of storages) await storage.close();
    await server.stop();
  });
});
