import { describe, expect, test } from 'vitest';
import { type LinkTarget, readLinkAddress } from '../../../src/codesearch/agent/link-address.ts';

const NAME = 'github.com/org/app';
const file = (path: string, lines?: [number, number], revision?: string): LinkTarget => ({
  kind: 'file',
  repository: NAME,
  revision,
  path,
  lines: lines === undefined ? undefined : { start: lines[0], end: lines[1] },
});

describe('the address of a link that a model wrote', () => {
  test.each<[string, LinkTarget]>([
    [`/${NAME}/-/blob/src/a.ts?L4-7`, file('src/a.ts', [4, 7])],
    [`/${NAME}/-/blob/src/a.ts?L4`, file('src/a.ts', [4, 4])],
    [`/${NAME}/-/blob/src/a.ts`, file('src/a.ts')],
    [`/${NAME}@0123abc/-/blob/src/a.ts?L4-L7`, file('src/a.ts', [4, 7], '0123abc')],
    [`https://${NAME}/blob/main/src/a.ts#L4-L7`, file('src/a.ts', [4, 7], 'main')],
    [`https://${NAME}/blob/main/src/a.ts#L4C2-L7C9`, file('src/a.ts', [4, 7], 'main')],
    [`${NAME}/src/a.ts:4-7`, file('src/a.ts', [4, 7])],
    [`${NAME}/src/a.ts:4:12`, file('src/a.ts', [4, 4])],
    ['src/a.ts:4-7', file('src/a.ts', [4, 7])],
    ['./src/a.ts#L7-4', file('src/a.ts', [4, 7])],
    ['/src/a.ts', file('src/a.ts')],
    [`/${NAME}/-/blob/docs/a%20b%231.md?L1`, file('docs/a b#1.md', [1, 1])],
    [`/${NAME.toUpperCase()}/-/blob/src/a.ts`, file('src/a.ts')],
    [`/${NAME}/README.md#usage`, file('README.md')],
    [`/${NAME}/-/tree/src/`, { kind: 'folder', repository: NAME, path: 'src' }],
    [`https://${NAME}/tree/main/src/core`, { kind: 'folder', repository: NAME, path: 'src/core' }],
    [`/${NAME}/-/commit/0123abcd`, { kind: 'commit', repository: NAME, commit: '0123abcd' }],
    [`https://${NAME}/commit/0123abcd`, { kind: 'commit', repository: NAME, commit: '0123abcd' }],
    [`/${NAME}`, { kind: 'repository', repository: NAME }],
    [`https://${NAME}/`, { kind: 'repository', repository: NAME }],
  ])('is understood: %s', (address, target) => {
    expect(readLinkAddress(address, [NAME])).toEqual(target);
  });

  test.each([
    'https://example.org/',
    'https://evil.example/github.com/org/app/-/blob/src/a.ts',
    'javascript:alert(1)',
    'mailto:a@example.org',
    'data:text/html,x',
    'ftp://github.com/org/app/x',
    '%E0%A4%A',
    '',
    '#section',
    '?L4',
  ])('is not understood: %s', (address) => {
    expect(readLinkAddress(address, [NAME])).toBeUndefined();
  });

  test('belongs to the repository with the longest name that fits', () => {
    const names = ['github.com/org/app', 'github.com/org/app/inner'];
    expect(readLinkAddress('/github.com/org/app/inner/-/blob/a.ts', names)).toMatchObject({ repository: names[1] });
    expect(readLinkAddress('/github.com/org/apple/-/blob/a.ts', names)).toBeUndefined();
  });

  test('needs a repository when there are several', () => {
    expect(readLinkAddress('src/a.ts:4', ['one', 'two'])).toBeUndefined();
    expect(readLinkAddress('two/src/a.ts:4', ['one', 'two'])).toMatchObject({ repository: 'two', path: 'src/a.ts' });
  });
});
