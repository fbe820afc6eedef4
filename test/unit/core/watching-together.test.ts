import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { newsAgeMs, watchBackstopMs, watchLeaseMs, watchTickMs } from '../../../src/core/settings.ts';
import { createSharedWatch } from '../../../src/storage/shared-watch.ts';
import { expiringStore } from '../../support/storage/expiring-store.ts';
import {
  afterReading,
  createListedService,
  runningQuestion as running,
  wordsOfService,
} from '../../support/watching/listed-service.ts';
import { paceMs, startWatching, type WatchingProcess, watchMany } from '../../support/watching/watching-process.ts';

const ada: Person = { teamId: 'T1', userId: 'U1' };

/** The same question, asked with its asker's own account. */
const asOwn = (question: Question): Question => ({ ...question, access: 'own', askerId: ada.userId });

/**
 * Two processes on one store. The first one lists. Each knows questions of its own, q1 to q<count> and q100 and so on, and
 * all of them have seen what the list shows.
 */
async function watchWithTwo(count = 10, as = (question: Question): Question => question) {
  const service = createListedService();
  const kv = expiringStore(service.now);
  const owners = new Map<string, string>();
  const ended = new Set<string>();
  const start = (aheadMs = 0): WatchingProcess => {
    const now = () => service.now() + aheadMs;
    return startWatching({ ...service, now }, createSharedWatch(kv, now), { owners, ended });
  };
  const [one, two] = [start(), start()];
  const ofOne = (await watchMany(service, one, count, { as })).map(as);
  const ofTwo: Question[] = [];
  for (const { id, upstream } of ofOne) owners.set(`upstream:${upstream.conversationId}:${upstream.questionId}`, id);
  for (let id = 100; id < 100 + count; id += 1) {
    service.change(id);
    owners.set(`upstream:${id}:${id * 10}`, `q${id}`);
    ofTwo.push(as(running(id)));
  }
  for (const question of ofTwo) two.watching.goesOn(question, paceMs);
  await tickBoth();
  for (const [at, question] of ofTwo.entries()) ofTwo[at] = await two.run(question);
  service.pass(watchBackstopMs / 2);
  await tickBoth();
  for (const question of ofOne) one.watching.goesOn(question, paceMs);
  for (const question of ofTwo) two.watching.goesOn(question, paceMs);
  clear();

  async function tickBoth(): Promise<void> {
    await one.watching.tick();
    await two.watching.tick();
  }

  function clear(): void {
    for (const process of [one, two]) process.ran.length = 0;
    service.taken();
  }

  /** Time passes with a tick every second, in the processes that live. */
  async function live(ms: number, processes = [one, two]): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += watchTickMs) {
      service.pass(watchTickMs);
      for (const process of processes) await process.watching.tick();
    }
  }

  const [first = running(1)] = ofOne;
  const [other = running(100)] = ofTwo;
  return { service, kv, owners, ended, start, one, two, ofOne, ofTwo, first, other, tickBoth, clear, live };
}

