import type {
  Blockquote,
  Code,
  Heading,
  List,
  ListItem,
  Paragraph,
  PhrasingContent,
  RootContent,
  Table,
  TableRow,
} from 'mdast';
import { LIMITS } from '../limits.ts';
import { escapeMrkdwn, niceEnd } from '../text.ts';
import { textOf } from './parse.ts';
import { breakTokens, measurePhrasing, weightOf, writeMarkdown } from './to-markdown.ts';
import { escapeFenced, tableForm, writeMrkdwn } from './to-mrkdwn.ts';

/**
 * Longest text kept in one unit, in written characters. Small enough that messages fill up well, large enough that
 * only long paragraphs and minified lines are divided at all; units that stay together are joined without a seam.
 */
const MAX_UNIT = 600;
/** A line break takes so much of a unit, because every line of a nested text is indented. */
const LINE_SIZE = 24;

type Frame = Blockquote | List | ListItem | Code | Table | Paragraph | Heading;

type Leaf =
  | { kind: 'block'; node: RootContent }
  | { kind: 'phrasing'; children: PhrasingContent[] }
  /** `glued` continues the line of the unit before. */
  | { kind: 'line'; text: string; glued: boolean }
  | { kind: 'row'; row: TableRow }
  /** A list item or table without content. */
  | { kind: 'nothing' };

/** The amounts that Slack limits; all of them add up over the units of a message. */
export interface Cost {
  /** Characters as Markdown. */
  markdown: number;
  /** Characters as Slack counts them in a message, with an allowance for every block it makes of the Markdown. */
  weight: number;
  /** Characters as mrkdwn. */
  mrkdwn: number;
  /** Blocks Slack makes of the Markdown. */
  blocks: number;
  tableRows: number;
  tableText: number;
}

/** The smallest piece of a document that is never divided, with the containers it stands in, outermost first. */
export interface Unit {
  frames: Frame[];
  leaf: Leaf;
  cost: Cost;
  /** What its containers cost again when a message begins with this unit instead of the container's first. */
  reopening: Cost;
  /** How good it is to begin a message here; higher is better. */
  boundary: number;
}

export const NO_COST: Cost = { markdown: 0, weight: 0, mrkdwn: 0, blocks: 0, tableRows: 0, tableText: 0 };

/** Divides a document into units, in order; together they are the whole document. */
export function toUnits(nodes: readonly RootContent[]): Unit[] {
  const found: { frames: Frame[]; leaf: Leaf }[] = [];
  for (const node of nodes) collect(node, [], found);
  let before: { frames: Frame[]; leaf: Leaf } | undefined;
  return found.map((unit) => {
    const shared = sharedFrames(before, unit);
    const opened = unit.frames.slice(shared);
    const result: Unit = {
      ...unit,
      cost: sum([leafCost(unit), ...opened.map((frame) => frameCost(frame, unit.frames))]),
      reopening: sum(unit.frames.slice(0, shared).map((frame) => frameCost(frame, unit.frames))),
      boundary: before === undefined ? 0 : boundaryBefore(before, unit, shared),
    };
    before = unit;
    return result;
  });
}

function collect(node: RootContent, frames: Frame[], into: { frames: Frame[]; leaf: Leaf }[]): void {
  switch (node.type) {
    case 'blockquote':
    case 'list':
      for (const child of node.children) collect(child, [...frames, node], into);
      break;
    case 'listItem':
      if (node.children.length === 0) into.push({ frames: [...frames, node], leaf: { kind: 'nothing' } });
      for (const child of node.children) collect(child, [...frames, node], into);
      break;
    case 'code':
      for (const [text, glued] of codeLines(node.value)) {
        into.push({ frames: [...frames, node], leaf: { kind: 'line', text, glued } });
      }
      break;
    case 'table': {
      const table: Table = { ...node, data: { form: tableForm(node) } };
      const rows = table.children.slice(1);
      if (rows.length === 0) into.push({ frames: [...frames, table], leaf: { kind: 'nothing' } });
      for (const row of rows) into.push({ frames: [...frames, table], leaf: { kind: 'row', row } });
      break;
    }
    case 'paragraph': {
      const divided = dividePhrasing(node.children);
      if (divided.length <= 1) into.push({ frames, leaf: { kind: 'block', node } });
      else
        for (const children of divided) into.push({ frames: [...frames, node], leaf: { kind: 'phrasing', children } });
      break;
    }
    default:
      into.push({ frames, leaf: { kind: 'block', node } });
  }
}

