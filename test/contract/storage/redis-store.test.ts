import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { hasRedisServer, listenAsRedis, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();

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
  const store = await openRedisStore(url, log);
  closers.push(() => store.close());
  return store;
}

describe.skipIf(!hasRedisServer())('Redis at the start of the app', () => {
  it('is refused when it would evict', async () => {
    const server = await startServer(['--maxmemory-policy', 'allkeys-lru']);
    await expect(openRedisStore(server.url, log)).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/noeviction.*allkeys-lru/),
    });
  });

  it('causes only a warning when it gives no information about its settings', async () => {
    const server = await startServer(['--rename-command', 'INFO', '']);
    const recording = createRecordingLog();
    const store = await openRedisStore(server.url, recording.log);
    closers.push(() => store.close());
    await store.set('a', 'one');
    expect(recording.lines.map(({ outcome }) => outcome)).toEqual(['unchecked']);
  });

  it('is refused at once, and without the password in any message, when the password is wrong', async () => {
    const server = await startServer(['--requirepass', 'right']);
    const url = server.url.replace('redis://', 'redis://:wrong-secret@');
    const failure: unknown = await openRedisStore(url, log).catch((error: unknown) => error);
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

  it('is refused, with its host and port, when no server answers', async () => {
    const server = await startServer();
    await server.kill();
    const { host } = new URL(server.url);
    await expect(
      openStorage({ redisUrl: server.url.replace('redis://', 'redis://:secret@') }, { clock: Date.now, log }),
    ).rejects.toMatchObject({ kind: 'storage', code: 'ECONNREFUSED', message: expect.stringContaining(host) });
  });
});

describe('a Redis that answers', () => {
  it('is refused when it is too old', async () => {
    const url = await startScriptedRedis({ info: 'redis_version:6.0.16\r\nmaxmemory_policy:noeviction' });
    await expect(openRedisStore(url, log)).rejects.toMatchObject({
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
    const failure: unknown = await openRedisStore(url, log).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'AppError',
      kind: 'storage',
      message: expect.stringContaining('REDIS_URL'),
    });
    expect(chainOf(failure)).not.toContain('secret');
  });
});

/** All text that a logger could write about an error and its causes. */
function chainOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.entries(error).map(([name, value]) => `${name}: ${String(value)}`);
  return [error.message, error.stack, ...own, error.cause === undefined ? '' : chainOf(error.cause)].join('\n');
}

/** A minimal Redis: `pings` are the first replies to PING, `info` is the reply to INFO. */
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
        else if (/^EXEC\r$/m.test(command)) socket.write('*1\r\n+PONG\r\n');
        else socket.write('+OK\r\n');
      }
    });
  });
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return listenAsRedis(server);
}
