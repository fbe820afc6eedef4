import type { PhrasingContent } from 'mdast';
import { describe, expect, it } from 'vitest';
import { dividedText, dividePhrasing, joined, trimEnds } from '../../../src/render/markdown/divide-phrasing.ts';
import { parseAnswer } from '../../../src/render/markdown/parse.ts';
import { writeMarkdown } from '../../../src/render/markdown/to-markdown.ts';
import { textOf } from '../../../src/render/markdown/words.ts';

const text = (value: string): PhrasingContent => ({ type: 'text', value });
const y = (count: number): PhrasingContent => text('y'.repeat(count));
const lineBreak: PhrasingContent = { type: 'break' };

/** The pieces of a paragraph, as Markdown. */
function pieces(markdown: string): string[] {
  const [paragraph] = parseAnswer(markdown);
  if (paragraph?.type !== 'paragraph') throw new Error('No paragraph');
  return dividePhrasing(paragraph.children).map((children) => writeMarkdown([{ type: 'paragraph', children }]));
}

describe('a text that is divided', () => {
  const plain = (part: string) => part.length;

  it('stays whole up to 600 characters, and is nowhere longer', () => {
    expect(dividedText('x'.repeat(600), plain)).toEqual(['x'.repeat(600)]);
    expect(dividedText('x'.repeat(1_300), plain).map(plain)).toEqual([600, 600, 100]);
    expect(dividedText('', plain)).toEqual(['']);
  });

  it('has shorter pieces where they take more room as they are written, but not shorter than two', () => {
    const times = (factor: number) => (part: string) => part.length * factor;
    // Pieces become shorter in steps, by two fifths each, until they fit.
    expect(dividedText('x'.repeat(700), times(2)).map(plain)).toEqual([216, 290, 194]);
    expect(dividedText('x'.repeat(361), times(600 / 360)).map(plain)).toEqual([216, 145]);
    expect(dividedText('abcd', times(301))).toEqual(['ab', 'cd']);
  });
});

describe('a paragraph that is divided', () => {
  it('has as much in each piece as fits 600 characters', () => {
    const sentence = `${'x'.repeat(98)}. `;
    expect(pieces(sentence.repeat(13)).map((piece) => piece.split('.').length - 1)).toEqual([6, 6, 1]);
  });

  it.each<[string, number, PhrasingContent]>([
    [
      'a link with its address and marks',
      258,
      { type: 'link', url: `https://e.org/${'&'.repeat(20)}`, children: [y(136)] },
    ],
    ['formatting with its marks', 258, { type: 'strong', children: [y(200), y(50)] }],
    ['code with its marks, as it is written', 106, { type: 'inlineCode', value: '&'.repeat(20) }],
    ['text as it is written', 100, text('&'.repeat(20))],
    ['the indentation of each line of a text', 57, text('one\ntwo\nx')],
    ['the indentation after a line break', 24, lineBreak],
  ])('counts %s', (_what, size, node) => {
    const xs = (count: number) => text('x'.repeat(count));
    // Each is at most half of a piece long, because a longer text would be divided.
    expect(dividePhrasing([xs(300), xs(300 - size), node])).toHaveLength(1);
    expect(dividePhrasing([xs(300), xs(301 - size), node])).toHaveLength(2);
  });

  it.each(['strong', 'emphasis', 'delete'] as const)(
    'is %s in each piece, and the spaces between stand outside',
    (type) => {
      const formatted = (...children: PhrasingContent[]): PhrasingContent => ({ type, children });
      const [a, b] = ['a'.repeat(590), 'b'.repeat(300)];
      for (const children of [[text(`${a} ${b}`)], [text(a), text(` ${b}`)]]) {
        expect(dividePhrasing([formatted(...children)])).toEqual([
          [formatted(text(a)), text(' ')],
          [formatted(text(b))],
        ]);
      }
      const code: PhrasingContent = { type: 'inlineCode', value: 'c'.repeat(596) };
      expect(dividePhrasing([formatted(code, text(' '), code)])).toEqual([
        [formatted(code)],
        [text(' ')],
        [formatted(code)],
      ]);
    },
  );

  it('has long code in pieces that are code', () => {
    expect(pieces(`\`${'y'.repeat(1_300)}\``)).toEqual([
      `\`${'y'.repeat(600)}\``,
      `\`${'y'.repeat(600)}\``,
      `\`${'y'.repeat(100)}\``,
    ]);
    // An ampersand takes five characters in mrkdwn.
    for (const piece of pieces(`\`${'&'.repeat(400)}\``)) expect(piece.length - 2).toBeLessThanOrEqual(120);
  });

  it('never has a link divided, only a label that is longer than a piece by itself', () => {
    const link = `[${'&'.repeat(600)}](https://e.org)`;
    expect(pieces(`x ${link} z`)).toEqual(['x', link, ' z']);
    const label = 'word '.repeat(130).trim();
    const divided = pieces(`[${label}](https://e.org)`);
    expect(divided).toHaveLength(2);
    for (const piece of divided) expect(piece).toMatch(/^\[(?:word ?)+\]\(https:\/\/e\.org\)$/);
  });

  it('loses nothing of it', () => {
    const markdown = `${'a *b* **c** ~~d~~ '.repeat(60)}**${'e `f` '.repeat(300)}g**\\\nh`;
    const [paragraph] = parseAnswer(markdown);
    if (paragraph?.type !== 'paragraph') throw new Error('No paragraph');
    expect(dividePhrasing(paragraph.children).map(textOf).join('')).toBe(textOf(paragraph.children));
  });
});

describe('a piece of a paragraph', () => {
  it.each<[string, PhrasingContent[], PhrasingContent[]]>([
    ['spaces', [text(' a '), text(' b ')], [text('a '), text(' b')]],
    [
      'line breaks',
      [lineBreak, lineBreak, text('a'), lineBreak, text('b'), lineBreak],
      [text('a'), lineBreak, text('b')],
    ],
    ['texts of white space alone', [text(' \n'), lineBreak, text(' '), text('a'), text(' '), text(' ')], [text('a')]],
    ['nothing where it is code', [{ type: 'inlineCode', value: ' a ' }], [{ type: 'inlineCode', value: ' a ' }]],
    ['everything where all of it is white space', [text(' '), lineBreak, text('\n')], []],
  ])('loses at its ends %s', (_what, children, trimmed) => {
    const before = structuredClone(children);
    expect(trimEnds(children)).toEqual(trimmed);
    expect(children).toEqual(before);
  });

  it('has texts next to each other as one, and codes, but nothing else', () => {
    const code = (value: string): PhrasingContent => ({ type: 'inlineCode', value });
    const strong: PhrasingContent = { type: 'strong', children: [text('s')] };
    expect(
      joined([text('a'), text('b'), code('c'), code('d'), text('e'), strong, strong, text('f'), code('g')]),
    ).toEqual([text('ab'), code('cd'), text('e'), strong, strong, text('f'), code('g')]);
  });
});
