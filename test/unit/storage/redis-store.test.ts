import { afterEach, describe, expect, it, vi } from 'vitest';
import { openStorage, readAllVotes } from '../../../src/storage/open-storage.ts';
import { CLOSED_KEY } from '../../../src/storage/store-use.ts';
import { eventually } from '../../support/eventually.ts';
import { bulk } from '../../support/processes/scripted-redis.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { type Answer, closeAll, open, openAnswering, serve } from './scripted-store.ts';

afterEach(closeAll);

/** The reply to GET of a key without a value. */
const none = '$-1\r\n';

describe('the store in Redis', () => {
  it('keeps a text for the given lifetime, and without one until it is deleted', async () => {
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

  it('reports whether it set an absent key', async () => {
    const { store } = await openAnswering('SET', '$-1\r\n');
    expect(await store.setIfAbsent('a', 'x')).toBe(false);
    const { store: other } = await openAnswering('SET', '+OK\r\n');
    expect(await other.setIfAbsent('a', 'x')).toBe(true);
  });

  it.each([
    [':1\r\n', true],
    [':0\r\n', false],
  ])('compares in Redis itself, whose answer %j is %j', async (reply, done) => {
    const { server, store } = await openAnswering('EVAL', reply);
    expect(await store.compareAndSet('a', 'one', 'two', 80)).toBe(done);
    expect(await store.compareAndSet('a', 'one', 'two')).toBe(done);
    expect(server.commands.map(([name, , ...rest]) => [name, ...rest])).toEqual([
      ['EVAL', '1', 'a', 'one', 'two', '80'],
      ['EVAL', '1', 'a', 'one', 'two', ''],
    ]);
  });

  it('tells Redis until when to store something, by the clock of Redis, which it reads rarely', async () => {
    const hourMs = 3_600_000;
    const time = (): string => {
      const seconds = Math.trunc((Date.now() + hourMs) / 1_000).toString();
      return `*2\r\n${bulk(seconds)}${bulk('0')}`;
    };
    const server = await serve((name) => (name === 'TIME' ? time() : name === 'EVAL' ? none : undefined));
    const store = await open(server);
    const byMs = Date.now() + 1_000;
    for (const key of ['a', 'b']) await store.createListed(key, 'x', 80, 's', key, byMs);
    await store.createListed('c', 'x', 80, 's', 'c');
    const sent = server.commands.filter(([name]) => name === 'EVAL').map((words) => words.at(-1) ?? '');
    expect(server.commands.filter(([name]) => name === 'TIME')).toHaveLength(1);
    expect(sent.map((until) => until === '' || Number(until) <= byMs + hourMs)).toEqual([true, true, true]);
    expect(Number(sent[0])).toBeGreaterThan(byMs + hourMs - 60_000);
    expect(sent[2]).toBe('');
  });

  it('stores what is in time although the clock of Redis was set forward, or its reply was slow', async () => {
    let aheadMs = -60_000;
    const server = await serve((name, args) => {
      const nowMs = Date.now() + aheadMs;
      if (name === 'TIME') return `*2\r\n${bulk(Math.trunc(nowMs / 1_000).toString())}${bulk('0')}`;
      if (name !== 'EVAL') return undefined;
      return args.includes('s') && nowMs > Number(args.at(-1)) ? '-LATE too late\r\n' : none;
    });
    const store = await open(server);
    expect(await store.createListed('a', 'x', 80, 's', 'a', Date.now() + 2_000)).toBeUndefined();
    aheadMs = 0;
    expect(await store.createListed('b', 'x', 80, 's', 'b', Date.now() + 2_000)).toBeUndefined();
    await expect(store.createListed('c', 'x', 80, 's', 'c', Date.now() - 1)).rejects.toMatchObject({ code: 'late' });
  });

  it.each([-3_600_000, -5_000, 5_000])('reads the clock of Redis again when its own was set by %d ms', async (byMs) => {
    const time = `*2\r\n${bulk('1000')}${bulk('0')}`;
    const server = await serve((name) => (name === 'TIME' ? time : name === 'EVAL' ? none : undefined));
    const store = await open(server);
    await store.createListed('a', 'x', 80, 's', 'a', Date.now() + 1_000);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
    await store.createListed('b', 'x', 80, 's', 'b', Date.now() + 1_000);
    vi.useRealTimers();
    expect(server.commands.filter(([name]) => name === 'TIME')).toHaveLength(2);
  });

  it('leaves no doubt that nothing was stored where the clock of Redis can not be read', async () => {
    const { store } = await openAnswering('TIME', 'drop');
    await expect(store.createListed('a', 'x', 80, 's', 'a', Date.now() + 1_000)).rejects.toMatchObject({
      ...{ kind: 'storage', outcomeUnknown: false },
    });
  });

  it('keeps sets, and pings', async () => {
    const { server, store } = await openAnswering('SMEMBERS', `*2\r\n${bulk('x')}${bulk('y')}`);
    await store.addMember('s', 'x');
    await store.removeMember('s', 'y');
    expect(await store.members('s')).toEqual(['x', 'y']);
    await store.ping();
    const trial = expect.arrayContaining(['EVAL', 'ds:ping']);
    expect(server.commands).toEqual([['SADD', 's', 'x'], ['SREM', 's', 'y'], ['SMEMBERS', 's'], trial]);
  });
});

describe('the storage as a whole', () => {
  it('is in Redis when REDIS_URL is set, and shares its connection', async () => {
    const server = await serve((name) => {
      if (name === 'GET') return none;
      return name === 'SMEMBERS' ? `*1\r\n${bulk('q1')}` : undefined;
    });
    const { log } = createRecordingLog();
    const storage = await openStorage({ redisUrl: server.url }, { clock: Date.now, log });
    expect(await storage.questions.openIds()).toEqual(['q1']);
    expect(await storage.redis?.ping()).toBe('PONG');
    await storage.close();
    await expect(storage.ping()).rejects.toMatchObject({ kind: 'storage' });
  });

  it('returns all votes, and then closes its connection', async () => {
    const vote = { version: 1, teamId: 'T1', userId: 'U1', questionId: 'q1', verdict: 'up', reasons: [], atMs: 1 };
    const server = await serve((name, [key]) => {
      if (name === 'SMEMBERS') return `*1\r\n${bulk('q1:U1')}`;
      if (name !== 'GET') return undefined;
      return key === CLOSED_KEY ? none : bulk(JSON.stringify(vote));
    });
    const { log } = createRecordingLog();
    const all = await readAllVotes({ redisUrl: server.url }, { clock: Date.now, log });
    expect(all).toEqual({ votes: [vote], unreadable: 0 });
    await eventually(() => expect(server.open()).toBe(0));
  });
});

describe('what Redis refuses', () => {
  it.each<[string, (store: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['GET', (store) => store.get('a')],
    ['SET', (store) => store.set('a', 'x')],
    ['EVAL', (store) => store.compareAndSet('a', 'x', 'y')],
    ['SADD', (store) => store.addMember('s', 'x')],
    ['SREM', (store) => store.removeMember('s', 'x')],
    ['SMEMBERS', (store) => store.members('s')],
  ])('is a failure with its code, whose outcome is known: %s', async (command, operation) => {
    const { server, store } = await openAnswering(command, '-OOM command not allowed\r\n');
    await expect(operation(store)).rejects.toMatchObject({
      name: 'AppError',
      kind: 'storage',
      code: 'OOM',
      outcomeUnknown: false,
      message: expect.stringContaining(`127.0.0.1:${server.port}: ${command} failed (OOM)`),
    });
    // The connection is as good as before.
    // `ping` stores by a script, too.
    if (command !== 'EVAL') await store.ping();
    await store.setIfAbsent('b', 'x').catch(() => {});
    expect(server.connections()).toBe(1);
  });

  it('is reported with the operation of the store, also where Redis uses another command', async () => {
    const refusing: Answer = (name) => (/^(?:SET|DEL|UNLINK)$/.test(name) ? '-OOM no\r\n' : undefined);
    const store = await open(await serve(refusing));
    await expect(store.setIfAbsent('a', 'x')).rejects.toThrow(/: SET NX failed \(OOM\)$/);
    await expect(store.delete('a')).rejects.toThrow(/: DEL failed \(OOM\)$/);
  });

  it('as a read-only replica makes it connect again, to find the primary behind the same name', async () => {
    const { server, store } = await openAnswering('SADD', '-READONLY not here\r\n');
    await expect(store.addMember('s', 'x')).rejects.toMatchObject({ code: 'READONLY', outcomeUnknown: false });
    await eventually(async () => {
      await store.ping();
      expect(server.connections()).toBe(2);
    });
  });
});
