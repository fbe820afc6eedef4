import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { buttonUser, createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';

const cancel = { byUserId: 'U1', atMs: someMs };
const answered = { kind: 'answered', answer: someAnswer } as const;

/** A stored question that the message `m` asked with the text `before`, with the test's changes. */
async function asked(change: Partial<Question> = {}) {
  const harness = createCoreHarness({ settings: { threadLimit: 30 } });
  const { id } = await harness.ask({ key: 'm', text: 'before' });
  await harness.life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  return { ...harness, id, stored: () => harness.life.question(id) };
}

describe('an edit of the message that asked', () => {
  it('is stored with the question as it is then', async () => {
    const { requests, stored } = await asked();
    const edit = { text: 'after', atMs: 5 };
    expect(await requests.noteEdit('m', edit)).toEqual({ kind: 'noted', question: stored() });
    expect(stored()).toMatchObject({ text: 'before', edited: edit });
  });

  it.each<[string, Partial<Question>, string, number]>([
    ['is delivered again', { edited: { text: 'after', atMs: 5 } }, 'after', 5],
    ['came before another one', { edited: { text: 'after', atMs: 5 } }, 'between', 4],
    ['is as old as another one', { edited: { text: 'after', atMs: 5 } }, 'other', 5],
    ['changes no word of the edited version', { edited: { text: 'after', atMs: 5 } }, 'after', 6],
    ['changes no word at all', {}, 'before', 5],
  ])('is recognized where it %s', async (_, change, text, atMs) => {
    const { requests, stored } = await asked(change);
    const before = stored();
    expect(await requests.noteEdit('m', { text, atMs })).toEqual({ kind: 'known' });
    expect(stored()).toEqual(before);
  });

  it('that restores the words that were asked removes the edit before', async () => {
    const { requests, stored } = await asked({ edited: { text: 'after', atMs: 5 } });
    expect(await requests.noteEdit('m', { text: 'before', atMs: 6 })).toEqual({ kind: 'known' });
    expect(stored()).not.toHaveProperty('edited');
  });

  it.each<[string, Partial<Question>]>([
    ['was answered', { outcome: answered }],
    ['is being cancelled', { cancel }],
  ])('comes too late for a question that %s', async (_, change) => {
    const { requests, stored } = await asked(change);
    const before = stored();
    expect(await requests.noteEdit('m', { text: 'after', atMs: 5 })).toEqual({ kind: 'ended' });
    expect(stored()).toEqual(before);
  });

  it('has no effect where the message asked nothing', async () => {
    const { requests } = await asked();
    expect(await requests.noteEdit('another', { text: 'after', atMs: 5 })).toEqual({ kind: 'nothing' });
  });
});

describe('asking the edited version', () => {
  const edited = { text: 'after', atMs: 5 };
  const belongings: Partial<Question> = {
    messageTs: '1700000000.000001',
    files: [{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3 }],
    follows: { text: 'Where?' },
    readsThread: true,
    beginsThread: true,
  };

  it('asks it for the person who presses the button, with all that belongs to the question', async () => {
    const { requests, id } = await asked({ edited, ...belongings, fresh: true });
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({
      cameLate: false,
      result: {
        kind: 'accepted',
        question: { text: 'after', askerId: 'U9', origin: 'retry', fresh: true, ...belongings },
      },
    });
  });

  it('adds nothing that did not belong to the question', async () => {
    const { requests, id } = await asked({ edited, beginsThread: false });
    const { result } = await requests.askEdited(id, buttonUser);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    expect(result.question).toMatchObject({ beginsThread: false, fresh: false });
    for (const field of Object.keys(belongings)) {
      if (field !== 'beginsThread') expect(result.question).not.toHaveProperty(field);
    }
  });

  it('comes after the first answer', async () => {
    const { requests, id } = await asked({ edited, fresh: true, outcome: answered });
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({
      cameLate: true,
      result: { kind: 'accepted', question: { fresh: false } },
    });
  });

  it('replaces a question that failed', async () => {
    const { requests, id } = await asked({ edited, fresh: true, outcome: { kind: 'gaveUp' } });
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({
      cameLate: false,
      result: { question: { fresh: true } },
    });
  });

  it.each([
    ['without an edit', {}, buttonUser],
    ['from another place', { edited }, { ...buttonUser, channelId: 'C2' }],
  ])('is refused as too old %s', async (_, change, where) => {
    const { requests, id } = await asked(change);
    expect(await requests.askEdited(id, where)).toEqual({ result: { kind: 'expired' }, cameLate: false });
  });

  it('does nothing where it is too late for Slack', async () => {
    const { requests, id, life } = await asked({ edited });
    await expect(requests.askEdited(id, buttonUser, life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
  });

  it('happens once for each edit', async () => {
    const { requests, id, life } = await asked({ edited });
    expect((await requests.askEdited(id, buttonUser)).result.kind).toBe('accepted');
    expect((await requests.askEdited(id, buttonUser)).result.kind).toBe('duplicate');
    await life.ports.questions.update(id, (stored) => ({ ...stored, edited: { text: 'once more', atMs: 6 } }));
    expect((await requests.askEdited(id, buttonUser)).result).toMatchObject({
      kind: 'accepted',
      question: { text: 'once more' },
    });
  });
});

describe('the question that a message started', () => {
  it('is the first version where its edited version was not asked', async () => {
    const { requests, id } = await asked({ edited: { text: 'after', atMs: 5 } });
    expect((await requests.startedBy('m'))?.id).toBe(id);
    expect(await requests.startedBy('another')).toBeUndefined();
  });

  it('is found through twenty versions, and the search ends in an endless chain of them', async () => {
    const { requests, id, life } = await asked();
    let newest = id;
    for (let version = 1; version <= 21; version += 1) {
      await life.ports.questions.update(newest, (stored) => ({
        ...stored,
        edited: { text: `version ${version}`, atMs: version },
      }));
      const { result } = await requests.askEdited(newest, buttonUser);
      if (result.kind !== 'accepted') throw new Error(result.kind);
      newest = result.question.id;
      expect((await requests.startedBy('m'))?.text).toBe(`version ${Math.min(version, 20)}`);
    }
  });
});
