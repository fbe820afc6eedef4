import { describe, expect, it } from 'vitest';
import { isQuicklyParsed } from '../../../src/core/markdown-guard.ts';

const many = (text: string) => (count: number) => text.repeat(count);
const behind = (beginning: string, text: string) => (count: number) => `${beginning}${text.repeat(count)}`;
const ahead = (text: string, end: string) => (count: number) => `${text.repeat(count)}${end}`;
const lines = (queue: (index: number) => string) => (count: number) =>
  Array.from({ length: count }, (_, index) => queue(index)).join('\n');

const deepList = `${'- '.repeat(30)}x\n`;
const stars = '*\n';
/** One block of text may have a thousand emphasis marks. A fence may have thousands of lines. */
const asText = 1_000;

type Case = [what: string, most: number, make: (count: number) => string];

/** Each limit is exact: at the limit, text is read as Markdown. With one more, it is shown as it was written. */
function itReads(cases: Case[]): void {
  it.each(cases)('%s only up to %i', (_, most, make) => {
    expect([isQuicklyParsed(make(most)), isQuicklyParsed(make(most + 1))]).toEqual([true, false]);
  });
}

describe('text is read as Markdown with', () => {
  itReads([
    ['characters', 100_000, many('a')],
    ['lines', 6_000, many('a\n')],
    ['lines that end with a carriage return and a line feed', 6_000, many('a\r\n')],
    ['lines that end with a carriage return alone', 6_000, many('a\r')],
    ['blank lines', 6_000, many('\n')],
    ['lines of white space', 6_000, many(' \t\n')],
    ['lines of code', 5_995, (count) => `\`\`\`\n${'x\n'.repeat(count)}\`\`\``],
    ['lines of code that never end', 5_996, behind('```js\n', '*_[<\n')],
  ]);
});

describe('text is read as Markdown, for marks, with', () => {
  itReads([
    ['stars', 1_000, many('*')],
    ['stars between words', 1_000, many('* a')],
    ['tildes', 1_000, many('~')],
    ['underscores', 1_000, many('_ ')],
    ['underscores after a name', 1_000, many('a_ ')],
    ['underscores before a name', 1_000, many(' _a')],
    ['names with an underscore inside', 5_999, many('a_b ')],
    ['names of the first and last letters and digits', 999, many('A_Z Z_9 9_z z_0 0_a a_A ')],
    ['opening brackets', 2_000, many('[ ')],
    ['closing brackets', 2_000, many('] ')],
    ['bars of tables, which count twice,', 2_999, many('| ')],
    ['tags that never end', 1_632, many('a< ')],
    ...['(', ')', '!', '&', '\\', ':', '@', '`'].map((mark): Case => [mark, 5_999, many(`a${mark} `)]),
    ['ends of tags', 5_999, many('a> ')],
  ]);

  it('any number of marks that format nothing', () => {
    expect(isQuicklyParsed('a# '.repeat(33_333))).toBe(true);
  });

  itReads([
    ['brackets beside other marks', 2_307, behind('[ '.repeat(1_900), '! ')],
    ['marks in a word', 2_828, many('.')],
    ['marks in a word of other letters', 2_372, behind('é'.repeat(1_000), '.')],
    ['tags in a long text', 158, behind('word '.repeat(10_000), '<a ')],
    [
      'tags in the paragraph after a long text',
      994,
      behind(`${'word '.repeat(10_000)}${'<a '.repeat(100)}\n\n`, '<a '),
    ],
    ['backticks without an end in a long text', 4_169, behind('word '.repeat(15_000), 'a` ')],
    ['lines of a hundred tags', 16, many(`${'<a '.repeat(100)}\n`)],
    ['paragraphs of a hundred tags', 58, many(`${'<a '.repeat(100)}\n\n`)],
    ['lines of a hundred stars', 10, many(`${'*'.repeat(100)}\n`)],
    ['paragraphs of a hundred stars', 58, many(`${'*'.repeat(100)}\n\n`)],
  ]);
});

