import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeOutput } from '../../src/cli/program.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';

test.each([
  ['new', undefined],
  ['there already, readable for all and longer', 0o644],
])('a file that a program writes, if it is %s, can be read by its owner only', async (_, mode) => {
  const folder = await createTempDir();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'person.json');
  if (mode !== undefined) {
    writeFileSync(file, 'x'.repeat(100));
    chmodSync(file, mode);
  }
  writeOutput('{"questions":[]}\n', file);
  expect(readFileSync(file, 'utf8')).toBe('{"questions":[]}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a device stays as it is', () => {
  if (!existsSync('/dev/null')) return;
  const { mode } = statSync('/dev/null');
  writeOutput('text', '/dev/null');
  expect(statSync('/dev/null').mode).toBe(mode);
});
