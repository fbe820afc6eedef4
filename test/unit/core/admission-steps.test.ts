import { describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core/context.ts';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { admit, admitFailed, gather, gatherFailed } from '../../../src/core/lifecycle/admission.ts';
import type { AccessPolicy, Admission } from '../../../src/core/ports.ts';
import { fileQuestion, forwardQuestion, threadQuestion } from '../../../src/core/question/prompt.ts';
import type { Question, ThreadContext } from '../../../src/core/question/question.ts';
import { createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';

const dayMs = 24 * 60 * 60 * 1000;
const confirmed = ['G1'];
const context: ThreadContext = { messages: 2, total: 3, files: 0, unreadable: 0, text: 'said before' };
const refused = { messages: 0, total: 0, files: 0, unreadable: 0, text: '', refused: true };

/** A stored question before it is asked, with the test's changes, and the steps before asking. */
async function admissionOf(change: Partial<Question> = {}, ports: Partial<Core> = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const changed: string[] = [];
  const observer = {
    ...life.ports.observer,
    changed: ({ outcome }: Question) => void changed.push(outcome?.kind ?? 'open'),
  };
  const w: Core = { ...life.ports, observer, ...ports };
  return { life, w, id, question: life.question(id), changed, stored: () => life.question(id) };
}

const says = (admission: Admission): { accessPolicy: AccessPolicy } => ({
  accessPolicy: { admit: async () => admission },
});

describe('admitting a question', () => {
  it('checks the asker, the place, and the readers who saw it', async () => {
    const asked: unknown[] = [];
    const accessPolicy: AccessPolicy = {
      admit: async (...args) => {
        asked.push(args);
        return { may: true };
      },
    };
    const shares = { questionId: `q${'0'.repeat(24)}`, withLink: false, confirmed };
    const sharing = await admissionOf({ shares }, { accessPolicy });
    await admit(sharing.w, sharing.question);
    const plain = await admissionOf({}, { accessPolicy });
    await admit(plain.w, plain.question);
    expect(asked).toEqual([
      ['U1', thread, { confirmed }],
      ['U1', thread, { confirmed: undefined }],
    ]);
  });

  it('ends a question whose asker may not ask, in the language of the asker', async () => {
    const { w, question, stored } = await admissionOf({}, says({ may: false, reason: 'guest', locale: 'de-DE' }));
    await admit(w, question);
    expect(stored()).toMatchObject({ outcome: { kind: 'notAllowed', reason: 'guest' }, locale: 'de-DE' });
  });

  it('ends a question in a place that is hidden from the app, unless it was shown there before', async () => {
    const hidden = says({ may: true, isHidden: true });
    const fresh = await admissionOf({}, hidden);
    await admit(fresh.w, fresh.question);
    expect(fresh.stored().outcome).toEqual({ kind: 'undeliverable', canInvite: true });
    expect(await fresh.life.ports.askedQuestions.of('T1', 'U1')).toEqual([]);
    const shown = await admissionOf({ admittedMs: 1 }, hidden);
    await admit(shown.w, shown.question);
    expect(shown.stored()).toEqual({ ...shown.question, admittedMs: shown.life.now() });
  });
});

describe('a failed admission', () => {
  const troubleFor = (waitedMs: number, nowMs: number) =>
    ({ kind: 'unreachable', failures: 9, sinceMs: nowMs - waitedMs, notBeforeMs: nowMs }) as const;

  it.each<[ErrorKind, number | undefined, boolean]>([
    ['unavailable', undefined, true],
    ['rateLimited', 1_000, true],
    ['unavailable', dayMs, true],
    ['unavailable', dayMs + 1, false],
    ['unauthorized', undefined, false],
    ['refused', 1_000, false],
  ])(
    'with %s after %j ms of trouble makes it %j that the question is tried again',
    async (kind, waitedMs, isTriedAgain) => {
      const { life, w, question, stored } = await admissionOf();
      const troubled = waitedMs === undefined ? question : { ...question, trouble: troubleFor(waitedMs, life.now()) };
      const progress = await admitFailed(w, troubled, new AppError(kind, 'planned'));
      expect(progress === undefined).toBe(isTriedAgain);
      expect(stored().outcome).toEqual(isTriedAgain ? undefined : { kind: 'notAllowed', reason: 'unknownPerson' });
    },
  );
});

describe('reading the thread', () => {
  it('continues with what its message forwards, although its thread could not be read', async () => {
    const known = { text: forwardQuestion, forwarded: { messages: 1, text: 'said' } };
    const { w, question, stored } = await admissionOf(known, { threadReader: { read: async () => refused } });
    await gather(w, question);
    expect(stored().outcome).toBeUndefined();
  });

  it.each<[string, string, ThreadContext, boolean]>([
    ['a mention without text', threadQuestion, context, true],
    ['a question', 'Why?', refused, true],
    ['a mention without text', threadQuestion, refused, false],
    ['a bare forward that is asked again', forwardQuestion, context, true],
    ['a bare forward that is asked again', forwardQuestion, refused, false],
    ['a bare file that is asked again', fileQuestion, refused, false],
  ])('with %s (%j) and %j, makes it %j that the question continues', async (_, text, read, goesOn) => {
    const { w, question, stored } = await admissionOf({ text }, { threadReader: { read: async () => read } });
    await gather(w, question);
    expect(stored().outcome).toEqual(goesOn ? undefined : { kind: 'failed', failure: { cause: 'threadUnread' } });
    expect(stored().context).toEqual(goesOn ? read : undefined);
  });
});

describe('a failed reading of the thread', () => {
  it.each<[ErrorKind, { failures: number; waitedMs: number } | undefined, boolean]>([
    ['unavailable', undefined, true],
    ['badReply', { failures: 0, waitedMs: 0 }, true],
    ['unavailable', { failures: 1, waitedMs: 0 }, false],
    ['rateLimited', { failures: 9, waitedMs: 120_000 }, true],
    ['rateLimited', { failures: 9, waitedMs: 120_001 }, false],
    ['unauthorized', undefined, false],
  ])('with %s after %j makes it %j that the thread is read again', async (kind, before, isTriedAgain) => {
    const { life, w, question, stored } = await admissionOf({ readsThread: true });
    const trouble = before && {
      kind: 'unreachable' as const,
      failures: before.failures,
      sinceMs: life.now() - before.waitedMs,
      notBeforeMs: life.now(),
    };
    const troubled = trouble === undefined ? question : { ...question, trouble };
    const progress = await gatherFailed(w, troubled, new AppError(kind, 'planned'));
    expect(progress === undefined).toBe(isTriedAgain);
    expect(stored().context).toEqual(isTriedAgain ? undefined : refused);
  });
});
