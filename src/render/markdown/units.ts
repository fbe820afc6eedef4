import type { Blockquote, Code, List, ListItem, Paragraph, PhrasingContent, RootContent, Table, TableRow } from 'mdast';
import { LIMITS } from '../limits.ts';
import { dividedText, dividePhrasing } from './divide-phrasing.ts';
import { longestTicks, measurePhrasing, weightOf, writeMarkdown } from './to-markdown.ts';
import { escapeFenced, tableForm, writeMrkdwn } from './to-mrkdwn.ts';
import { textOf } from './words.ts';

/** Divides a document into units, in order. Together they contain the whole document. */
export function toUnits(nodes: readonly RootContent[]): Unit[] {
  const found: { frames: Frame[]; leaf: Leaf }[] = [];
  for (const node of nodes) collect(node, [], found);
  let before: { frames: Frame[]; leaf: Leaf } | undefined;
  // Caches the cost per container, because all lines of a code block and all rows of a table share it.
  const known = new Map<Frame, Cost>();
  const costOf = (frame: Frame, frames: readonly Frame[]) => {
    const cost = known.get(frame) ?? frameCost(frame, frames);
    known.set(frame, cost);
    return cost;
  };
  return found.map((unit) => {
    const shared = sharedFrames(before, unit);
    const opened = unit.frames.slice(shared);
    const result: Unit = {
      ...unit,
      cost: sum([leafCost(unit), ...opened.map((frame) => costOf(frame, unit.frames))]),
      reopening: sum(unit.frames.slice(0, shared).map((frame) => costOf(frame, unit.frames))),
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
    case 'listItem':
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
      for (const row of rows) into.push({ frames: [...frames, table], leaf: { kind: 'row', row, table } });
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

/** How many containers, from the outermost in, a unit shares with the unit before it. */
function sharedFrames(before: { frames: Frame[] } | undefined, { frames }: { frames: Frame[] }): number {
  const shared = frames.findIndex((frame, depth) => frame !== before?.frames[depth]);
  return shared < 0 ? frames.length : shared;
}

function boundaryBefore(
  before: { frames: Frame[]; leaf: Leaf },
  unit: { frames: Frame[]; leaf: Leaf },
  shared: number,
): number {
  const innermost = unit.frames[shared - 1];
  if (isNote(unit.leaf)) return -1;
  if (innermost === undefined) {
    if (isHeading(before.leaf)) return -1;
    return isHeading(unit.leaf) ? 6 : 5;
  }
  switch (innermost.type) {
    case 'paragraph':
      return 0;
    case 'code': {
      if (unit.leaf.kind === 'line' && unit.leaf.glued) return -0.5;
      return before.leaf.kind === 'line' && before.leaf.text.trim() === '' ? 1.5 : 1;
    }
    case 'table':
      return 2;
    default:
      // Between items, or between the blocks of an item or a quotation. A place with fewer shared containers is better.
      return Math.max(2.2, 4.2 - 0.2 * shared);
  }
}

function isHeading(leaf: Leaf): boolean {
  return leaf.kind === 'block' && leaf.node.type === 'heading';
}

function isNote(leaf: Leaf): boolean {
  return leaf.kind === 'block' && leaf.node.type === 'paragraph' && leaf.node.data?.isNote === true;
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
      return {
        ...NO_COST,
        markdown: text.length + (glued ? 0 : 1 + indent.markdown),
        weight: weightOf(text) + (glued ? 0 : 1 + indent.weight),
        mrkdwn: escapeFenced(text).length + (glued ? 0 : 1),
      };
    }
    case 'row':
      return rowCost(unit.leaf.row, unit.leaf.table, indent);
    case 'nothing':
      return { ...NO_COST, markdown: 2, weight: 2, mrkdwn: 2 };
  }
}

function blockCost(node: RootContent, indent: Indent): Cost {
  if (node.type !== 'paragraph' && node.type !== 'heading') {
    // Only a thematic break is left here, because containers are divided into their units.
    return {
      ...NO_COST,
      markdown: 6 + indent.markdown,
      weight: 6 + indent.weight + LIMITS.blockWeight,
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
    weight: weight + lines * indent.weight + 2,
    mrkdwn: mrkdwn.length + lines * indent.mrkdwn + 2,
  };
}

function rowCost(row: TableRow, table: Table, indent: Indent): Cost {
  const cells = row.children.map((cell) => measurePhrasing(cell.children));
  const bars = 3 * row.children.length + 2;
  const form = tableForm(table);
  const text = row.children.map((cell) => textOf(cell.children)).join('');
  const mrkdwn =
    form.kind === 'aligned'
      ? form.widths.reduce((total, width) => total + width + 3, 1) + escapeFenced(text).length - text.length
      : writeMrkdwn([{ ...table, children: [...table.children.slice(0, 1), row] }]).length;
  return {
    markdown: cells.reduce((total, cell) => total + cell.length, bars + indent.markdown),
    weight: cells.reduce((total, cell) => total + cell.weight, bars + indent.weight),
    // A record has one line per cell, and every line is indented.
    mrkdwn: mrkdwn + indent.mrkdwn * (form.kind === 'records' ? row.children.length : 1) + 1,
    blocks: 0,
    tableRows: 1,
    tableText: text.length,
  };
}

function frameCost(frame: Frame, frames: readonly Frame[]): Cost {
  const indent = indentOf(frames);
  switch (frame.type) {
    case 'code': {
      const fences = Math.max(3, longestTicks(frame.value) + 1) * 2 + (frame.lang?.length ?? 0) + 4;
      return {
        ...NO_COST,
        markdown: fences + 2 * indent.markdown,
        weight: fences + 2 * indent.weight + LIMITS.blockWeight,
        mrkdwn: 12,
        blocks: 2,
      };
    }
    case 'table': {
      const header: Table = { ...frame, children: frame.children.slice(0, 1) };
      const markdown = writeMarkdown([header]);
      return {
        markdown: markdown.length + 2 * indent.markdown + 3,
        weight: weightOf(markdown) + LIMITS.blockWeight + 2 * indent.weight + 3,
        mrkdwn: writeMrkdwn([header]).length + 2,
        blocks: 2,
        tableRows: 1,
        tableText: header.children.flatMap((row) => row.children.map((cell) => textOf(cell.children))).join('').length,
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
  weight: number;
  mrkdwn: number;
}

/** The indentation of every line after the first inside these containers. */
function indentOf(frames: readonly Frame[]): Indent {
  const indent = { markdown: 0, weight: 0, mrkdwn: 0 };
  for (const frame of frames) {
    if (frame.type === 'blockquote') {
      indent.markdown += 2;
      indent.weight += weightOf('> ');
      indent.mrkdwn += 2;
    } else if (frame.type === 'listItem') {
      const width = markerWidth(frame, frames);
      indent.markdown += width;
      indent.weight += width;
      indent.mrkdwn += 4;
    }
  }
  return indent;
}

function markerWidth(item: ListItem, frames: readonly Frame[]): number {
  const list = frames[frames.indexOf(item) - 1];
  const check = typeof item.checked === 'boolean' ? 4 : 0;
  const number = list?.type === 'list' && list.ordered === true ? String((list.start ?? 1) + list.children.length) : '';
  return check + number.length + 2;
}

function sum(costs: readonly Cost[]): Cost {
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

export type Frame = Blockquote | List | ListItem | Code | Table | Paragraph;

export type Leaf =
  | { kind: 'block'; node: RootContent }
  | { kind: 'phrasing'; children: PhrasingContent[] }
  /** `glued` means that the unit continues the line of the unit before it. */
  | { kind: 'line'; text: string; glued: boolean }
  | { kind: 'row'; row: TableRow; table: Table }
  /** A table without rows. */
  | { kind: 'nothing' };

/** The amounts that Slack limits. Each of them adds up over the units of a message. */
export interface Cost {
  /** Characters as Markdown. */
  markdown: number;
  /** Characters as Slack counts them in a message, with an allowance for each block that it makes of the Markdown. */
  weight: number;
  /** Characters as mrkdwn. */
  mrkdwn: number;
  /** Blocks that Slack makes of the Markdown. */
  blocks: number;
  tableRows: number;
  tableText: number;
}

export const NO_COST: Cost = { markdown: 0, weight: 0, mrkdwn: 0, blocks: 0, tableRows: 0, tableText: 0 };

/** The smallest piece of a document, which is never divided, with its containers from the outermost in. */
export interface Unit {
  frames: Frame[];
  leaf: Leaf;
  cost: Cost;
  /**
   * Cost of opening its containers again, when a message begins with this unit and not with the container's first one.
   */
  reopening: Cost;
  /** How good this place is for the beginning of a message. Higher is better. */
  boundary: number;
}
