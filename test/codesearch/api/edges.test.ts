import { describe, expect, test } from 'vitest';
import { filePath, repositoryPath } from '../../../src/codesearch/addresses.ts';
import { parseArguments } from '../../../src/codesearch/arguments.ts';
import { code, escapeText, fence, prose } from '../../../src/codesearch/ask/markdown.ts';
import { selectPage } from '../../../src/codesearch/conversations/list.ts';
import { nameFromRemote } from '../../../src/codesearch/git/repository.ts';
import { createRateLimit } from '../../../src/codesearch/http/rate-limit.ts';
import { parseListQuery } from '../../../src/codesearch/http/routes/rest-conversations.ts';
import { parseLines } from '../../../src/codesearch/pages/code-address.ts';
import { renderMarkdown } from '../../../src/codesearch/pages/markdown.ts';

describe('parsing the arguments', () => {
  test('reads every option', () => {
    const line =
      '--repo a --repo b --port 80 --token alice:s --token t2 --data-dir d --sharing --quota 5 --rate-limit 9 --base-url https://x.example --step-delay 200'.split(
        ' ',
      );
    expect(parseArguments(line, {})).toMatchObject({
      kind: 'run',
      arguments: {
        repos: ['a', 'b'],
        port: 80,
        tokens: [
          { username: 'alice', token: 's' },
          { username: 'user2', token: 't2' },
        ],
        dataDir: 'd',
        sharing: true,
        quota: 5,
        rateLimit: 9,
        baseUrl: 'https://x.example',
        stepDelayMs: 200,
      },
    });
  });

  test('reads tokens from the environment only when no option gives them', () => {
    expect(parseArguments(['--repo', 'a'], { CODESEARCH_TOKEN: 'bob:x,y' })).toMatchObject({
      arguments: {
        tokens: [
          { username: 'bob', token: 'x' },
          { username: 'user2', token: 'y' },
        ],
      },
    });
    expect(parseArguments(['--repo', 'a', '--token', 'z'], { CODESEARCH_TOKEN: 'x' })).toMatchObject({
      arguments: { tokens: [{ token: 'z' }] },
    });
  });

  test('reports every problem at once', () => {
    const parsed = parseArguments(
      ['loose', '--frob', '--port', 'x', '--quota', '0', '--base-url', 'ftp://x', '--sharing=yes'],
      {},
    );
    expect(parsed.kind === 'bad' ? parsed.problems.length : 0).toBe(7);
  });

  test('prefers --help to problems', () => {
    expect(parseArguments(['--help', '--frob'], {})).toEqual({ kind: 'help' });
  });
});

describe('the list', () => {
  const summaries = Array.from({ length: 25 }, (_, index) => ({
    id: index + 1,
    userId: 1,
    readToken: `t${index + 1}`,
    createdMs: 1_000 + index,
    updatedMs: 2_000 - (index % 5),
    starred: false,
    characters: 0,
  }));
  const page = (parameters: string) =>
    selectPage(summaries, parseListQuery(new URLSearchParams(parameters)), () => true);

  test.each(['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at'])(
    'returns every entry once over all pages by %s',
    (sort) => {
      const seen: number[] = [];
      let after: string | null = '';
      for (let pages = 0; pages < 10 && after !== null; pages += 1) {
        const { ids, endCursor, hasNextPage } = page(`sort=${sort}&page_first=7&page_after=${after}`);
        seen.push(...ids);
        after = hasNextPage ? endCursor : null;
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual(summaries.map(({ id }) => id));
    },
  );

  test.each([
    'sort=name',
    'page_first=0',
    'page_first=-1',
    'page_first=x',
    'page_after=!!',
    'filter_id=abc',
    'filter_user_id=1.5',
    'filter_is_starred=maybe',
  ])('refuses %s', (parameters) => {
    expect(() => parseListQuery(new URLSearchParams(parameters))).toThrow();
  });

  test('refuses a cursor of another sort order', () => {
    const { endCursor } = page('sort=id&page_first=2');
    expect(() => page(`sort=-id&page_after=${endCursor ?? ''}`)).toThrow(/another sort/);
  });
});

test('the rate limit takes nothing away when the clock is set back', () => {
  let nowMs = 10 * 3_600_000;
  const limit = createRateLimit(60, () => nowMs);
  limit.take('alice');
  nowMs -= 3_600_000;
  for (let count = 0; count < 59; count += 1) limit.take('alice');
  expect(() => limit.take('alice')).toThrow('Try again in 1 s.');
});

test('the rate limit refills evenly and says how long to wait', () => {
  let nowMs = 0;
  const limit = createRateLimit(2, () => nowMs);
  limit.take('a');
  limit.take('a');
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ status: 429, headers: { 'Retry-After': '30' } }));
  limit.take('b');
  nowMs = 30_000;
  limit.take('a');
  expect(() => limit.take('a')).toThrow();
});

