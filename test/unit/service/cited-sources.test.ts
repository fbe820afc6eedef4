import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { citedSources } from '../../../src/service/links.ts';

const BASE = 'https://code.example.com';
const PREFIXED = 'https://example.com/code';
const hash = '0123456789abcdef0123456789abcdef01234567';

function only(address: string, base = BASE) {
  return citedSources(`See [this](${address}).`, base);
}

describe('a link of an answer into the instance', () => {
  test.each([
    [`/r/github.com/o/r@${hash}/-/blob/src/a.go?L20-L24`, 'src/a.go:20-24', 'github.com/o/r'],
    ['/github.com/o/r@v1.2/-/blob/src/a.go?L20-24', 'src/a.go:20-24', 'github.com/o/r'],
    ['/github.com/o/r/-/blob/src/a.go?L20', 'src/a.go:20', 'github.com/o/r'],
    ['/github.com/o/r/-/blob/src/a.go?L20-L20', 'src/a.go:20', 'github.com/o/r'],
    ['/github.com/o/r/-/blob/src/a.go?L20:3-24:9', 'src/a.go:20-24', 'github.com/o/r'],
    ['/github.com/o/r/-/blob/src/a.go#L7', 'src/a.go:7', 'github.com/o/r'],
    ['/github.com/o/r/-/blob/src/a.go?view=x&L7-8#tab', 'src/a.go:7-8', 'github.com/o/r'],
    ['/github.com/o/r/-/blob/src/a.go', 'src/a.go', 'github.com/o/r'],
    ['/github.com/o/r@feature/x/-/blob/a%20b.go', 'a b.go', 'github.com/o/r'],
    ['/github.com/o/r/-/tree/src/auth', 'src/auth', 'github.com/o/r'],
    ['/o/r/-/blob/docs/-/blob/x.md', 'docs/-/blob/x.md', 'o/r'],
  ])('to %s is the source %s of %s', (address, label, repository) => {
    expect(only(address)).toEqual([{ url: new URL(address, BASE).href, label, repository }]);
    expect(only(BASE + address)).toEqual(only(address));
  });

  test('is recognized below a path prefix', () => {
    expect(only('/code/r/o/r@main/-/blob/a.go?L3', PREFIXED)).toEqual([
      { url: 'https://example.com/code/r/o/r@main/-/blob/a.go?L3', label: 'a.go:3', repository: 'o/r' },
    ]);
  });

  test.each([
    'https://elsewhere.example/o/r/-/blob/a.go',
    'https://code.example.com.evil.example/o/r/-/blob/a.go',
    '/github.com/o/r',
    '/github.com/o/r/-/commit/abc',
    '/github.com/o/r/-/blob/',
    '/deepsearch/140',
    'mailto:a@b.example',
    'javascript:alert(1)',
  ])('is no source if it leads to %s', (address) => {
    expect(only(address)).toEqual([]);
  });
});

describe('the sources of an answer', () => {
  const labels = (markdown: string) => citedSources(markdown, BASE).map(({ label }) => label);

  test('name each repository, path and range once, whatever the revision, in the order of the text', () => {
    const markdown = [
      `[b](/r/o/r@${hash}/-/blob/b.go?L1-L2)`,
      '[a](/o/r/-/blob/a.go)',
      '[again](/o/r@main/-/blob/b.go?L1-2)',
      '[other lines](/o/r/-/blob/b.go?L3)',
      '[other repository](/o/s/-/blob/b.go?L1-2)',
    ].join('\n');
    expect(labels(markdown)).toEqual(['b.go:1-2', 'a.go', 'b.go:3', 'b.go:1-2']);
  });

  test('are the links of Markdown in any form, and no images, code or unused definitions', () => {
    const markdown = [
      '# [`f()`](/o/r/-/blob/heading.go)',
      '| a |\n|---|\n| [x](/o/r/-/blob/table.go) |',
      '> - [x](</o/r/-/blob/a b.go> "title")',
      `<${BASE}/o/r/-/blob/auto.go>`,
      `${BASE}/o/r/-/blob/bare.go`,
      '[by name][n]',
      '![image](/o/r/-/blob/image.png)',
      '`[x](/o/r/-/blob/code.go)`',
      '```\n[x](/o/r/-/blob/fence.go)\n```',
      '[n]: /o/r/-/blob/reference.go\n[n]: /o/r/-/blob/second.go\n[unused]: /o/r/-/blob/unused.go',
    ].join('\n\n');
    expect(labels(markdown)).toEqual(['heading.go', 'table.go', 'a b.go', 'auto.go', 'bare.go', 'reference.go']);
  });

  test('are none in a text that would block the process for long', () => {
    expect(labels(`${'['.repeat(50_000)} [x](/o/r/-/blob/a.go)`)).toEqual([]);
  });

  test('are found in any text without an error, and are always web addresses of the instance', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '[a](',
        ')',
        '/r/',
        '@',
        '/-/blob/',
        '%',
        '%zz',
        '?L',
        '1-2',
        '\n',
        '[r]: ',
        '<',
        '>',
        BASE,
        '//',
      ),
      fc.constantFrom('[a](/o/r/-/blob/x?L1)', '[a](//x/-/blob/y)', `[a](${BASE}/%2F/-/blob/%00)`),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 20 }).map((parts) => parts.join('')),
        (markdown) => {
          for (const { url, label } of citedSources(markdown, BASE)) {
            expect(url.startsWith(`${BASE}/`)).toBe(true);
            expect(label).not.toBe('');
          }
        },
      ),
    );
  });
});
