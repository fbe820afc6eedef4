import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Vote, voteType } from '../../src/core/history/votes.ts';
import { openStorage, type StorageLocation } from '../../src/storage/open-storage.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';

const feedbackProgram = await builtProgram('src/cli/feedback.ts');

const { log } = createRecordingLog();
const header = 'time,team,question,conversation,upstream_question,verdict,reasons,comment,user';
const dayMs = 24 * 60 * 60 * 1000;

let directory: Awaited<ReturnType<typeof createTempDir>>;

beforeEach(async () => {
  directory = await createTempDir();
});

afterEach(() => directory.remove());

function vote(number: number, more: Partial<Vote> = {}): Vote {
  const questionId = `q${String(number).padStart(24, '0')}`;
  return { version: 1, teamId: 'T1', userId: 'U1', questionId, verdict: 'up', reasons: [], atMs: Date.now(), ...more };
}

async function store(location: StorageLocation, votes: Vote[]): Promise<void> {
  const storage = await openStorage(location, { clock: Date.now, log });
  for (const each of votes) await storage.votes.put(each);
  await storage.close();
}

function exportVotes(environment: Record<string, string>, ...args: string[]) {
  return runProgram(feedbackProgram, args, environment);
}

describe.each(engines)('the export from $name', ({ isRedis }) => {
  let redis: RedisServer | undefined;
  let location: StorageLocation;
  let environment: Record<string, string>;

  beforeEach(async () => {
    redis = isRedis ? await startRedisServer() : undefined;
    location = redis === undefined ? { dataDir: directory.path } : { redisUrl: redis.url };
    environment = redis === undefined ? { DATA_DIR: directory.path } : { REDIS_URL: redis.url };
  });

  afterEach(() => redis?.stop());

  it('contains what was stored, the newest last, each vote once, and nothing from before', async () => {
    const nowMs = Date.now();
    await store(location, [
      vote(1, {
        verdict: 'down',
        reasons: ['wrong', 'other'],
        comment: 'No, "it" is there,\nsee',
        atMs: nowMs - 2_000,
      }),
      vote(2, { conversationId: 7, upstreamQuestionId: 9, userId: 'U2', atMs: nowMs - 3_000 }),
      vote(3, { verdict: 'up', atMs: nowMs - 1_000 }),
      vote(3, { verdict: 'down', comment: '=1+1', atMs: nowMs }),
      vote(4, { atMs: nowMs - 3 * dayMs }),
    ]);
    const exported = exportVotes(environment, '--since', '2d');
    expect(await exported.ended).toBe(0);
    const at = (ms: number) => new Date(ms).toISOString();
    const [first, second, third] = [2, 1, 3].map((number) => vote(number).questionId);
    expect(exported.output()).toBe(
      [
        header,
        `${at(nowMs - 3_000)},T1,${first},7,9,up,,,U2`,
        `${at(nowMs - 2_000)},T1,${second},,,down,wrong other,"No, ""it"" is there,\nsee",U1`,
        `${at(nowMs)},T1,${third},,,down,,'=1+1,U1`,
        '',
      ].join('\r\n'),
    );
  });

  it('writes a file that only its owner can read', async () => {
    await store(location, [vote(1)]);
    const out = join(directory.path, 'votes.csv');
    const exported = exportVotes(environment, '--out', out);
    expect([await exported.ended, exported.output()]).toEqual([0, '']);
    expect((await readFile(out, 'utf8')).split('\r\n')).toHaveLength(3);
    expect((await stat(out)).mode & 0o077).toBe(0);
  });
});

describe.skipIf(!hasRedisServer())('a vote that cannot be read', () => {
  it('is left out and counted', async () => {
    const redis = await startRedisServer();
    try {
      await store({ redisUrl: redis.url }, [vote(1), vote(2)]);
      const kv = await openRedisStore(redis.url, log);
      await kv.set(voteType.key(`${vote(1).questionId}:U1`), '{}');
      await kv.close();
      const exported = exportVotes({ REDIS_URL: redis.url });
      expect(await exported.ended).toBe(0);
      expect(exported.output()).toContain("can't be read: 1");
      expect(exported.output()).toContain(vote(2).questionId);
    } finally {
      await redis.stop();
    }
  });
});

describe('the export program', () => {
  it.each([
    ['an unknown option', ['--sinc', '3d'], 2, /sinc/],
    ['a span it does not know', ['--since', '3 fortnights'], 2, /--since must look like/],
    ['several wrong arguments at once', ['--since', 'x', '--to', '--out='], 2, /--to\n.*--out.*\n.*--since/],
    ['a file that cannot be written', ['--out', '/nonexistent/votes.csv'], 1, /can't be written/],
    ['help', ['--help'], 0, /npm run feedback/],
  ])('ends with the right code for %s', async (_, args, code, said) => {
    await store({ dataDir: directory.path }, []);
    const program = exportVotes({ DATA_DIR: directory.path }, ...args);
    expect(await program.ended).toBe(code);
    expect(program.output()).toMatch(said);
  });

  it('ends with 1 where there is no store, and creates none', async () => {
    const empty = join(directory.path, 'empty');
    await mkdir(empty);
    const program = exportVotes({ DATA_DIR: empty });
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('no store');
    await expect(stat(join(empty, 'store.mdb'))).rejects.toThrow();
  });

  it('ends with 2 for a wrong setting, and needs no settings of Slack', async () => {
    const program = exportVotes({ REDIS_URL: 'nonsense' });
    expect(await program.ended).toBe(2);
    expect(program.output()).toContain('REDIS_URL');
    expect(program.output()).not.toContain('SLACK');
  });
});
