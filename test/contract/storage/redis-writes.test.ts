import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runChecks } from '../../../src/core/doctor.ts';
import { createRedisChecks } from '../../../src/storage/checks/redis-checks.ts';
import { openStorage, readAllVotes } from '../../../src/storage/open-storage.ts';
import { neededCommands } from '../../../src/storage/redis-commands.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServer(args: string[] = []) {
  const server = await startRedisServer(args);
  closers.push(() => server.stop());
  return server;
}

async function tell(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}

async function openAt(url: string) {
  const storage = await openStorage({ redisUrl: url }, { clock: Date.now, log });
  closers.push(() => storage.close());
  return storage;
}

/** What the doctor finds about Redis itself. */
async function doctorOf(url: string): Promise<string[]> {
  const redis = createRedisChecks(url, log);
  closers.push(() => redis.close());
  const checks = redis.checks.filter(({ name }) => name === 'redis');
  const findings = await runChecks(checks, {
    deadlineMs: 10_000,
    onCrash: (_, error) => log.error({ event: 'x' }, error),
  });
  return findings.map(({ status, values }) => ('reason' in values ? `${status} ${values.reason}` : status));
}

/** A user with these rights; returns the URL with its name. */
async function withUser(url: string, ...rights: string[]): Promise<string> {
  await tell(url, 'ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', ...rights);
  return url.replace('redis://', 'redis://app:secret@');
}

const fullMemory = async (url: string): Promise<void> => {
  await tell(url, 'CONFIG', 'SET', 'maxmemory', '1');
};
const toNowhere = async (url: string): Promise<void> => {
  await tell(url, 'REPLICAOF', '127.0.0.1', '9');
};
const fullDisk = async (url: string): Promise<void> => {
  await tell(url, 'CONFIG', 'SET', 'save', '3600 1');
  await tell(url, 'SET', 'x', 'y');
  await tell(url, 'BGSAVE').catch(() => undefined);
  await eventually(async () => expect(String(await tell(url, 'INFO'))).toContain('rdb_last_bgsave_status:err'));
};
const fewReplicas = async (url: string): Promise<void> => {
  await tell(url, 'CONFIG', 'SET', 'min-replicas-to-write', '1');
};

describe.skipIf(!hasRedisServer())('a Redis that takes no writes', () => {
  it.each([
    ['READONLY', 'REDIS_URL must name the primary', toNowhere],
    ['OOM', 'memory is full', fullMemory],
    ['MISCONF', 'disk', fullDisk],
    ['NOREPLICAS', 'too few of its replicas', fewReplicas],
  ])(
    'is refused at the start, makes a running app not ready, and fails in the doctor: %s',
    async (code, why, spoil) => {
      const { url } = await startServer(['--dir', '/proc/self']);
      const running = await openAt(url);
      await running.ping();
      await spoil(url);
      await expect(running.ping()).rejects.toMatchObject({ kind: 'storage', code });
      await expect(openAt(url)).rejects.toMatchObject({ kind: 'storage', code, message: expect.stringContaining(why) });
      expect(await doctorOf(url)).toEqual([expect.stringContaining(why)]);
    },
  );

  it('is good enough for a program that only reads', async () => {
    const { url } = await startServer();
    await toNowhere(url);
    expect(await readAllVotes({ redisUrl: url }, { clock: Date.now, log })).toEqual({ votes: [], unreadable: 0 });
  });

  it('makes the app ready again when it takes writes', async () => {
    const { url } = await startServer();
    const running = await openAt(url);
    await toNowhere(url);
    await expect(running.ping()).rejects.toMatchObject({ code: 'READONLY' });
    await tell(url, 'REPLICAOF', 'NO', 'ONE');
    await eventually(() => running.ping());
  });
});

describe.skipIf(!hasRedisServer())('a Redis in cluster mode', () => {
  it('is refused at the start and by the doctor, also if it does not tell its mode', async () => {
    const { url } = await startServer([
      '--cluster-enabled',
      'yes',
      '--cluster-config-file',
      `nodes-${process.pid}.conf`,
      // By default the port and 10,000 more, which may be too high or taken.
      '--cluster-port',
      String(await freePort()),
      '--dir',
      tmpdir(),
    ]);
    const refusal = { kind: 'storage', code: 'CLUSTER', message: expect.stringContaining('in cluster mode') };
    await expect(openAt(url)).rejects.toMatchObject(refusal);
    expect(await doctorOf(url)).toEqual([expect.stringContaining('in cluster mode')]);
    const silent = await withUser(url, '~*', '+@all', '-info');
    await expect(openAt(silent)).rejects.toMatchObject(refusal);
    expect(await doctorOf(silent)).toEqual([expect.stringContaining('in cluster mode')]);
  });
});

