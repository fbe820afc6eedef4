import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import {
  fewestListed,
  fewestWatchedTogether,
  firstListMs,
  listedFreshMs,
  listedRunMs,
  mostChangedPages,
  mostListed,
  mostPassPages,
  newsAgeMs,
  watchBackstopMs,
  watchTickMs,
} from '../../../src/core/settings.ts';
import {
  afterReading,
  createListedService,
  runningQuestion as running,
} from '../../support/watching/listed-service.ts';
import { paceMs, startWatching, watchMany } from '../../support/watching/watching-process.ts';

/** A process alone, after its start. */
async function watchAlready(count: number, random = 0.5) {
  const service = createListedService();
  const process = startWatching(service, { random });
  const questions = await watchMany(service, process, count);
  const [first = running(1), second = running(2)] = questions;
  return { service, ...process, questions, first, second };
}

/** A service that refuses lists beyond `left.requests`. */
function withRoom() {
  const service = createListedService();
  const left = { requests: 0 };
  const changes: typeof service.deepSearch.changes = async (...asked) => {
    if (left.requests <= 0) throw new AppError('rateLimited', 'no room', { retryAfterMs: watchTickMs });
    left.requests -= 1;
    return service.deepSearch.changes(...asked);
  };
  const start = () => startWatching({ now: service.now, deepSearch: { ...service.deepSearch, changes } });
  return { service, left, start };
}

describe('a few running questions of one account', () => {
  it('are read one by one at their own pace, and no list is read', async () => {
    const service = createListedService();
    const { watching } = startWatching(service);
    const questions = Array.from({ length: fewestWatchedTogether - 1 }, (_, index) => running(index + 1));
    expect(questions.map((question) => watching.goesOn(question, paceMs))).toEqual(questions.map(() => paceMs));
    await watching.tick();
    for (const question of questions) expect(await watching.read(question)).toMatchObject({ questions: [{}] });
    expect(service.taken()).toEqual(['read 1', 'read 2', 'read 3']);
  });
});

