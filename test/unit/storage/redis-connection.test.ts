import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRedisConnection } from '../../../src/storage/redis-connection.ts';
import { eventually } from '../../support/eventually.ts';
import { bulk, type ScriptedRedis } from '../../support/processes/scripted-redis.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { closeAll, open, openAnswering, serve } from './scripted-store.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

describe('a lost connection', () => {
  it('leaves the outcome of a running command unknown, and is replaced', async () => {
    const { server, store, recording } = await openAnswering('SADD', 'drop');
    await expect(store.addMember('s', 'x')).rejects.toMatchObject({ kind: 'storage', outcomeUnknown: true });
    await eventually(async () => {
      await store.ping();
      expect(server.connections()).toBe(2);
      expect(recording.lines.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
        'storage.redis lost',
        'storage.redis back',
      ]);
    });
  });

  it('is reported each time, and so is its return', async () => {
    const { server, store, recording } = await openAnswering('SADD', 'drop');
    for (const times of [1, 2]) {
      await expect(store.addMember('s', 'x')).rejects.toMatchObject({ kind: 'storage' });
      await eventually(async () => {
        await store.ping();
        expect(server.connections()).toBe(1 + times);
      });
      await eventually(() =>
        expect(recording.lines.map(({ outcome }) => outcome)).toEqual(Array(times).fill(['lost', 'back']).flat()),
      );
    }
  });

  it('is reported once, however often it fails to be made again, and even where the password is refused for a while', async () => {
    let refusals = 0;
    const server = await serve((name, [key]) => {
      if (name === 'AUTH' && refusals > 0) {
        refusals -= 1;
        return '-WRONGPASS no\r\n';
      }
      return name === 'SADD' && key === 's' ? 'drop' : undefined;
    });
    const recording = createRecordingLog();
    const store = await open(server, recording, 'app:secret@');
    refusals = 2;
    await expect(store.addMember('s', 'x')).rejects.toMatchObject({ kind: 'storage' });
    await eventually(() => expect(recording.lines.map(({ outcome }) => outcome)).toEqual(['lost', 'back']));
    expect(refusals).toBe(0);
    await store.ping();
  });

  it('is made again only once where several commands meet a replica', async () => {
    let waiting = 0;
    const server = await serve((name, [key]) => {
      if (name !== 'SADD' || key !== 's') return undefined;
      waiting += 1;
      // All at once, as they come where many wait.
      return waiting === 3 ? '-READONLY not here\r\n'.repeat(3) : 'silence';
    });
    const store = await open(server);
    const commands = ['x', 'y', 'z'].map((member) => store.addMember('s', member));
    expect(await Promise.allSettled(commands)).toEqual(
      Array(3).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'READONLY' }) }),
    );
    await eventually(() => store.ping());
    expect(server.connections()).toBe(2);
  });

  it('is made again where Redis stays silent for two seconds, and the outcome of the command is unknown', async () => {
    const { server, store } = await openAnswering('SADD', 'silence');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failing = expect(store.addMember('s', 'x')).rejects.toMatchObject({
      kind: 'storage',
      outcomeUnknown: true,
      message: `Redis at 127.0.0.1:${server.port}: SADD did not finish within 2000 ms`,
    });
    vi.advanceTimersByTime(2_000);
    vi.useRealTimers();
    await failing;
    await eventually(() => store.ping());
    expect(server.connections()).toBe(2);
  });

  it('is no news while the store is closed', async () => {
    const { server, store, recording } = await openAnswering('SADD', 'drop');
    const adding = expect(store.addMember('s', 'x')).rejects.toMatchObject({ kind: 'storage' });
    await store.close();
    await adding;
    expect(server.connections()).toBe(1);
    expect(recording.lines).toEqual([]);
  });

  it('is no news once the store is closed', async () => {
    const { server, store, recording } = await openAnswering('SADD', 'drop');
    await store.close();
    await server.stop();
    await expect(store.ping()).rejects.toMatchObject({ kind: 'storage', message: expect.stringContaining('closed') });
    expect(recording.lines).toEqual([]);
  });
});

