import { describe, expect, it } from 'vitest';
import { attemptUnder, keptByAttempt } from '../../../src/core/intake/find-question.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { questionWith, someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';

const cancel = { byUserId: 'U1', atMs: someMs };

/** Finds attempts among questions, by the key that started each question. */
function attemptsAmong(stored: (key: string) => Partial<Question> | undefined) {
  const read: string[] = [];
  const get = async (id: string) => {
    const key = id.slice(1);
    read.push(key);
    const change = stored(key);
    return change === undefined ? undefined : questionWith(change);
  };
  const { ports } = createCoreHarness().life;
  const w = { ...ports, questions: { ...ports.questions, get }, digest: (text: string) => text };
  return {
    read,
    attemptUnder: (key: string) => attemptUnder(w, key),
  };
}

describe('the attempt that counts', () => {
  it.each<[string, Partial<Question> | undefined]>([
    ['was never made', undefined],
    ['is open', {}],
    ['has ended', { outcome: { kind: 'cancelled' } }],
    ['was taken back after the service may have been asked', { cancel, upstream: { steps: 0, intentMs: someMs } }],
    ['was taken back after it was tried in vain', { cancel, upstream: { steps: 0, firstTriedMs: someMs } }],
    ['was taken back too late, as it was answered', { cancel, outcome: { kind: 'answered', answer: someAnswer } }],
    ['was taken back too late, as it may not be asked', { cancel, outcome: { kind: 'notAllowed', reason: 'guest' } }],
    ['gave way to another one, or to the deletion of its message', { cancel: { ...cancel, isFinal: true } }],
  ])('is the first one where that %s', async (_, first) => {
    const { attemptUnder } = attemptsAmong((key) => (key === 'k' ? first : undefined));
    expect((await attemptUnder('k')).key).toBe('k');
  });

  it.each<[string, Partial<Question>]>([
    ['and is open still', { cancel }],
    ['and has ended so', { cancel, outcome: { kind: 'cancelled' } }],
  ])('is the one after an attempt that was cancelled before it was asked %s', async (_, first) => {
    const { attemptUnder } = attemptsAmong((key) => (key === 'k' ? first : { text: key }));
    expect(await attemptUnder('k')).toMatchObject({ key: 'k:again', question: { text: 'k:again' } });
  });

  it('is the newest of many, and the twentieth where all were cancelled', async () => {
    const third = attemptsAmong((key) => (key === 'k:again:again' ? undefined : { cancel }));
    expect(await third.attemptUnder('k')).toEqual({ key: 'k:again:again', question: undefined });
    const endless = attemptsAmong(() => ({ cancel }));
    expect((await endless.attemptUnder('k')).key).toBe(`k${':again'.repeat(19)}`);
    expect(endless.read).toHaveLength(20);
  });
});

describe('a later attempt', () => {
  const file = { id: 'F1', name: 'a.txt', type: 'text/plain', bytes: 9 };
  const forwarded = { messages: 1, text: 'said' };
  const { place } = questionWith();

  it.each<[string, Partial<Question>, object]>([
    ['keeps what its message forwards', { files: [file], forwarded }, { files: [file], forwarded, readsThread: false }],
    [
      'reads its message again if that is forgotten',
      { files: [file], forwarded: { messages: 1, text: '' } },
      { readsThread: true },
    ],
    [
      'reads its message again for the text of a file',
      { files: [{ ...file, isUnknown: true }] },
      { readsThread: true },
    ],
  ])('%s', (_, question, kept) => {
    expect(keptByAttempt(questionWith({ messageTs: '1.1', ...question }))).toEqual({
      place,
      messageTs: '1.1',
      ...kept,
    });
  });
});