describe('many running questions of one account', () => {
  it.each([fewestWatchedTogether, 60])(
    'take one list of a few conversations a tick while nothing changes, also if they are %d',
    async (count) => {
      const { service, watching, ran, first } = await watchAlready(count);
      for (let tick = 0; tick < 10; tick += 1) {
        service.pass(watchTickMs);
        await watching.tick();
      }
      expect(service.taken()).toEqual(Array(10).fill('list'));
      expect(service.takenConversations()).toBeLessThanOrEqual(10 * fewestListed);
      expect(ran).toEqual([]);
      expect(watching.goesOn(first, paceMs)).toBeGreaterThan(watchBackstopMs * 0.8);
    },
  );

  it('run when their conversations change, and take what the list carried without a request', async () => {
    const { service, watching, ran, first, second } = await watchAlready(10);
    service.change(1);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    expect(await watching.read(second)).toBeUndefined();
    expect(service.taken()).toEqual(['list']);
  });

  it('are read one by one after a change where the list carries no conversations', async () => {
    const service = createListedService();
    service.listOnlyMarks();
    const process = startWatching(service);
    const { watching, ran } = process;
    const [first = running(1)] = await watchMany(service, process, 10);
    service.change(1);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['list', 'read 1']);
    expect(watching.goesOn(first, paceMs)).toBeGreaterThan(watchBackstopMs * 0.8);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    service.taken();
    // Such a list may miss a change, so every run reads.
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });

  it('are all found on further, longer pages while these end with something new, and not beyond', async () => {
    const { service, watching, ran } = await watchAlready(200);
    for (let id = 1; id <= 24; id += 1) service.change(id);
    await watching.tick();
    expect(new Set(ran).size).toBe(24);
    expect(service.taken()).toEqual(['list', 'list 5', 'list 25']);
    expect(service.takenConversations()).toBe(5 + 20 + 80);
  });

  it('are found on one page if as many change as in the tick before', async () => {
    const { service, watching, ran } = await watchAlready(200);
    for (let round = 0; round < 2; round += 1) {
      service.taken();
      service.takenConversations();
      ran.length = 0;
      for (let id = 1; id <= 21; id += 1) service.change(id);
      await watching.tick();
      expect(new Set(ran).size).toBe(21);
    }
    expect(service.taken()).toEqual(['list']);
    expect(service.takenConversations()).toBe(2 * 21 + fewestListed);
  });

  it('are also found if the list shows a few conversations before them that have not changed since', async () => {
    const { service, watching, ran } = await watchAlready(20);
    for (const id of [1, 2, 3, 4, 5]) service.change(id);
    service.hide(1);
    await watching.tick();
    service.show(1);
    ran.length = 0;
    await watching.tick();
    expect(ran).toEqual(['q1']);
  });

  it('take a bounded number of requests in one tick, even if everything changes', async () => {
    const { service, watching } = await watchAlready(5);
    for (let id = 1; id <= (mostChangedPages + 5) * mostListed; id += 1) service.change(id);
    await watching.tick();
    expect(service.taken()).toHaveLength(mostChangedPages);
  });

  it('are looked for on all pages from time to time, and read one by one if no page shows them', async () => {
    const { service, watching, questions } = await watchAlready(2 * mostListed);
    const hidden = running(1_000);
    watching.goesOn(hidden, paceMs);
    service.pass(watchBackstopMs / 2);
    await watching.tick();
    expect(service.taken()).toEqual(['list', 'list', 'list 100']);
    for (const question of questions) expect(await watching.read(question)).toBeUndefined();
    expect(await watching.read(hidden)).toMatchObject({ id: 1_000 });
    expect(service.taken()).toEqual(['read 1000']);
  });

  it.each([
    [1, paceMs],
    [2 * fewestWatchedTogether, 2 * paceMs],
  ])('are read often if %d of them are on no list', async (count, waitMs) => {
    const { service, watching } = await watchAlready(mostListed);
    const hidden = Array.from({ length: count }, (_, index) => {
      const question = running(1_000 + index);
      return { ...question, upstream: { ...question.upstream, seenMark: 'seen' } };
    });
    for (const question of hidden) watching.goesOn(question, paceMs);
    service.pass(watchBackstopMs / 2);
    await watching.tick();
    for (const question of hidden) expect(watching.goesOn(question, paceMs)).toBe(waitMs);
  });

  it('lead a list only once through what an account had before, and only for one that no list shows', async () => {
    const service = createListedService();
    for (let id = 1_001; id <= 2_000; id += 1) service.change(id);
    service.pass(2 * newsAgeMs);
    const { watching } = startWatching(service);
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const id of ids) service.change(id);
    const pages: number[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      for (const id of ids) watching.goesOn(running(id), paceMs);
      await watching.tick();
      pages.push(service.taken().length);
      ids.push(900);
      service.pass(listedRunMs);
    }
    expect(pages[0]).toBeLessThan(5);
    expect(pages[1]).toBeGreaterThan(10);
    expect(pages[2]).toBe(2);
  });

  it('take a request and a half a second at most if they are 2,000 and nothing changes', async () => {
    const service = createListedService();
    const process = startWatching(service);
    const questions = await watchMany(service, process, 2_000);
    let requests = 0;
    for (let passedMs = 0; passedMs < 2 * listedRunMs; passedMs += watchTickMs) {
      service.pass(watchTickMs);
      await process.watching.tick();
      for (const question of passedMs % listedRunMs === 0 ? questions : []) {
        expect(await process.watching.read(question)).toBeUndefined();
        process.watching.goesOn(question, paceMs);
      }
      requests += service.taken().length;
    }
    expect(requests).toBeLessThanOrEqual((1.5 * 2 * listedRunMs) / 1_000);
  });

  it('are all shown by lists in time, a bounded number in each tick, where one tick can not list them all', async () => {
    const count = 2 * mostChangedPages * mostListed;
    const service = createListedService();
    const { watching } = startWatching(service);
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    for (const id of ids) {
      service.change(id);
      watching.goesOn(running(id), paceMs);
    }
    const most: number[] = [];
    let calls: string[];
    for (let passedMs = 0; passedMs < 2 * listedRunMs - watchTickMs; passedMs += watchTickMs) {
      service.pass(watchTickMs);
      await watching.tick();
      calls = service.taken();
      expect(calls.every((call) => call.startsWith('list'))).toBe(true);
      most.push(calls.length);
      if (passedMs < watchBackstopMs) continue;
      const oldestMs = Math.min(...ids.map((id) => service.shownMs(id) ?? 0));
      expect(service.now() - oldestMs).toBeLessThan(listedRunMs + 5 * watchTickMs);
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(mostChangedPages + mostPassPages);
    expect(Math.max(...most.slice(-60))).toBeLessThanOrEqual(1 + mostPassPages);
  });

  it.each([1, 2])('are all shown by lists although the limit leaves room for only %d in a tick', async (room) => {
    const { service, start, left } = withRoom();
    const { watching, ran } = start();
    const ids = Array.from({ length: 8 * mostListed }, (_, index) => index + 1);
    for (const id of ids) {
      service.change(id);
      watching.goesOn(running(id), paceMs);
    }
    const changed = ids.length / 2;
    let foundAfter = Number.NaN;
    for (let tick = 1; tick <= 20; tick += 1) {
      left.requests = room;
      if (tick === 6) {
        service.change(changed, 'completed');
        ran.length = 0;
      }
      await watching.tick();
      if (Number.isNaN(foundAfter) && tick >= 6 && ran.includes(`q${changed}`)) foundAfter = tick - 5;
      service.pass(watchTickMs);
    }
    expect(ids.filter((id) => service.shownMs(id) === undefined)).toEqual([]);
    expect(foundAfter).toBeLessThanOrEqual(2);
    expect(service.taken().filter((call) => !call.startsWith('list'))).toEqual([]);
  });

  it('are all found by lists, also if many end together and pages are shorter than asked for', async () => {
    const service = createListedService();
    service.shortenPages(2);
    const { watching, ran } = startWatching(service);
    const ids = Array.from({ length: 2 * mostListed }, (_, index) => index + 1);
    for (const id of ids) {
      service.change(id);
      watching.goesOn(running(id), paceMs);
    }
    await watching.tick();
    for (const id of ids) service.change(id, 'completed');
    ran.length = 0;
    for (let passedMs = 0; passedMs <= watchBackstopMs; passedMs += watchTickMs) {
      service.pass(watchTickMs);
      await watching.tick();
    }
    expect(new Set(ran).size).toBe(ids.length);
    expect(service.taken().filter((call) => !call.startsWith('list'))).toEqual([]);
  });

  it('are read by their runs if the limit leaves no room to list them for long', async () => {
    const { service, start, left } = withRoom();
    const process = start();
    left.requests = 100;
    const [first = running(1)] = await watchMany(service, process, 2 * mostListed);
    left.requests = 0;
    service.pass(listedRunMs);
    await process.watching.tick();
    expect(await process.watching.read(first)).toBeUndefined();
    service.pass(listedFreshMs);
    await process.watching.tick();
    expect(await process.watching.read(first)).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });

  it('are listed to the end once although the service repeats a cursor', async () => {
    const service = createListedService();
    const process = startWatching(service);
    await watchMany(service, process, mostListed);
    const hidden = running(1_000);
    process.watching.goesOn(hidden, paceMs);
    service.repeatCursor();
    service.pass(watchBackstopMs / 2);
    await process.watching.tick();
    await process.watching.tick();
    expect(service.taken().length).toBeLessThanOrEqual(5);
    expect(await process.watching.read(hidden)).toMatchObject({ id: 1_000 });
  });

  it('are read one by one at their own pace while the list fails, and together again afterwards', async () => {
    const { service, watching, ran, first } = await watchAlready(10);
    service.fail(new AppError('unavailable', 'down'));
    await watching.tick();
    expect(watching.goesOn(first, paceMs)).toBe(paceMs);
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    service.fail();
    service.change(1);
    service.pass(watchTickMs);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(watching.goesOn(first, paceMs)).toBeGreaterThan(paceMs);
  });

  it('run again at the next list if their run could not be planned', async () => {
    const service = createListedService();
    let isFailing = false;
    const process = startWatching(service, {
      schedule() {
        if (isFailing) throw new AppError('storage', 'down');
      },
    });
    const { watching, ran } = process;
    await watchMany(service, process, 10);
    service.change(1);
    isFailing = true;
    await watching.tick();
    isFailing = false;
    ran.length = 0;
    service.pass(2 * watchTickMs);
    await watching.tick();
    expect(ran).toEqual(['q1']);
  });

  it('take a change again after a run that took it and did not finish', async () => {
    const { service, watching, first } = await watchAlready(10);
    service.change(1);
    await watching.tick();
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    await watching.tick();
    service.taken();
    const conversation = await watching.read(first);
    expect(conversation).toMatchObject({ id: 1 });
    expect(await watching.read(afterReading(first, conversation))).toBeUndefined();
    expect(service.taken()).toEqual([]);
  });

  it('are read when a list was made before they were asked', async () => {
    const { service, watching } = await watchAlready(10);
    const followUp = running(1, { id: 'q99', upstream: { conversationId: 1, questionId: 999, steps: 0 } });
    watching.goesOn(followUp, paceMs);
    service.change(1);
    await watching.tick();
    service.taken();
    await watching.read(followUp);
    expect(service.taken()).toEqual(['read 1']);
  });

  it.each([0, 0.5, 0.999])(
    'wait for the first list that shows them after they were asked, and are read at their first run if none does (%d)',
    async (random) => {
      const { service, watching } = await watchAlready(10, random);
      const asked = running(50, {
        upstream: { conversationId: 50, questionId: 500, steps: 0, askedMs: service.now() },
      });
      const waitMs = watching.goesOn(asked, paceMs);
      expect(waitMs).toBeLessThanOrEqual(firstListMs * 1.1);
      service.pass(waitMs);
      expect(await watching.read(asked)).toMatchObject({ id: 50 });
      expect(service.taken()).toEqual(['read 50']);
    },
  );

  it('are read if they have to know, whatever the list showed', async () => {
    const { service, watching, first } = await watchAlready(10);
    expect(await watching.read(first, { isFresh: true })).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });

  it('keep their own pace while they wait for a cancellation', async () => {
    const { watching, first } = await watchAlready(10);
    expect(watching.goesOn({ ...first, cancel: { byUserId: 'U1', atMs: 0 } }, paceMs)).toBe(paceMs);
  });

  it('run at once, and then at their own pace, when too few are left for a list', async () => {
    const { service, watching, ran, questions, first } = await watchAlready(fewestWatchedTogether);
    for (const question of questions.slice(1)) watching.leave(question);
    await watching.tick();
    await watching.tick();
    expect(ran).toEqual([first.id]);
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    expect(watching.goesOn(first, paceMs)).toBe(paceMs);
    expect(service.taken()).toEqual(['read 1']);
  });

  it('are listed again after a pause that grows with each failure', async () => {
    const { service, watching } = await watchAlready(10);
    service.fail(new AppError('unavailable', 'down'));
    for (let tick = 0; tick < 20; tick += 1) {
      await watching.tick();
      service.pass(watchTickMs);
    }
    expect(service.taken().length).toBeLessThan(8);
  });

  it('are no longer listed once they ended or moved to another process', async () => {
    const { service, watching, questions } = await watchAlready(fewestWatchedTogether);
    const [first = running(1), ...others] = questions;
    watching.leave(first);
    await watching.tick();
    expect(service.taken()).toEqual([]);
    watching.goesOn(first, paceMs);
    await watching.tick();
    expect(service.taken()).toEqual(['list', 'list']);
    service.pass(2 * listedRunMs + 1);
    for (const question of others) watching.goesOn(question, paceMs);
    await watching.tick();
    expect(service.taken()).toEqual([]);
  });
});

