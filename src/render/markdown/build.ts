import type { List, ListItem, RootContent } from 'mdast';
import { joined, trimEnds } from './divide-phrasing.ts';
import type { Frame, Unit } from './unit.ts';

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