test.each([
  ['https://github.com/org/name.git', 'github.com/org/name'],
  ['https://user:secret@github.com/org/name', 'github.com/org/name'],
  ['git@github.com:org/name.git', 'github.com/org/name'],
  ['ssh://git@host.example:2222/group/sub/name.git', 'host.example/group/sub/name'],
  ['/srv/git/name.git', undefined],
  ['file:///srv/name', undefined],
  ['../name', undefined],
  ['', undefined],
])('the remote %j names %j', (address, name) => {
  expect(nameFromRemote(address)).toBe(name);
});

test.each([
  ['L10-20', { start: 10, end: 20 }],
  ['L7', { start: 7, end: 7 }],
  ['L20-L10', { start: 10, end: 20 }],
  ['L10:3-20:1', { start: 10, end: 20 }],
  ['', undefined],
  ['L', undefined],
  ['Lx-3', undefined],
])('the lines of %j are parsed', (search, lines) => {
  expect(parseLines(search)).toEqual(lines);
});

describe('Markdown that quotes foreign text', () => {
  test('keeps links with any sign in their paths', () => {
    const path = filePath({ repository: 'github.com/o/r', path: 'a b/(c)[d]/ü*?#%.ts' }, 3, 9);
    expect(path).toBe('/github.com/o/r/-/blob/a%20b/%28c%29%5Bd%5D/%C3%BC%2A%3F%23%25.ts?L3-9');
  });

  test('keeps the slashes of a branch name, unless they would end the name early', () => {
    expect(repositoryPath('github.com/o/r', 'feature/x')).toBe('/github.com/o/r@feature/x');
    expect(repositoryPath('github.com/o/r', 'a/-/b')).toBe('/github.com/o/r@a%2F-%2Fb');
  });

  test('has a fence that is longer than any run of backticks inside', () => {
    expect(fence(['a', '````', 'b'], 'x.md')).toBe('`````md\na\n````\nb\n`````');
  });

  test('keeps the words of a text and drops its marks', () => {
    expect(prose('See {@link Foo} and *this* [x](http://y) <b>now</b>')).toBe('See `Foo` and \\*this\\* x now');
    expect(escapeText('snake_case _em_')).toBe('snake_case \\_em\\_');
    expect(code('a`b')).toBe('`` a`b ``');
  });
});

describe('rendering Markdown', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '![x](javascript:alert(1))',
    '[x](//evil.example)',
    '```\n</code></pre><script>alert(1)</script>\n```',
    '`<script>`',
    '| <b> |\n|--|\n| <i onclick=x> |',
    '<a href="javascript:x">y</a>',
  ])('adds no markup from %s', (markdown) => {
    const { text } = renderMarkdown(markdown);
    expect(text).not.toMatch(/<(script|img|i |b>|a href="(?!https?:|\/[^/]))/i);
    expect(text).not.toMatch(/href="javascript/i);
  });

  test('renders what answers use', () => {
    const { text } = renderMarkdown('**A** `b` [c](/d)\n\n- e\n- f\n\n> g\n\n```ts\nh < i\n```');
    expect(text).toBe(
      [
        '<p><strong>A</strong> <code>b</code> <a href="/d">c</a></p>',
        '<ul>\n<li>e</li>\n<li>f</li>\n</ul>',
        '<blockquote>\n<p>g</p>\n</blockquote>',
        '<pre><code class="language-ts">h &lt; i\n</code></pre>',
      ].join('\n'),
    );
  });

  test.each([
    ['https://a.example/x', '<p><a href="https://a.example/x">https://a.example/x</a></p>'],
    ['![a picture](https://a.example/x.png)', '<p>!<a href="https://a.example/x.png">a picture</a></p>'],
    ['[x](mailto:a@b.example)', '<p><a>x</a></p>'],
    ['[x](other.html)', '<p><a>x</a></p>'],
    ['[x](/y \' href="//evil.example"\')', '<p><a href="/y" title=" href=&quot;//evil.example&quot;">x</a></p>'],
    ['text with href="//evil.example"', '<p>text with href=&quot;//evil.example&quot;</p>'],
  ])('links only what is on the web or in the service: %s', (markdown, expected) => {
    expect(renderMarkdown(markdown).text).toBe(expected);
  });
});