describe('running questions after a start of the process', () => {
  it('are all shown by the first tick if they are 2,000, and none is read although all changed', async () => {
    const service = createListedService();
    const { watching } = startWatching(service);
    const ids = Array.from({ length: 2_000 }, (_, index) => index + 1);
    for (const id of ids) {
      service.change(id);
      watching.goesOn(running(id), paceMs);
    }
    await watching.tick();
    expect(ids.filter((id) => service.shownMs(id) === undefined)).toEqual([]);
    for (const id of ids) expect(await watching.read(running(id))).toMatchObject({ id });
    expect(service.taken().filter((call) => !call.startsWith('list'))).toEqual([]);
  });

  it('are not read while the first list is under way that may show them', async () => {
    const service = createListedService();
    const earlier = await watchMany(service, startWatching(service), 2 * mostPassPages);
    service.shortenPages(1);
    const { watching } = startWatching(service);
    for (const question of earlier) watching.goesOn(question, paceMs);
    const [last = running(1)] = earlier;
    await watching.tick();
    expect(await watching.read(last)).toBeUndefined();
    service.taken();
    service.pass(listedFreshMs);
    expect(await watching.read(last)).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });

  it('wait for the first list, and only those that it shows changed take from it', async () => {
    const { service, questions } = await watchAlready(10);
    service.change(1, 'completed');
    const { watching, ran } = startWatching(service);
    for (const question of questions) {
      // The first ones are too few for a list.
      await watching.read(question);
      expect(watching.goesOn(question, paceMs)).toBeLessThanOrEqual(firstListMs);
    }
    service.taken();
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(await watching.read(questions[0] ?? running(1))).toMatchObject({ questions: [{ state: 'completed' }] });
    for (const question of questions.slice(1)) expect(await watching.read(question)).toBeUndefined();
    expect(service.taken().filter((call) => !call.startsWith('list'))).toEqual([]);
  });

  it('are read one by one if no list was made after a while', async () => {
    const { service, questions } = await watchAlready(10);
    const { watching } = startWatching(service);
    for (const question of questions) watching.goesOn(question, paceMs);
    service.fail(new AppError('unavailable', 'down'));
    await watching.tick();
    service.pass(firstListMs);
    service.taken();
    expect(await watching.read(questions[0] ?? running(1))).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });
});
