import { describe, expect, it } from 'vitest';
import type { AllWorkspaces, Core } from '../../../src/core/context.ts';
import { advance, guardAdvance } from '../../../src/core/lifecycle/advance.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';
import { questionWith, someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/** What the guard uses of the context of all workspaces. */
function acrossWorkspaces({ questions, log, now, random }: Core): AllWorkspaces {
  return only({ questions, log, now, random });
}

/** Advances the question until it is closed, and moves the clock on by the wait that each run asks for. */
async function untilClosed(run: (id: string) => Promise<number | undefined>, id: string, pass: (ms: number) => void) {
  for (let scheduler = 0; scheduler < 200; scheduler += 1) {
    const waitMs = await run(id);
    if (waitMs === undefined) return;
    pass(waitMs);
  }
  throw new Error('the question does not close');
}

describe('a fault of our own', () => {
  it.each([
    ['still ends the question where the answer cannot be rendered', (kind: string) => kind === 'answered', 'failed'],
    ['still ends the question where nothing can be rendered', () => true, 'none'],
  ])('%s', async (_, isBroken, shown) => {
    const { ask, life } = createCoreHarness();
    const { id } = await ask();
    let nowMs = life.now();
    const { read } = life.deepSearch;
    const ports = {
      ...life.ports,
      now: () => nowMs,
      messenger: {
        ...life.ports.messenger,
        prepare: (question: Question) => {
          if (isBroken(question.outcome?.kind ?? '')) throw new TypeError('undefined is not a function');
          return life.ports.messenger.prepare(question);
        },
      },
    };
    const guarded = guardAdvance(acrossWorkspaces(ports), (questionId) => advance(ports, questionId));
    life.deepSearch.read = async (conversationId) => {
      const conversation = await read(conversationId);
      return {
        ...conversation,
        questions: conversation.questions.map((question) => ({ ...question, state: 'completed' as const })),
      };
    };
    await untilClosed(guarded, id, (ms) => {
      nowMs += ms;
    });
    const closed = life.question(id);
    expect(closed.phase).toBe('closed');
    const ends = life.posted.filter(({ marker }) => marker !== 'card').map(({ outcome }) => outcome?.kind);
    expect(ends).toEqual(shown === 'none' ? [] : ['failed']);
    expect(closed.outcome).toMatchObject({ kind: 'failed', failure: { cause: 'internal' } });
  });
});

const fault = new TypeError('undefined is not a function');

/** A guarded `advance` that always throws, and a question in memory. */
function brokenAdvance(change: Partial<Question> = {}) {
  let stored: Question | undefined = questionWith(change);
  const guarded = guardAdvance(
    only<AllWorkspaces>({
      questions: {
        ...createCoreHarness().life.ports.questions,
        update: async (_, apply) => {
          stored = stored && apply(stored);
          return stored;
        },
      },
      log: createRecordingLog().log,
      now: () => someMs,
      random: () => 0.5,
    }),
    () => Promise.reject(fault),
  );
  return {
    advance: () => guarded('q'),
    stored: () => stored,
    forget: () => {
      stored = undefined;
    },
  };
}

describe('a run that breaks', () => {
  it('is repeated five times with back-off, and then ends the question', async () => {
    const { advance, stored } = brokenAdvance();
    const waits: unknown[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      waits.push(await advance());
      expect(stored()).toMatchObject({
        phase: 'waiting',
        trouble: { kind: 'internal', failures: tries + 1, sinceMs: someMs, notBeforeMs: someMs + Number(waits.at(-1)) },
      });
    }
    expect(waits).toEqual([750, 1_500, 3_000, 6_000, 12_000]);
    expect(await advance()).toBe(0);
    expect(stored()).toMatchObject({
      phase: 'delivering',
      outcome: { kind: 'failed', failure: { cause: 'internal' } },
      endedMs: someMs,
      delivery: { round: 1, posted: [] },
    });
    expect(stored()).not.toHaveProperty('trouble');
  });

  it('counts only its own failures, and keeps the start of earlier trouble', async () => {
    const { advance, stored } = brokenAdvance({
      trouble: { kind: 'unreachable', failures: 5, sinceMs: 7, notBeforeMs: 8 },
    });
    await advance();
    expect(stored()?.trouble).toMatchObject({ kind: 'internal', failures: 1, sinceMs: 7 });
  });

  const tired = { kind: 'internal', failures: 5, sinceMs: someMs, notBeforeMs: someMs } as const;

  it.each<[string, Partial<Question>]>([
    ['an answer', { outcome: { kind: 'answered', answer: someAnswer } }],
    ['another failure', { outcome: { kind: 'failed', failure: { cause: 'refused' } } }],
  ])(
    'replaces %s that it cannot show with a failure of our own, and keeps when the question ended',
    async (_, change) => {
      const delivery = { round: 2, posted: ['1.1'], intentMs: 5 };
      const { advance, stored } = brokenAdvance({
        ...change,
        phase: 'delivering',
        endedMs: 9,
        trouble: tired,
        delivery,
      });
      await advance();
      expect(stored()).toMatchObject({ phase: 'delivering', outcome: { failure: { cause: 'internal' } }, endedMs: 9 });
      expect(stored()?.delivery).toEqual({ round: 3, posted: [] });
    },
  );

  it('closes a question where not even that can be shown', async () => {
    const outcome = { kind: 'failed', failure: { cause: 'internal' } } as const;
    const { advance, stored } = brokenAdvance({ phase: 'delivering', outcome, trouble: tired });
    expect(await advance()).toBe(0);
    expect(stored()).toMatchObject({ phase: 'closed', outcome });
    expect(stored()).not.toHaveProperty('trouble');
  });

  it('leaves a closed question alone, and is done where the question is gone', async () => {
    const { advance, stored, forget } = brokenAdvance({ phase: 'closed' });
    expect(await advance()).toBe(0);
    expect(stored()).toEqual(questionWith({ phase: 'closed' }));
    forget();
    expect(await advance()).toBeUndefined();
  });

  it.each<[string, Partial<Question>]>([
    ['closed', { phase: 'closed', recheckMs: someMs + 1 }],
    ['open', { phase: 'running', recheckMs: someMs }],
  ])('in a check for copies skips that check, and leaves the question as it is: %s', async (_, change) => {
    const { advance, stored } = brokenAdvance(change);
    await advance();
    const { recheckMs: _recheck, ...unchecked } = questionWith(change);
    expect(stored()).toEqual(unchecked);
  });

  it('before a check for copies is due keeps that check', async () => {
    const { advance, stored } = brokenAdvance({ phase: 'running', recheckMs: someMs + 1 });
    await advance();
    expect(stored()).toMatchObject({ phase: 'running', recheckMs: someMs + 1, trouble: { failures: 1 } });
  });

  it.each(['storage', 'corrupt'] as const)(
    'with the kind %s is left to be repeated, and notes nothing',
    async (kind) => {
      const { life, ask } = createCoreHarness();
      const { id } = await ask();
      const { error } = failing(kind);
      await expect(guardAdvance(acrossWorkspaces(life.ports), () => Promise.reject(error))(id)).rejects.toBe(error);
      expect(life.question(id).trouble).toBeUndefined();
    },
  );

  it('counts an app error that no step expects as a fault of our own', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    const advance = guardAdvance(acrossWorkspaces(life.ports), () => Promise.reject(failing('refused').error));
    expect(await advance(id)).toBe(750);
    expect(life.question(id).trouble).toMatchObject({ kind: 'internal', failures: 1 });
  });

  it.each(['running', 'delivering', 'closed'] as const)(
    'in a check for copies continues without the check where the question is %s',
    async (phase) => {
      const { advance, stored } = brokenAdvance({ phase, recheckMs: someMs, trouble: tired });
      expect(await advance()).toBe(0);
      expect(stored()).toEqual(questionWith({ phase, trouble: tired }));
    },
  );

  it('keeps a check for copies that is not due yet', async () => {
    const { advance, stored } = brokenAdvance({ phase: 'running', recheckMs: someMs + 1 });
    await advance();
    expect(stored()).toMatchObject({ recheckMs: someMs + 1, trouble: { kind: 'internal', failures: 1 } });
  });
});
