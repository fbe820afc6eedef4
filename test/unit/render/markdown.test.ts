import fc from 'fast-check';
import type { ListItem, Paragraph, RootContent } from 'mdast';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/render/markdown/build.ts';
import { layoutAnswer } from '../../../src/render/markdown/layout.ts';
import { parseAnswer } from '../../../src/render/markdown/parse.ts';
import { writeMarkdown } from '../../../src/render/markdown/to-markdown.ts';
import { writeMrkdwn } from '../../../src/render/markdown/to-mrkdwn.ts';
import { toUnits } from '../../../src/render/markdown/units.ts';
import { runs } from '../../support/runs.ts';
import { words } from './readable.ts';

const ROOM = { firstWeight: 100, lastWeight: 100, eachWeight: 100, blocks: 5 };

/** The content of a tree, without positions in the source. */
function meaning(nodes: RootContent[]): unknown {
  return JSON.parse(
    JSON.stringify(nodes, (key, value: unknown) => {
      if (key === 'position' || key === 'spread' || key === 'data') return undefined;
      return typeof value === 'string' ? value.replaceAll('\u200B', '') : value;
    }),
  );
}

/** Random text of pieces that have a meaning in Markdown, in any order. */
const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '*',
      '**',
      '_',
      '`',
      '~~',
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '&',
      '#',
      '|',
      '!',
      '\\',
      '-',
      '+',
      '1.',
      ' ',
    ),
    fc.constantFrom('\n', '\n\n', '\n- ', '\n  - ', '\n1. ', '\n> ', '\n```\n', '\n# ', '\n| a | b |\n|---|---|\n'),
    fc.constantFrom('a', 'b', '漢', '&lt;', ':', '"'),
  ),
  maxLength: 40,
});

describe('Markdown', () => {
  it('that is written and read again is the same document', () => {
    fc.assert(
      fc.property(anything, (markdown) => {
        const tree = parseAnswer(markdown);
        expect(meaning(parseAnswer(writeMarkdown(tree)))).toEqual(meaning(tree));
      }),
      runs(200),
    );
  });

  it('that is divided into units and joined again is the same document', () => {
    fc.assert(
      fc.property(anything, (markdown) => {
        const tree = parseAnswer(markdown);
        const units = toUnits(tree);
        expect(meaning(build(units, 0, units.length))).toEqual(meaning(tree));
      }),
      runs(200),
    );
  });

  it.each([
    ['snake_case and a_b_c', 'snake_case and a_b_c'],
    ['2 * 3 and ~5 min', '2 * 3 and ~5 min'],
    ['R&D, a && b, x &amp; y, &copy;', 'R&D, a && b, x & y, ©'],
    ['&amp;lt; stays', '&amp;lt; stays'],
    ['Map<K, V>', 'Map&lt;K, V>'],
    ['[1] and [note]', '[1] and [note]'],
    ['`<!channel>` `Map<K>`', '`<!channel>` `Map<K>`'],
    [
      '__init__.py has __name__, __Note__: __two words__',
      '\\_\\_init\\_\\_.py has \\_\\_name\\_\\_, **Note**: **two words**',
    ],
    ['src/**/*.ts and lib/**/*.ts', 'src/\\*\\*/\\*.ts and lib/\\*\\*/\\*.ts'],
    ['**/dist/** and *.test.*.ts', '\\*\\*/dist/\\*\\* and \\*.test.\\*.ts'],
    [
      '2**10**3, f(x)**2 + y**2, count(*) of sum(*)',
      '2\\*\\*10\\*\\*3, f(x)\\*\\*2 + y\\*\\*2, count(\\*) of sum(\\*)',
    ],
    ['*args, **kwargs', '\\*args, \\*\\*kwargs'],
    ['*\\)*', '\\*)\\*'],
    ['_[_ and (1)_a_', '\\_[\\_ and (1)\\_a\\_'],
    ['  - a\n-:', '- a\n  \\-:'],
    ['HEAD~1..HEAD~3', 'HEAD\\~1..HEAD\\~3'],
    ['**J**ava, HTTP**S**, **GET**/**POST**, **src/**: x', '**J**ava, HTTP**S**, **GET**/**POST**, **src/**: x'],
    ['这是**“强调”**文字', '这是“**强调**”文字'],
    ['**この文。**続く ~~削除。~~続く', '**この文**。続く ~~削除~~。続く'],
    ['한국어*강조*는', '한국어*강조*는'],
    ['| a | b |\n|-|-|\n| `x | y` | c |', '| a | b |\n| --- | --- |\n| `x \\| y` | c |'],
    ['![](https://e.org/a.png)', '[https://e.org/a.png](https://e.org/a.png)'],
    ['[x](vbscript:y)', 'x (vbscript:y)'],
    ['[x](https://e.org/?a=1&b=2_3)', '[x](https://e.org/?a=1&b=2_3)'],
    ['a &amp;#65; &amp;#x1F; &amp;#; &amp;#xg; &amp;#a;', 'a &amp;#65; &amp;#x1F; &#; &#xg; &#a;'],
  ])('%s is written as %s', (source, written) => {
    expect(writeMarkdown(parseAnswer(source))).toBe(written);
  });
});

