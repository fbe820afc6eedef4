import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account, Person } from '../../src/core/accounts/accounts.ts';
import { Secret } from '../../src/core/secret.ts';
import { openStorage, openStoreBeside, type StorageLocation } from '../../src/storage/open-storage.ts';
import { accountKey } from '../../src/storage/sealed-records.ts';
import { eventually } from '../support/eventually.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { type Run, runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');

const { log } = createRecordingLog();

interface Key {
  id: string;
  key: string;
}

const newKey = (id: string): Key => ({ id, key: randomBytes(32).toString('base64') });
const [former, next] = [newKey('former'), newKey('next')];
const settingOf = (...keys: Key[]) => keys.map(({ id, key }) => `${id}:${key}`).join(',');
const token = 'sgp_of-a-person';
const personOf = (index: number): Person => ({ teamId: 'T1', userId: `U${index}` });

let directory: Awaited<ReturnType<typeof createTempDir>>;

beforeEach(async () => {
  directory = await createTempDir();
});

afterEach(() => directory.remove());

function rotate(environment: Record<string, string>, ...keys: Key[]): Run {
  return runProgram(adminProgram, ['rotate-keys'], { ...environment, ENCRYPTION_KEYS: settingOf(...keys) });
}

function counts(run: Run): number[] {
  return run
    .output()
    .trim()
    .split('\n')
    .map((line) => Number(/: (\d+)$/.exec(line)?.[1]));
}

describe.each(engines)('rotating the keys on $name', ({ isRedis }) => {
  let redis: RedisServer | undefined;
  let location: StorageLocation;
  let environment: Record<string, string>;

  beforeEach(async () => {
    redis = isRedis ? await startRedisServer() : undefined;
    location = redis === undefined ? { dataDir: directory.path } : { redisUrl: redis.url };
    environment = redis === undefined ? { DATA_DIR: directory.path } : { REDIS_URL: redis.url };
  });

  afterEach(() => redis?.stop());

  const open = (...keys: Key[]) =>
    openStorage(location, {
      clock: Date.now,
      log,
      encryptionKeys: keys.map(({ id, key }) => ({ id, key: new Secret(key) })),
    });

  async function store(keys: Key[], ...people: Person[]): Promise<void> {
    const storage = await open(...keys);
    for (const person of people) {
      const credential = { kind: 'token', token: new Secret(token) } as const;
      await storage.accounts.update(person, () => ({ person, username: 'x', credential, connectedMs: 1 }));
    }
    await storage.close();
  }

  /** Starts a process like the app, which changes the accounts of `people` people all the time. */
  function startWriter(people: number, ...keys: Key[]): Run {
    const script = fileURLToPath(new URL('./account-writer-process.ts', import.meta.url));
    return runProgram(script, [JSON.stringify({ location, keys, people })]);
  }

  /** How many changes of each person the process has reported. */
  function acknowledged(writer: Run, people: number): number[] {
    const lines = writer.output().split('\n');
    return Array.from({ length: people }, (_, index) => lines.filter((line) => line === `U${index}`).length);
  }

  async function readAccounts(people: number, ...keys: Key[]): Promise<(Account | undefined)[]> {
    const storage = await open(...keys);
    const accounts = await Promise.all(
      Array.from({ length: people }, (_, index) => storage.accounts.get(personOf(index))),
    );
    await storage.close();
    return accounts;
  }

  /** Everything that the storage holds, as someone with its disk sees it. */
  async function storedBytes(): Promise<string> {
    if (redis === undefined) return readFile(join(directory.path, 'store.mdb'), 'latin1');
    const beside = await openStoreBeside(location, { clock: Date.now, log });
    const texts: (string | undefined)[] = [];
    for await (const key of beside.keys('')) texts.push(key, await beside.get(key));
    await beside.close();
    return texts.join('\n');
  }

  it('reports what it did, changes nothing the second time, and makes the former key superfluous', async () => {
    await store([former], personOf(0), personOf(1));
    await store([next], personOf(2));
    await store([newKey('lost')], personOf(3));
    const first = rotate(environment, next, former);
    expect([await first.ended, counts(first)]).toEqual([0, [2, 1, 1]]);
    const second = rotate(environment, next, former);
    expect([await second.ended, counts(second)]).toEqual([0, [0, 3, 1]]);
    expect(await readAccounts(3, next)).toMatchObject([{ connectedMs: 1 }, { connectedMs: 1 }, { connectedMs: 1 }]);
    const shown = first.output() + second.output() + (await storedBytes());
    for (const secret of [token, former.key, next.key]) expect(shown).not.toContain(secret);
  });

  it('loses no write of a running app, also when it is killed', async () => {
    const people = 25;
    const writer = startWriter(people, former, next);
    const beside = await eventually(() => openStoreBeside(location, { clock: Date.now, log }));
    const keyIds = async () => {
      const texts = await Promise.all(
        Array.from({ length: people }, (_, index) => beside.get(accountKey(personOf(index)))),
      );
      return texts.map((text) => /"keyId":"(\w+)"/.exec(text ?? '')?.[1]);
    };
    try {
      await eventually(() => expect(Math.min(...acknowledged(writer, people))).toBeGreaterThan(2));
      const ends: unknown[] = [];
      for (const isKilled of [false, true, true, false]) {
        const before = acknowledged(writer, people);
        const run = rotate(environment, next, former);
        if (isKilled) {
          // The app encrypts with the former key, so the program has begun once there is a record with the other one.
          await eventually(async () => expect(await keyIds()).toContain('next'));
          run.child.kill('SIGKILL');
          ends.push(await run.ended);
        } else {
          expect([await run.ended, counts(run).reduce((sum, count) => sum + count)]).toEqual([0, people]);
        }
        // The app goes on for everyone, whatever happened to the program.
        await eventually(() => {
          const now = acknowledged(writer, people);
          expect(now.every((count, index) => count > (before[index] ?? 0))).toBe(true);
        });
        await eventually(async () => expect(await keyIds()).not.toContain('next'));
      }
      expect(ends).toContain('SIGKILL');
    } finally {
      await beside.close();
      await writer.stop();
    }
    const accounts = await readAccounts(people, former, next);
    const reported = acknowledged(writer, people);
    for (const [index, account] of accounts.entries()) {
      expect(account?.connectedMs).toBeGreaterThanOrEqual(reported[index] ?? 0);
      // The last change may be stored and not reported.
      expect(account?.connectedMs).toBeLessThanOrEqual((reported[index] ?? 0) + 1);
      expect(account).toMatchObject({ username: `U${index}`, person: personOf(index) });
    }
    expect(writer.output()).not.toContain('Error');
  }, 120_000);

  it('stores a record that a running app reads at once', async () => {
    await store([former], personOf(0));
    const app = await open(former, next);
    try {
      expect(await app.accounts.get(personOf(0))).toMatchObject({ connectedMs: 1 });
      expect(await rotate(environment, next, former).ended).toBe(0);
      const beside = await openStoreBeside(location, { clock: Date.now, log });
      expect(JSON.parse((await beside.get(accountKey(personOf(0)))) ?? '')).toMatchObject({ keyId: 'next' });
      await beside.close();
      expect(await app.accounts.get(personOf(0))).toMatchObject({ connectedMs: 1 });
      await app.accounts.update(personOf(0), (current) => current && { ...current, connectedMs: 2 });
      expect(await app.accounts.get(personOf(0))).toMatchObject({ connectedMs: 2 });
    } finally {
      await app.close();
    }
  });
});

