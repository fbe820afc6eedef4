import { describe, expect, it } from 'vitest';
import type { AccessPolicy, Admission } from '../../../src/core/access-policy.ts';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { createAdmission } from '../../../src/core/lifecycle/admission.ts';
import type { LifecyclePorts } from '../../../src/core/lifecycle/lifecycle-ports.ts';
import { fileQuestion, forwardQuestion, threadQuestion } from '../../../src/core/question/prompt.ts';
import type { Question, ThreadContext } from '../../../src/core/question/question.ts';
import { createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';

const dayMs = 24 * 60 * 60 * 1000;
const outside = { teamId: 'T1', channelId: 'C1' };
const confirmed = { guests: 1, outsiders: 0, organizations: 0, isKnown: true };
const context: ThreadContext = { messages: 2, total: 3, files: 0, unreadable: 0, text: 'said before' };
const refused = { messages: 0, total: 0, files: 0, unreadable: 0, text: '', refused: true };

/** A stored question before it is asked, with the test's changes, and the steps before asking. */
async function admissionOf(change: Partial<Question> = {}, ports: Partial<LifecyclePorts> = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const changed: string[] = [];
  const observer = {
    ...life.ports.observer,
    changed: ({ outcome }: Question) => void changed.push(outcome?.kind ?? 'open'),
  };
  const steps = createAdmission({ ...life.ports, observer, ...ports });
  return { life, steps, id, question: life.question(id), changed, stored: () => life.question(id) };
}

const says = (admission: Admission): { accessPolicy: AccessPolicy } => ({
  accessPolicy: { admit: async () => admission },
});

describe('admitting a question', () => {
  it('notes the time, the language, and the question in its asker’s history', async () => {
    const { life, steps, id, question, stored, changed } = await admissionOf({}, says({ may: true, locale: 'de-DE' }));
    expect(await steps.admit(question)).toEqual({ question: stored() });
    expect(stored()).toEqual({ ...question, admittedMs: life.now(), locale: 'de-DE' });
    expect(await life.ports.askedQuestions.of('T1', 'U1')).toEqual([id]);
    expect(changed).toEqual(['open']);
  });

  it('keeps the language that was known before where Slack names none', async () => {
    const { steps, question, stored } = await admissionOf({ locale: 'de-DE' }, says({ may: true }));
    await steps.admit(question);
    expect(stored().locale).toBe('de-DE');
  });

  it.each<[string, Partial<Question>]>([
    ['that was admitted before', { admittedMs: 1 }],
    ['that shows an answer again', { origin: 'shared' }],
  ])('adds a question %s to no history', async (_, change) => {
    const { life, steps, question } = await admissionOf(change);
    await steps.admit(question);
    expect(await life.ports.askedQuestions.of('T1', 'U1')).toEqual([]);
  });

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
    await sharing.steps.admit(sharing.question);
    const plain = await admissionOf({}, { accessPolicy });
    await plain.steps.admit(plain.question);
    expect(asked).toEqual([
      ['U1', thread, { confirmed }],
      ['U1', thread, { confirmed: undefined }],
    ]);
  });

  it.each([undefined, 'de-DE'])(
    'ends a question whose asker may not ask, in the asker’s language (%j)',
    async (locale) => {
      const admission = { may: false, reason: 'guest', ...(locale === undefined ? {} : { locale }) } as const;
      const { steps, question, stored, changed } = await admissionOf({}, says(admission));
      await steps.admit(question);
      expect(stored()).toMatchObject({ phase: 'delivering', outcome: { kind: 'notAllowed', reason: 'guest' } });
      expect(stored().locale).toBe(locale);
      expect(stored().admittedMs).toBeUndefined();
      expect(changed).toEqual(['notAllowed']);
    },
  );

  it('ends a question in a place that is hidden from the app, unless it was shown there before', async () => {
    const hidden = says({ may: true, isHidden: true });
    const fresh = await admissionOf({}, hidden);
    await fresh.steps.admit(fresh.question);
    expect(fresh.stored().outcome).toEqual({ kind: 'undeliverable', canInvite: true });
    expect(await fresh.life.ports.askedQuestions.of('T1', 'U1')).toEqual([]);
    const shown = await admissionOf({ admittedMs: 1 }, hidden);
    await shown.steps.admit(shown.question);
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
      const { life, steps, question, stored } = await admissionOf();
      const troubled = waitedMs === undefined ? question : { ...question, trouble: troubleFor(waitedMs, life.now()) };
      const progress = await steps.admitFailed(troubled, new AppError(kind, 'planned'));
      expect(progress === undefined).toBe(isTriedAgain);
      expect(stored().outcome).toEqual(isTriedAgain ? undefined : { kind: 'notAllowed', reason: 'unknownPerson' });
    },
  );
});

