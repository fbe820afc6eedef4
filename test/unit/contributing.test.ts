import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const files = ['src', 'test', 'tools'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
);
const tests = files.filter((path) => path.endsWith('.test.ts'));
const sources = files.filter((path) => path.startsWith('src/') && path.endsWith('.ts') && !path.endsWith('.d.ts'));

/** What a shell makes of `{a,b}` in a word. */
function expanded(word: string): string[] {
  const braces = /\{([^{}]*)\}/.exec(word);
  if (braces === null) return [word];
  const [all, choices = ''] = braces;
  return choices.split(',').flatMap((choice) => expanded(word.replace(all, choice)));
}

/** Rows of the tables: the sources that a row is for, and the parts of test names that its command runs. */
const rows = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, working = '', run = ''] = line.split('|');
    const [, project, words] = /`npm (test|run test:storm) -- ([^`]*)`/.exec(run) ?? [];
    if (words === undefined) return [];
    const paths = [...working.matchAll(/`(src[^`]*)`/g)].flatMap(([, path = '']) => expanded(path));
    const isStorm = project !== 'test';
    return [{ working, paths, isStorm, parts: words.split(' ').flatMap(expanded) }];
  });

function runs({ isStorm, parts }: (typeof rows)[number], test: string): boolean {
  return test.startsWith('test/storm/') === isStorm && parts.some((part) => test.includes(part));
}

function covers(path: string, source: string): boolean {
  return source === path || source.startsWith(`${path}/`);
}

describe('the tables of which tests to run', () => {
  it('have every test file in exactly one row', () => {
    const counted = tests.map((test) => [test, rows.filter((row) => runs(row, test)).map(({ working }) => working)]);
    expect(counted.filter(([, all]) => all?.length !== 1)).toEqual([]);
  });

  it('have a row for every source file', () => {
    const paths = rows.flatMap((row) => row.paths);
    expect(sources.filter((source) => !paths.some((path) => covers(path, source)))).toEqual([]);
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
  });

  it('name nothing that is gone', () => {
    const gone = rows.flatMap((row) => [
      ...row.paths.filter((path) => !sources.some((source) => covers(path, source))),
      ...row.parts.filter((part) => !tests.some((test) => runs({ ...row, parts: [part] }, test))),
    ]);
    expect(gone).toEqual([]);
  });
});
