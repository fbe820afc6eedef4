import type { List, ListItem, RootContent } from 'mdast';
import { joined, trimEnds } from './divide-phrasing.ts';
import type { Frame, Unit } from './units.ts';

/**
 * Builds the document of the units `from` (inclusive) to `to` (exclusive). Code and tables that began earlier are
 * opened again with their language or header. The rest of a list item is placed outside the list, and numbering
 * continues.
 */
export function build(units: readonly Unit[], from: number, to: number): RootContent[] {
  const before = units[from - 1];
  return group(units.slice(from, to), 0, new Set(before?.frames));
}

function group(units: readonly Unit[], depth: number, begun: ReadonlySet<Frame>): RootContent[] {
  return byFrame(units, depth).flatMap(({ frame, inside }) =>
    frame === undefined
      ? inside.flatMap(({ leaf }) => (leaf.kind === 'block' ? [leaf.node] : []))
      : reopen(frame, inside, depth + 1, begun),
  );
}

/** Groups consecutive units that have the same container at `depth`, or none. */
function byFrame(units: readonly Unit[], depth: number): { frame: Frame | undefined; inside: Unit[] }[] {
  const runs: { frame: Frame | undefined; inside: Unit[] }[] = [];
  for (const unit of units) {
    const frame = unit.frames[depth];
    const last = runs.at(-1);
    if (last === undefined || last.frame !== frame) runs.push({ frame, inside: [unit] });
    else last.inside.push(unit);
  }
  return runs;
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
    case 'paragraph': {
      const children = joined(units.flatMap(({ leaf }) => (leaf.kind === 'phrasing' ? leaf.children : [])));
      const trimmed = trimEnds(children);
      return trimmed.length === 0 ? [] : [{ type: 'paragraph', children: trimmed }];
    }
  }
}

function reopenList(frame: List, units: readonly Unit[], depth: number, begun: ReadonlySet<Frame>): RootContent[] {
  const continued: RootContent[] = [];
  const items: ListItem[] = [];
  let start = 0;
  for (const { frame: item, inside } of byFrame(units, depth)) {
    if (item?.type !== 'listItem') continue;
    const content = group(inside, depth + 1, begun);
    if (begun.has(item)) {
      continued.push(...content);
    } else {
      if (items.length === 0) start = (frame.start ?? 1) + frame.children.indexOf(item);
      items.push({ ...item, children: content.filter(isFlow) });
    }
  }
  return items.length === 0 ? continued : [...continued, { ...frame, start, children: items }];
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
