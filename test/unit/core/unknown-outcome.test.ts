import { describe, expect, it } from 'vitest';
import {
  decidePending,
  pendingCall,
  withCallGivenUp,
  withCallLeftBehind,
  withCallSearched,
  withIntent,
  withoutPending,
} from '../../../src/core/lifecycle/unknown-outcome.ts';
import type { PendingCall, Question } from '../../../src/core/question/question.ts';
import { longestCallMs } from '../../../src/core/settings.ts';
import { buttonUser, crash, createCoreHarness, failing, lateBy } from '../../support/lifecycle/core-harness.ts';
import type { Fault, Operation } from '../../support/lifecycle/in-memory-lifecycle.ts';
import { someMs as now, questionWith } from '../../support/lifecycle/sample-questions.ts';

/** How long after the caller gave up the call takes effect, in milliseconds. */
const delaysMs = [1_000, 5_000, 11_000];
const effects = ['announce', 'ask', 'post', 'attach'] as const;
/** An answer of four messages and a file. */
const longWork = { takesMs: 5_000, ends: 'completed', parts: 4 } as const;
const passing = undefined;
const calls: [what: string, operation: Operation][] = [
  ['the card', 'postCard'],
  ['the question', 'create'],
  ['a part', 'postPart'],
  ['the file', 'attach'],
];

describe('the decision about a pending call', () => {
  it('waits, searches once early, waits again, and repeats the call only when it can no longer take effect', () => {
    const stepAfter = (ms: number, more = {}) =>
      decidePending({ intentMs: 0, givenUpMs: now, ...more }, 15_000, now + ms);
    expect(decidePending(undefined, 15_000, now)).toEqual({ do: 'perform', checkFirst: false });
    expect(decidePending({}, 15_000, now)).toEqual({ do: 'perform', checkFirst: false });
    expect(decidePending({ intentMs: 0 }, 15_000, now)).toEqual({ do: 'giveUp' });
    expect(stepAfter(0)).toEqual({ do: 'wait', ms: 3_000 });
    expect(stepAfter(2_999)).toEqual({ do: 'wait', ms: 1 });
    expect(stepAfter(3_000)).toEqual({ do: 'search' });
    expect(stepAfter(3_000, { searchedMs: now + 3_000 })).toEqual({ do: 'wait', ms: 12_000 });
    expect(stepAfter(14_999)).toEqual({ do: 'search' });
    expect(stepAfter(15_000)).toEqual({ do: 'perform', checkFirst: true });
  });
});

describe('the record of a pending call', () => {
  const withFile = questionWith({ delivery: { round: 0, posted: [], file: { state: 'intended' } } });

  it.each(effects)('of %s keeps its intent, and when it was given up and searched for', (effect) => {
    const begun = withIntent(withFile, effect, now);
    expect(pendingCall(begun, effect)).toMatchObject({ intentMs: now });
    const searched = withCallSearched(withCallGivenUp(begun, effect, now + 5), effect, now + 9);
    const call = pendingCall(searched, effect);
    expect(call).toMatchObject({ intentMs: now, givenUpMs: now + 5, searchedMs: now + 9 });
    expect(withoutPending(call ?? {})).not.toHaveProperty('intentMs');
    const again = pendingCall(withIntent(searched, effect, now + 20), effect);
    expect(again).toMatchObject({ intentMs: now + 20 });
    expect(again).not.toHaveProperty('givenUpMs');
    expect(again).not.toHaveProperty('searchedMs');
  });

  it.each(effects)('of %s leaves the other calls alone', (effect) => {
    const begun = withIntent(withFile, effect, now);
    for (const other of effects.filter((each) => each !== effect)) {
      expect(pendingCall(begun, other)?.intentMs).toBeUndefined();
    }
  });

  it('shows a call that a process left unfinished long ago as given up long ago', () => {
    const left = withIntent(questionWith(), 'ask', now);
    expect(withCallLeftBehind(left, 'ask', now + 10 * longestCallMs).upstream.givenUpMs).toBe(now + longestCallMs);
  });

  it('shows a call as given up when its caller says so, however long the caller was suspended in the middle of it', () => {
    const begun = withIntent(questionWith(), 'post', now);
    const atMs = now + 10 * longestCallMs;
    expect(decidePending(withCallGivenUp(begun, 'post', atMs).delivery, 15_000, atMs)).toEqual({
      do: 'wait',
      ms: 3_000,
    });
  });

  it.each<[what: string, call: PendingCall]>([
    ['belongs to an earlier call', { intentMs: now, givenUpMs: now - 20_000, searchedMs: now - 17_000 }],
    ['lies in the future, because a clock was set back', { intentMs: now + 3_600_000, givenUpMs: now + 3_610_000 }],
  ])('is replaced where the time when it was given up %s', (_, call) => {
    expect(decidePending(call, 15_000, now)).toEqual({ do: 'giveUp' });
    const left = withCallLeftBehind(questionWith({ card: call }), 'announce', now);
    expect(left.card).toEqual({ intentMs: now, givenUpMs: now });
    expect(decidePending(left.card, 15_000, now)).toEqual({ do: 'wait', ms: 3_000 });
  });

  it('does not appear for a call that was never begun', () => {
    const question = questionWith();
    for (const effect of effects) {
      expect(withCallGivenUp(question, effect, now)).toEqual(question);
      expect(withCallLeftBehind(question, effect, now)).toEqual(question);
      expect(withCallSearched(question, effect, now)).toEqual(question);
    }
  });
});

