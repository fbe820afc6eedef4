import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../support/processes/run.ts';

/** What ties a program to one system: a branch by platform, a shell, a tool of Linux, a group of processes. */
const tied = /process\.platform|\/bin\/|['"](?:sh|bash|perl|unshare)['"]|shell: *true|\/proc\/|\/tmp\b|kill\(-/;

test.each(['demo', 'local-slack'])('src/%s calls nothing that only one system has', (part) => {
  const folder = join(projectFolder, 'src', part);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => tied.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});
