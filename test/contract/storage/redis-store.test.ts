import { connect, createServer, type Server, type Socket } from 'node:net';
import { createClient } from 'redis';
import { afterEach, describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

const { journal } = createRecordingJournal();
/** What Slack grants for an answer to a command or a button. */
const SLACK_DEADLINE_MS = 3_000;

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServer(args: string[] = []) {
  const server = await startRedisServer(args);
  closers.push(() => server.stop());
  return server;
}

async function openStore(url: string): Promise<KeyValueStore> {
  const store = await openRedisStore(url, journal);
  closers.push(() => store.close());
  return store;
}

/** Every operation fails as `storage`, and in time. */
async function expectOutage(store: KeyValueStore): Promise<void> {
  const operations = [
    () => store.get('a'),
    () => store.set('a', 'x'),
    () => store.delete('a'),
    () => store.setIfAbsent('a', 'x'),
    () => store.compareAndSet('a', 'x', 'y'),
    () => store.addMember('s', 'x'),
    () => store.removeMember('s', 'x'),
    () => store.members('s'),
    () => store.ping(),
  ];
  const startedMs = performance.now();
  const outcomes = await Promise.allSettled(operations.map((operation) => operation()));
  expect(performance.now() - startedMs).toBeLessThan(SLACK_DEADLINE_MS);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'AppError', kind: 'storage' } });
  }
}

describe.skipIf(!hasRedisServer())('Redis store in trouble', () => {
  it('throws in time while the server is down, works again by itself when it is back, and reports each once', async () => {
    const server = await startServer();
    const recording = createRecordingJournal();
    const store = await openRedisStore(server.url, recording.journal);
    closers.push(() => store.close());
    await store.set('a', 'one');
    await server.kill();
    await expectOutage(store);
    await server.restart();
    await eventually(() => store.ping(), { timeoutMs: 10_000 });
    await store.set('a', 'two');
    expect(await store.get('a')).toBe('two');
    expect(recording.lines.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
      'storage.redis lost',
      'storage.redis back',
    ]);
  });

  it('throws in time while the server hangs, and works again by itself when it goes on', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    server.pause();
    try {
      await expectOutage(store);
      await expectOutage(store);
    } finally {
      server.resume();
    }
    await eventually(() => store.ping(), { timeoutMs: 15_000 });
    await store.set('a', 'one');
    expect(await store.get('a')).toBe('one');
  });

  it('says of a command that was sent, but not of one that was not, that its outcome is unknown', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    server.pause();
    try {
      await expect(store.set('a', 'x')).rejects.toMatchObject({ outcomeUnknown: true });
    } finally {
      server.resume();
    }
    await server.kill();
    await expect(store.set('a', 'x')).rejects.toMatchObject({ kind: 'storage' });
    await expect(store.set('a', 'x')).rejects.toMatchObject({ outcomeUnknown: false });
  });

  it('bridges a short interruption without a failure', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    const client = createClient({ url: server.url });
    await client.connect();
    await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    await client.close();
    await eventually(() => store.set('a', 'one'), { timeoutMs: 2_000 });
    expect(await store.get('a')).toBe('one');
  });

  it('finds another connection when a dead one never says so', async () => {
    const server = await startServer();
    const proxy = await startProxy(Number(new URL(server.url).port));
    closers.push(() => proxy.close());
    const store = await openStore(proxy.url);
    await store.set('a', 'one');
    proxy.silence();
    await expectOutage(store);
    await eventually(async () => expect(await store.get('a')).toBe('one'), { timeoutMs: 10_000 });
  });

  it('fails while the server is a replica, and works again when it is the primary', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    const client = createClient({ url: server.url });
    await client.connect();
    closers.push(() => client.close());
    await client.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    await expect(store.set('a', 'x')).rejects.toMatchObject({
      kind: 'storage',
      code: 'READONLY',
      outcomeUnknown: false,
    });
    await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await eventually(() => store.set('a', 'one'), { timeoutMs: 5_000 });
  });

  it('closes in time although the server hangs', async () => {
    const server = await startServer();
    const store = await openRedisStore(server.url, journal);
    server.pause();
    try {
      await expect(store.ping()).rejects.toMatchObject({ kind: 'storage' });
      const hanging = expect(store.get('a')).rejects.toMatchObject({ kind: 'storage' });
      const startedMs = performance.now();
      await store.close();
      expect(performance.now() - startedMs).toBeLessThan(7_000);
      await hanging;
    } finally {
      server.resume();
    }
  });
});

