import { afterEach, describe, expect, it } from 'vitest';
import { openStorage, readAllVotes } from '../../../src/storage/open-storage.ts';
import { createRedisConnection } from '../../../src/storage/redis-connection.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { eventually } from '../../support/eventually.ts';
import {
  bulk,
  type ScriptedRedis,
  type ScriptedReply,
  startScriptedRedis,
} from '../../support/processes/scripted-redis.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Answer = (name: string, args: string[]) => ScriptedReply | undefined;

const fit = 'redis_version:7.2.4\r\nmaxmemory_policy:noeviction\r\n';

async function serve(answer: Answer = () => undefined, info = fit): Promise<ScriptedRedis> {
  const server = await startScriptedRedis(
    (name, args) => answer(name, args) ?? (name === 'INFO' ? bulk(info) : undefined),
  );
  closers.push(() => server.stop());
  return server;
}

async function open(server: ScriptedRedis, recording = createRecordingLog()) {
  const store = await openRedisStore(server.url, recording.log);
  closers.push(() => store.close());
  server.commands.length = 0;
  return store;
}

/** A store whose server answers `command` as given, once the store is open. */
async function openAnswering(command: string, reply: ScriptedReply) {
  let isOpen = false;
  const server = await serve((name) => (isOpen && name === command ? reply : undefined));
  const recording = createRecordingLog();
  const store = await open(server, recording);
  isOpen = true;
  return { server, store, recording };
}

describe('the store in Redis', () => {
  it('keeps a text for the given time, and forever where no time is given', async () => {
    const server = await serve();
    const store = await open(server);
    await store.set('a', 'one', 80);
    await store.set('a', 'two');
    await store.setIfAbsent('b', 'one', 90);
    await store.setIfAbsent('b', 'two');
    await store.compareAndSet('c', undefined, 'one', 100);
    expect(server.commands).toEqual([
      ['SET', 'a', 'one', 'PX', '80'],
      ['SET', 'a', 'two'],
      ['SET', 'b', 'one', 'PX', '90', 'NX'],
      ['SET', 'b', 'two', 'NX'],
      ['SET', 'c', 'one', 'PX', '100', 'NX'],
    ]);
  });

  it('returns whether it set an absent value', async () => {
    const { store } = await openAnswering('SET', '$-1\r\n');
    expect(await store.setIfAbsent('a', 'x')).toBe(false);
    const { store: other } = await openAnswering('SET', '+OK\r\n');
    expect(await other.setIfAbsent('a', 'x')).toBe(true);
  });

  it.each([
    [':1\r\n', true],
    [':0\r\n', false],
  ])('compares in Redis, whose answer %j means %j', async (reply, done) => {
    const { server, store } = await openAnswering('EVAL', reply);
    expect(await store.compareAndSet('a', 'one', 'two', 80)).toBe(done);
    expect(await store.compareAndSet('a', 'one', 'two')).toBe(done);
    expect(server.commands.map(([name, , ...rest]) => [name, ...rest])).toEqual([
      ['EVAL', '1', 'a', 'one', 'two', '80'],
      ['EVAL', '1', 'a', 'one', 'two', ''],
    ]);
  });

  it('keeps sets, and answers pings', async () => {
    const { server, store } = await openAnswering('SMEMBERS', `*2\r\n${bulk('x')}${bulk('y')}`);
    await store.addMember('s', 'x');
    await store.removeMember('s', 'y');
    expect(await store.members('s')).toEqual(['x', 'y']);
    await store.ping();
    expect(server.commands).toEqual([['SADD', 's', 'x'], ['SREM', 's', 'y'], ['SMEMBERS', 's'], ['PING']]);
  });
});

