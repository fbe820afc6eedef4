import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Conversation, DeepSearch, UpstreamQuestion } from '../../../src/core/ports.ts';
import type { Allowance, Limiter, TakeOptions } from '../../../src/core/rate-limits.ts';
import { createBreaker } from '../../../src/deepsearch/breaker.ts';
import { createBudget } from '../../../src/deepsearch/budget.ts';
import { targetOf } from '../../support/deepsearch/cancel-target.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();
const conversation: Conversation = { id: 1, questions: [] };
const question: UpstreamQuestion = { id: 2, text: 'q', state: 'pending', steps: 0, sources: [], followUps: [] };

/** A service that answers each operation with its own result and notes what it was asked. */
function createService(failure?: AppError) {
  const calls: unknown[][] = [];
  const answer =
    <Result>(name: string, result: Result) =>
    async (...values: unknown[]): Promise<Result> => {
      calls.push([name, ...values]);
      if (failure !== undefined) throw failure;
      return result;
    };
  const deepSearch: DeepSearch = {
    create: answer('create', conversation),
    followUp: answer('followUp', question),
    read: answer('read', { ...conversation, id: 3 }),
    byReadToken: answer('byReadToken', { ...conversation, id: 4 }),
    newest: answer('newest', [{ ...conversation, id: 5 }]),
    changes: answer('changes', { conversations: [] }),
    cancel: answer('cancel', undefined),
  };
  return { deepSearch, calls };
}

/** Limiters that let everything pass, and note what they are asked. */
function createRecordingLimiters() {
  const made: [string, Allowance][] = [];
  const taken: [string, TakeOptions | undefined][] = [];
  const blocked: [string, number][] = [];
  const createLimiter = (name: string, allowance: Allowance): Limiter => {
    made.push([name, allowance]);
    return {
      async take(_key, options) {
        taken.push([name, options]);
        return 0;
      },
      block: async (_key, ms) => void blocked.push([name, ms]),
    };
  };
  return { createLimiter, made, taken, blocked };
}

function budget(deepSearch: DeepSearch, requestsPerSecond = 5, burst = 10) {
  const limiters = createRecordingLimiters();
  const withBudget = createBudget({ createLimiter: limiters.createLimiter, requestsPerSecond, burst, log });
  const budgeted = withBudget(deepSearch, 'account');
  return { ...limiters, budgeted };
}

const target = targetOf({ id: 12 });
const search = { aboutMs: 11, untilMs: 12, isSought: async () => false };

describe.each([
  ['the breaker', (deepSearch: DeepSearch) => createBreaker({ log })(deepSearch)],
  ['the budget', (deepSearch: DeepSearch) => budget(deepSearch).budgeted],
])('%s', (_, guard) => {
  it('passes every operation and its result unchanged', async () => {
    const { deepSearch, calls } = createService();
    const guarded = guard(deepSearch);
    const results = [
      await guarded.create('a'),
      await guarded.followUp(7, 'b'),
      await guarded.read(8),
      await guarded.byReadToken('t'),
      await guarded.newest(9, 10, search),
      await guarded.cancel(11, target),
    ];
    expect(calls).toEqual([
      ['create', 'a'],
      ['followUp', 7, 'b'],
      ['read', 8],
      ['byReadToken', 't'],
      ['newest', 9, 10, expect.objectContaining(search)],
      ['cancel', 11, target],
    ]);
    expect(results).toEqual([
      conversation,
      question,
      { ...conversation, id: 3 },
      { ...conversation, id: 4 },
      [{ ...conversation, id: 5 }],
      undefined,
    ]);
  });
});

describe('the rate budget', () => {
  it.each([
    [5, 10, { points: 10, windowSeconds: 2 }],
    [5, 11, { points: 15, windowSeconds: 3 }],
    [1, 1, { points: 1, windowSeconds: 1 }],
    [0.5, 1, { points: 1, windowSeconds: 2 }],
    [10, 1, { points: 10, windowSeconds: 1 }],
    [1.5, 1, { points: 1, windowSeconds: 1 }],
  ])('of %d calls a second with %d at once is counted by all processes together as %j', (rate, burst, allowance) => {
    const { made } = budget(createService().deepSearch, rate, burst);
    expect(made[0]).toEqual(['codesearch', allowance]);
    expect(made[1]?.[0]).toBe('codesearch.questions');
    expect(made).toHaveLength(2);
  });

  it.each([
    [5, 10, 2],
    [1, 11, 3],
    [1, 1, 0],
    [1, 2, 1],
  ])('of %d calls a second with %d at once keeps %d from reads, but never all', async (rate, burst, leaving) => {
    const { budgeted, taken } = budget(createService().deepSearch, rate, burst);
    await budgeted.read(1);
    expect(taken).toEqual([['codesearch', { leaving }]]);
  });

  it('lets questions and cancellations wait for 5 s, and can stop questions alone', async () => {
    const { budgeted, taken } = budget(createService().deepSearch);
    await budgeted.create('q');
    await budgeted.cancel(1, targetOf({ id: 1 }));
    expect(taken).toEqual([
      ['codesearch.questions', undefined],
      ['codesearch', { patienceMs: 5_000 }],
      ['codesearch', { patienceMs: 5_000 }],
    ]);
  });

  it.each([
    ['a question', 'create', undefined, [['codesearch', 1_000]], undefined],
    ['a question', 'create', 60_000, [['codesearch', 60_000]], 60_000],
    ['a question', 'create', 60_001, [['codesearch.questions', 60_001]], 60_001],
    ['a read', 'read', undefined, [['codesearch', 1_000]], undefined],
    ['a read', 'read', 60_000, [['codesearch', 60_000]], 60_000],
    [
      'a read',
      'read',
      60_001,
      [
        ['codesearch.questions', 60_001],
        ['codesearch', 60_000],
      ],
      60_000,
    ],
  ] as const)(
    'is changed when the service limits %s (%s) for %s ms, with the pauses %j and the reported wait %s',
    async (_, name, ms, pauses, said) => {
      const failure = new AppError('rateLimited', 'no', { code: 429, retryAfterMs: ms });
      const { budgeted, blocked } = budget(createService(failure).deepSearch);
      const call = name === 'create' ? budgeted.create('q') : budgeted.read(1);
      const refused = await call.catch((error: unknown) => error);
      expect(refused).toMatchObject({ kind: 'rateLimited', code: 429 });
      expect((refused as AppError).retryAfterMs).toBe(said);
      // What is passed on as it came is the very same; what is changed names it as its cause.
      if (said === ms) expect(refused).toBe(failure);
      else expect(refused).toMatchObject({ cause: failure });
      expect(blocked).toEqual(pauses);
    },
  );
});
