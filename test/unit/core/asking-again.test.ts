import { describe, expect, it } from 'vitest';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import { newThread, type Outcome, type Question } from '../../../src/core/question/question.ts';
import {
  buttonUser,
  createCoreHarness,
  createRequests,
  failing,
  thread,
} from '../../support/lifecycle/core-harness.ts';
import type { InMemoryLifecycle } from '../../support/lifecycle/in-memory-lifecycle.ts';
import { someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const failed: Outcome = { kind: 'failed', failure: { cause: 'unreachable' } };
const undeliverable: Outcome = { kind: 'undeliverable', canInvite: true };
const notAllowed: Outcome = { kind: 'notAllowed', reason: 'guest' };
const gaveUp: Outcome = { kind: 'gaveUp' };
const answered: Outcome = { kind: 'answered', answer: someAnswer };
const confirmed: string[] = [];
const shares = { questionId: `q${'0'.repeat(24)}`, withLink: false, confirmed };

/** A stored question of U1, with the test's changes. */
async function withQuestion(change: Partial<Question> = {}) {
  const harness = createCoreHarness();
  const { id } = await harness.ask({ text: 'where?' });
  await harness.life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  return { ...harness, id, stored: () => harness.life.question(id) };
}

async function enqueue(life: InMemoryLifecycle, queue: string[]): Promise<void> {
  await life.ports.threads.update(thread, (known = newThread(thread, true)) => ({ ...known, queue }));
}

describe('a question', () => {
  const direct = { userId: 'U1', teamId: 'T1', channelId: 'D1' };

  it.each<[string, Partial<Question>, typeof buttonUser, boolean]>([
    ['is found from its place', {}, buttonUser, true],
    ['is not found from another place, not even by its asker', {}, direct, false],
    ['that failed is not found from another place', { outcome: failed }, direct, false],
    ['that could not be shown is found by its asker from another place', { outcome: undeliverable }, direct, true],
    ['that was not allowed is found by its asker from another place', { outcome: notAllowed }, direct, true],
    ['that was not allowed is not found by others', { outcome: notAllowed }, { ...direct, userId: 'U2' }, false],
    [
      'that was not allowed is not found from another workspace',
      { outcome: notAllowed },
      { ...direct, teamId: 'T2' },
      false,
    ],
  ])('%s', async (_, change, where, isFound) => {
    const { requests, id } = await withQuestion(change);
    expect((await requests.findQuestion(id, where))?.id).toBe(isFound ? id : undefined);
  });
});

describe('asking a question again', () => {
  const belongings: Partial<Question> = {
    messageTs: '1700000000.000001',
    files: [{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3 }],
    follows: { text: 'Where?' },
    readsThread: true,
    readsFrom: { ...place, channelId: 'C2', threadTs: '1700000000.000009' },
  };

  it('copies all that belongs to the question, for any person who presses the button', async () => {
    const { requests, id } = await withQuestion({ outcome: failed, fresh: true, ...belongings });
    const responseUrl = 'https://hooks.slack.example/1';
    expect(await requests.askAgain(id, buttonUser, { responseUrl })).toMatchObject({
      kind: 'accepted',
      question: {
        ...belongings,
        text: 'where?',
        askerId: 'U9',
        place: thread,
        origin: 'retry',
        beginsThread: false,
        fresh: true,
        responseUrl,
      },
    });
  });

  it('adds nothing that did not belong to the question', async () => {
    const { requests, id } = await withQuestion({ outcome: failed });
    const again = await requests.askAgain(id, buttonUser);
    if (again.kind !== 'accepted') throw new Error(again.kind);
    expect(again.question.fresh).toBe(false);
    for (const field of [...Object.keys(belongings), 'responseUrl']) expect(again.question).not.toHaveProperty(field);
  });

  it.each<[string, Partial<Question>]>([
    ['has not ended', {}],
    ['shows an answer again', { outcome: failed, shares }],
  ])('asks nothing where the question %s', async (_, change) => {
    const { requests, id } = await withQuestion(change);
    expect(await requests.askAgain(id, buttonUser)).toEqual({ kind: 'expired' });
  });

  it('finds the attempt that exists already, open or answered, of a question that was not allowed', async () => {
    const { requests, id, life } = await withQuestion({ outcome: notAllowed });
    const again = await requests.askAgain(id, buttonUser);
    if (again.kind !== 'accepted') throw new Error(again.kind);
    expect(await requests.askAgain(id, buttonUser)).toMatchObject({
      kind: 'duplicate',
      question: { id: again.question.id },
    });
    await life.ports.questions.update(again.question.id, (stored) => ({ ...stored, outcome: answered }));
    expect(await requests.askAgain(id, buttonUser)).toMatchObject({
      kind: 'duplicate',
      question: { outcome: answered },
    });
  });

  it.each(['notAllowed', 'failed'])('asks at the next press after one that came too late, %s', async (kind) => {
    const outcome = kind === 'failed' ? failed : notAllowed;
    const { requests, id, life } = await withQuestion({ outcome });
    const byMs = life.now() - 1;
    await expect(requests.askAgain(id, buttonUser, { byMs })).rejects.toMatchObject({ kind: 'storage' });
    expect((await requests.askAgain(id, buttonUser)).kind).toBe('accepted');
  });

  it('finds only its next attempt, of a question that failed where people could see it', async () => {
    const { requests, id, life } = await withQuestion({ outcome: failed });
    const again = await requests.askAgain(id, buttonUser);
    if (again.kind !== 'accepted') throw new Error(again.kind);
    await life.ports.questions.update(again.question.id, (stored) => ({ ...stored, outcome: failed }));
    expect(await requests.askAgain(id, buttonUser)).toMatchObject({
      kind: 'duplicate',
      question: { id: again.question.id },
    });
  });
});

describe('asking a question in another place', () => {
  const direct = { teamId: 'T1', channelId: 'D1' };

  it('begins one thread in each place', async () => {
    const { requests, id } = await withQuestion({ outcome: undeliverable });
    const there = await requests.askIn(id, direct, buttonUser);
    expect(there).toMatchObject({
      kind: 'accepted',
      question: { text: 'where?', askerId: 'U9', place: direct, origin: 'command', beginsThread: true },
    });
    expect((await requests.askIn(id, direct, buttonUser)).kind).toBe('duplicate');
    expect((await requests.askIn(id, { ...direct, channelId: 'D2' }, buttonUser)).kind).toBe('accepted');
  });

  it.each<[string, Partial<Question>]>([
    ['an answer that was shared', { shares }],
    ['a mention without text', { text: threadQuestion }],
  ])('asks nothing for %s', async (_, change) => {
    const { requests, id } = await withQuestion({ outcome: undeliverable, ...change });
    expect(await requests.askIn(id, direct, buttonUser)).toEqual({ kind: 'expired' });
  });
});

describe('watching a question again', () => {
  const cancel = { byUserId: 'U1', atMs: someMs };
  const over: Partial<Question> = {
    phase: 'closed',
    outcome: gaveUp,
    endedMs: someMs,
    cancel,
    card: { ts: '1.1', shown: 'gave up' },
    upstream: { steps: 4, conversationId: 1, questionId: 2, askedMs: someMs, cancelSentMs: someMs },
    delivery: { round: 2, posted: ['1.2'], intentMs: 5 },
  };

  it('resets the question’s watch, card and delivery, and keeps what the service knows of it', async () => {
    const { requests, id, life, stored } = await withQuestion(over);
    const before = stored();
    expect(await requests.checkAgain(id, buttonUser)).toEqual({ kind: 'accepted', question: stored() });
    const { outcome: _outcome, endedMs: _ended, cancel: _cancel, ...rest } = before;
    expect(stored()).toEqual({
      ...rest,
      phase: 'running',
      card: { ts: '1.1', shown: '' },
      upstream: { steps: 4, conversationId: 1, questionId: 2, askedMs: someMs, watchedFromMs: life.now() },
      delivery: { round: 3, posted: [] },
    });
  });

  it('lists the question, puts it first in its thread, schedules it, and reports the change', async () => {
    const { life, id, ask } = await withQuestion({ ...over });
    const next = await ask();
    await life.ports.questions.markClosed(id);
    await enqueue(life, [next.id]);
    const planned: unknown[] = [];
    const changed: unknown[] = [];
    const requests = createRequests({
      ...life.ports,
      scheduler: { schedule: async (...advance) => void planned.push(advance) },
      observer: { ...life.ports.observer, changed: (question) => void changed.push(question) },
    });
    await requests.checkAgain(id, buttonUser);
    expect(life.openIds()).toContain(id);
    expect(life.threads()).toMatchObject([{ queue: [id, next.id] }]);
    expect(planned).toEqual([[id, 0]]);
    expect(changed).toEqual([life.question(id)]);
  });

  it('keeps the position in the queue of a question that has one', async () => {
    const { requests, id, life, ask } = await withQuestion({});
    const next = await ask();
    await enqueue(life, [next.id, id]);
    await life.ports.questions.update(id, (stored) => ({ ...stored, ...over }));
    await requests.checkAgain(id, buttonUser);
    expect(life.threads()).toMatchObject([{ queue: [next.id, id] }]);
  });

  it('needs no thread', async () => {
    const { requests, id, life } = await withQuestion({ ...over, place });
    const before = life.threads();
    expect((await requests.checkAgain(id, buttonUser)).kind).toBe('accepted');
    expect(life.threads()).toEqual(before);
  });

  it.each<[string, Partial<Question>, object]>([
    ['still runs is watched already', { phase: 'running' }, { kind: 'duplicate' }],
    ['was answered is too old to watch', { phase: 'closed', outcome: answered }, { kind: 'expired' }],
  ])('finds that a question that %s', async (_, change, result) => {
    const { requests, id } = await withQuestion(change);
    expect(await requests.checkAgain(id, buttonUser)).toMatchObject(result);
  });

  it('works up to the last moment', async () => {
    const { requests, id, life } = await withQuestion(over);
    expect((await requests.checkAgain(id, buttonUser, life.now())).kind).toBe('accepted');
  });

  it('finds that a question that disappears in the meantime is too old to watch', async () => {
    const { life, id } = await withQuestion(over);
    const questions = { ...life.ports.questions, update: async () => undefined };
    const requests = createRequests({ ...life.ports, questions });
    expect(await requests.checkAgain(id, buttonUser)).toEqual({ kind: 'expired' });
  });

  it('is reported as done once it is stored, although the question could not join the queue', async () => {
    const { life, id } = await withQuestion(over);
    const threads = { ...life.ports.threads, update: () => Promise.reject(failing('storage').error) };
    const requests = createRequests({ ...life.ports, threads });
    expect((await requests.checkAgain(id, buttonUser)).kind).toBe('accepted');
    expect(life.question(id).phase).toBe('running');
    expect(life.openIds()).toContain(id);
  });
});