describe('the storage as a whole', () => {
  it('is in Redis where its address is set, and shares its connection', async () => {
    const server = await serve((name) => (name === 'SMEMBERS' ? `*1\r\n${bulk('q1')}` : undefined));
    const { log } = createRecordingLog();
    const storage = await openStorage({ redisUrl: server.url }, { clock: Date.now, log });
    expect(await storage.questions.openIds()).toEqual(['q1']);
    expect(await storage.redis?.ping()).toBe('PONG');
    await storage.close();
    await expect(storage.ping()).rejects.toMatchObject({ kind: 'storage' });
  });

  it('gives all votes, and then closes its connection to Redis', async () => {
    const vote = { version: 1, teamId: 'T1', userId: 'U1', questionId: 'q1', verdict: 'up', reasons: [], atMs: 1 };
    const server = await serve((name) => {
      if (name === 'SMEMBERS') return `*1\r\n${bulk('q1:U1')}`;
      return name === 'GET' ? bulk(JSON.stringify(vote)) : undefined;
    });
    const { log } = createRecordingLog();
    const all = await readAllVotes({ redisUrl: server.url }, { clock: Date.now, log });
    expect(all).toEqual({ votes: [vote], unreadable: 0 });
    await eventually(() => expect(server.open()).toBe(0));
  });
});

describe('a refusal of Redis', () => {
  it.each<[string, (store: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['GET', (store) => store.get('a')],
    ['SET', (store) => store.set('a', 'x')],
    ['EVAL', (store) => store.compareAndSet('a', 'x', 'y')],
    ['SADD', (store) => store.addMember('s', 'x')],
    ['SREM', (store) => store.removeMember('s', 'x')],
    ['SMEMBERS', (store) => store.members('s')],
    ['PING', (store) => store.ping()],
  ])('is a failure with its code and a known outcome: %s', async (command, operation) => {
    const { server, store } = await openAnswering(command, '-OOM command not allowed\r\n');
    await expect(operation(store)).rejects.toMatchObject({
      name: 'AppError',
      kind: 'storage',
      code: 'OOM',
      outcomeUnknown: false,
      message: expect.stringContaining(`127.0.0.1:${server.port}: ${command} failed (OOM)`),
    });
    // The connection is as good as before.
    if (command !== 'PING') await store.ping();
    await store.setIfAbsent('b', 'x').catch(() => {});
    expect(server.connections()).toBe(1);
  });

  it('is named by the requested command, where Redis uses another command for it', async () => {
    const refusing: Answer = (name) => (/^(?:SET|DEL|UNLINK)$/.test(name) ? '-OOM no\r\n' : undefined);
    const store = await open(await serve(refusing));
    await expect(store.setIfAbsent('a', 'x')).rejects.toThrow(/: SET NX failed \(OOM\)$/);
    await expect(store.delete('a')).rejects.toThrow(/: DEL failed \(OOM\)$/);
  });

  it('as a replica makes the store search for the primary under the same name', async () => {
    const { server, store } = await openAnswering('SADD', '-READONLY not here\r\n');
    await expect(store.addMember('s', 'x')).rejects.toMatchObject({ code: 'READONLY', outcomeUnknown: false });
    await eventually(async () => {
      await store.ping();
      expect(server.connections()).toBe(2);
    });
  });
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

  it('is not reported once the store is closed', async () => {
    const { server, store, recording } = await openAnswering('SADD', 'drop');
    await store.close();
    await store.close();
    await server.stop();
    await expect(store.ping()).rejects.toMatchObject({ kind: 'storage', message: expect.stringContaining('closed') });
    expect(recording.lines).toEqual([]);
  });
});

describe('Redis at the start', () => {
  it.each(['6.2.0', '6.10.1', '7.0.0', '10.0.1'])('of version %s is accepted', async (version) => {
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
    expect(server.commands.filter(([name]) => name === 'PING')).toHaveLength(1);
  });

  it.each(['WRONGPASS', 'NOAUTH', 'NOPERM', 'ERR'])('that refuses the password by %s is asked once', async (code) => {
    const server = await serve((name) => (name === 'AUTH' ? `-${code} no\r\n` : undefined));
    const url = server.url.replace('redis://', 'redis://app:secret@');
    await expect(openRedisStore(url, createRecordingLog().log)).rejects.toMatchObject({
      kind: 'storage',
      code,
      message: expect.stringMatching(new RegExp(`^Redis at 127\\.0\\.0\\.1:${server.port} [^@]*\\(${code}\\)$`)),
    });
    expect(server.connections()).toBe(1);
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
