import { describe, expect, it } from 'vitest';
import { changeQuestion, delist, endWith, ifReadable, settle } from '../../../src/core/lifecycle/steps.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { getReadable } from '../../../src/core/question/readable.ts';
import { createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';
import { questionWith, someAnswer } from '../../support/lifecycle/sample-questions.ts';

const fault = new TypeError('planned');

async function withQuestion(change: Partial<Question> = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  return { life, id, question: life.question(id), stored: () => life.question(id) };
}

describe('ending a question', () => {
  it('stores how and when it ended, clears its trouble, and reports it', async () => {
    const trouble = { kind: 'unreachable', failures: 1, sinceMs: 1, notBeforeMs: 1 } as const;
    const { life, question, stored } = await withQuestion({ trouble });
    const told: unknown[] = [];
    const ports = {
      ...life.ports,
      observer: { ...life.ports.observer, changed: (each: Question) => void told.push(each) },
    };
    const outcome = { kind: 'answered', answer: someAnswer } as const;
    expect(await endWith(ports, question, outcome)).toEqual(stored());
    const { trouble: _, ...calm } = question;
    expect(stored()).toEqual({ ...calm, phase: 'delivering', outcome, endedMs: life.now() });
    expect(told).toEqual([stored()]);
  });

  it('keeps the link, or replaces it with the newer one', async () => {
    const shareUrl = 'https://code.example/1';
    const { life, question, stored } = await withQuestion({ upstream: { steps: 2, shareUrl } });
    await endWith(life.ports, question, { kind: 'gaveUp' });
    expect(stored().upstream).toEqual({ steps: 2, shareUrl });
    await endWith(life.ports, question, { kind: 'gaveUp' }, 'https://code.example/2');
    expect(stored().upstream).toEqual({ steps: 2, shareUrl: 'https://code.example/2' });
  });
});

describe('a change of a question', () => {
  it('leaves the question as it was known where it is not stored any more', async () => {
    const { life } = await withQuestion();
    const unknown = questionWith({ id: `q${'9'.repeat(24)}` });
    expect(await changeQuestion(life.ports, unknown, (stored) => ({ ...stored, text: 'changed' }))).toBe(unknown);
  });
});

describe('taking a question off the list of open ones', () => {
  it.each<[string, Partial<Question>, boolean]>([
    ['removes one that is closed', { phase: 'closed' }, false],
    ['keeps one that was resumed in the meantime', { phase: 'running' }, true],
    ['keeps one whose messages must still be checked', { phase: 'closed', recheckMs: 5 }, true],
  ])('%s', async (_, change, isListed) => {
    const { life, id } = await withQuestion(change);
    await delist(life.ports.questions, id);
    expect(life.openIds()).toEqual(isListed ? [id] : []);
  });

  it('does not list a question that is gone', async () => {
    const { life } = await withQuestion();
    const id = `q${'9'.repeat(24)}`;
    await life.ports.questions.markOpen(id);
    await delist(life.ports.questions, id);
    expect(life.openIds()).not.toContain(id);
  });
});

describe('work beside the main course of a question', () => {
  it('skips an unreadable record, and throws every other failure', async () => {
    const { life, question } = await withQuestion();
    expect(await ifReadable(life.ports, question, Promise.resolve(7))).toBe(7);
    expect(await ifReadable(life.ports, question, Promise.reject(failing('corrupt').error))).toBeUndefined();
    for (const error of [failing('storage').error, fault]) {
      await expect(ifReadable(life.ports, question, Promise.reject(error))).rejects.toBe(error);
    }
  });

  it('finds no question in an unreadable record, and fails while storage is down', async () => {
    const { life, id, question } = await withQuestion();
    const failed = (error: Error) => getReadable({ get: () => Promise.reject(error) }, id);
    expect(await getReadable(life.ports.questions, id)).toEqual(question);
    expect(await failed(failing('corrupt').error)).toBeUndefined();
    for (const error of [failing('storage').error, fault]) await expect(failed(error)).rejects.toBe(error);
  });
});

describe('a step that cannot be undone', () => {
  it('may fail in any way except by a fault of our own', async () => {
    const { life, id } = await withQuestion();
    await settle(life.ports, 'planned', id, () => Promise.reject(failing('storage').error));
    await expect(settle(life.ports, 'planned', id, () => Promise.reject(fault))).rejects.toBe(fault);
  });
});
