import { z } from 'zod';
import { listOf, maybeText, someText } from './fields.ts';
import { fileOfElement } from './files.ts';
import { readableText } from './incoming-text.ts';
import { canonical, escaped, linked } from './markup.ts';
import { filesIn, type Reading, richText } from './rich-text.ts';

/** A text as blocks have it: a bare string, or an object. */
const blockText = z
  .union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)])
  .transform(readableText)
  .catch('');

const cellObject = z.object({
  type: someText,
  text: blockText,
  value: z.unknown().optional(),
  elements: z.unknown().optional(),
});

/** What is read of a block. All other fields may be missing or odd. */
export const blockObject = z.object({
  type: someText,
  block_id: maybeText,
  text: blockText,
  title: blockText,
  subtitle: blockText,
  body: blockText,
  description: blockText,
  alt_text: blockText,
  title_url: maybeText,
  fields: listOf(blockText),
  rows: z.unknown().optional(),
  elements: z.unknown().optional(),
});

export type Block = z.infer<typeof blockObject>;

/** A context block has texts and pictures. */
const contextElement = z.object({ type: someText, text: blockText, alt_text: blockText });

/** Blocks whose words are labels of what can be pressed or typed. */
const unread = new Set(['actions', 'context_actions', 'input', 'divider']);

/** What blocks say, in Slack's markup. */
export function blocksText(blocks: readonly Block[], reading: Reading): string {
  return blocks
    .map((block) => blockWords(block, reading))
    .filter((words) => words !== '')
    .join('\n');
}

/** The files that stand in the text of blocks. */
export function filesOfBlocks(blocks: readonly Block[]): Record<string, unknown>[] {
  return blocks
    .filter(({ type }) => type === 'rich_text')
    .flatMap(({ elements }) => filesIn(elements).map(fileOfElement));
}

export function contextElements({ elements }: Pick<Block, 'elements'>) {
  return listOf(contextElement).parse(elements);
}

function blockWords(block: Block, reading: Reading): string {
  if (unread.has(block.type)) return '';
  switch (block.type) {
    case 'rich_text':
      return readableText(richText(block.elements, reading));
    case 'markdown':
      return escaped(block.text);
    case 'context':
      return contextElements(block)
        .map(({ type, text, alt_text: alt }) => (type === 'image' ? alt : canonical(text, reading.identity)))
        .filter((words) => words !== '')
        .join(' ');
    case 'image':
    case 'video':
      return picture(block);
    case 'table':
    case 'data_table':
      return table(block.rows, reading);
    default: {
      const { text, title, subtitle, body, description, fields } = block;
      return [title, subtitle, text, body, description, ...fields]
        .filter((words) => words !== '')
        .map((words) => canonical(words, reading.identity))
        .join('\n');
    }
  }
}

/** A picture can't be read; what is written about it can. */
function picture({ type, title, alt_text: alt, title_url: url }: Block): string {
  const words = title || alt;
  const named = url === undefined ? words : linked(url, words);
  return named === '' ? '' : `(${type === 'image' ? 'image' : 'video'}: ${named})`;
}

/** A table in Markdown. Its first row is the header, which people mark only by bold text. */
function table(rows: unknown, reading: Reading): string {
  const lines = listOf(z.array(z.unknown()).transform((cells) => listOf(cellObject).parse(cells)))
    .parse(rows)
    .map((cells) => `| ${cells.map((cell) => cellText(cell, reading)).join(' | ')} |`);
  const [header, ...others] = lines;
  if (header === undefined) return '';
  const columns = Math.max(1, header.split(/(?<!\\)\|/).length - 2);
  return [header, `|${' --- |'.repeat(columns)}`, ...others].join('\n');
}

/** The shown text of a cell, or its value. A bar or a line's end would end the cell. */
function cellText({ type, text, value, elements }: z.infer<typeof cellObject>, reading: Reading): string {
  const words = type === 'rich_text' ? richText(elements, reading) : escaped(text === '' ? simpleValue(value) : text);
  return readableText(words)
    .replace(/\\(?=\|)|\|/g, '\\$&')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function simpleValue(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