describe('several processes that watch one account', () => {
  it('list with one request a tick in all, and wake the questions of all', async () => {
    const { service, one, two, ofTwo, tickBoth } = await watchWithTwo();
    for (const { upstream } of ofTwo) service.change(upstream.conversationId ?? 0);
    await tickBoth();
    expect(service.taken().filter((call) => call === 'list')).toHaveLength(1);
    expect(new Set(one.ran)).toEqual(new Set(ofTwo.map(({ id }) => id)));
    expect(two.ran).toEqual([]);
    for (const question of ofTwo) expect(await two.watching.read(question)).toMatchObject({ questions: [{}] });
    expect(service.taken()).toEqual([]);
  });

  it('read no question that moves from one to the other', async () => {
    const { service, one, two, ofOne, ofTwo, tickBoth } = await watchWithTwo();
    for (const question of ofOne) expect(await two.watching.read(question)).toBeUndefined();
    for (const question of ofTwo) expect(await one.watching.read(question)).toBeUndefined();
    service.change(1, 'completed');
    await tickBoth();
    expect(await two.watching.read(ofOne[0] ?? running(1))).toMatchObject({ questions: [{ state: 'completed' }] });
    expect(service.taken().filter((call) => call.startsWith('read'))).toEqual([]);
  });

  it('read no question again that another one has seen since the last complete list', async () => {
    const { service, one, two, first, tickBoth } = await watchWithTwo();
    service.change(1);
    await tickBoth();
    const seen = await one.run(first);
    expect(await two.watching.read(seen)).toBeUndefined();
    expect(service.taken()).toEqual(['list']);
  });

  it('read no question that ran nowhere for long, as long as the list shows all of them', async () => {
    const { service, two, first, live } = await watchWithTwo();
    await live(1.5 * watchBackstopMs);
    service.taken();
    expect(await two.watching.read(first)).toBeUndefined();
    expect(service.taken()).toEqual([]);
  });

  it('take over the list when the lease of the process that lists ends', async () => {
    const { service, two, other, live } = await watchWithTwo();
    await live(watchLeaseMs + watchTickMs, [two]);
    expect(service.taken().length).toBeGreaterThan(0);
    service.change(100, 'completed');
    await live(watchTickMs, [two]);
    expect(two.ran).toContain('q100');
    expect(await two.watching.read(other)).toMatchObject({ questions: [{ state: 'completed' }] });
  });

  it('take over the list at the first tick after a start with questions that already run', async () => {
    const { service, one, two, ofOne, ofTwo, start } = await watchWithTwo();
    const three = start();
    for (const question of [...ofOne, ...ofTwo]) three.watching.resumed(question);
    service.change(100, 'completed');
    await three.watching.tick();
    expect(three.ran).toContain('q100');
    service.taken();
    for (const { watching } of [one, two]) await watching.tick();
    expect(service.taken()).toEqual([]);
    await three.watching.tick();
    expect(service.taken()).toEqual(['list']);
  });

  it('take over the list at the next tick when the process that lists stops', async () => {
    const { service, one, two } = await watchWithTwo();
    await one.watching.stop();
    await two.watching.tick();
    expect(service.taken().length).toBeGreaterThan(0);
    await one.watching.tick();
    expect(service.taken()).toEqual([]);
  });

  it('leave alone what changed long ago when they begin to list, such as conversations of answered questions', async () => {
    const { service, start, ofTwo, live } = await watchWithTwo();
    service.pass(newsAgeMs + 1_000);
    service.change(109);
    const three = start();
    for (const question of ofTwo.slice(0, 4)) three.watching.goesOn(running(Number(question.id.slice(1))), paceMs);
    await live(watchTickMs, [three]);
    expect(three.ran.toSorted()).toEqual(['q100', 'q101', 'q102', 'q103', 'q109']);
  });

  it('get a change at once, although the last complete list showed no change', async () => {
    const { service, one, two, other } = await watchWithTwo();
    expect(await two.watching.read(other)).toBeUndefined();
    service.change(100);
    await one.watching.tick();
    service.taken();
    expect(await two.watching.read(other)).toMatchObject({ id: 100 });
    expect(service.taken()).toEqual([]);
  });

  it('read at once what a run took that failed, although an older list shows what the question saw before', async () => {
    const { service, one, two, other } = await watchWithTwo();
    await two.watching.read(other);
    service.change(100, 'completed');
    await one.watching.tick();
    const ended = { questions: [{ state: 'completed' }] };
    expect(await two.watching.read(other)).toMatchObject(ended);
    // The run fails here.
    service.taken();
    for (const { watching } of [two, one]) expect(await watching.read(other)).toMatchObject(ended);
    expect(service.taken()).toEqual(['read 100', 'read 100']);
  });

  it('hide no change by an older list, however late the question runs', async () => {
    const { service, one, two, other, live } = await watchWithTwo();
    await two.watching.read(other);
    await live(watchBackstopMs / 2 - 2 * watchTickMs);
    service.change(100, 'completed');
    // The process that lists dies before its next complete list.
    await live(watchTickMs, [one]);
    for (let passedMs = 0; passedMs < 3 * watchBackstopMs; passedMs += watchTickMs) {
      service.pass(watchTickMs);
      expect(await two.watching.read(other)).toMatchObject({ questions: [{ state: 'completed' }] });
    }
  });

  it('wake the question that runs, also where the process that lists knows an earlier one of its conversation', async () => {
    const { service, owners, one } = await watchWithTwo();
    owners.set('upstream:1:10', 'q1-next');
    service.change(1);
    await one.watching.tick();
    expect(one.ran.toSorted()).toEqual(['q1', 'q1-next']);
  });

  it('let another process list after a failure', async () => {
    const { service, one, two, live } = await watchWithTwo();
    service.fail(new AppError('unavailable', 'down'));
    await live(watchTickMs, [one]);
    service.fail();
    service.taken();
    await two.watching.tick();
    expect(service.taken()[0]).toBe('list');
  });

  it('each list for themselves where lists carry no conversations', async () => {
    const { service, tickBoth, clear, two } = await watchWithTwo();
    service.listOnlyMarks();
    await tickBoth();
    await tickBoth();
    clear();
    service.change(100);
    await tickBoth();
    expect(two.ran).toEqual(['q100']);
    expect(await two.watching.read(running(100))).toMatchObject({ id: 100 });
    expect(service.taken()).toEqual(['list', 'list', 'read 100']);
  });

  it('read what the process that lists did not list', async () => {
    const { service, two } = await watchWithTwo();
    const hidden = afterReading(running(500), { id: 500, mark: 'seen', questions: [] });
    two.watching.goesOn(hidden, paceMs);
    expect(await two.watching.read(hidden)).toMatchObject({ id: 500 });
    expect(service.taken()).toEqual(['read 500']);
  });

  it('take the newer of two changes that two processes hand on while the lead moves', async () => {
    const { service, kv, one, two, start, live } = await watchWithTwo();
    // The first process has an old page in its hands when its lease ends.
    service.change(100);
    let reply = (): void => {};
    const held = new Promise<void>((resolve) => {
      reply = resolve;
    });
    const slow = service.holdNextList(held);
    const late = one.watching.tick();
    await slow;
    service.change(100, 'completed');
    await live(watchLeaseMs + watchTickMs, [two]);
    reply();
    await late;
    expect([...kv.texts.keys()]).toContain('ds:watch:app:change:100');
    const three = start();
    for (let id = 200; id < 204; id += 1) three.watching.goesOn(running(id), paceMs);
    expect(await three.watching.read(running(100))).toMatchObject({ questions: [{ state: 'completed' }] });
  });

  it('take no change from their own memory that another process has listed a newer one for', async () => {
    const { service, one, two, first, live } = await watchWithTwo();
    service.change(1);
    await live(watchTickMs, [one]);
    service.change(1, 'completed');
    await live(watchLeaseMs + watchTickMs, [two]);
    // The newer change was handed on and taken by a run that failed.
    await two.watching.read(first);
    service.taken();
    expect(await one.watching.read(first)).toMatchObject({ questions: [{ state: 'completed' }] });
  });

  it.each([-5_000, 5_000])('work with clocks that differ by %d ms', async (aheadMs) => {
    const { service, start, ofTwo, other, live, one } = await watchWithTwo();
    const three = start(aheadMs);
    for (const question of ofTwo) three.watching.goesOn(question, paceMs);
    await live(watchBackstopMs, [one, three]);
    service.taken();
    expect(await three.watching.read(other)).toBeUndefined();
    service.change(100, 'completed');
    await live(watchTickMs, [one, three]);
    expect(await three.watching.read(other)).toMatchObject({ questions: [{ state: 'completed' }] });
    // After the process that lists died.
    service.change(101, 'completed');
    await live(watchLeaseMs + 2 * watchTickMs, [three]);
    expect(three.ran).toContain('q101');
  });

  it('go on when the store lost everything', async () => {
    const { service, kv, two, ofTwo, tickBoth, live } = await watchWithTwo();
    service.change(100, 'completed');
    await tickBoth();
    kv.texts.clear();
    await live(watchBackstopMs);
    const ended = await Promise.all(ofTwo.map((question) => two.watching.read(question)));
    expect(ended.filter((conversation) => conversation?.questions[0]?.state === 'completed')).toHaveLength(1);
  });

  it('hand on no words of a question that has ended or was erased', async () => {
    const { service, kv, ended, one } = await watchWithTwo();
    for (const id of [1, 100]) {
      ended.add(`q${id}`);
      service.change(id, 'completed');
    }
    await one.watching.tick();
    expect(one.ran).toEqual([]);
    expect([...kv.texts.values()].join()).not.toContain(wordsOfService);
  });

  it('keep no conversation in their memory that the store hands on', async () => {
    const { service, kv, ofOne, one, first } = await watchWithTwo();
    for (const { upstream } of ofOne) service.change(upstream.conversationId ?? 0);
    await one.watching.tick();
    service.taken();
    kv.texts.clear();
    await one.watching.read(first);
    expect(service.taken()).toEqual(['read 1']);
  });

  it('leave no conversation in the store for a minute', async () => {
    const { service, kv, one, live } = await watchWithTwo();
    service.change(100, 'completed');
    await one.watching.tick();
    const texts = async () =>
      (await Promise.all([...kv.texts.keys()].map((key) => kv.get(key)))).filter((text) =>
        text?.includes(wordsOfService),
      );
    expect(await texts()).toHaveLength(1);
    await live(60_000);
    expect(await texts()).toEqual([]);
  });
});

