import { expect, it } from 'vitest';
import { createSweep } from '../../../src/core/lifecycle/sweep.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

it('the sweep runs and counts a question that two sweeps in a row find without a planned run', async () => {
  const { log, lines } = createRecordingLog();
  const looked: string[] = [];
  const open = ['qone', 'qtwo'];
  let unplanned = ['qone', 'qtwo'];
  const sweep = createSweep({
    questions: { openIds: async () => open },
    scheduler: {
      unscheduled: async (ids) => ids.filter((id) => unplanned.includes(id)),
      schedule: async (id) => void looked.push(id),
    },
    log,
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
