import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage, openStoreBeside, type StorageLocation } from '../../src/storage/open-storage.ts';
import { questionWith, someAnswer } from '../support/lifecycle/sample-questions.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');

const { log } = createRecordingLog();
const dayMs = 24 * 60 * 60 * 1_000;
const header = 'by,name,questions,answers,failures,median_seconds,p95_seconds,credits,votes_up,votes_down';

async function runUsage(environment: Record<string, string>, ...args: string[]) {
  const program = runProgram(adminProgram, ['usage', ...args], environment);
  return { code: await program.ended, output: program.output() };
}

describe.each(engines)('the usage report from $name', ({ isRedis }) => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let redis: RedisServer | undefined;
  let location: StorageLocation;
  let environment: Record<string, string>;

  beforeEach(async () => {
    directory = await createTempDir();
    redis = isRedis ? await startRedisServer() : undefined;
    location = redis === undefined ? { dataDir: directory.path } : { redisUrl: redis.url };
    environment = redis === undefined ? { DATA_DIR: directory.path } : { REDIS_URL: redis.url };
  });

  afterEach(async () => {
    await redis?.stop();
    await directory.remove();
  });

  const report = (...args: string[]) => runUsage(environment, ...args);

  it('adds up what the running app has stored since a time, and changes nothing', async () => {
    const app = await openStorage(location, { clock: Date.now, log });
    const nowMs = Date.now();
    const sources = [{ label: 'a', url: 'https://a', repository: 'github.com/acme/one' }];
    const outcome = { kind: 'answered' as const, answer: { ...someAnswer, sources, durationMs: 41_000, credits: 3 } };
    for (const [id, acceptedMs] of [
      ['qold', nowMs - 31 * dayMs],
      ['qnew', nowMs - 2_000],
    ] as const) {
      await app.questions.create(questionWith({ id, acceptedMs, phase: 'closed', outcome }));
      await app.votes.put({
        version: 1,
        teamId: 'T1',
        userId: 'U2',
        questionId: id,
        verdict: 'up',
        reasons: [],
        atMs: 1,
      });
    }
    const first = await report('--since', '30d', '--by', 'channel', '--csv');
    expect(first).toEqual({ code: 0, output: `${header}\r\nchannel,C1,1,1,0,41,41,3,1,0\r\n` });
    const file = join(directory.path, 'usage.csv');
    expect(await report('--since', '60d', '--csv', '--out', file)).toEqual({ code: 0, output: '' });
    expect(await readFile(file, 'utf8')).toContain('repository,github.com/acme/one,2,2,0,41,41,6,2,0\r\n');
    expect(await readFile(file, 'utf8')).toContain('person,U1,2,2,0,41,41,6,0,0\r\nperson,U2,0,0,0,,,,2,0\r\n');
    await app.close();

    const store = await openStoreBeside(location, { clock: Date.now, log });
    for (const key of ['ds:question:qbroken', 'ds:vote:qnew:U2']) await store.set(key, '{}');
    await store.close();
    const { code, output } = await report('--since', '91d');
    expect(code).toBe(0);
    expect(output).toContain("left out because they can't be read: 2\n");
    expect(output).toContain('older ones are not counted');
    expect(output).toMatch(/^all +2 +2 +0 +41 +41 +6 +1 +0$/m);
  });
});

describe('the usage report', () => {
  it('says everything that is wrong with its arguments', async () => {
    const { code, output } = await runUsage({ DATA_DIR: '/nowhere' }, '--since', 'soon', '--by', 'team');
    expect(code).toBe(2);
    expect(output).toContain('--since must look like');
    expect(output).toContain('--by must be one of channel, person, repository, week');
  });
});
