import type { Blockquote, List, PhrasingContent, RootContent, Table } from 'mdast';
import { escapeMrkdwn, mrkdwnLink } from '../text.ts';
import { withoutStrong } from './parse.ts';
import { textOf } from './words.ts';

declare module 'mdast' {
  interface TableData {
    form?: TableForm;
  }
}

const ZERO_WIDTH_SPACE = '\u200B';
/** A character that looks like a backtick, because in mrkdwn every real backtick begins or ends code. */
const BACKTICK = '\u02CB';
/** Where Slack may read a mark as the beginning or the end of formatting: at the edge of a word. */
const MARKS = ['\\*', '_', '~'].map((mark) => ({
  opens: new RegExp(`(?:^|[^\\p{L}\\p{N}])${mark}(?=\\S)`, 'u'),
  closes: new RegExp(`\\S${mark}(?=$|[^\\p{L}\\p{N}])`, 'u'),
}));
/** Most characters after a word that belong to the sentence. */
const MAX_CLOSING = 8;
const BULLETS = ['•', '◦', '▪'] as const;
const INDENT = '    ';
const RULE = '———';
/** A table wider than this would wrap in Slack's desktop window, which makes its columns unreadable. */
const MAX_TABLE_WIDTH = 90;

/**
 * Writes a tree in Slack's mrkdwn: headings as bold lines, and lists with bullets and indentation. A table becomes an
 * aligned code block, one record per row if the block would be too wide, or one line per row if the block would lose a
 * link. `&`, `<` and `>` are escaped exactly once, so the text can't produce a Slack token.
 */
export function writeMrkdwn(nodes: readonly RootContent[]): string {
  let text = '';
  let glue = '';
  for (const node of nodes) {
    const written = block(node, 0);
    if (written === '') continue;
    text += glue + written;
    // No blank line after a heading, so that it stays close to its text.
    glue = node.type === 'heading' ? '\n' : '\n\n';
  }
  return text;
}

function block(node: RootContent, depth: number): string {
  switch (node.type) {
    case 'paragraph':
      return guardQuotes(inline(node.children));
    case 'heading':
      return bold(node.children);
    case 'list':
      return list(node, depth);
    case 'blockquote':
      return quote(node);
    case 'code':
      return fence(node.value);
    case 'table':
      return writeTable(node);
    case 'thematicBreak':
      return RULE;
    default:
      return '';
  }
}

function list(node: List, depth: number): string {
  return node.children
    .map((item, index) => {
      const marker = node.ordered === true ? `${(node.start ?? 1) + index}.` : BULLETS[depth % BULLETS.length];
      const check = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : '';
      const besideMarker = item.children.slice(0, 1).filter(({ type }) => type === 'paragraph' || type === 'heading');
      const [first = ''] = besideMarker.map((child) => indented(block(child, depth)).trimStart());
      const others = blocks(item.children.slice(besideMarker.length), depth + 1).map(indented);
      return [`${marker} ${check}${first}`.trimEnd(), ...others].join('\n');
    })
    .join('\n');
}

/** Writes each block and leaves out empty ones. */
function blocks(nodes: readonly RootContent[], depth: number): string[] {
  return nodes.map((node) => block(node, depth)).filter((text) => text !== '');
}

/** Indents all lines except code, because spaces inside a fence would belong to the code. */
function indented(text: string): string {
  return text.replace(/```\n[\s\S]*?\n```|^(?=.)/gm, (code) => code || INDENT);
}

function quote(node: Blockquote): string {
  return blocks(node.children, 0)
    .map((text) => {
      // Quote marks inside a fence would break it.
      return text.includes('```') ? text : text.replace(/^(?!> )/gm, '> ');
    })
    .join('\n');
}

/** Writes a code block. Three backticks inside it would end it, so an invisible character separates them. */
export function fence(code: string): string {
  return `\`\`\`\n${escapeFenced(code)}\n\`\`\``;
}

/** Escapes code for the inside of a fence. */
export function escapeFenced(code: string): string {
  return escapeMrkdwn(code).replace(/`(?=``)/g, `\`${ZERO_WIDTH_SPACE}`);
}

