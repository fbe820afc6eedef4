import { describe, expect, it } from 'vitest';
import { parseCodeAddress, parseLines } from '../../../src/codesearch/pages/code-address.ts';

const REPOSITORIES = ['github.com/o/r', 'github.com/o/r@odd', 'plain', 'r/inner'];

function parse(path: string) {
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  return parseCodeAddress(segments, REPOSITORIES);
}

describe('the address of a page about code', () => {
  const id = 'a'.repeat(40);

  it.each([
    ['/github.com/o/r', 'github.com/o/r', undefined, 'tree', ''],
    ['/github.com/o/r@main', 'github.com/o/r', 'main', 'tree', ''],
    ['/github.com/o/r@feature/x', 'github.com/o/r', 'feature/x', 'tree', ''],
    ['/github.com/o/r@feature/x/-/blob/src/a.ts', 'github.com/o/r', 'feature/x', 'blob', 'src/a.ts'],
    ['/github.com/o/r@a%2F-%2Fb/-/tree/src', 'github.com/o/r', 'a/-/b', 'tree', 'src'],
    [`/r/github.com/o/r@${id}/-/blob/src/a.ts`, 'github.com/o/r', id, 'blob', 'src/a.ts'],
    [`/r/plain@${id}/-/blob/a`, 'plain', id, 'blob', 'a'],
    ['/r/inner/-/tags', 'r/inner', undefined, 'tags', ''],
    ['/github.com/o/r@odd/-/tree/src', 'github.com/o/r@odd', undefined, 'tree', 'src'],
    ['/github.com/o/r@odd@v1/-/tree', 'github.com/o/r@odd', 'v1', 'tree', ''],
    ['/plain/-/blob/-/a', 'plain', undefined, 'blob', '-/a'],
    ['/plain/-/compare/main...feature/x', 'plain', undefined, 'compare', 'main...feature/x'],
  ])('%s names a repository, a revision, a view and a path', (path, repository, revision, view, rest) => {
    expect(parse(path)).toEqual({ repository, revision, view, rest });
  });

  it.each(['/', '/github.com', '/github.com/o', '/github.com/o/rest', '/plain/main', '/r/unknown', '/r'])(
    '%s names no repository',
    (path) => expect(parse(path)).toBeUndefined(),
  );
});

it.each([
  ['L10', 10, 10],
  ['L10-20', 10, 20],
  ['L10-L20', 10, 20],
  ['L20-10', 10, 20],
  ['L10:3-20:5', 10, 20],
  ['L10-20&blame=1', 10, 20],
  ['blame=1&L7', 7, 7],
  ['L7=', 7, 7],
])('?%s names lines of a file', (search, start, end) => {
  expect(parseLines(search)).toEqual({ start, end });
});
