import type { Delete, Emphasis, PhrasingContent, Root, RootContent, Strong, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough';
import { gfm } from 'micromark-extension-gfm';

// Common Markdown misreads some parts of answers about code: emphasis in names and beside Chinese, Japanese and Korean,
// bars in code in tables, and HTML. This file reads them as they are meant.

const EXTENSIONS = [
  // A single tilde stands in names (`HEAD~1..HEAD~3`) and before numbers, so only two strike through.
  gfm({ singleTilde: false }),
  cjkFriendlyExtension(),
  gfmStrikethroughCjkFriendly({ singleTilde: false }),
];
/** HTML is indented, so four spaces begin no code in it. */
const IN_HTML = [...EXTENSIONS, { disable: { null: ['codeIndented'] } }];

/** A document, and the text to which its positions belong. */
export interface ReadMarkdown {
  root: Root;
  source: string;
}

export function readMarkdown(markdown: string): ReadMarkdown {
  const root = parse(markdown, EXTENSIONS);
  const source = withBarsEscaped(markdown, root);
  return source === markdown ? { root, source } : { root: parse(source, EXTENSIONS), source };
}

export function readInHtml(markdown: string): ReadMarkdown {
  return { root: parse(markdown, IN_HTML), source: markdown };
}

function parse(markdown: string, extensions: typeof IN_HTML): Root {
  return fromMarkdown(markdown, { extensions, mdastExtensions: [gfmFromMarkdown()] });
}

/** Most runs of backticks in a row of a table that are looked at. */
const MAX_TICKS = 100;

/**
 * In a table a bar divides cells, also inside code. Models rarely escape it there (`string | undefined`). So the bars
 * inside the code of a row with too many cells are escaped.
 */
function withBarsEscaped(markdown: string, root: Root): string {
  const rows: { start: number; end: number }[] = [];
  for (const table of tablesIn(root.children)) {
    const columns = table.align?.length ?? 0;
    for (const { children, position } of table.children) {
      const [start, end] = [position?.start.offset, position?.end.offset];
      if (children.length > columns && start !== undefined && end !== undefined) rows.push({ start, end });
    }
  }
  let at = 0;
  const pieces: string[] = [];
  for (const { start, end } of rows) {
    pieces.push(markdown.slice(at, start), withCodeBarsEscaped(markdown.slice(start, end)));
    at = end;
  }
  return [...pieces, markdown.slice(at)].join('');
}

function tablesIn(nodes: readonly RootContent[]): Table[] {
  return nodes.flatMap((node): Table[] => {
    if (node.type === 'table') return [node];
    return node.type === 'blockquote' || node.type === 'list' || node.type === 'listItem'
      ? tablesIn(node.children)
      : [];
  });
}

function withCodeBarsEscaped(row: string): string {
  const ticks = [...row.matchAll(/`+/g)];
  if (ticks.length > MAX_TICKS) return row;
  let result = '';
  let at = 0;
  for (const [index, opening] of ticks.entries()) {
    if (opening.index < at) continue;
    const closing = ticks.slice(index + 1).find(([run]) => run.length === opening[0].length);
    if (closing === undefined) continue;
    const end = closing.index + closing[0].length;
    result += row.slice(at, opening.index) + row.slice(opening.index, end).replace(/(?<!\\)\|/g, '\\|');
    at = end;
  }
  return result + row.slice(at);
}

/** How much of a formatted text is looked at to tell whether it has a space. */
const MAX_LOOKED_AT = 200;

/** The marks around a formatted text, if they belong to a name or an expression: `__init__.py`, `src/**\/*.ts`, `2**10**3`. */
export function marksOfName(source: string, node: Emphasis | Strong | Delete): string | undefined {
  const [start, end] = [node.position?.start.offset, node.position?.end.offset];
  if (start === undefined || end === undefined || node.type === 'delete') return undefined;
  const marks = source.slice(start, start + (node.type === 'strong' ? 2 : 1));
  const before = source.charAt(start - 1);
  const after = source.charAt(end);
  const inside = source.slice(start + marks.length, end - marks.length);
  const goesOn = /^[./([]\w/.test(source.slice(end, end + 2));
  const isName =
    isExpression(before, inside, after) ||
    (marks.startsWith('_') && (goesOn || /[/.\\]/.test(before) || (marks === '__' && isIdentifier(inside))));
  return isName ? marks : undefined;
}

/** `__init__`, `__DEV__`, but not `__Note__`. */
function isIdentifier(text: string): boolean {
  return text.length <= MAX_LOOKED_AT && /^[A-Za-z]\w*$/.test(text) && !/^[A-Z][a-z]+$/.test(text);
}

function isExpression(before: string, inside: string, after: string): boolean {
  // An escaped character counts as itself: what is written has fewer backslashes than what was read.
  const first = inside.charAt(/^\\[!-/:-@[-`{-~]/.test(inside) ? 1 : 0);
  const last = inside.charAt(inside.length - 1);
  const hasSpace = /\s/.test(inside.slice(0, MAX_LOOKED_AT));
  // Operators: `2**10**3`, `f(x)**2 + y**2`. A word may be formatted in part: `**J**ava`, `HTTP**S**`.
  if (/\w/.test(before) && /\w/.test(after)) return true;
  if (/[\d)\]}]/.test(before) || /[\d_]/.test(after)) return true;
  if ((/\w/.test(before) || /\w/.test(after)) && hasSpace) return true;
  // Patterns of paths: `src/**/*.ts and lib/**/*.ts`, `**/dist/**`, `*.test.*.ts`.
  if (/[/\\]/.test(before) && (/[/.{]/.test(first) || /[/.]/.test(after) || last === '/')) return true;
  if (/[/.]/.test(first) && /[/.]/.test(last)) return true;
  // `count(*) of sum(*)`
  return /[)\]},;?!]/.test(first) || /[([{]/.test(last);
}

/**
 * Places the punctuation at the edge of a formatted text outside if a letter follows there. In languages
 * without spaces between words people write `**强调。**文字`. Common Markdown, which Slack reads, shows these marks as text.
 */
export function punctuationOutside(
  source: string,
  { position }: Emphasis | Strong | Delete,
  children: readonly PhrasingContent[],
): { before: string; children: PhrasingContent[]; after: string } {
  const result = [...children];
  let before = '';
  let after = '';
  const first = result[0];
  if (first?.type === 'text' && isLetter(lastCharacter(source.slice(0, position?.start.offset)))) {
    [before = ''] = /^\p{P}{1,8}/u.exec(first.value) ?? [];
    result[0] = { ...first, value: first.value.slice(before.length) };
  }
  const last = result.at(-1);
  if (last?.type === 'text' && isLetter(source.slice(position?.end.offset ?? source.length).slice(0, 2))) {
    [after = ''] = /\p{P}{1,8}$/u.exec(last.value.slice(-8)) ?? [];
    result[result.length - 1] = { ...last, value: last.value.slice(0, last.value.length - after.length) };
  }
  return { before, children: result.filter((node) => node.type !== 'text' || node.value !== ''), after };
}

function lastCharacter(text: string): string {
  return [...text.slice(-2)].at(-1) ?? '';
}

function isLetter(text: string): boolean {
  return /^[\p{L}\p{N}]/u.test(text);
}

/** Tags that arrange or format text, so that the text says the same without them. */
const ARRANGING = new Set(
  [
    'a abbr b big blockquote center code dd del details div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6',
    'header hr i img ins kbd li mark ol p picture pre q s samp section small source span strike strong sub summary sup',
    'table tbody td tfoot th thead tr tt u ul var',
  ].flatMap((names) => names.split(' ')),
);
/** Tags that end a line. Cells are divided by a bar. */
const BREAKING = new Map(
  ['blockquote', 'div', 'dd', 'dt', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'p', 'pre', 'tr', 'br', 'details']
    .map((name): [string, string] => [name, '\n\n'])
    .concat([
      ['td', ' | '],
      ['th', ' | '],
    ]),
);

const TAG = /<(\/?)([a-z][a-z0-9]*)(?=[\s/>])([^<>]*)>/gi;

/** The text of HTML, divided into what `<summary>` holds and the rest. Tags that do not just arrange text stay in it. */
export function textOfHtml(html: string): { text: string; isSummary: boolean }[] {
  const parts: { text: string; isSummary: boolean }[] = [];
  let isSummary = false;
  let text = '';
  let at = 0;
  const flush = () => {
    if (text.trim() !== '') parts.push({ text, isSummary });
    text = '';
  };
  const visible = withoutComments(html);
  for (const match of visible.matchAll(TAG)) {
    const [tag, slash, name = '', attributes = ''] = match;
    const lower = name.toLowerCase();
    text += visible.slice(at, match.index);
    at = match.index + tag.length;
    if (lower === 'summary') {
      flush();
      isSummary = slash === '';
    } else if (lower === 'img') text += attribute(attributes, 'alt');
    else if (lower === 'br' || ARRANGING.has(lower))
      text += slash === '' && lower !== 'br' && lower !== 'hr' ? '' : (BREAKING.get(lower) ?? '');
    else text += tag;
  }
  text += visible.slice(at);
  flush();
  return parts;
}

/** Comments are for people who read the source. One without an end stays. */
function withoutComments(html: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    const start = html.indexOf('<!--', at);
    const end = start < 0 ? -1 : html.indexOf('-->', start + 4);
    if (end < 0) return result + html.slice(at);
    result += html.slice(at, start);
    at = end + 3;
  }
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(attributes)?.slice(1).find(Boolean) ?? '';
}

const FORMATS: ReadonlyMap<string, 'strong' | 'emphasis' | 'delete' | 'inlineCode'> = new Map([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['i', 'emphasis'],
  ['em', 'emphasis'],
  ['s', 'delete'],
  ['del', 'delete'],
  ['strike', 'delete'],
  ['code', 'inlineCode'],
  ['samp', 'inlineCode'],
  ['tt', 'inlineCode'],
]);

/**
 * Formats the text between two tags of a line as they say, and removes them. A tag alone stays: "a `<div>` in it" speaks
 * of the tag.
 */
export function withTagsApplied(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  if (!nodes.some(({ type }) => type === 'html')) return [...nodes];
  const open: { name: string; attributes: string; tag: PhrasingContent; before: PhrasingContent[] }[] = [];
  let result: PhrasingContent[] = [];
  for (const node of nodes) {
    const [, slash, name = '', attributes = ''] =
      node.type === 'html' ? (/^<(\/?)([a-z][a-z0-9]*)(?=[\s/>])([^<>]*)>$/i.exec(node.value) ?? []) : [];
    const lower = name.toLowerCase();
    if (node.type === 'html' && /^<!--[\s\S]*-->$/.test(node.value)) continue;
    if (lower === 'img') {
      const url = attribute(attributes, 'src');
      result.push({ type: 'image', url, alt: attribute(attributes, 'alt') });
    } else if (!ARRANGING.has(lower) || attributes.endsWith('/')) result.push(node);
    else if (slash === '') {
      open.push({ name: lower, attributes, tag: node, before: result });
      result = [];
    } else {
      const opened = open.at(-1);
      if (opened?.name !== lower) {
        result.push(node);
        continue;
      }
      open.pop();
      result = [...opened.before, ...formatted(lower, opened.attributes, result)];
    }
  }
  for (const { tag, before } of open.toReversed()) result = [...before, tag, ...result];
  return result;
}

function formatted(name: string, attributes: string, children: PhrasingContent[]): PhrasingContent[] {
  const url = name === 'a' ? attribute(attributes, 'href') : '';
  if (url !== '') return [{ type: 'link', url, children: children.filter((child) => child.type !== 'link') }];
  const type = FORMATS.get(name);
  if (type === undefined || children.length === 0) return children;
  if (type !== 'inlineCode') return [{ type, children }];
  const texts = children.flatMap((child) => (child.type === 'text' ? child.value : []));
  return texts.length < children.length ? children : [{ type, value: texts.join('') }];
}
