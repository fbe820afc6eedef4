import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { openStoreBeside, type StorageLocation } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');

const { log } = createRecordingLog();
const { ada, bob } = people;
const patient = { timeoutMs: 30_000 };

let directory: Awaited<ReturnType<typeof createTempDir>>;
let redis: RedisServer | undefined;
let location: StorageLocation;
let environment: Record<string, string>;
let service: FakeService;
let world: World;

/** Every stored key and text. The app pauses: one process must not open the embedded store twice. */
async function everything(): Promise<string> {
  await world.stopApp();
  const store = await openStoreBeside(location, { clock: Date.now, log });
  const all: string[] = [];
  for await (const key of store.keys('ds:')) all.push(`${key} ${await store.get(key)}`);
  await store.close();
  await world.startApp();
  return all.join('\n');
}

describe.each(engines)('beside the app on $name', ({ isRedis }) => {
  beforeEach(async () => {
    directory = await createTempDir();
    redis = isRedis ? await startRedisServer() : undefined;
    environment = redis === undefined ? { DATA_DIR: directory.path } : { REDIS_URL: redis.url };
    location = redis === undefined ? { dataDir: directory.path } : { redisUrl: redis.url };
    service = await startFakeService();
    world = await startWorld({ service: { url: service.url, token: serviceToken }, settings: environment });
  });

  afterEach(async () => {
    await world.stop();
    await service.stop();
    await redis?.stop();
    await directory.remove();
  });

  test('forget cancels the open questions, the app closes their cards, and other people go on', async () => {
    const answered = await world.mention('adas answered one?', { user: ada });
    service.answer(await eventually(() => one(service.find('adas answered one?'))));
    await eventually(() => expect(world.answersIn(answered)).toHaveLength(1));
    const running = await world.mention('adas running one?', { user: ada });
    const others = await world.mention('bobs running one?', { user: bob });
    const question = await eventually(() => {
      one(service.find('adas running one?'));
      return one(service.find('bobs running one?'));
    });
    const run = runProgram(adminProgram, ['forget', '--user', ada], environment);
    expect([await run.ended, run.output()]).toEqual([0, expect.stringContaining('cancelled: 1\n')]);
    expect(service.find('adas running one?')[0]?.error?.kind).toBe('Cancelled');
    expect(visibleText(world.card(running) ?? { text: '' })).toContain('Cancelled');
    expect(await everything()).not.toMatch(/U0ADA|adas/);
    service.answer(question);
    await eventually(() => expect(world.answersIn(others)).toHaveLength(1), patient);
    expect(world.slack.violations).toEqual([]);
    // The person may ask again.
    const again = await world.mention('adas next one?', { user: ada });
    service.answer(await eventually(() => one(service.find('adas next one?'))));
    await eventually(() => expect(world.answersIn(again)).toHaveLength(1), patient);
  });

  test('forget with --upstream deletes the conversations of that person only, also after a failure', async () => {
    service.answerEverything();
    const own = await world.mention('adas own one?', { user: ada });
    const shared = await world.mention('adas shared one?', { user: ada });
    for (const ts of [own, shared]) await eventually(() => expect(world.answersIn(ts)).toHaveLength(1), patient);
    await world.mention('and bobs?', { user: bob, threadTs: shared });
    await eventually(() => expect(world.answersIn(shared)).toHaveLength(2), patient);
    const idOf = (text: string) =>
      one(service.conversations.filter(({ questions }) => questions.some(({ question }) => question === text))).id;
    const [ownId, sharedId] = [idOf('adas own one?'), idOf('adas shared one?')];
    const settings = {
      ...environment,
      SLACK_BOT_TOKEN: 'xoxb-of-the-program',
      SLACK_SIGNING_SECRET: 'unused',
      SRC_ENDPOINT: service.url,
      SRC_ACCESS_TOKEN: serviceToken,
    };
    service.fault('delete', { status: 500 }, 100);
    const failed = runProgram(adminProgram, ['forget', '--user', ada, '--upstream'], settings);
    expect([await failed.ended, failed.output()]).toEqual([
      1,
      expect.stringContaining(`conversation ${ownId} of the app's account is not deleted`),
    ]);
    service.clearFaults();
    const again = runProgram(adminProgram, ['forget', '--user', ada, '--upstream'], settings);
    expect([await again.ended, again.output()]).toEqual([0, expect.stringContaining('conversationsDeleted: 1\n')]);
    expect(service.conversations.map(({ id }) => id)).toEqual([sharedId]);
    expect(await everything()).not.toMatch(/U0ADA|adas/);
  });

  test('forget loses no write of the app that works meanwhile', async () => {
    service.answerEverything();
    await world.mention('adas first?', { user: ada });
    const questions = Array.from({ length: 5 }, (_, index) => `bobs question ${index}?`);
    let isOver = false;
    const asking = (async () => {
      for (const text of questions) {
        const ts = await world.mention(text, { user: bob });
        await eventually(() => expect(world.answersIn(ts)).toHaveLength(1), patient);
      }
    })().finally(() => {
      isOver = true;
    });
    const ends: unknown[] = [];
    do {
      ends.push(await runProgram(adminProgram, ['forget', '--user', ada], environment).ended);
    } while (!isOver);
    await asking;
    expect(new Set(ends)).toEqual(new Set([0]));
    const left = await everything();
    expect(left).not.toMatch(/U0ADA|adas/);
    for (const text of questions) expect(left).toContain(`"text":"${text}"`);
  });
});
