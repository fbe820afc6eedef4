import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUpStore } from '../../src/storage/backup.ts';
import { migrateStore } from '../../src/storage/migration.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { restoreStore } from '../../src/storage/restore.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { type FakeSlack, startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

const { log } = createRecordingLog();
const patient = { timeoutMs: 45_000 };

let directory: Awaited<ReturnType<typeof createTempDir>>;
let dataDir: string;
let slack: FakeSlack;
let service: FakeService;
let world: World | undefined;

beforeEach(async () => {
  directory = await createTempDir();
  dataDir = join(directory.path, 'data');
  slack = await startFakeSlack();
  service = await startFakeService();
});

afterEach(async () => {
  await world?.stop();
  world = undefined;
  await service.stop();
  await slack.stop();
  await directory.remove();
  expect(slack.violations).toEqual([]);
});

async function startOn(settings: Record<string, string> = {}): Promise<World> {
  const started = await startWorld({
    service: { url: service.url, token: serviceToken },
    slack,
    settings: { DATA_DIR: dataDir, ...settings },
  });
  world = started;
  return started;
}

/** Expects one answer and one card that shows its end, in a thread. */
async function expectOneEnd(at: World, threadTs: string): Promise<void> {
  await eventually(() => {
    one(at.answersIn(threadTs));
    const said = slack.inThread(threadTs).map(visibleText);
    expect(said.filter((text) => /Searching|Starting/.test(text))).toEqual([]);
    expect(said.filter((text) => text.includes('Answered in')).length).toBeLessThanOrEqual(1);
  }, patient);
}

/** Answers every question that runs, and from now on each one at once. */
function answerAll(): void {
  for (const question of service.questions()) if (question.status !== 'completed') service.answer(question);
  service.answerEverything();
}

describe.skipIf(!hasRedisServer())('open questions', () => {
  let redis: RedisServer;

  beforeEach(async () => {
    redis = await startRedisServer();
  });

  afterEach(() => redis.stop());

  test.each(['redis', 'embedded'] as const)('continue after a migration to %s, and end once', async (to) => {
    const onRedis = { REDIS_URL: redis.url };
    const [before, after] = to === 'redis' ? [{}, onRedis] : [onRedis, {}];
    const first = await startOn(before);
    const root = await first.mention('first running?');
    const other = await first.mention('second running?');
    await eventually(() => expect(service.questions()).toHaveLength(2), patient);
    // It waits behind the first one of its thread.
    await first.mention('queued?', { threadTs: root });
    await first.stop();

    // As if the app on Redis ended some time ago.
    const store = await openRedisStore(redis.url, log);
    await store.delete('ds:lock:store');
    await store.close();
    const options = { dataDir, redisUrl: redis.url, to, patienceMs: 0, clock: Date.now, log };
    expect((await migrateStore(options))['open-questions']).toBe(3);
    answerAll();
    const second = await startOn(after);
    await expectOneEnd(second, other);
    await eventually(() => expect(second.answersIn(root)).toHaveLength(2), patient);
    for (const text of ['first running?', 'second running?', 'queued?']) one(service.find(text));
    const later = await second.mention('a new one?');
    await expectOneEnd(second, later);
  });
});

describe('a backup that is older than what the app did', () => {
  test('asks and answers no question twice', async () => {
    const first = await startOn();
    const answered = await first.mention('answered after the backup?');
    await eventually(() => one(service.questions()), patient);
    const backup = join(directory.path, 'backup');
    await backUpStore(dataDir, backup, { version: '1.0.0', clock: Date.now });
    answerAll();
    await expectOneEnd(first, answered);
    const forgotten = await first.mention('asked after the backup?');
    await expectOneEnd(first, forgotten);
    await first.stop();

    await restoreStore(backup, dataDir, { clock: Date.now, log, replaces: true });
    const shown = () => slack.inThread(answered).concat(slack.inThread(forgotten)).length;
    const before = shown();
    const second = await startOn();
    // The next question goes through everything while the restored one ends.
    const next = await second.mention('after the restore?');
    await expectOneEnd(second, next);
    await eventually(
      async () => expect(await second.metrics()).toMatch(/deepsearch_slack_open_questions 0\b/),
      patient,
    );
    await expectOneEnd(second, answered);
    await expectOneEnd(second, forgotten);
    expect(shown()).toBe(before);
    for (const text of ['answered after the backup?', 'asked after the backup?']) one(service.find(text));
  }, 120_000);

  test('finds a card and a conversation that came after it', async () => {
    const first = await startOn();
    // The app can't ask yet, so the backup has a question that the service does not have.
    service.fault('create', { status: 503 }, 1_000);
    const ts = await first.mention('asked after the backup?');
    await eventually(() => expect(service.calls).toContain('create'), patient);
    const backup = join(directory.path, 'backup');
    await backUpStore(dataDir, backup, { version: '1.0.0', clock: Date.now });
    service.clearFaults();
    service.answerEverything();
    await expectOneEnd(first, ts);
    await first.stop();

    await rm(dataDir, { recursive: true });
    await cp(backup, join(directory.path, 'moved'), { recursive: true });
    await restoreStore(join(directory.path, 'moved'), dataDir, { clock: Date.now, log, replaces: false });
    const second = await startOn();
    await eventually(
      async () => expect(await second.metrics()).toMatch(/deepsearch_slack_open_questions 0\b/),
      patient,
    );
    await expectOneEnd(second, ts);
    one(service.find('asked after the backup?'));
  }, 120_000);
});