describe('checking whether the steps may still be shown', () => {
  it('counts as a new admission, or hides the steps until the next check', async () => {
    const shown = await admissionOf({ admittedMs: 5, card: { ts: '1.1', stepsHiddenMs: 6 } }, says({ may: true }));
    await shown.steps.checkAccess(shown.question);
    expect(shown.stored()).toEqual({ ...shown.question, admittedMs: shown.life.now(), card: { ts: '1.1' } });
    const admission = { may: false, reason: 'guest' } as const;
    const hidden = await admissionOf({ admittedMs: 5, card: { ts: '1.1' } }, says(admission));
    await hidden.steps.checkAccess(hidden.question);
    const card = { ts: '1.1', stepsHiddenMs: hidden.life.now() };
    expect(hidden.stored()).toEqual({ ...hidden.question, card });
  });

  it.each<ErrorKind>(['unavailable', 'rateLimited', 'unauthorized'])(
    'hides the steps where Slack fails with %s',
    async (kind) => {
      const accessPolicy = { admit: () => Promise.reject(new AppError(kind, 'planned')) };
      const { life, steps, question, stored } = await admissionOf({ card: { ts: '1.1' } }, { accessPolicy });
      await steps.checkAccess(question);
      expect(stored().card.stepsHiddenMs).toBe(life.now());
    },
  );

  it.each<[string, Error]>([
    ['our storage', new AppError('storage', 'planned')],
    ['an unreadable record', new AppError('corrupt', 'planned')],
    ['a fault of our own', new TypeError('planned')],
  ])('throws for %s, and changes nothing', async (_, error) => {
    const accessPolicy = { admit: () => Promise.reject(error) };
    const { steps, question, stored } = await admissionOf({ card: { ts: '1.1' } }, { accessPolicy });
    await expect(steps.checkAccess(question)).rejects.toBe(error);
    expect(stored()).toEqual(question);
  });
});

describe('reading the thread', () => {
  it('passes on the thread as it is stored, and stores its text and clears the trouble', async () => {
    const seen: unknown[] = [];
    const trouble = { kind: 'unreachable', failures: 1, sinceMs: 1, notBeforeMs: 1 } as const;
    const threadReader: LifecyclePorts['threadReader'] = {
      read: async (_, known) => {
        seen.push(known);
        return context;
      },
    };
    const { life, steps, question, stored } = await admissionOf({ readsThread: true, trouble }, { threadReader });
    await steps.gather(question);
    expect(seen).toEqual(life.threads());
    const { trouble: _, ...calm } = question;
    expect(stored()).toEqual({ ...calm, context });
    const outsideOfAny = await admissionOf({ readsThread: true, place: outside }, { threadReader });
    await outsideOfAny.steps.gather(outsideOfAny.question);
    expect(seen.at(-1)).toBeUndefined();
  });

  it('continues with what its message forwards, although its thread could not be read', async () => {
    const known = { text: forwardQuestion, forwarded: { messages: 1, text: 'said' } };
    const { steps, question, stored } = await admissionOf(known, { threadReader: { read: async () => refused } });
    await steps.gather(question);
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
    const { steps, question, stored } = await admissionOf({ text }, { threadReader: { read: async () => read } });
    await steps.gather(question);
    expect(stored().outcome).toEqual(goesOn ? undefined : { kind: 'failed', failure: { cause: 'threadUnread' } });
    expect(stored().context).toEqual(goesOn ? read : undefined);
  });

  it('keeps nothing of what was read before a person changed the thread', async () => {
    const { steps, question, stored } = await admissionOf({ readsThread: true, threadChanges: 1 });
    await steps.gather({ ...question, threadChanges: 0 });
    expect(stored()).toEqual(question);
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
    const { life, steps, question, stored } = await admissionOf({ readsThread: true });
    const trouble = before && {
      kind: 'unreachable' as const,
      failures: before.failures,
      sinceMs: life.now() - before.waitedMs,
      notBeforeMs: life.now(),
    };
    const troubled = trouble === undefined ? question : { ...question, trouble };
    const progress = await steps.gatherFailed(troubled, new AppError(kind, 'planned'));
    expect(progress === undefined).toBe(isTriedAgain);
    expect(stored().context).toEqual(isTriedAgain ? undefined : refused);
  });
});
