import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskedQuestionsRecord, createAskedQuestions } from '../../../src/core/history/lists.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

function begin() {
  const stored = new Map<string, AskedQuestionsRecord>();
  const written: string[] = [];
  const askedQuestions = createAskedQuestions({
    get: async (name) => stored.get(name),
    update: async (name, change) => {
      const before = stored.get(name);
      const after = change(before);
      if (after !== before) written.push(name);
      stored.set(name, after);
      return after;
    },
  });
  return { askedQuestions, written };
}

const asked = (number: number, askerId = 'U1', teamId = 'T1') =>
  questionWith({ id: `q${number}`, askerId, acceptedMs: number, place: { teamId, channelId: 'C1' } });

describe('the history of a person', () => {
  it('is empty before they asked anything', async () => {
    expect(await begin().askedQuestions.of('T1', 'U1')).toEqual([]);
  });

  it('lists their newest fifty questions once each, newest first, in any order of noting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(80), { maxLength: 120 }), async (numbers) => {
        const { askedQuestions } = begin();
        let newest: number[] = [];
        for (const number of numbers) {
          await askedQuestions.note(asked(number));
          newest = [...new Set([...newest, number])].toSorted((one, other) => other - one).slice(0, 50);
        }
        expect(await askedQuestions.of('T1', 'U1')).toEqual(newest.map((number) => `q${number}`));
      }),
    );
  });

  it('holds fifty questions, and drops the oldest for the next', async () => {
    const { askedQuestions } = begin();
    for (let number = 0; number < 51; number += 1) await askedQuestions.note(asked(number));
    const ids = await askedQuestions.of('T1', 'U1');
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, 'q50', 'q1']);
  });

  it('is written once for a question that is noted twice', async () => {
    const { askedQuestions, written } = begin();
    await askedQuestions.note(asked(1));
    await askedQuestions.note(asked(1));
    expect(written).toHaveLength(1);
  });

  it('is kept apart from that of another person and another workspace', async () => {
    const { askedQuestions } = begin();
    await askedQuestions.note(asked(1));
    await askedQuestions.note(asked(2, 'U2'));
    await askedQuestions.note(asked(3, 'U1', 'T2'));
    expect(await askedQuestions.of('T1', 'U1')).toEqual(['q1']);
    expect(await askedQuestions.of('T1', 'U2')).toEqual(['q2']);
    expect(await askedQuestions.of('T2', 'U1')).toEqual(['q3']);
  });
});