function codeLines(value: string): [text: string, glued: boolean][] {
  return value.split('\n').flatMap((line): [string, boolean][] => {
    const parts = dividedText(line, (part) => escapeFenced(part).length);
    return parts.map((part, index) => [part, index > 0]);
  });
}

function dividedText(text: string, size: (part: string) => number): string[] {
  if (size(text) <= MAX_UNIT) return [text];
  const parts: string[] = [];
  let rest = text;
  while (rest !== '') {
    let end = niceEnd(rest, MAX_UNIT);
    while (end > 2 && size(rest.slice(0, end)) > MAX_UNIT) end = niceEnd(rest, Math.floor(end * 0.6));
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return parts;
}

/** Divides phrasing content at sentences or words, never inside a link or a grapheme cluster. */
function dividePhrasing(nodes: readonly PhrasingContent[]): PhrasingContent[][] {
  const atoms = nodes.flatMap(divideNode);
  const result: PhrasingContent[][] = [];
  let size = 0;
  for (const atom of atoms) {
    const length = sizeOf(atom);
    const current = result.at(-1);
    if (current !== undefined && size + length <= MAX_UNIT) {
      current.push(atom);
      size += length;
    } else {
      result.push([atom]);
      size = length;
    }
  }
  return result;
}

function divideNode(node: PhrasingContent): PhrasingContent[] {
  if (sizeOf(node) <= MAX_UNIT / 2) return [node];
  switch (node.type) {
    case 'text':
      return dividedText(node.value, textSize).map((value) => ({ type: 'text', value }));
    case 'inlineCode':
      return dividedText(node.value, (part) => escapeMrkdwn(part).length).map((value) => ({
        type: 'inlineCode',
        value,
      }));
    case 'strong':
    case 'emphasis':
    case 'delete': {
      const { type } = node;
      return dividePhrasing(node.children).flatMap((children) => wrapped(type, children));
    }
    case 'link':
      // A label longer than a unit: every piece of it is a link of its own.
      return textOf(node.children).length <= MAX_UNIT
        ? [node]
        : dividePhrasing(node.children).flatMap((children): PhrasingContent[] => [{ ...node, children }]);
    default:
      return [node];
  }
}

/** Formatting can't begin or end with a space, so spaces at the seams stand outside. */
function wrapped(type: 'strong' | 'emphasis' | 'delete', children: PhrasingContent[]): PhrasingContent[] {
  const trimmed = trimEnds(children);
  const whole = textOf(children);
  const leading = /^\s*/.exec(whole)?.[0] ?? '';
  const trailing = whole.trim() === '' ? '' : (/\s*$/.exec(whole)?.[0] ?? '');
  const space = (value: string): PhrasingContent[] => (value === '' ? [] : [{ type: 'text', value }]);
  const middle: PhrasingContent[] = trimmed.length === 0 ? [] : [{ type, children: trimmed }];
  return [...space(leading), ...middle, ...space(trailing)];
}

/** Without the white space at the beginning and the end. */
function trimEnds(children: readonly PhrasingContent[]): PhrasingContent[] {
  const result = [...children];
  for (let first = result[0]; first !== undefined; first = result[0]) {
    if (first.type === 'break') result.shift();
    else if (first.type === 'text' && first.value.trimStart() === '') result.shift();
    else {
      if (first.type === 'text') result[0] = { ...first, value: first.value.trimStart() };
      break;
    }
  }
  for (let last = result.at(-1); last !== undefined; last = result.at(-1)) {
    if (last.type === 'break') result.pop();
    else if (last.type === 'text' && last.value.trimEnd() === '') result.pop();
    else {
      if (last.type === 'text') result[result.length - 1] = { ...last, value: last.value.trimEnd() };
      break;
    }
  }
  return result;
}

function textSize(text: string): number {
  return escapeMrkdwn(text).length + (text.split('\n').length - 1) * LINE_SIZE;
}

/** An upper bound of what phrasing content takes in either format. */
function sizeOf(node: PhrasingContent): number {
  if (node.type === 'text') return textSize(node.value);
  if (node.type === 'break') return LINE_SIZE;
  if (node.type === 'inlineCode') return escapeMrkdwn(node.value).length + 4;
  if (node.type === 'link')
    return escapeMrkdwn(node.url).length + node.children.reduce((total, child) => total + sizeOf(child), 8);
  return 'children' in node ? node.children.reduce((total, child) => total + sizeOf(child), 8) : 2;
}

function sharedFrames(before: { frames: Frame[] } | undefined, unit: { frames: Frame[] }): number {
  let shared = 0;
  while (before !== undefined && shared < unit.frames.length && before.frames[shared] === unit.frames[shared])
    shared += 1;
  return shared;
}

function boundaryBefore(
  before: { frames: Frame[]; leaf: Leaf },
  unit: { frames: Frame[]; leaf: Leaf },
  shared: number,
): number {
  const innermost = unit.frames[shared - 1];
  if (innermost === undefined) {
    if (isHeading(before.leaf)) return -1;
    return isHeading(unit.leaf) ? 6 : 5;
  }
  switch (innermost.type) {
    case 'paragraph':
    case 'heading':
      return 0;
    case 'code': {
      if (unit.leaf.kind === 'line' && unit.leaf.glued) return -0.5;
      return before.leaf.kind === 'line' && before.leaf.text.trim() === '' ? 1.5 : 1;
    }
    case 'table':
      return 2;
    default:
      // Between items, or between the blocks of an item or a quotation: the further out the better.
      return Math.max(2.2, 4.2 - 0.2 * shared);
  }
}

function isHeading(leaf: Leaf): boolean {
  return leaf.kind === 'block' && leaf.node.type === 'heading';
}

function leafCost(unit: { frames: Frame[]; leaf: Leaf }): Cost {
  const indent = indentOf(unit.frames);
  switch (unit.leaf.kind) {
    case 'block':
      return blockCost(unit.leaf.node, indent);
    case 'phrasing':
      return phrasingCost(unit.leaf.children, indent);
    case 'line': {
      const { text, glued } = unit.leaf;
      const written = breakTokens(text);
      const extra = glued ? 0 : 1 + indent.markdown;
      return {
        ...NO_COST,
        markdown: written.length + extra,
        weight: weightOf(written) + extra,
        mrkdwn: escapeFenced(text).length + (glued ? 0 : 1),
      };
    }
    case 'row':
      return rowCost(unit.leaf.row, unit.frames);
    case 'nothing':
      return { ...NO_COST, markdown: 2, weight: 2, mrkdwn: 2 };
  }
}

function blockCost(node: RootContent, indent: Indent): Cost {
  if (node.type !== 'paragraph' && node.type !== 'heading') {
    // Only a rule is left: containers are divided into their units.
    return {
      ...NO_COST,
      markdown: 6 + indent.markdown,
      weight: 6 + LIMITS.blockWeight,
      mrkdwn: 8 + indent.mrkdwn,
      blocks: 2,
    };
  }
  const cost = phrasingCost(node.children, indent);
  if (node.type === 'paragraph') return cost;
  const marks = node.depth + 1;
  return {
    ...cost,
    markdown: cost.markdown + marks,
    weight: cost.weight + marks + LIMITS.blockWeight,
    mrkdwn: cost.mrkdwn + 2,
    blocks: 2,
  };
}

function phrasingCost(children: PhrasingContent[], indent: Indent): Cost {
  const { length, weight } = measurePhrasing(children);
  const mrkdwn = writeMrkdwn([{ type: 'paragraph', children }]);
  const lines = textOf(children).split('\n').length;
  return {
    ...NO_COST,
    markdown: length + lines * indent.markdown + 2,
    weight: weight + lines * indent.markdown + 2,
    mrkdwn: mrkdwn.length + lines * indent.mrkdwn + 2,
  };
}

function rowCost(row: TableRow, frames: readonly Frame[]): Cost {
  const table = frames.at(-1);
  if (table?.type !== 'table') return NO_COST;
  const indent = indentOf(frames);
  const cells = row.children.map((cell) => measurePhrasing(cell.children));
  const bars = 3 * row.children.length + 2 + indent.markdown;
  const form = tableForm(table);
  const text = row.children.map((cell) => textOf(cell.children)).join('');
  const mrkdwn =
    form.kind === 'aligned'
      ? form.widths.reduce((total, width) => total + width + 3, 1) + escapeFenced(text).length - text.length
      : writeMrkdwn([{ ...table, children: [...table.children.slice(0, 1), row] }]).length;
  return {
    markdown: cells.reduce((total, cell) => total + cell.length, bars),
    weight: cells.reduce((total, cell) => total + cell.weight, bars),
    mrkdwn: mrkdwn + indent.mrkdwn + 1,
    blocks: 0,
    tableRows: 1,
    tableText: text.length,
  };
}

function frameCost(frame: Frame, frames: readonly Frame[]): Cost {
  const indent = indentOf(frames);
  switch (frame.type) {
    case 'code': {
      const fences = longestBackticks(frame.value) * 2 + (frame.lang?.length ?? 0) + 4 + 2 * indent.markdown;
      return { ...NO_COST, markdown: fences, weight: fences + LIMITS.blockWeight, mrkdwn: 12, blocks: 2 };
    }
    case 'table': {
      const header: Table = { ...frame, children: frame.children.slice(0, 1) };
      const markdown = writeMarkdown([header]);
      return {
        markdown: markdown.length + 2 * indent.markdown + 3,
        weight: weightOf(markdown) + LIMITS.blockWeight + 2 * indent.markdown + 3,
        mrkdwn: writeMrkdwn([header]).length + 2,
        blocks: 2,
        tableRows: 1,
        tableText: header.children.reduce(
          (total, row) => total + row.children.reduce((sum, cell) => sum + textOf(cell.children).length, 0),
          0,
        ),
      };
    }
    case 'listItem': {
      const marker = markerWidth(frame, frames);
      return { ...NO_COST, markdown: marker, weight: marker, mrkdwn: marker + 2 };
    }
    default:
      return { ...NO_COST, markdown: 2, weight: 2, mrkdwn: 2 };
  }
}

interface Indent {
  markdown: number;
  mrkdwn: number;
}

/** What every line after the first of something in these containers is indented by. */
function indentOf(frames: readonly Frame[]): Indent {
  const indent = { markdown: 0, mrkdwn: 0 };
  for (const frame of frames) {
    if (frame.type === 'blockquote') {
      indent.markdown += 2;
      indent.mrkdwn += 2;
    } else if (frame.type === 'listItem') {
      indent.markdown += markerWidth(frame, frames);
      indent.mrkdwn += 4;
    }
  }
  return indent;
}

function markerWidth(item: ListItem, frames: readonly Frame[]): number {
  const list = frames[frames.indexOf(item) - 1];
  if (list?.type !== 'list') return 2;
  const check = typeof item.checked === 'boolean' ? 4 : 0;
  return check + (list.ordered === true ? String((list.start ?? 1) + list.children.length).length + 2 : 2);
}

function longestBackticks(text: string): number {
  return Math.max(3, ...[...text.matchAll(/`+/g)].map((match) => match[0].length + 1));
}

export function sum(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (total, cost) => ({
      markdown: total.markdown + cost.markdown,
      weight: total.weight + cost.weight,
      mrkdwn: total.mrkdwn + cost.mrkdwn,
      blocks: total.blocks + cost.blocks,
      tableRows: total.tableRows + cost.tableRows,
      tableText: total.tableText + cost.tableText,
    }),
    NO_COST,
  );
}

/**
 * Builds the document of the units `from` (inclusive) to `to` (exclusive). Code and tables that began earlier are opened
 * again, with their language or header; what continues a list item stands outside the list, and numbering goes on.
 */
export function build(units: readonly Unit[], from: number, to: number): RootContent[] {
  const before = units[from - 1];
  return group(units.slice(from, to), 0, new Set(before?.frames));
}

function group(units: readonly Unit[], depth: number, begun: ReadonlySet<Frame>): RootContent[] {
  const result: RootContent[] = [];
  let index = 0;
  while (index < units.length) {
    const unit = units[index];
    const frame = unit?.frames[depth];
    let end = index + 1;
    if (unit !== undefined && frame === undefined) {
      if (unit.leaf.kind === 'block') result.push(unit.leaf.node);
    } else if (frame !== undefined) {
      while (end < units.length && units[end]?.frames[depth] === frame) end += 1;
      result.push(...reopen(frame, units.slice(index, end), depth + 1, begun));
    }
    index = end;
  }
  return result;
}

function reopen(frame: Frame, units: readonly Unit[], depth: number, begun: ReadonlySet<Frame>): RootContent[] {
  switch (frame.type) {
    case 'blockquote': {
      const children = group(units, depth, begun).filter(isFlow);
      return [{ type: 'blockquote', children }];
    }
    case 'list':
      return reopenList(frame, units, depth, begun);
    case 'listItem':
      return group(units, depth, begun);
    case 'code': {
      const value = units
        .map(({ leaf }, index) => (leaf.kind === 'line' ? `${index > 0 && !leaf.glued ? '\n' : ''}${leaf.text}` : ''))
        .join('');
      return [{ ...frame, value }];
    }
    case 'table': {
      const rows = units.flatMap(({ leaf }) => (leaf.kind === 'row' ? [leaf.row] : []));
      return [{ ...frame, children: [...frame.children.slice(0, 1), ...rows] }];
    }
    case 'paragraph':
    case 'heading': {
      const children = joined(units.flatMap(({ leaf }) => (leaf.kind === 'phrasing' ? leaf.children : [])));
      const trimmed = trimEnds(children);
      return trimmed.length === 0 ? [] : [{ type: 'paragraph', children: trimmed }];
    }
  }
}

function reopenList(frame: List, units: readonly Unit[], depth: number, begun: ReadonlySet<Frame>): RootContent[] {
  const continued: RootContent[] = [];
  const items: ListItem[] = [];
  let start: number | undefined;
  let index = 0;
  while (index < units.length) {
    const item = units[index]?.frames[depth];
    let end = index + 1;
    while (end < units.length && units[end]?.frames[depth] === item) end += 1;
    const content = group(units.slice(index, end), depth + 1, begun);
    if (item?.type === 'listItem' && begun.has(item)) {
      continued.push(...content);
    } else if (item?.type === 'listItem') {
      start ??= (frame.start ?? 1) + frame.children.indexOf(item);
      items.push({ ...item, children: content.filter(isFlow) });
    }
    index = end;
  }
  return items.length === 0 ? continued : [...continued, { ...frame, start: start ?? 1, children: items }];
}

/** Pieces of one text or one formatting next to each other, as one again. */
function joined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const result: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (last?.type === 'text' && node.type === 'text') {
      result[result.length - 1] = { type: 'text', value: last.value + node.value };
    } else if (last?.type === 'inlineCode' && node.type === 'inlineCode') {
      result[result.length - 1] = { type: 'inlineCode', value: last.value + node.value };
    } else {
      result.push(node);
    }
  }
  return result;
}

function isFlow(node: RootContent): node is ListItem['children'][number] {
  return FLOW.has(node.type);
}

const FLOW: ReadonlySet<string> = new Set([
  'paragraph',
  'heading',
  'blockquote',
  'list',
  'code',
  'table',
  'thematicBreak',
]);