describe.skipIf(!hasRedisServer())('the rights of the user of Redis', () => {
  const needed = neededCommands.map((name) => `+${name.toLowerCase()}`);

  it('are enough with the commands that docs/operations.md lists', async () => {
    const { url } = await startServer();
    const app = await withUser(url, '~ds:*', ...needed);
    const storage = await openAt(app);
    await storage.ping();
    expect(await doctorOf(app)).toEqual(['warn']);
    expect(await tell(url, 'KEYS', 'ds:ping:none')).toEqual([]);
  });

  let shared: RedisServer;
  beforeAll(async () => {
    shared = await startRedisServer();
  });
  afterAll(() => shared.stop());

  it.each(neededCommands.filter((name) => !['PING', 'EXEC', 'MULTI'].includes(name)))(
    'must include %s, and the refusal names it',
    async (name) => {
      const app = await withUser(shared.url, '~ds:*', ...needed.filter((right) => right !== `+${name.toLowerCase()}`));
      await expect(openRedisStore(app, log)).rejects.toMatchObject({
        code: 'NOPERM',
        message: expect.stringContaining(`does not let this user run ${name}:`),
      });
    },
  );

  it('must include scripts and transactions', async () => {
    const { url } = await startServer();
    const app = await withUser(url, '~ds:*', '+@all', '-@scripting', '-@transaction');
    await expect(openAt(app)).rejects.toMatchObject({ message: expect.stringContaining('EVAL, EVALSHA, EXEC, MULTI') });
    expect(await doctorOf(app)).toEqual([expect.stringContaining('EVAL, EVALSHA, EXEC, MULTI')]);
  });

  it('are of no use where the server renamed or switched off commands, and the refusal names them', async () => {
    const off = ['LPOS', 'MULTI', 'XTRIM'].flatMap((name) => ['--rename-command', name, '']);
    const { url } = await startServer(off);
    await expect(openAt(url)).rejects.toMatchObject({ message: expect.stringContaining('EXEC, LPOS, MULTI, XTRIM:') });
    expect(await doctorOf(url)).toEqual([expect.stringContaining('EXEC, LPOS, MULTI, XTRIM:')]);
  });
});

describe('the list of commands in docs/operations.md', () => {
  const root = new URL('../../../', import.meta.url);
  const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');

  it('is that of the code', () => {
    const [, list = ''] = /<!-- commands -->([\s\S]*?)<!-- \/commands -->/.exec(text('docs/operations.md')) ?? [];
    expect([...list.matchAll(/`([A-Z]+)`/g)].map(([, name]) => name)).toEqual(neededCommands);
  });

  it('has each command that the sources send or use in scripts', () => {
    const files = ['src/storage', 'src/scheduler', 'src/rate-limits'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `${folder}/${path}`),
    );
    const sources = files.map(text).join('\n');
    const inScripts = [...sources.matchAll(/redis\.call\('(\w+)'/g)].map(([, name = '']) => name.toUpperCase());
    const methods = [...sources.matchAll(/\bclient\.([a-zA-Z]+)\(/g)].map(([, name = '']) => name);
    const ofClient = new Set(['connect', 'destroy', 'close', 'on', 'off', 'multi', 'duplicate', 'sendCommand']);
    const optional = new Set(['INFO', 'CONFIGGET']);
    const spelled: Record<string, string> = { ZRANGEWITHSCORES: 'ZRANGE' };
    const sent = methods
      .filter((name) => !ofClient.has(name))
      .map((name) => spelled[name.toUpperCase()] ?? name.toUpperCase())
      .filter((name) => !optional.has(name));
    expect(inScripts.length).toBeGreaterThan(10);
    expect([...new Set([...inScripts, ...sent])].filter((name) => !neededCommands.includes(name))).toEqual([]);
  });
});