describe('text is read as Markdown, for lists and quotations, with', () => {
  itReads([
    ...['> ', '>', '- ', '* ', '+ ', '-\t', '1. ', '1) ', '0. ', '9. ', '123456789. ', '[^a]: '].map(
      (marker): Case => [JSON.stringify(marker), 30, ahead(marker, 'x')],
    ),
    ['lists in lists, by two spaces', 30, lines((index) => `${'  '.repeat(index)}- a`)],
    ['lists in lists, by tabs', 30, lines((index) => `${'\t'.repeat(index)}- a`)],
    ['lists that may be in lists, by one space', 59, lines((index) => `${' '.repeat(index)}- a`)],
    ['items of one list', 2_000, many('- a\n')],
    ['items of lists in lists', 666, many('- - - a\n')],
    ['lines of a quotation', 1_000, many('> a\n')],
    ['lines of a quotation in a quotation', 462, many('> > a\n')],
    ['lines that go on in a list', 856, behind('- - - a\n', '      b\n')],
    ['lines below a list', 5_993, behind('- - - a\n', 'b\n')],
    ['blank lines in a deep list', 97, behind(deepList, '\n')],
    ['blank lines after a line that belongs to a deep list', 97, behind(`${deepList}a\n`, '\n')],
    ['blank lines after an indented paragraph in a deep list', 96, behind(`${deepList}\n  a\n`, '\n')],
    ['blank lines after the end of a deep list', 5_877, behind(`${deepList}\na\n`, '\n')],
    ['blank lines after code that ends a deep list', 5_934, behind(`${deepList}\`\`\`\n\`\`\`\n`, '\n')],
  ]);

  it.each(['1234567890. ', '1: ', '-x ', '= ', 'a. '])('any row of %j, which opens no list', (text) => {
    expect(isQuicklyParsed(`${text.repeat(31)}x`)).toBe(true);
  });

  it('any label of more than a thousand characters, which opens no footnote', () => {
    const labelled = (length: number) => isQuicklyParsed(`[^${'a'.repeat(length)}]: ${'- '.repeat(30)}x`);
    expect([labelled(1), labelled(1_000), labelled(1_200)]).toEqual([false, false, true]);
  });
});

describe('stars are limited like text', () => {
  itReads([
    ['after a fence that ended', asText, behind('```\na\n```\n', stars)],
    ['after a longer fence ended it', asText, behind('```\n`````\n', stars)],
    ['after an indented fence ended it', asText, behind('```\n   ``` \t\n', stars)],
    ['where a fence may stand in a comment', asText, behind('<!--\n```\n', stars)],
    ['where a fence stood in a list before', asText, behind('- ```\n```\n', stars)],
    ['where a fence is indented', asText, behind('  ```\n', stars)],
    ['after a byte order mark', asText, behind('\uFEFF```\n', stars)],
    ['after two backticks', asText, behind('``\n', stars)],
    ['after backticks with one more behind them', asText, behind('``` `\n', stars)],
    ['before code', asText, ahead('*', `\n\`\`\`\n\`\`\`\n${'*'.repeat(600)}`)],
  ]);
});

describe('stars are limited like code', () => {
  itReads([
    ['in a fence of tildes', 5_995, (count) => `~~~ts\n${stars.repeat(count)}~~~`],
    ['in a fence of tildes with a backtick behind them', 5_995, behind('~~~ `\n', stars)],
    ['until a fence as long', 5_994, behind('````\n```\n', stars)],
    ['until a fence that is not indented like code', 5_995, behind('```\n    ```\n', stars)],
    ['until a fence with nothing behind it', 5_995, behind('```\n``` x\n', stars)],
    ['until a fence of the same kind', 5_995, behind('```\n~~~\n', stars)],
  ]);
});