/** Protects lines that begin with `&gt;`, which Slack would read as a quotation. */
function guardQuotes(text: string): string {
  return text.replace(/^([^\S\n]*)&gt;/gm, `$1${ZERO_WIDTH_SPACE}&gt;`);
}

/** Writes phrasing content as mrkdwn. */
function inline(nodes: readonly PhrasingContent[]): string {
  let result = '';
  // Keep the last character separately, because reading the end of a growing text costs as much as its whole length.
  let before = '';
  for (const [index, node] of nodes.entries()) {
    const following = nodes
      .slice(index + 1, index + 2)
      .map(firstCharacter)
      .join('');
    const written = inlineNode(node, before, following);
    result += written;
    before = written.slice(-1) || before;
  }
  return result;
}

function firstCharacter(node: PhrasingContent): string {
  if (node.type === 'break') return '\n';
  if (node.type === 'text') return node.value.charAt(0);
  return 'x';
}

function inlineNode(node: PhrasingContent, before: string, after: string): string {
  switch (node.type) {
    case 'text':
      // A line break inside a paragraph only shows where the source was wrapped.
      return words(node.value.replaceAll('\n', ' '), before, after);
    case 'break':
      return '\n';
    case 'strong':
      return marked('*', inline(withoutStrong(node.children)), before, after);
    case 'emphasis':
      return marked('_', inline(node.children), before, after);
    case 'delete':
      return marked('~', inline(node.children), before, after);
    case 'inlineCode':
      return inlineCode(node.value, before, after);
    case 'link':
      return mrkdwnLink(node.url, textOf(node.children));
    default:
      return '';
  }
}

/** Inline code with a backtick takes three around it. With three inside it there is no form, so they are replaced. */
function inlineCode(value: string, before: string, after: string): string {
  if (!value.includes('`')) return surrounded('`', escapeMrkdwn(value), before, after);
  const code = value.includes('```') || /^`|`$/.test(value) ? value.replaceAll('`', BACKTICK) : value;
  return surrounded(code === value ? '```' : '`', escapeMrkdwn(code), before, after);
}

/**
 * Writes text. mrkdwn has no escapes, so a name whose marks would format the text (`__init__.py`, `src/**\/*.ts`) is
 * written as code, where it stays as it is.
 */
function words(text: string, before: string, after: string): string {
  const formatting = MARKS.filter(({ opens, closes }) => {
    const start = text.search(opens);
    return start >= 0 && closes.test(text.slice(start + 1));
  });
  if (formatting.length === 0) return escapeMrkdwn(text.replaceAll('`', BACKTICK));
  let result = '';
  const pieces = text.split(/([^\s`]+)/);
  for (const [index, piece] of pieces.entries()) {
    const [opening = ''] = /^["'([{]*/.exec(piece) ?? [];
    // A bracket belongs to the sentence only if the sentence opened one: `count(*)` does.
    const [closing = ''] =
      (opening === '' ? /["'.,;:!?…]*$/u : /["')\]}.,;:!?…]*$/u).exec(piece.slice(-MAX_CLOSING)) ?? [];
    const name = piece.slice(opening.length, Math.max(opening.length, piece.length - closing.length));
    if (
      index % 2 === 0 ||
      !/[\p{L}\p{N}]/u.test(name) ||
      !formatting.some(({ opens, closes }) => opens.test(name) || closes.test(name))
    ) {
      result += escapeMrkdwn(piece.replaceAll('`', BACKTICK));
      continue;
    }
    const left = opening.slice(-1) || pieces[index - 1]?.slice(-1) || before;
    const right = closing.charAt(0) || pieces[index + 1]?.charAt(0) || after;
    result += escapeMrkdwn(opening) + surrounded('`', escapeMrkdwn(name), left, right) + escapeMrkdwn(closing);
  }
  return result;
}

/** Writes bold text alone on a line or between spaces. */
function bold(nodes: readonly PhrasingContent[]): string {
  return marked('*', inline(withoutStrong(nodes)));
}

/** Writes formatting per line, without spaces just inside the marks, because mrkdwn formatting does not cross lines. */
function marked(mark: string, text: string, before = '', after = ''): string {
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      const inner = line.trim();
      if (inner === '') return line;
      const start = line.indexOf(inner);
      const leading = line.slice(0, start);
      const trailing = line.slice(start + inner.length);
      const left = leading !== '' ? ' ' : index === 0 ? before : '\n';
      const right = trailing !== '' ? ' ' : index === lines.length - 1 ? after : '\n';
      return leading + surrounded(mark, inner, left, right) + trailing;
    })
    .join('\n');
}

