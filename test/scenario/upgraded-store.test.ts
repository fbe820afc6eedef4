import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStorage, openStoreBeside } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { type FakeSlack, startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';
import { copyDataDir, farSideOf02, fillRedis, storedBy02 } from '../support/storage/version-0.2.ts';
import { startWorld } from '../support/world/world.ts';

const { log } = createRecordingLog();
const options = { clock: Date.now, log };

describe.each(engines)('the app on what version 0.2 stored in $name', ({ isRedis }) => {
  const engine = isRedis ? 'redis' : 'embedded';
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let redis: RedisServer | undefined;
  let location: { dataDir: string } | { redisUrl: string };
  let slack: FakeSlack;
  let service: FakeService;

  beforeEach(async () => {
    directory = await createTempDir();
    location = isRedis ? await redisOf02() : await dataDirOf02();
    slack = await startFakeSlack();
    service = await startFakeService();
    const { messages, conversations } = await farSideOf02(engine);
    slack.messages.push(...messages);
    for (const conversation of conversations) service.know(conversation);
  });

  afterEach(async () => {
    await service.stop();
    await slack.stop();
    await redis?.stop();
    await directory.remove();
  });

  async function dataDirOf02(): Promise<{ dataDir: string }> {
    const dataDir = join(directory.path, 'data');
    await copyDataDir(dataDir);
    return { dataDir };
  }

  async function redisOf02(): Promise<{ redisUrl: string }> {
    redis = await startRedisServer();
    await fillRedis(redis.url);
    return { redisUrl: redis.url };
  }

  test('ends every open question, and rewrites nothing that is closed', async () => {
    const { records, sets } = await storedBy02(engine);
    const open = sets['ds:open-questions'] ?? [];
    expect(open.length).toBeGreaterThanOrEqual(6);
    for (const question of service.questions()) if (question.status !== 'completed') service.answer(question);
    service.answerEverything();
    const settings = 'redisUrl' in location ? { REDIS_URL: location.redisUrl } : { DATA_DIR: location.dataDir };
    const world = await startWorld({ service: { url: service.url, token: serviceToken }, slack, settings });
    await eventually(
      async () => expect(await world.metrics()).toMatch(/deepsearch_slack_open_questions 0\b/),
      // Some messages may be there already, so that the app looks for copies after a minute.
      { timeoutMs: 150_000 },
    );
    await world.stop();

    const storage = await openStorage(location, options);
    for (const id of open) {
      expect(await storage.questions.get(id), id).toMatchObject({
        phase: 'closed',
        outcome: { kind: expect.any(String) },
      });
    }
    await storage.close();
    const beside = await openStoreBeside(location, options);
    for (const [key, text] of Object.entries(records)) {
      const isOpen = open.some((id) => key.includes(id));
      const isClosed = /^ds:(question|vote|claim|visit|added-mention|refused-text):/.test(key) && !isOpen;
      if (isClosed) expect([key, await beside.get(key)]).toEqual([key, text]);
    }
    await beside.close();
    expect(slack.violations).toEqual([]);
  });
});
