import { describe, expect, it } from 'vitest';
import { build } from '../../../src/render/markdown/build.ts';
import { parseAnswer } from '../../../src/render/markdown/parse.ts';
import { weightOf, writeMarkdown } from '../../../src/render/markdown/to-markdown.ts';
import { writeMrkdwn } from '../../../src/render/markdown/to-mrkdwn.ts';
import { type Cost, NO_COST, toUnits } from '../../../src/render/markdown/units.ts';

const long = 'x'.repeat(1_000);
const wide = 'h'.repeat(50);

/** Writes the units of a document from `from` on, and returns by how much their estimated costs exceed the result. */
function estimated(markdown: string, from = 0) {
  const units = toUnits(parseAnswer(markdown));
  const nodes = build(units, from, units.length);
  const written = writeMarkdown(nodes);
  const costs = [units[from]?.reopening ?? NO_COST, ...units.slice(from).map((unit) => unit.cost)];
  const total = (amount: keyof Cost) => costs.reduce((sum, cost) => sum + cost[amount], 0);
  return {
    spare: [total('markdown') - written.length, total('mrkdwn') - writeMrkdwn(nodes).length],
    // Slack makes one block for each heading, code, table and rule, and another one for the text after it.
    spareWeight: total('weight') - weightOf(written) - 65 * total('blocks'),
    blocks: total('blocks'),
    table: [total('tableRows'), total('tableText')],
  };
}

describe('the estimate of how long units are as they are written', () => {
  /** Content outside of containers ends with a blank line, except at the end of a message. */
  it.each<[string, string, number, number, number]>([
    ['a paragraph', 'a & <b>', 2, 2, 0],
    ['two paragraphs', 'a\n\nb', 2, 2, 0],
    ['lines that are broken', 'a\\\nb\\\nc', 2, 2, 0],
    ['a heading', '### a', 2, 2, 2],
    ['a heading and its text', '# a\n\nb', 2, 3, 2],
    ['a rule', '---', 3, 5, 2],
    ['code', '```ts\na && b\nc\n```', 3, 5, 2],
    ['code with ticks in it', '`````\n````\n`````', 3, 5, 2],
    ['code that names a token of Slack', '```\n<!here>\n```', 3, 5, 2],
    ['a long line of code, in two units', `\`\`\`\n${long}\n\`\`\``, 3, 5, 2],
    // Two paragraphs, of which only one has a blank line, and a container around both.
    ['a long paragraph, in two units', long, 6, 6, 0],
    ['an item', '- a', 6, 10, 0],
    ['items', '- a\n- b\n- c', 12, 24, 0],
    ['numbered items, their last number two digits long', '9. a\n10. b', 14, 18, 0],
    ['tasks', '- [x] a\n- [ ] b', 17, 21, 0],
    ['an item in an item', '- a\n  - b', 11, 19, 0],
    ['an item of two lines', '- a\\\n  b', 6, 10, 0],
    ['an item with code', '- a\n\n  ```\n  b\n  c\n  ```', 8, 14, 2],
    ['an item with a rule', '- a\n\n  ---', 7, 14, 2],
    ['an item with a table', '- a\n\n  | b | c |\n  |---|---|\n  | 1 | 2 |', 8, 21, 2],
    ['a quotation', '> a', 4, 4, 0],
    ['a quotation of lines', '> a\\\n> b\\\n> c', 4, 4, 0],
    ['a quotation of code', '> ```\n> a\n> b\n> ```', 5, 7, 2],
    ['a quotation of a table', '> | a | b |\n> |---|---|\n> | 1 | 2 |', 5, 12, 2],
    ['a table', '| a | b |\n|---|---|\n| 1 | < |', 3, 8, 2],
    ['a table without rows', '| a | b |\n|---|---|', 5, 4, 2],
    ['a table with links, a line per row', '| a | b |\n|---|---|\n| [x](https://e.org) | 2 |', 3, 12, 2],
    ['a table too wide for columns, a record per row', `| ${wide} | ${wide} |\n|---|---|\n| 1 | 2 |`, 3, 110, 2],
    ['such a table in an item', `- a\n\n  | ${wide} | ${wide} |\n  |---|---|\n  | 1 | 2 |`, 8, 119, 2],
  ])('is enough for %s, and hardly more', (_what, markdown, spare, spareMrkdwn, blocks) => {
    expect(estimated(markdown)).toMatchObject({ spare: [spare, spareMrkdwn], spareWeight: spare, blocks });
  });

  it.each<[string, string, number, number]>([
    ['code', '```ts\na\nb\n```', 3, 5],
    ['a long line of code', `\`\`\`\n${long}\n\`\`\``, 2, 4],
    ['a long paragraph', long, 4, 4],
    ['a long item', `- ${long}`, 10, 14],
    ['a list', '- a\n- b', 6, 10],
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |', 3, 8],
    ['code in an item', '- a\n\n  ```\n  b\n  c\n  ```', 13, 11],
  ])('is enough for what opens %s again in a new message', (_what, markdown, spare, spareMrkdwn) => {
    const last = toUnits(parseAnswer(markdown)).length - 1;
    expect(estimated(markdown, last)).toMatchObject({ spare: [spare, spareMrkdwn], spareWeight: spare });
  });

  it('counts rows and texts of tables, with the header', () => {
    const rows = '| ab | cd |\n|---|---|\n| e | **f** |\n| g | `h` |';
    expect(estimated(`${rows}\n\n| i |\n|---|`).table).toEqual([4, 9]);
    expect(estimated(rows, 1).table).toEqual([2, 6]);
    expect(estimated('a\n\n- b').table).toEqual([0, 0]);
  });
});

