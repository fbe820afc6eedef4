import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError, type AppErrorDetails } from '../../../src/core/errors.ts';
import type { Conversation, DeepSearch } from '../../../src/core/ports.ts';
import { createLimiters } from '../../../src/rate-limits/limiters.ts';
import { busyConversation } from '../../../src/service/generation.ts';
import { createBudget } from '../../../src/service/pipeline.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { targetOf } from '../../support/service/cancel-target.ts';
import { through } from '../../support/service/through.ts';

const conversation: Conversation = { id: 1, questions: [] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A service that notes the time of each call, and what it was told to answer with. */
function createService() {
  const calls: { name: string; ms: number }[] = [];
  let failure: AppError | undefined;
  const note = (name: string) => {
    calls.push({ name, ms: Date.now() });
    if (failure !== undefined) throw failure;
  };
  const deepSearch: DeepSearch = {
    async create() {
      note('create');
      return conversation;
    },
    async followUp(_, text) {
      note('followUp');
      return { id: 2, text, state: 'pending', steps: 0, sources: [], followUps: [] };
    },
    async read() {
      note('read');
      return conversation;
    },
    async byReadToken() {
      note('byReadToken');
      return conversation;
    },
    async newest(limit, _, search) {
      note('newest');
      for (let requests = 1; search !== undefined && requests < limit; requests += 1) {
        await search.beforeRequest?.();
        note('request of newest');
      }
      return [conversation];
    },
    async changes() {
      note('changes');
      return { conversations: [] };
    },
    cancel: async () => note('cancel'),
  };
  return {
    deepSearch,
    calls,
    fail: (next?: AppError) => {
      failure = next;
    },
  };
}

function setUp(requestsPerSecond = 5) {
  const service = createService();
  const { log } = createRecordingLog();
  const createLimiter = createLimiters({ log });
  const budget = createBudget({ createLimiter, requestsPerSecond, log });
  const budgeted = through(service.deepSearch, ({ kind }, run) => budget('account', kind, run));
  return { service, budgeted };
}

const rateLimited = (details: AppErrorDetails) => new AppError('rateLimited', '429', { code: 429, ...details });

/** How the call ended and after how long. */
async function outcomeOf(call: Promise<unknown>): Promise<{ ok: boolean; afterMs: number; retryAfterMs?: number }> {
  const startMs = Date.now();
  try {
    await call;
    return { ok: true, afterMs: Date.now() - startMs };
  } catch (error) {
    expect(error).toMatchObject({ kind: 'rateLimited', outcomeUnknown: false });
    const retryAfterMs = error instanceof AppError ? (error.retryAfterMs ?? 0) : 0;
    return { ok: false, afterMs: Date.now() - startMs, retryAfterMs };
  }
}

async function countOk(calls: Promise<unknown>[]): Promise<number> {
  return (await Promise.all(calls.map(outcomeOf))).filter(({ ok }) => ok).length;
}

function times<Result>(count: number, call: () => Promise<Result>): Promise<Result>[] {
  return Array.from({ length: count }, call);
}

describe('the rate budget', () => {
  it('is kept by any mixture of calls', async () => {
    const kind = fc.constantFrom('create', 'followUp', 'read', 'byReadToken', 'newest', 'cancel');
    const moment = fc.record({ pauseMs: fc.nat({ max: 3_000 }), kinds: fc.array(kind, { maxLength: 30 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 10 }),
        fc.array(moment, { maxLength: 12 }),
        async (requestsPerSecond, moments) => {
          const { service, budgeted } = setUp(requestsPerSecond);
          const call = {
            create: () => budgeted.create('q'),
            followUp: () => budgeted.followUp(1, 'q'),
            read: () => budgeted.read(1),
            byReadToken: () => budgeted.byReadToken('t'),
            newest: () => budgeted.newest(1),
            cancel: () => budgeted.cancel(1, targetOf({ id: 1 })),
          };
          const all: Promise<unknown>[] = [];
          for (const { pauseMs, kinds } of moments) {
            await vi.advanceTimersByTimeAsync(pauseMs);
            all.push(...kinds.map((name) => outcomeOf(call[name]())));
          }
          await vi.advanceTimersByTimeAsync(20_000);
          await Promise.all(all);
          const windowMs = 2_000;
          // A window that begins anywhere meets at most two of the limiter's.
          const most = 2 * requestsPerSecond * (windowMs / 1_000);
          for (const { ms } of service.calls) {
            const within = service.calls.filter((other) => other.ms >= ms && other.ms < ms + windowMs).length;
            expect(within).toBeLessThanOrEqual(most);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    [1, 1],
    [50, 80],
  ])('of %i calls a second leaves a fifth to others, and %i reads pass at once', async (requestsPerSecond, reads) => {
    const { budgeted } = setUp(requestsPerSecond);
    expect(await countOk(times(100, () => budgeted.read(1)))).toBe(reads);
  });

  it('refuses a read without room at once, and sends nothing', async () => {
    const { service, budgeted } = setUp();
    expect(await countOk(times(20, () => budgeted.read(1)))).toBe(8);
    const refused = await outcomeOf(budgeted.newest(10));
    expect(refused).toMatchObject({ ok: false, afterMs: 0 });
    expect(refused.retryAfterMs).toBe(2_000);
    expect(service.calls).toHaveLength(8);
  });

  it('counts each request of a search, and ends a search without room, but no other calls', async () => {
    const { service, budgeted } = setUp();
    const search = { aboutMs: 0, untilMs: 1, isSought: async () => false };
    expect(await outcomeOf(budgeted.newest(8, 0, search))).toMatchObject({ ok: true });
    expect(service.calls).toHaveLength(8);
    expect(await outcomeOf(budgeted.newest(8, 0, search))).toMatchObject({ ok: false, retryAfterMs: 2_000 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcomeOf(budgeted.newest(20, 0, search))).toMatchObject({ ok: false, retryAfterMs: 2_000 });
    expect(service.calls).toHaveLength(16);
    expect(await outcomeOf(budgeted.create('q'))).toEqual({ ok: true, afterMs: 0 });
  });

  it('keeps room for questions and cancellations, however many reads there are', async () => {
    const { budgeted } = setUp();
    await countOk(times(100, () => budgeted.read(1)));
    expect(await outcomeOf(budgeted.create('q'))).toEqual({ ok: true, afterMs: 0 });
    expect(await outcomeOf(budgeted.cancel(1, targetOf({ id: 1 })))).toEqual({ ok: true, afterMs: 0 });
  });

  it('lets questions wait for up to 5 s', async () => {
    const { budgeted } = setUp();
    const all = times(60, () => outcomeOf(budgeted.create('q')));
    await vi.advanceTimersByTimeAsync(10_000);
    const ends = await Promise.all(all);
    expect(ends.filter(({ ok }) => ok)).toHaveLength(30);
    expect(Math.max(...ends.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(5_000);
  });
});

describe('a 429 of the service', () => {
  async function refuse(retryAfterMs: number | undefined, call: (deepSearch: DeepSearch) => Promise<unknown>) {
    const { service, budgeted } = setUp();
    service.fail(rateLimited({ retryAfterMs }));
    const refused = await outcomeOf(call(budgeted));
    service.fail();
    return { budgeted, refused };
  }

  it('pauses all calls for the named time', async () => {
    const { budgeted, refused } = await refuse(30_000, (deepSearch) => deepSearch.read(1));
    expect(refused).toMatchObject({ ok: false, retryAfterMs: 30_000 });
    for (const call of [
      () => budgeted.read(1),
      () => budgeted.create('q'),
      () => budgeted.cancel(1, targetOf({ id: 1 })),
    ]) {
      expect(await outcomeOf(call())).toMatchObject({ ok: false, afterMs: 0, retryAfterMs: 30_000 });
    }
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await countOk([budgeted.read(1), budgeted.create('q'), budgeted.cancel(1, targetOf({ id: 1 }))])).toBe(3);
  });

  it('pauses all calls for a second where it names no time', async () => {
    const { budgeted } = await refuse(undefined, (deepSearch) => deepSearch.create('q'));
    expect(await outcomeOf(budgeted.read(1))).toMatchObject({ ok: false, retryAfterMs: 1_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await outcomeOf(budgeted.read(1))).toMatchObject({ ok: true });
  });

  it.each([
    [60_000, 0],
    [60_001, 1],
  ])('to a question, for %i ms, leaves %i reads', async (ms, reads) => {
    const { budgeted } = await refuse(ms, (deepSearch) => deepSearch.create('q'));
    expect(await countOk([budgeted.read(1)])).toBe(reads);
  });

  it('to a question, for hours, stops only questions', async () => {
    const hoursMs = 5 * 3_600_000;
    const { budgeted, refused } = await refuse(hoursMs, (deepSearch) => deepSearch.create('q'));
    expect(refused).toMatchObject({ ok: false, retryAfterMs: hoursMs });
    expect(await countOk([budgeted.read(1), budgeted.newest(1), budgeted.cancel(1, targetOf({ id: 1 }))])).toBe(3);
    expect(await outcomeOf(budgeted.followUp(1, 'q'))).toMatchObject({ ok: false, afterMs: 0, retryAfterMs: hoursMs });
    await vi.advanceTimersByTimeAsync(hoursMs);
    expect(await outcomeOf(budgeted.create('q'))).toMatchObject({ ok: true });
  });

  it('to a read, for hours, stops questions for hours and reads for a minute', async () => {
    const hoursMs = 5 * 3_600_000;
    const { budgeted, refused } = await refuse(hoursMs, (deepSearch) => deepSearch.read(1));
    expect(refused).toMatchObject({ ok: false, retryAfterMs: 60_000 });
    expect(await outcomeOf(budgeted.read(1))).toMatchObject({ ok: false, retryAfterMs: 60_000 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await countOk([budgeted.read(1), budgeted.cancel(1, targetOf({ id: 1 }))])).toBe(2);
    expect(await outcomeOf(budgeted.create('q'))).toMatchObject({ ok: false, retryAfterMs: hoursMs - 60_000 });
  });
});

it('a busy conversation pauses no other calls of the account', async () => {
  const { service, budgeted } = setUp();
  const busy = busyConversation(new AppError('refused', 'no', { code: 409 }));
  service.fail(busy);
  await expect(budgeted.followUp(1, 'q')).rejects.toBe(busy);
  service.fail();
  expect(await outcomeOf(budgeted.read(2))).toMatchObject({ ok: true });
});

it('other failures pass unchanged', async () => {
  const { service, budgeted } = setUp();
  const failure = new AppError('unavailable', 'lost', { outcomeUnknown: true });
  service.fail(failure);
  await expect(budgeted.create('q')).rejects.toBe(failure);
  await expect(budgeted.read(1)).rejects.toBe(failure);
});
