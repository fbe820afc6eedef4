import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import { absoluteLink, absoluteLinks } from '../../../src/service/links.ts';

const BASE = 'https://code.example.com';
const PREFIXED = 'https://example.com/code';

describe('a link', () => {
  test.each([
    ['/github.com/o/r/-/blob/a.go?L1-2', BASE, 'https://code.example.com/github.com/o/r/-/blob/a.go?L1-2'],
    ['/o/r', PREFIXED, 'https://example.com/code/o/r'],
    ['/code/o/r', PREFIXED, 'https://example.com/code/o/r'],
    ['/code', PREFIXED, 'https://example.com/code'],
    ['/code/o/r', BASE, 'https://code.example.com/code/o/r'],
    ['docs/a:b', BASE, 'https://code.example.com/docs/a:b'],
    ['/codex/r', PREFIXED, 'https://example.com/code/codex/r'],
    ['o/r', PREFIXED, 'https://example.com/code/o/r'],
    ['?q=1', BASE, 'https://code.example.com/?q=1'],
    ['#top', BASE, 'https://code.example.com/#top'],
    ['//cdn.example.com/x', BASE, 'https://cdn.example.com/x'],
    ['https://elsewhere.example/x', BASE, 'https://elsewhere.example/x'],
    ['mailto:ada@example.com', BASE, 'mailto:ada@example.com'],
    ['', BASE, ''],
  ])('to "%s" at %s becomes %j', (link, base, absolute) => {
    expect(absoluteLink(link, base)).toBe(absolute);
  });
});

describe('completing the links of Markdown', () => {
  test.each([
    ['a link', '[a](/x)', '[a](https://code.example.com/x)'],
    ['a title', '[a](/x "t (u)")', '[a](https://code.example.com/x "t (u)")'],
    ['pointed brackets', '[a](</x y>)', '[a](<https://code.example.com/x y>)'],
    ['parentheses', '[a](/x(1)) and (b)', '[a](https://code.example.com/x(1)) and (b)'],
    ['a code label', '[`f()`](/x)', '[`f()`](https://code.example.com/x)'],
    ['an image', '![a](/x.png)', '![a](https://code.example.com/x.png)'],
    ['an image in a link', '[![a](/i)](/x)', '[![a](https://code.example.com/i)](https://code.example.com/x)'],
    ['a definition', '[a][r]\n\n[r]: /x\n', '[a][r]\n\n[r]: https://code.example.com/x\n'],
    ['two in a line', '[a](/x) [b](/y)', '[a](https://code.example.com/x) [b](https://code.example.com/y)'],
    [
      'a list in a quote',
      '> - [a](/x)\n>   [b](/y)',
      '> - [a](https://code.example.com/x)\n>   [b](https://code.example.com/y)',
    ],
    ['a table', '|a|\n|-|\n|[a](/x\\|y)|', '|a|\n|-|\n|[a](https://code.example.com/x\\|y)|'],
    ['a footnote', 'x[^1]\n\n[^1]: see [a](/x)', 'x[^1]\n\n[^1]: see [a](https://code.example.com/x)'],
    ['a footnote of one word, which is no address', 'x[^1]\n\n[^1]: note', 'x[^1]\n\n[^1]: note'],
    ['escapes', '[a](\\/x) [b](&#47;y)', '[a](https://code.example.com\\/x) [b](https://code.example.com&#47;y)'],
    [
      'CRLF and tabs',
      'a\r\n\r\n-\t[a](/x)\r\n\t[b](/y)',
      'a\r\n\r\n-\t[a](https://code.example.com/x)\r\n\t[b](https://code.example.com/y)',
    ],
    ['a byte order mark', '\uFEFF[a](/x)', '\uFEFF[a](https://code.example.com/x)'],
    ['emoji before', '👩‍💻 [a](/x)', '👩‍💻 [a](https://code.example.com/x)'],
  ])('works for %s', (_name, markdown, expected) => {
    expect(absoluteLinks(markdown, BASE)).toBe(expected);
  });

  test.each([
    '[a](https://x.example/y)',
    '[a](mailto:ada@example.com)',
    '[a]()',
    '`[a](/x)`',
    '```\n[a](/x)\n```',
    '~~~md\n[r]: /x\n~~~',
    '    [a](/x)',
    '\\[a](/x)',
    '<https://x.example> https://y.example www.z.example',
    '<a href="/x">a</a>',
    '[a] (/x)',
  ])('leaves %j unchanged', (markdown) => {
    expect(absoluteLinks(markdown, BASE)).toBe(markdown);
  });

  test('works with a base address that contains characters of Markdown', () => {
    expect(destinationsOf(absoluteLinks('[a](/x)', 'https://h.example/p)q&amp;(r'))).toEqual([
      'https://h.example/p)q&amp;(r/x',
    ]);
  });

  const noise = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      '](',
      '](/',
      '`',
      '```',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '| ',
      '\t',
      '\\',
      '<',
      '>',
      '![',
      ']: /',
      '&#47;',
      '\r\n',
      '\uFEFF',
      '\0',
    ),
    fc.constantFrom(
      '[a](/x)',
      '[a](</x y>)',
      '[r]: /ref\n',
      '![i](img.png)',
      '`[c](/c)`',
      '\n|a|b|\n|-|-|\n|[t](/t)|',
      '[l](#f)',
      '[l](?q)',
    ),
  );
  const document = fc.array(noise, { maxLength: 25 }).map((parts) => parts.join(''));

  test('leaves everything outside destinations unchanged, byte for byte', () => {
    fc.assert(
      fc.property(document, (markdown) => {
        expect(withoutBase(absoluteLinks(markdown, BASE), markdown)).toBe(markdown);
      }),
      { numRuns: 500 },
    );
  });

  test('leaves no destination relative, changes no other, and does nothing the second time', () => {
    fc.assert(
      fc.property(document, (markdown) => {
        const absolute = absoluteLinks(markdown, BASE);
        expect(destinationsOf(absolute)).toEqual(destinationsOf(markdown).map((url) => absoluteLink(url, BASE)));
        expect(absoluteLinks(absolute, BASE)).toBe(absolute);
      }),
      { numRuns: 500 },
    );
  });
});

/** Takes out what was inserted: the base, and a slash after it that the original does not have. */
function withoutBase(absolute: string, original: string): string {
  let result = '';
  for (let at = 0; at < absolute.length; ) {
    if (absolute.startsWith(BASE, at)) {
      at += BASE.length;
      if (absolute[at] === '/' && original[result.length] !== '/') at += 1;
    } else if (absolute.startsWith('https:', at) && !original.startsWith('https:', result.length)) {
      at += 'https:'.length;
    } else {
      result += absolute[at];
      at += 1;
    }
  }
  return result;
}

/** Destinations of all links, images and definitions as a Markdown parser sees them, literal addresses apart. */
function destinationsOf(markdown: string): string[] {
  const found: string[] = [];
  const visit = (node: Nodes) => {
    if ('url' in node && (node.type !== 'link' || /^[[!]/.test(sourceOf(node)))) found.push(node.url);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  const sourceOf = (node: Nodes) => {
    const start = node.position?.start.offset ?? 0;
    return markdown.slice(start + (markdown.startsWith('\uFEFF') ? 1 : 0));
  };
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return found;
}
