import { expect, test } from 'vitest';
import { fewOpenFiles, noteFewFiles } from '../../../src/storage/checks/disk-check.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const limits = (soft: string) => () =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax processes             64                   64                   processes\nMax open files            ${soft}                 524288               files\n`;

test.each([
  ['256', 256],
  ['1024', undefined],
  ['unlimited', undefined],
])('a limit of %s open files is told if it is too low', (soft, told) => {
  expect(fewOpenFiles(limits(soft))).toBe(told);
});

test('a system that does not tell its limit is no problem', () => {
  const absent = (): string => {
    throw new Error('ENOENT');
  };
  expect(fewOpenFiles(absent)).toBeUndefined();
});

test('too few open files are one line with the number and what to do', () => {
  const { log, lines } = createRecordingLog();
  noteFewFiles(log, 256);
  expect(lines).toEqual([
    { event: 'few_open_files', limit: 256, needed: 1_024, mend: 'start the app after "ulimit -n 4096"' },
  ]);
});