describe('a message', () => {
  /** How well a message can begin with the second unit. */
  const preference = (markdown: string) => toUnits(parseAnswer(markdown))[1]?.boundary;

  it('begins rather with one of these than with the next', () => {
    const inOrder = [
      'a\n\n# heading',
      'a\n\nparagraph',
      '- a\n- item',
      '- a\n\n  paragraph of an item',
      '- a\n  - b',
      '| a |\n|---|\n| b |\n| row |',
      '```\n\nline after an empty one\n```',
      '```\na\nline\n```',
      long,
      `\`\`\`\n${long}\n\`\`\``,
      '# a\n\ntext under its heading',
    ].map(preference);
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => Number(other) - Number(one)));
    // An item in an item ranks like a paragraph of that item.
    expect(new Set(inOrder).size).toBe(inOrder.length - 1);
  });

  it('begins as well with a block of a quotation as with an item', () => {
    expect(preference('> a\n>\n> b')).toBe(preference('- a\n- b'));
  });

  it('begins as well after a line of spaces as after an empty line of code', () => {
    expect(preference('```\n  \na\n```')).toBe(preference('```\n\na\n```'));
    expect(preference('```\n  \na\n```')).not.toBe(preference('```\nb\na\n```'));
  });

  it('begins rather with the deepest item than with a row', () => {
    const deep = toUnits(parseAnswer(`${'- '.repeat(8)}a\n${' '.repeat(14)}- b`));
    expect(deep).toHaveLength(2);
    expect(deep[1]?.boundary).toBeGreaterThan(preference('| a |\n|---|\n| b |\n| row |') ?? 0);
  });

  it('does not begin with the note under a diagram, even in an item', () => {
    const notes = { url: 'https://e.org', label: 'Open', names: new Map([['mermaid' as const, 'Diagram']]) };
    for (const markdown of ['```mermaid\na\n```', '- ```mermaid\n  a\n  ```']) {
      expect(toUnits(parseAnswer(markdown, notes)).map(({ boundary }) => boundary)).toEqual([0, -1]);
    }
  });
});

describe('what a message begins in the middle of', () => {
  const continued = (markdown: string, from: number) => {
    const units = toUnits(parseAnswer(markdown));
    return writeMarkdown(build(units, from, units.length));
  };

  it.each([
    ['numbering goes on', '7. a\n8. b\n9. c', 1, '8. b\n9. c'],
    ['an item that goes on stands before the list', '1. a\n\n   b\n2. c\n3. d', 1, 'b\n\n2. c\n3. d'],
    ['an item that alone goes on is no list any more', '- a\n\n  b', 1, 'b'],
    ['an inner list goes on as a list, and then the outer one', '- a\n  - b\n  - c\n- d', 2, '- c\n\n* d'],
    ['a quotation goes on', '> a\n>\n> b', 1, '> b'],
    ['a list in a quotation goes on', '> 1. a\n> 2. b', 1, '> 2. b'],
    ['code has its language again', '```ts\na\nb\nc\n```', 1, '```ts\nb\nc\n```'],
    ['a table has its header again', '| a |\n|---|\n| 1 |\n| 2 |', 1, '| a |\n| --- |\n| 2 |'],
  ])('%s', (_what, markdown, from, written) => {
    expect(continued(markdown, from)).toBe(written);
  });

  it('leaves nothing of lists and paragraphs that have no more to say', () => {
    const item = toUnits(parseAnswer('- a\n\n  b'));
    expect(build(item, 1, 2).map(({ type }) => type)).toEqual(['paragraph']);
    const code = `\`${'c'.repeat(596)}\``;
    const space = toUnits(parseAnswer(`**${code} ${code}**`));
    expect(space).toHaveLength(3);
    expect(build(space, 1, 2)).toEqual([]);
  });
});