describe('a store that is closed', () => {
  it('is closed once, however often it is asked to', async () => {
    const { store } = await openAnswering('SADD', 'drop');
    const [first, second] = [store.close(), store.close()];
    expect(second).toBe(first);
    await first;
  });

  it('waits for what was begun, also by others over its connection', async () => {
    const { server, store } = await openAnswering('SMEMBERS', `*1\r\n${bulk('x')}`);
    const members = store.members('s');
    const pong = store.client.ping();
    await store.close();
    expect(await Promise.all([members, pong])).toEqual([['x'], 'PONG']);
    await eventually(() => expect(server.open()).toBe(0));
  });

  it('gives its connection up after a second where Redis stays silent', async () => {
    const { server, store } = await openAnswering('SADD', 'silence');
    const adding = expect(store.client.sAdd('s', 'x')).rejects.toThrow();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closing = store.close();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await closing;
    await adding;
    await eventually(() => expect(server.open()).toBe(0));
  });

  it('does not make a lost connection again', async () => {
    const { server, store } = await openAnswering('SADD', 'drop');
    await server.stop();
    await eventually(() => expect(store.client.isReady).toBe(false));
    await store.close();
    expect(store.client.isOpen).toBe(false);
  });

  it('leaves a replica without looking for the primary', async () => {
    const { server, store } = await openAnswering('SADD', '-READONLY not here\r\n');
    const adding = expect(store.addMember('s', 'x')).rejects.toMatchObject({ code: 'READONLY' });
    await store.close();
    await adding;
    await eventually(() => expect(server.open()).toBe(0));
    expect(server.connections()).toBe(1);
  });
});

