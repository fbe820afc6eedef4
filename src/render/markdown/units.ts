import type { RootContent, Table } from 'mdast';
import { frameCost, leafCost, sum } from './cost.ts';
import { dividedText, dividePhrasing } from './divide-phrasing.ts';
import { escapeFenced, tableForm } from './to-mrkdwn.ts';
import type { Cost, Frame, Leaf, Unit } from './unit.ts';

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