describe.each(delaysMs)('a call that the far side carries out %i ms after the caller gave up', (lateMs) => {
  const late = lateBy(lateMs);

  it.each<[what: string, faults: Partial<Record<Operation, (Fault | undefined)[]>>]>([
    ['the card', { postCard: [late] }],
    ['the question', { create: [late] }],
    ['the first part', { postPart: [late] }],
    ['a later part', { postPart: [passing, late] }],
    ['the file', { attach: [late] }],
    ['every kind of call', { postCard: [late], create: [late], postPart: [late, late, late, late], attach: [late] }],
  ])('takes effect once where it is %s', async (_, faults) => {
    const { life, ask } = createCoreHarness({ faults, work: longWork });
    const { id } = await ask();
    await life.run();
    expectOneOfEach(life, life.question(id));
  });

  it.each(calls)('takes effect once also where the caller was killed in the middle of %s', async (_, operation) => {
    const { life, ask } = createCoreHarness({ faults: { [operation]: [crash({ lateMs })] }, work: longWork });
    const { id } = await ask();
    await life.run();
    expectOneOfEach(life, life.question(id));
  });

  it.each(calls)('takes effect once also where its caller is killed while it waits for %s', async (_, operation) => {
    const { life, ask } = createCoreHarness({ faults: { [operation]: [late] }, work: longWork });
    const { id } = await ask();
    for (let second = 1; second <= 30; second += 1) {
      await life.run(life.startMs + second * 1_000);
      life.restart();
    }
    await life.run();
    expectOneOfEach(life, life.question(id));
  });

  it('asks a follow-up once', async () => {
    const { life, ask } = createCoreHarness({ faults: { followUp: [late] } });
    await ask();
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(2);
    expect(life.violations).toEqual([]);
  });

  it('takes effect once where the outcome of its repetition is unknown too', async () => {
    const twice = [failing('unavailable', { outcomeUnknown: true }), late];
    const { life, ask } = createCoreHarness({ faults: { postCard: twice, create: twice, postPart: twice } });
    const { id } = await ask();
    await life.run();
    expectOneOfEach(life, life.question(id), { parts: 1, files: 0 });
  });
});

