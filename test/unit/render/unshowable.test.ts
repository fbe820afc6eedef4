import { describe, expect, it } from 'vitest';
import { asPlainText, parseAnswer } from '../../../src/render/markdown/parse.ts';
import { writeMarkdown } from '../../../src/render/markdown/to-markdown.ts';

const x = (count: number) => 'x'.repeat(count);
const e = 'https://e.org';

function written(markdown: string): string {
  return writeMarkdown(parseAnswer(markdown));
}

describe('what Slack cannot show', () => {
  it.each([
    ['a heading of 140 characters stays one', `# ${x(140)}`, `# ${x(140)}`],
    ['a longer heading is a bold paragraph', `# ${x(141)}`, `**${x(141)}**`],
    [
      'a longer heading keeps its formatting, but is bold once',
      `# ${x(140)} **a** *b **c*** ~~d **e**~~ [**f**](${e}) \`g\``,
      `**${x(140)} a *b c* ~~d e~~ [f](${e}) \`g\`**`,
    ],
    [
      'a heading of several lines is one line',
      `a\\\nb\n*c\nd* **e\nf** ~~g\nh~~ [i  \nj](${e})\n===`,
      `# a b *c d* **e f** ~~g h~~ [i j](${e})`,
    ],
    ['a heading without words is left out', '#\n\na', 'a'],
    ['a quotation in seven others stays one', `${'> '.repeat(8)}a`, `${'> '.repeat(8)}a`],
    ['a quotation in eight others is shown in the last of them', `${'> '.repeat(10)}a`, `${'> '.repeat(8)}a`],
    ['a list in eight others is shown in the last of them', `${'- '.repeat(10)}a`, `${'- '.repeat(8)}a`],
    [
      'the list after a deep one stays one',
      `${'- '.repeat(10)}a\n\n# b\n\n- - c`,
      `${'- '.repeat(8)}a\n\n# b\n\n- - c`,
    ],
    ['a quotation without words is left out', '>\n\na', 'a'],
    [
      'formatting in six others is left out',
      '**a *b ~~c __d _e ~~f __g _h_ g__ f~~ e_ d__ c~~ b* a** *i*',
      '**a *b ~~c **d *e ~~f g h g f~~ e* d** c~~ b* a** *i*',
    ],
    ['a list begins with the number of its first item that has words', '5.\n6. a\n7.\n8. b', '6. a\n7. b'],
    ['tags that arrange text are left out', '<div>\n  <b>a</b>\n\nb', 'a\n\nb'],
    ['other tags are text, line by line', '<script>\n  <x-y>\n</script>', '&lt;script>\\\n&lt;x-y>\\\n&lt;/script>'],
    ['a tag that formats does so', 'a <b>c</b> <code>d_e</code> <kbd>F</kbd>', 'a **c** `d_e` F'],
    [
      'what can be unfolded stands below its summary',
      '<details>\n<summary>A <i>b</i></summary>\n\n- c\n\n</details>\n\n<details><summary>D</summary>\n**e**\n</details>',
      '**A b**\n\n- c\n\n**D**\n\n**e**',
    ],
    ['a table in HTML has its cells divided', '<table><tr><td>a</td><td>b</td></tr></table>', 'a | b |'],
    ['a tag in a line is text', `a <b\nc> d`, 'a &lt;b\nc> d'],
    ['a tag that breaks the line does so', 'a<br>b<BR />c<br/>d', 'a\\\nb\\\nc\\\nd'],
    ['a tag that only looks like one is text', 'a<br x>b<brx> <!a <br>', 'a&lt;br x>b&lt;brx> &lt;!a &lt;br>'],
    ['a tag is one text with what stands around it', '##<b>', '##&lt;b>'],
    ['a comment is left out', 'c <!-- d -->\n\n<!-- a\n\nb -->', 'c'],
    ['a comment without an end is text', '<!-- a', '&lt;!-- a'],
    ['a paragraph without words is left out', 'a\n\n[]()\n\nb', 'a\n\nb'],
    ['formatting without words is left out', 'a **[]()** *[]()* ~~[]()~~ b', 'a    b'],
    [
      'what takes long to read stands as it was written',
      `${'> '.repeat(40)}*a*\n b\n \n\n c`,
      `${'> '.repeat(40).trim().replace('>', '&gt;')} \\*a\\*\\\nb\n\nc`,
    ],
    ['what stands beside the language of code stands above it', '```ts a="b"\nc\n```', '`ts a="b"`\n\n```\nc\n```'],
    [
      'a language of 41 characters stands above its code',
      `\`\`\`${x(41)}\na\n\`\`\``,
      `\`${x(41)}\`\n\n\`\`\`\na\n\`\`\``,
    ],
    ['code is as it is, also above it', '```@here\n<!here> \u202Ex\n```', '`@here`\n\n```\n<!here> \u202Ex\n```'],
    ['inline code is one line', '`a\nb @here \u2066x`', '`a b @here \u2066x`'],
    [
      'what reorders text is left out of it',
      'a\u202Eb [c\u2066d](https://e.org/\u202Ee)',
      'ab [cd](https://e.org/%E2%80%AEe)',
    ],
  ])('is shown as it can be: %s', (_what, markdown, shown) => {
    expect(written(markdown)).toBe(shown);
  });
});

