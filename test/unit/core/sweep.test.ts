import { expect, it } from 'vitest';
import { createSweep } from '../../../src/core/sweep.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

it('has a question looked at that two sweeps in a row find without a look, and counts it', async () => {
  const { journal, lines } = createRecordingJournal();
  const looked: string[] = [];
  const open = ['qone', 'qtwo'];
  let unplanned = ['qone', 'qtwo'];
  const sweep = createSweep({
    questions: { openIds: async () => open },
    looks: {
      unplanned: async (ids) => ids.filter((id) => unplanned.includes(id)),
      lookIn: async (id) => void looked.push(id),
    },
    journal,
  });
  await sweep();
  expect(looked).toEqual([]);
  unplanned = ['qtwo'];
  await sweep();
  expect(looked).toEqual(['qtwo']);
  expect(lines).toMatchObject([{ event: 'question_swept', questionId: 'qtwo' }]);
  unplanned = ['qone'];
  await sweep();
  expect(looked).toEqual(['qtwo']);
});