describe('an effect that exists although its reply got lost', () => {
  it('is found after three seconds, without a wait until it can no longer appear', async () => {
    const lost = failing('unavailable', { outcomeUnknown: true }, 'yes');
    const { life, ask } = createCoreHarness({ faults: { postCard: [lost] }, work: { takesMs: 0, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 3_000);
    expect(life.question(id).card.ts).toBeDefined();
    expect(life.messagesOf(life.question(id), 'card')).toHaveLength(1);
  });

  it('counts the time to the end from when the call began, if it was the one that asked the question', async () => {
    const lost = failing('unavailable', { outcomeUnknown: true }, 'yes');
    const { life, ask } = createCoreHarness({ faults: { create: [lost] }, work: { takesMs: 1_000, ends: 'failed' } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    const foundAfterMs = (question.upstream.askedMs ?? 0) - question.acceptedMs;
    expect(foundAfterMs).toBeGreaterThan(1_000);
    const view = life.messagesOf(question, 'card').at(-1)?.view;
    expect(view?.kind === 'failed' ? view.durationMs : 0).toBeGreaterThanOrEqual(foundAfterMs);
  });
});

describe('a message that is carried out so late that it was posted again', () => {
  const tooLate = lateBy(40_000);

  it.each<[what: string, faults: Partial<Record<Operation, Fault[]>>, kind: 'card' | 'part' | 'file']>([
    ['a card', { postCard: [tooLate] }, 'card'],
    ['a part', { postPart: [tooLate] }, 'part'],
    ['a file', { attach: [tooLate] }, 'file'],
  ])('loses its copy a minute later where it is %s', async (_, faults, kind) => {
    const { life, ask } = createCoreHarness({ faults, work: longWork });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(question.recheckMs).toBeUndefined();
    expect(question.phase).toBe('closed');
    expect(life.openIds()).toEqual([]);
    const copies = life.messagesOf(question, kind).filter(({ deleted }) => deleted);
    expect(copies).toHaveLength(1);
    const standing = life.messagesOf(question, kind).filter(({ deleted }) => !deleted);
    expect(new Set(standing.map(({ marker }) => marker)).size).toBe(standing.length);
    const named = [question.card.ts, ...question.delivery.posted];
    if (kind !== 'file') expect(standing.every(({ ts }) => named.includes(ts))).toBe(true);
  });

  it('loses its copy also where the process was restarted before, or Slack refused the check at first', async () => {
    const { life, ask } = createCoreHarness({
      faults: { postCard: [tooLate], removeCopies: [crash('no'), failing('unavailable'), failing('rateLimited')] },
      work: { takesMs: 20_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 50_000);
    expect(life.question(id).phase).toBe('closed');
    life.restart();
    await life.run();
    const [card, copy] = life.messagesOf(life.question(id), 'card');
    expect([card?.deleted, copy?.deleted]).toEqual([false, true]);
    expect(life.openIds()).toEqual([]);
  });

  it('is deleted where it is the card of a question that ended without one', async () => {
    const { life, ask } = createCoreHarness({ faults: { postCard: [tooLate] } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(question).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' }, card: { gone: true } });
    expect(life.messagesOf(question, 'card').map(({ deleted }) => deleted)).toEqual([true]);
    expect(life.messagesOf(question, 'part')).toHaveLength(1);
    expect(life.openIds()).toEqual([]);
  });

  it('keeps its copy where Slack refuses the check, and the question is still closed', async () => {
    const { life, ask } = createCoreHarness({
      faults: { postCard: [tooLate], removeCopies: [failing('unauthorized')] },
      work: { takesMs: 20_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed' });
    expect(life.question(id).recheckMs).toBeUndefined();
    expect(life.openIds()).toEqual([]);
  });
});

describe('a call whose repetition is refused', () => {
  it.each(calls)('is searched for again before it is repeated once more, for %s', async (_, operation) => {
    const refused = failing('rateLimited', { retryAfterMs: 70_000 });
    const { life, ask } = createCoreHarness({
      faults: { [operation]: [lateBy(40_000), refused] },
      work: { ...longWork, takesMs: 120_000 },
    });
    const { id } = await ask();
    await life.run();
    expectOneOfEach(life, life.question(id));
    expect(life.posted.filter(({ deleted }) => deleted)).toEqual([]);
    expect(life.openIds()).toEqual([]);
  });

  it('is searched for in the conversation that it may have reached where it is a follow-up', async () => {
    const refused = failing('rateLimited', { retryAfterMs: 50_000 });
    const { life, ask } = createCoreHarness({ faults: { followUp: [lateBy(40_000), refused] } });
    await ask();
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(2);
  });
});

describe('an edit of the card that takes effect after the card showed the end', () => {
  it('is replaced by the end again a minute later', async () => {
    // The second edit shows a running question. It takes effect after the answer is posted.
    const { life, ask, requests } = createCoreHarness({
      faults: { updateCard: [lateBy(20_000)] },
      work: { takesMs: 8_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 12_000);
    expect(life.question(id).phase).toBe('closed');
    await life.run(life.startMs + 40_000);
    expect(life.messagesOf(life.question(id), 'card').map(({ view }) => view?.kind)).toEqual(['running']);
    await life.run();
    expect(life.messagesOf(life.question(id), 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
    expect(await requests.cancelQuestion(id, buttonUser)).not.toMatchObject({ kind: 'accepted' });
  });

  it('is replaced by the end again also where the app may not search for copies', async () => {
    const { life, ask } = createCoreHarness({
      faults: {
        postCard: [failing('unavailable', { outcomeUnknown: true })],
        updateCard: [lateBy(20_000)],
        removeCopies: [failing('unauthorized')],
      },
      work: { takesMs: 30_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run();
    expect(life.messagesOf(life.question(id), 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
    expect(life.openIds()).toEqual([]);
  });

  it('needs no search for copies, since no message was posted again', async () => {
    const { life, ask } = createCoreHarness({
      faults: { updateCard: [lateBy(20_000)] },
      work: { takesMs: 8_000, ends: 'completed' },
    });
    let searches = 0;
    life.ports.messenger.removeCopies = async () => {
      searches += 1;
      return 0;
    };
    const { id } = await ask();
    await life.run();
    expect(searches).toBe(0);
    expect(life.question(id)).toMatchObject({ phase: 'closed' });
    expect(life.question(id).recheckMs).toBeUndefined();
    expect(life.messagesOf(life.question(id), 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
  });
});

function expectOneOfEach(
  life: ReturnType<typeof createCoreHarness>['life'],
  question: Question,
  { parts, files } = { parts: 4, files: 1 },
): void {
  expect(question.outcome?.kind).toBe('answered');
  expect(question.phase).toBe('closed');
  expect(life.upstream()).toHaveLength(1);
  expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
  expect(life.messagesOf(question, 'part').map(({ marker }) => marker)).toEqual(
    Array.from({ length: parts }, (_, part) => `part 0.${part}`),
  );
  expect(life.messagesOf(question, 'file')).toHaveLength(files);
  expect(life.violations).toEqual([]);
}
