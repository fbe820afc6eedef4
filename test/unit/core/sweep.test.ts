import { expect, it } from 'vitest';
import type { AllWorkspaces } from '../../../src/core/context.ts';
import { createSweep } from '../../../src/core/lifecycle/sweep.ts';
import type { Scheduler } from '../../../src/core/ports.ts';
import { mostAtOnce, sweepsPerLook } from '../../../src/core/settings.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/** The sweep over `open` questions, of which the scheduler has no planned run of `unscheduled`. */
function sweeping(open: string[], unscheduled: Scheduler['unscheduled'], requested: string[] = []) {
  const { log, lines } = createRecordingLog();
  const looked: string[] = [];
  const left = new Set(requested);
  const sweep = createSweep(
    only<AllWorkspaces>({
      questions: only({ openIds: async () => open }),
      runRequests: only({ ids: async () => [...left], remove: async (id) => void left.delete(id) }),
      scheduler: only({ unscheduled, schedule: async (id) => void looked.push(id) }),
      log,
    }),
  );
  const look = async () => {
    for (let sweeps = 0; sweeps < sweepsPerLook; sweeps += 1) await sweep();
  };
  return { sweep, look, looked, lines, left };
}

it('the sweep runs and counts a question that two looks in a row find without a planned run', async () => {
  let unplanned = ['qone', 'qtwo'];
  const { look, looked, lines } = sweeping(['qone', 'qtwo'], async (ids) => ids.filter((id) => unplanned.includes(id)));
  await look();
  expect(looked).toEqual([]);
  unplanned = ['qtwo'];
  await look();
  expect(looked).toEqual(['qtwo']);
  expect(lines).toMatchObject([{ event: 'question_swept', questionId: 'qtwo' }]);
  unplanned = ['qone'];
  await look();
  expect(looked).toEqual(['qtwo']);
});

it('the sweep asks for all open questions in groups, because Redis takes a bounded number of commands at once', async () => {
  const open = Array.from({ length: 2 * mostAtOnce + 1 }, (_, index) => `q${index}`);
  const asked: string[][] = [];
  const last = `q${2 * mostAtOnce}`;
  const { look, looked } = sweeping(open, async (ids) => {
    asked.push(ids);
    return ids.filter((id) => id === last);
  });
  await look();
  expect(asked.map(({ length }) => length)).toEqual([mostAtOnce, mostAtOnce, 1]);
  expect(asked.flat()).toEqual(open);
  await look();
  expect(looked).toEqual([last]);
});

it('each sweep runs what another program wants to be run, once', async () => {
  const { sweep, looked, left } = sweeping(['qone', 'qtwo'], async () => [], ['qtwo']);
  await sweep();
  await sweep();
  expect([looked, [...left]]).toEqual([['qtwo'], []]);
});