describe('Markdown that keeps its escapes, because it would be read differently without them', () => {
  it.each([
    ['[a \\[b\\] c](https://e.org)'],
    ['[> a](https://e.org)'],
    ['# [a #](https://e.org)'],
    ['# \\##'],
    ['# a \\##'],
    ['a\\![b](https://e.org)'],
    ['a \\*`b`'],
    ['*a*\\_ b'],
    ['a \\_**b**'],
    ['**a\n\\# b**'],
    ['\\~~~a~~'],
    ['~~a~~\\~'],
    ['~'],
    ['\\~\\~\\~ a'],
    ['a\\](b)'],
    ['1\\.'],
    ['\\+ a\\\\'],
    ['\\[x] a'],
    ['[x]a'],
    ['- \\[ ]'],
    ['\\[^1] a'],
    ['\\[a b'],
    ['\\[ab]: c'],
    ['[a\n\\[b](https://e.org)'],
  ])('is %j', (markdown) => {
    expect(writeMarkdown(parseAnswer(markdown))).toBe(markdown);
  });
});

describe('mrkdwn', () => {
  it.each([
    ['# Title with **bold**', '*Title with bold*'],
    ['**bold** *italic* ~~gone~~', '*bold* _italic_ ~gone~'],
    ['这**b**是', '这\u200B*b*\u200B是'],
    ['__init__.py (src/**/*.ts)', '`__init__.py` (`src/**/*.ts`)'],
    ['2**10**3, count(*) and sum(*)', '`2**10**3`, `count(*)` and `sum(*)`'],
    ['*args, **kwargs, snake_case', '*args, **kwargs, snake_case'],
    ['`<!here> @here`', '`&lt;!here&gt; @here`'],
    ['[a|b > c](https://e.org/x|y)', '<https://e.org/x%7Cy|a❘b &gt; c>'],
    ['`` a`b ``', '```a`b```'],
    ['1\\. > 2', '1. &gt; 2'],
    ['&gt; no quotation', '\u200B&gt; no quotation'],
    ['- [x] a\n- [ ] b', '• ☑ a\n• ☐ b'],
    ['3. a\n   1. b\n      - c', '3. a\n    1. b\n        ▪ c'],
    ['```js\na < b && c\n```', '```\na &lt; b &amp;&amp; c\n```'],
    ['> a\n>\n> b', '> a\n> b'],
    ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['=**&#32;a&#32;**=', '= *a* ='],
    ['这**a\\\nb**是', '这\u200B*a*\n*b*\u200B是'],
    ['**a\\\n\\\nb**', '*a*\n\n*b*'],
    ['**a**[b](https://e.org)', '*a*\u200B<https://e.org|b>'],
    ['- a\\\n  \\\n  b', '• a\n\n    b'],
    ['- a\n  - b\n    > - c\n\n    d', '• a\n    ◦ b\n        > • c\n        d'],
    ['- a\n  > b\n  >\n  > ```\n  > c\n  >  d\n  > ```\n- e', '• a\n    > b\n```\nc\n d\n```\n• e'],
    ['| [a](https://e.org) | |\n|-|-|', '*<https://e.org|a>*'],
    ['| a |\n|-|\n| **[b](https://e.org) c** |', '• *a:* *<https://e.org|b> c*'],
    ['| a | a |\n|-|-|\n| b<br>c | d |', '```\na   | a\n----+----\nb c | d\n```'],
  ])('of %j is %j', (source, written) => {
    expect(writeMrkdwn(parseAnswer(source))).toBe(written);
  });

  it('has nothing for what is empty', () => {
    const nothing: RootContent = { type: 'blockquote', children: [] };
    const paragraph = (value: string): Paragraph => ({ type: 'paragraph', children: [{ type: 'text', value }] });
    const [a, b] = [paragraph('a'), paragraph('b')];
    const item: ListItem = { type: 'listItem', children: [a, nothing, b] };
    expect(writeMrkdwn([a, nothing, b])).toBe('a\n\nb');
    expect(writeMrkdwn([{ type: 'list', children: [item] }])).toBe('• a\n    b');
    expect(writeMrkdwn([{ type: 'blockquote', children: [a, nothing, b] }])).toBe('> a\n> b');
  });

  it.each([
    ['its columns aligned', 81, /^```\na {3}\| b\n/],
    ['a record per row where it is wider than Slack’s window', 82, /^• \*a:\* c\n {4}\*b:\* x+$/],
  ])('of a table has %s', (_what, width, written) => {
    expect(writeMrkdwn(parseAnswer(`| a | b |\n|---|---|\n| c | ${'x'.repeat(width)} |`))).toMatch(written);
  });
});

describe('a very unusual answer', () => {
  it.each([
    ['quotations without end', `${'>'.repeat(3_000)}w1z`],
    ['lists without end', `${'- '.repeat(1_000)}w1z`],
    ['lists in lists', Array.from({ length: 60 }, (_, depth) => `${' '.repeat(2 * depth)}- w${depth}z`).join('\n')],
    ['open brackets', '['.repeat(10_000)],
    ['unclosed emphasis', '*a **b '.repeat(3_000)],
    ['a table of 200 columns', `|${'w1z|'.repeat(200)}\n|${'-|'.repeat(200)}\n|${'w2z|'.repeat(200)}`],
    ['a row of 20,000 characters', `| a | b |\n|---|---|\n| ${'<w1z> '.repeat(3_000)} | x |`],
    ['a link label of 2,000 characters', `[${'w1z '.repeat(500)}](https://e.org)`],
    ['bold of 20,000 characters', `**${'w1z, '.repeat(4_000)}w1z**`],
    ['a heading of 20,000 characters', `# ${'w1z '.repeat(5_000)}`],
    ['20,000 line breaks', 'w1z\\\n'.repeat(4_000)],
    ['deep lists of many lines', `- - - - - - - - w1z${'\n                w1z'.repeat(1_500)}`],
    ['stacked marks', `w1z${'\u0301'.repeat(20_000)}`],
  ])('of %s is still divided, with every word', (_name, markdown) => {
    const { parts } = layoutAnswer(markdown, ROOM);
    for (const part of parts) {
      expect(part.markdown.length).toBeLessThanOrEqual(12_000);
      for (const section of part.sections) expect(section.length).toBeLessThanOrEqual(3_000);
    }
    const expected = words(markdown).toSorted();
    expect(words(parts.map((part) => part.markdown).join('\n')).toSorted()).toEqual(expected);
    expect(words(parts.flatMap((part) => part.sections).join('\n')).toSorted()).toEqual(expected);
  });
});
