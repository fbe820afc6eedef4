import { connect, createServer, type Socket } from 'node:net';
import { createClient } from 'redis';
import { afterEach, describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../../src/storage/key-value-store.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedisServer, listenAsRedis, startRedisServer } from '../support/processes/redis-server.ts';
import { createRecordingLog } from '../support/recording-log.ts';

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

/** Call it while Redis does not reply: every operation fails with `storage` instead of waiting for Redis. */
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
  const outcomes = await Promise.allSettled(operations.map((operation) => operation()));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'AppError', kind: 'storage' } });
  }
}

describe.skipIf(!hasRedisServer())('the Redis store on a failing Redis', () => {
  it('throws while the server is down, works again without help when it is back, and reports each change once', async () => {
    const server = await startServer();
    const recording = createRecordingLog();
    const store = await openRedisStore(server.url, recording.log);
    closers.push(() => store.close());
    await store.set('a', 'one');
    await server.kill();
    await expectOutage(store);
    await server.restart();
    await eventually(() => store.ping());
    await store.set('a', 'two');
    expect(await store.get('a')).toBe('two');
    expect(recording.lines.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
      'storage.redis lost',
      'storage.redis back',
    ]);
  });

  it('throws while the server hangs, and works again without help when it continues', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    server.pause();
    try {
      await expectOutage(store);
      await expectOutage(store);
    } finally {
      server.resume();
    }
    await eventually(() => store.ping());
    await store.set('a', 'one');
    expect(await store.get('a')).toBe('one');
  });

  it('reports an unknown outcome for a command that was sent, but not for one that was not', async () => {
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

  it('survives a short interruption without a failure', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    const client = createClient({ url: server.url });
    await client.connect();
    await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    await client.close();
    await eventually(() => store.set('a', 'one'));
    expect(await store.get('a')).toBe('one');
  });

  it('opens another connection when a dead one is never closed', async () => {
    const server = await startServer();
    const proxy = await startProxy(Number(new URL(server.url).port));
    closers.push(() => proxy.close());
    const store = await openStore(proxy.url);
    await store.set('a', 'one');
    proxy.silence();
    await expectOutage(store);
    await eventually(async () => expect(await store.get('a')).toBe('one'));
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
    await eventually(() => store.set('a', 'one'));
  });

  it('closes although the server hangs', async () => {
    const server = await startServer();
    const store = await openRedisStore(server.url, log);
    server.pause();
    try {
      await expect(store.ping()).rejects.toMatchObject({ kind: 'storage' });
      const hanging = expect(store.get('a')).rejects.toMatchObject({ kind: 'storage' });
      await store.close();
      await hanging;
    } finally {
      server.resume();
    }
  });
});

/** A proxy that can silence its current connections without closing them; new ones work. */
async function startProxy(targetPort: number): Promise<{ url: string; silence(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(targetPort, '127.0.0.1');
    inner.pipe(outer).pipe(inner);
    for (const socket of [inner, outer]) {
      socket.on('error', () => {});
      sockets.add(socket);
    }
  });
  const url = await listenAsRedis(server);
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
