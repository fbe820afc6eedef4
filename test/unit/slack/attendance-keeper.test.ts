import { expect, it } from 'vitest';
import type { Attendance } from '../../../src/core/attendance.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createAttendanceKeeper } from '../../../src/slack/missed/attendance-keeper.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';

it('an event that the storage could not take opens a gap once the storage works again', async () => {
  const attendance = createMemoryRecords<Attendance>();
  let nowMs = 1_000;
  const keeper = createAttendanceKeeper({ attendance, teamId: 'T1', now: () => nowMs });
  await keeper.store();
  await keeper.during(async () => undefined);
  await keeper.store();
  expect(keeper.mayMiss()).toBe(false);
  nowMs = 2_000;
  const lost = new AppError('storage', 'down');
  await expect(keeper.during(() => Promise.reject(lost))).rejects.toBe(lost);
  await keeper.during(async () => undefined);
  await keeper.store();
  expect(keeper.mayMiss()).toBe(true);
  expect(await attendance.get('T1')).toMatchObject({ lastMs: 2_000, gap: { fromMs: 1_000, openedMs: 2_000 } });
});