it('Markdown that is not read stands line by line, with a paragraph after each empty line', () => {
  expect(writeMarkdown(asPlainText('\n a\nb\nc\n\nd\n \t \n e\n'))).toBe('a\\\nb\\\nc\n\nd\n\ne');
});

describe('a link', () => {
  it.each([
    [
      'that must not be followed has its address beside it',
      '[a](data:b) [](data:c) [data:d](data:d)',
      'a (data:b) data:c data:d',
    ],
    ['without an address is its label', '[a]() []()', 'a'],
    ['without a label shows its address', `[](${e})`, `[${e}](${e})`],
    ['in one that must not be followed is text', `[a ${e}/b](data:c)`, `a ${e}/b (data:c)`],
    ['with a picture in it is followed by that', `[a ![b](${e}/b) c](${e})`, `[a b c](${e}) [b](${e}/b)`],
    ['that is a picture without words has an address for each', `[![](${e}/a)](${e})`, `[${e}](${e}) [${e}/a](${e}/a)`],
    [
      'by reference has the first address that was given for it',
      `[A] [b][a]\n\n[a]: ${e}/1\n[a]: ${e}/2`,
      `[A](${e}/1) [b](${e}/1)`,
    ],
    ['by reference has its address from anywhere', `[a]\n\n> - [a]: ${e}/1`, `[a](${e}/1)`],
    [
      'from a picture by reference has the words for it, else the address',
      `![a][b] ![][b]\n\n[b]: ${e}`,
      `[a](${e}) [${e}](${e})`,
    ],
    ['that nothing refers to is shown where it is defined', `[A b]: ${e} "c"\n\nd`, `[A b](${e})\n\nd`],
    ['that something refers to is not shown where it is defined', `> - *[a]*\n\n[a]: ${e}`, `> - *[a](${e})*`],
  ])('%s', (_what, markdown, shown) => {
    expect(written(markdown)).toBe(shown);
  });
});

describe('a footnote', () => {
  it.each([
    ['stands at the end, by its name', 'a[^N]\n\n[^N]: **b** c\n\n    d\n\ne', 'a[N]\n\ne\n\n[N] **b** c\n\nd'],
    ['that does not begin with text has its name above it', 'a[^1]\n\n[^1]: - b', 'a[1]\n\n[1] \n\n- b'],
    ['without words is its name', 'a[^1]\n\n[^1]:', 'a[1]\n\n[1]'],
    ['in a quotation stands at the end of the answer', '> a[^1]\n>\n> [^1]: b\n\nc', '> a[1]\n\nc\n\n[1] b'],
  ])('%s', (_what, markdown, shown) => {
    expect(written(markdown)).toBe(shown);
  });
});

describe('a table', () => {
  const row = (count: number, cell: string) => `|${` ${cell} |`.repeat(count)}`;
  const table = (...rows: string[]) => rows.join('\n');

  it('of as many columns as Slack takes is one', () => {
    const markdown = table(row(20, 'a'), row(20, '---'), row(20, 'b'));
    expect(written(markdown)).toBe(markdown);
  });

  it('of more columns is a list of its rows, each cell after the name of its column', () => {
    const items = Array.from({ length: 21 }, () => '**a**: b').join('\n\n  ');
    expect(written(table(row(21, 'a'), row(21, '---'), row(21, 'b'), row(21, 'b')))).toBe(`- ${items}\n- ${items}`);
  });

  it('of more columns names no column that has no name', () => {
    const items = Array.from({ length: 20 }, () => '**a**: b').join('\n\n  ');
    expect(written(table(`| ${row(20, 'a')}`, row(21, '---'), row(21, 'b')))).toBe(`- b\n\n  ${items}`);
  });

  it('of more columns without rows is the names of its columns, one below the other', () => {
    expect(written(table(row(21, 'a'), row(21, '---')))).toBe(Array.from({ length: 21 }, () => 'a').join('\n\n'));
  });

  it('has the columns of its longest row, aligned as its header says', () => {
    expect(written('| a |\n|:-:|\n| b |')).toBe('| a |\n| :---: |\n| b |');
  });

  it('stays one with a long header and short rows', () => {
    const markdown = table(`| ${x(1_100)} |`, row(1, '---'), row(1, 'a'));
    expect(written(markdown)).toBe(markdown);
  });

  /** The header takes 10 characters and the second cell 5. The marks around content count as more than they are. */
  it.each<[string, number, (count: number) => string]>([
    ['words', 1_981, x],
    ['words to be escaped', 396, (count) => '&'.repeat(count)],
    ['inline code', 1_981, (count) => `\`${x(count)}\``],
    ['bold words', 1_975, (count) => `**${x(count)}**`],
    ['the address of a link', 1_960, (count) => `[b](${e}/${x(count)})`],
  ])('is a list where the header and a row take more than 2,000 characters, as with %s', (_of, most, cell) => {
    const isTable = (count: number) =>
      written(table('| a | b |', row(2, '---'), row(2, 'c'), `| ${cell(count)} | d |`)).startsWith('|');
    expect([isTable(most), isTable(most + 1)]).toEqual([true, false]);
  });
});