describe("several processes that watch a person's own account", () => {
  it('store no words of conversations', async () => {
    const { service, kv, ofTwo, tickBoth } = await watchWithTwo(10, asOwn);
    for (const { upstream } of ofTwo) service.change(upstream.conversationId ?? 0, 'completed');
    await tickBoth();
    expect([...kv.texts.keys()].filter((key) => key.startsWith('ds:watch:T1:U1:change:'))).not.toEqual([]);
    expect([...kv.texts.values()].join()).not.toContain(wordsOfService);
  });

  it('read a change at once in the other process, although the last complete list showed no change', async () => {
    const { service, one, two, other } = await watchWithTwo(10, asOwn);
    expect(await two.watching.read(other)).toBeUndefined();
    service.change(100, 'completed');
    await one.watching.tick();
    service.taken();
    expect(await two.watching.read(other)).toMatchObject({ questions: [{ state: 'completed' }] });
    expect(service.taken()).toEqual(['read 100']);
  });

  it('take a change of a question that they run from their memory', async () => {
    const { service, one, first, tickBoth } = await watchWithTwo(10, asOwn);
    service.change(1, 'completed');
    await tickBoth();
    expect(service.taken()).toEqual(['list']);
    expect(await one.watching.read(first)).toMatchObject({ questions: [{ state: 'completed' }] });
    expect(service.taken()).toEqual([]);
  });

  it('read no unchanged question that moves from one to the other', async () => {
    const { service, one, two, ofOne, ofTwo } = await watchWithTwo(10, asOwn);
    for (const question of ofOne) expect(await two.watching.read(question)).toBeUndefined();
    for (const question of ofTwo) expect(await one.watching.read(question)).toBeUndefined();
    expect(service.taken()).toEqual([]);
  });
});
