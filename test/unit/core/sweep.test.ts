import { expect, it } from 'vitest';
import { createSweep } from '../../../src/core/lifecycle/resume.ts';
import { mostAtOnce } from '../../../src/core/settings.ts';
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

it('the sweep asks for all open questions in groups, because Redis takes a bounded number of commands at once', async () => {
  const open = Array.from({ length: 2 * mostAtOnce + 1 }, (_, index) => `q${index}`);
  const asked: string[][] = [];
  const looked: string[] = [];
  const last = `q${2 * mostAtOnce}`;
  const sweep = createSweep({
    questions: { openIds: async () => open },
    scheduler: {
      async unscheduled(ids) {
        asked.push(ids);
        return ids.filter((id) => id === last);
      },
      schedule: async (id) => void looked.push(id),
    },
    log: createRecordingLog().log,
  });
  await sweep();
  expect(asked.map(({ length }) => length)).toEqual([mostAtOnce, mostAtOnce, 1]);
  expect(asked.flat()).toEqual(open);
  await sweep();
  expect(looked).toEqual([last]);
});