describe('the admin program', () => {
  it.each([
    ['no command', [], 2, /rotate-keys/],
    ['help', ['--help'], 0, /npm run admin -- <command>[\s\S]*rotate-keys/],
    ['help of a command', ['rotate-keys', '--help'], 0, /npm run admin -- rotate-keys/],
    ['an unknown command', ['rotate'], 2, /there is no command "rotate"; the commands are: .*rotate-keys/],
    ['a name of every object', ['constructor'], 2, /there is no command/],
    ['an unknown option', ['rotate-keys', '--force'], 2, /--force/],
    ['no keys', ['rotate-keys'], 2, /ENCRYPTION_KEYS is not set/],
  ])('ends with the right code for %s', async (_, args, code, said) => {
    const program = runProgram(adminProgram, args, { DATA_DIR: directory.path });
    expect(await program.ended).toBe(code);
    expect(program.output()).toMatch(said);
  });

  it('ends with 2 for wrong keys, and repeats none', async () => {
    const { key } = newKey('a');
    const program = runProgram(adminProgram, ['rotate-keys'], { ENCRYPTION_KEYS: `a:${key},a:${key}` });
    expect(await program.ended).toBe(2);
    expect(program.output()).toMatch(/ENCRYPTION_KEYS must be keys/);
    expect(program.output()).not.toContain(key);
  });

  it('ends with 1 where there is no store, and creates none', async () => {
    const empty = join(directory.path, 'empty');
    await mkdir(empty);
    const program = rotate({ DATA_DIR: empty }, next);
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('no store');
    await expect(stat(join(empty, 'store.mdb'))).rejects.toThrow();
  });
});