describe.skipIf(!hasRedisServer())('Redis at the start', () => {
  it('is refused when it would evict', async () => {
    const server = await startServer(['--maxmemory-policy', 'allkeys-lru']);
    await expect(openRedisStore(server.url, journal)).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/noeviction.*allkeys-lru/),
    });
  });

  it('is only warned of when it does not tell about itself', async () => {
    const server = await startServer(['--rename-command', 'INFO', '']);
    const recording = createRecordingJournal();
    const store = await openRedisStore(server.url, recording.journal);
    closers.push(() => store.close());
    await store.set('a', 'one');
    expect(recording.lines.map(({ outcome }) => outcome)).toEqual(['unchecked']);
  });

  it('is refused at once, and without the password in any message, when the password is wrong', async () => {
    const server = await startServer(['--requirepass', 'right']);
    const url = server.url.replace('redis://', 'redis://:wrong-secret@');
    const failure: unknown = await openRedisStore(url, journal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'AppError', kind: 'storage', code: 'WRONGPASS' });
    expect(chainOf(failure)).not.toContain('wrong-secret');
  });

  it('is used with the right password', async () => {
    const server = await startServer(['--requirepass', 'right']);
    const store = await openStore(server.url.replace('redis://', 'redis://:right@'));
    await store.ping();
  });

  it('is waited for while it starts', async () => {
    const server = await startServer();
    await server.kill();
    const opening = openStore(server.url);
    await server.restart();
    await (await opening).ping();
  });

  it('is refused, with its host and port, when nobody answers', async () => {
    const server = await startServer();
    await server.kill();
    const { host } = new URL(server.url);
    await expect(
      openStorage({ redisUrl: server.url.replace('redis://', 'redis://:secret@') }, { clock: Date.now, journal }),
    ).rejects.toMatchObject({ kind: 'storage', code: 'ECONNREFUSED', message: expect.stringContaining(host) });
  });
});

describe('a Redis that answers', () => {
  it('is refused when it is too old', async () => {
    const url = await startScriptedRedis({ info: 'redis_version:6.0.16\r\nmaxmemory_policy:noeviction' });
    await expect(openRedisStore(url, journal)).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/too old.*6\.2/),
    });
  });

  it('is waited for while it loads its data', async () => {
    const url = await startScriptedRedis({
      info: 'redis_version:6.2.0\r\nmaxmemory_policy:noeviction',
      pings: ['-LOADING Redis is loading the dataset in memory', '-LOADING Redis is loading the dataset in memory'],
    });
    await openStore(url);
  });
});

describe('an impossible REDIS_URL', () => {
  it.each([
    '',
    'localhost:6379',
    'http://:secret@localhost',
    'redis://:secret@[',
    'redis://:secret@localhost/db',
    'redis://:secret%zz@localhost',
  ])('%s is refused without being repeated', async (url) => {
    const failure: unknown = await openRedisStore(url, journal).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'AppError',
      kind: 'storage',
      message: expect.stringContaining('REDIS_URL'),
    });
    expect(chainOf(failure)).not.toContain('secret');
  });
});

/** All that a logger could write about an error and its causes. */
function chainOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.entries(error).map(([name, value]) => `${name}: ${String(value)}`);
  return [error.message, error.stack, ...own, error.cause === undefined ? '' : chainOf(error.cause)].join('\n');
}

/** A server of a few words: `pings` are its first answers to PING, and INFO gives `info`. */
async function startScriptedRedis({ info, pings = [] }: { info: string; pings?: string[] }): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const command of data
        .toString()
        .split(/^\*\d+\r\n/m)
        .slice(1)) {
        if (/^INFO\r$/m.test(command)) socket.write(`$${info.length}\r\n${info}\r\n`);
        else if (/^PING\r$/m.test(command)) socket.write(`${pings.shift() ?? '+PONG'}\r\n`);
        else socket.write('+OK\r\n');
      }
    });
  });
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return listen(server);
}

/** A proxy which can let its present connections go silent without closing them; new ones work. */
async function startProxy(targetPort: number): Promise<{ url: string; silence(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((inner) => {
    const outer = connect(targetPort, '127.0.0.1');
    inner.pipe(outer).pipe(inner);
    for (const socket of [inner, outer]) {
      socket.on('error', () => {});
      sockets.add(socket);
    }
  });
  const url = await listen(server);
  return {
    url,
    silence() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `redis://127.0.0.1:${address.port}`;
}