/** Slack reads a mark only at the edge of a word, so add an invisible edge where there is none. */
function surrounded(mark: string, inner: string, before: string, after: string): string {
  const opening = isEdge(before) ? '' : ZERO_WIDTH_SPACE;
  const closing = isEdge(after) ? '' : ZERO_WIDTH_SPACE;
  return `${opening}${mark}${inner}${mark}${closing}`;
}

function isEdge(character: string): boolean {
  return character === '' || character === ZERO_WIDTH_SPACE || /[\s()[\]{}"'.,:;!?/…–—-]/u.test(character);
}

/** The form of a table. A table that may be divided stores its form as data, so that all its pieces look alike. */
export type TableForm =
  | { kind: 'aligned'; widths: number[] }
  /** One line per row. */
  | { kind: 'lines' }
  /** One record per row, with one line per cell. */
  | { kind: 'records' };

export function tableForm(node: Table): TableForm {
  return node.data?.form ?? measureTable(node);
}

function measureTable(node: Table): TableForm {
  const widths: number[] = [];
  let links = false;
  for (const row of node.children) {
    for (const [column, cell] of row.children.entries()) {
      links ||= cell.children.some(hasLink);
      widths[column] = Math.max(widths[column] ?? 3, displayWidth(textOf(cell.children)));
    }
  }
  const total = widths.reduce((sum, width) => sum + width + 3, 0);
  if (total > MAX_TABLE_WIDTH) return { kind: 'records' };
  return links ? { kind: 'lines' } : { kind: 'aligned', widths };
}

function hasLink(node: PhrasingContent): boolean {
  return node.type === 'link' || ('children' in node && node.children.some(hasLink));
}

function writeTable(node: Table): string {
  const form = tableForm(node);
  const header = node.children[0];
  if (header === undefined) return '';
  if (form.kind === 'aligned') {
    const rule = form.widths.map((width) => '-'.repeat(width)).join('-+-');
    const lines = node.children.map((row) =>
      form.widths
        .map((width, column) => pad(textOf(row.children[column]?.children ?? []), width, node.align?.[column] ?? null))
        .join(' | ')
        .trimEnd(),
    );
    return fence([...lines.slice(0, 1), rule, ...lines.slice(1)].join('\n'));
  }
  const rows = node.children.slice(1);
  if (rows.length === 0) {
    const names = header.children.map((cell) => bold(cell.children));
    return names.filter((name) => name !== '').join(' · ');
  }
  return rows
    .map((row) => {
      const cells = row.children.map((cell, column) => {
        const value = inline(cell.children);
        const name = inline(withoutStrong(header.children[column]?.children ?? []));
        return name === '' || value === '' ? value : `${marked('*', `${name}:`)} ${value}`;
      });
      return `• ${cells.filter((cell) => cell !== '').join(form.kind === 'records' ? `\n${INDENT}` : ' · ')}`;
    })
    .join('\n');
}

function pad(text: string, width: number, align: 'left' | 'right' | 'center' | null): string {
  const room = Math.max(0, width - displayWidth(text));
  if (align === 'right') return ' '.repeat(room) + text;
  const left = align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(room - left);
}

/** The number of columns of a text in a fixed-width font. Wide East Asian characters and emoji take two. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}|\u200B|\u200C|\u200D/u.test(character)) continue;
    width +=
      /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\p{Extended_Pictographic}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
