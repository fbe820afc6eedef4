import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage, type StorageLocation } from '../../src/storage/open-storage.ts';
import { sampleEntry } from '../contract/storage/audit-contract.ts';
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
    await app.audit.append(sampleEntry({ id: 'old', atMs: nowMs - 31 * dayMs }));
    await app.audit.append(sampleEntry({ id: 'asked', atMs: nowMs - 2_000 }));
    const usage = { durationMs: 41_000, credits: 3, repositories: ['github.com/acme/one'] };
    await app.audit.append(
      sampleEntry({ id: 'ended', action: 'ended', detail: 'answered', usage, atMs: nowMs - 1_000 }),
    );
    const first = await report('--since', '30d', '--by', 'channel', '--csv');
    expect(first).toEqual({ code: 0, output: `${header}\r\nchannel,C1,1,1,0,41,41,3,0,0\r\n` });
    const file = join(directory.path, 'usage.csv');
    expect(await report('--since', '60d', '--csv', '--out', file)).toEqual({ code: 0, output: '' });
    expect(await readFile(file, 'utf8')).toContain('repository,github.com/acme/one,0,1,0,41,41,3,0,0\r\n');
    expect(await readFile(file, 'utf8')).toContain('person,U1,2,1,0,41,41,3,0,0\r\n');
    expect((await report()).output).toMatch(/^all +1 +1 +0 +41 +41 +3 +0 +0$/m);
    await app.close();
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