describe('Redis at the start', () => {
  it('is waited for while it drops connections, which is no news', async () => {
    const server: ScriptedRedis = await serve((name) =>
      name === 'CLIENT' && server.connections() < 3 ? 'drop' : undefined,
    );
    const recording = createRecordingLog();
    const store = await open(server, recording);
    await store.ping();
    expect(server.connections()).toBe(3);
    expect(recording.lines).toEqual([]);
  });

  it('is given up after five seconds where no server listens, with the code of the failure', async () => {
    const server = await serve();
    await server.stop();
    const connection = createRedisConnection(server.url, createRecordingLog().log);
    const failed = once(connection.client, 'error');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const proving = expect(connection.prove()).rejects.toMatchObject({
      kind: 'storage',
      code: 'ECONNREFUSED',
      message: expect.stringContaining(`127.0.0.1:${server.port}`),
    });
    await failed;
    vi.advanceTimersByTime(5_000);
    await proving;
    await connection.close();
  });

  it('is given up after five seconds where it takes a connection and says nothing', async () => {
    const server = await serve((name) => (name === 'CLIENT' ? 'silence' : undefined));
    const connection = createRedisConnection(server.url, createRecordingLog().log);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const proving = expect(connection.prove()).rejects.toMatchObject({ kind: 'storage', code: undefined });
    vi.advanceTimersByTime(5_000);
    await proving;
    await connection.close();
    vi.useRealTimers();
    await eventually(() => expect(server.open()).toBe(0));
  });

  it('is given up where it still reads its data after five seconds', async () => {
    let pings = 0;
    const server = await serve((name) => {
      if (name !== 'PING') return undefined;
      pings += 1;
      if (pings === 3) vi.advanceTimersByTime(5_000);
      return '-LOADING not yet\r\n';
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    await expect(open(server)).rejects.toMatchObject({ kind: 'storage', code: 'LOADING' });
    // The last asks, before the connection is closed, whether everything has its answer.
    expect(pings).toBe(3 + 1);
  });

  it.each(['6.2.0', '6.10.1', '7.0.0', '10.0.1'])('of version %s is taken', async (version) => {
    const recording = createRecordingLog();
    await open(
      await serve(undefined, `# Server\r\nredis_version:${version}\r\nmaxmemory_policy:noeviction\r\n`),
      recording,
    );
    expect(recording.lines).toEqual([]);
  });

  it.each(['6.1.9', '5.9.0', '2.8.24'])('of version %s is refused as too old', async (version) => {
    const server = await serve(undefined, `redis_version:${version}\r\nmaxmemory_policy:noeviction\r\n`);
    await expect(open(server)).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/ is too old: at least version 6\.2 is needed$/),
    });
  });

  it.each(['allkeys-lru', 'volatile-ttl', 'noeviction2'])('that drops keys by %s is refused', async (policy) => {
    const server = await serve(undefined, `redis_version:7.0.0\r\nmaxmemory_policy:${policy}\r\n`);
    await expect(open(server)).rejects.toMatchObject({ kind: 'storage', message: expect.stringContaining(policy) });
  });

  it.each([
    ['without its version', bulk('maxmemory_policy:noeviction\r\n')],
    ['without its policy', bulk('redis_version:7.0.0\r\n')],
    ['with an empty text', bulk('')],
    ['with a refusal', '-NOPERM no\r\n'],
    ['as if it did not know the command', '-ERR unknown command\r\n'],
  ])('that describes itself %s is used with a warning', async (_, reply) => {
    const recording = createRecordingLog();
    await open(await serve((name) => (name === 'INFO' ? reply : undefined)), recording);
    expect(recording.lines.map(({ outcome }) => outcome)).toEqual(['unchecked']);
  });

  it('that fails to describe itself in another way is not used, and the connection is closed', async () => {
    const server = await serve((name) => (name === 'INFO' ? '-BUSY running a script\r\n' : undefined));
    await expect(open(server)).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringMatching(/: INFO failed \(BUSY\)$/),
    });
    await eventually(() => expect(server.open()).toBe(0));
  });

  it('is waited for while it reads its data, and only then', async () => {
    const replies = ['-LOADING not yet\r\n', '-LOADING not yet\r\n'];
    await open(await serve((name) => (name === 'PING' ? replies.shift() : undefined)));
    expect(replies).toEqual([]);
    const server = await serve((name) => (name === 'PING' ? '-MASTERDOWN no\r\n' : undefined));
    await expect(open(server)).rejects.toMatchObject({
      code: 'MASTERDOWN',
      message: expect.stringMatching(/: PING failed \(MASTERDOWN\)$/),
    });
    expect(server.commands.filter(([name]) => name === 'PING')).toHaveLength(1 + 1);
  });

  it.each(['WRONGPASS', 'NOAUTH', 'NOPERM', 'ERR'])('that refuses the password by %s is asked once', async (code) => {
    const server = await serve((name) => (name === 'AUTH' ? `-${code} no\r\n` : undefined));
    await expect(open(server, createRecordingLog(), 'app:secret@')).rejects.toMatchObject({
      kind: 'storage',
      code,
      message: expect.stringMatching(new RegExp(`^Redis at 127\\.0\\.0\\.1:${server.port} [^@]*\\(${code}\\)$`)),
    });
    expect(server.connections()).toBe(1);
  });
});

describe('an error reply of Redis', () => {
  it('that begins with no word is not repeated, because the message is shown on terminals', async () => {
    const server = await serve((name) => (name === 'SADD' ? '-\u001b[2J no\r\n' : undefined));
    const store = await open(server, createRecordingLog());
    await expect(store.addMember('s', 'x')).rejects.toMatchObject({
      kind: 'storage',
      code: undefined,
      message: expect.stringMatching(/: SADD failed$/),
    });
  });
});

describe('the address of Redis', () => {
  const { log } = createRecordingLog();

  it.each([
    ['redis://redis.example', 'redis.example:6379'],
    ['rediss://redis.example', 'redis.example:6379'],
    ['redis://redis.example:7000/', 'redis.example:7000'],
    ['redis://user:p%40ss@redis.example:7000/12', 'redis.example:7000'],
  ])('%s appears in messages as %s', (url, where) => {
    expect(createRedisConnection(url, log).where).toBe(where);
  });

  it.each([
    '',
    'redis.example',
    'xredis://redis.example',
    'redisss://redis.example',
    'redis://redis.example/1x',
    'redis://redis.example/a/1',
    'redis://u%zz:p@redis.example',
  ])('%s is refused', (url) => {
    expect(() => createRedisConnection(url, log)).toThrow(
      expect.objectContaining({ kind: 'storage', message: expect.not.stringContaining('redis.example') }),
    );
  });
});
