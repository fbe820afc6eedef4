import type { PhrasingContent } from 'mdast';
import { escapeMrkdwn, niceEnd } from '../text.ts';
import { textOf } from './words.ts';

/**
 * Longest text of one unit, in characters as written. It is small enough to fill messages well and large enough that
 * only long paragraphs and minified lines are divided. Units that stay in one message are joined again without a
 * visible seam.
 */
const MAX_UNIT = 600;

/** How much of a unit a line break takes, because every line of a nested text is indented. */
const LINE_SIZE = 24;

/** Splits a text into pieces of at most one unit by `size`, at lines, sentences or words where possible. */
export function dividedText(text: string, size: (part: string) => number): string[] {
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
export function dividePhrasing(nodes: readonly PhrasingContent[]): PhrasingContent[][] {
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
      // The label is longer than a unit, so each piece of it becomes its own link.
      return textOf(node.children).length <= MAX_UNIT
        ? [node]
        : dividePhrasing(node.children).flatMap((children): PhrasingContent[] => [{ ...node, children }]);
    default:
      return [node];
  }
}

/** Formatting can't begin or end with a space, so spaces at the edges are placed outside. */
function wrapped(type: 'strong' | 'emphasis' | 'delete', children: PhrasingContent[]): PhrasingContent[] {
  const trimmed = trimEnds(children);
  const whole = textOf(children);
  const rest = whole.trimStart();
  const leading = whole.slice(0, whole.length - rest.length);
  const trailing = rest.slice(rest.trimEnd().length);
  const space = (value: string): PhrasingContent[] => (value === '' ? [] : [{ type: 'text', value }]);
  const middle: PhrasingContent[] = trimmed.length === 0 ? [] : [{ type, children: trimmed }];
  return [...space(leading), ...middle, ...space(trailing)];
}

/** Removes white space at the beginning and the end. */
export function trimEnds(children: readonly PhrasingContent[]): PhrasingContent[] {
  const result = [...children];
  for (let first = result[0]; first !== undefined; first = result[0]) {
    if (first.type === 'break') result.shift();
    else if (first.type === 'text' && first.value.trim() === '') result.shift();
    else {
      if (first.type === 'text') result[0] = { ...first, value: first.value.trimStart() };
      break;
    }
  }
  for (let last = result.at(-1); last !== undefined; last = result.at(-1)) {
    if (last.type === 'break') result.pop();
    else if (last.type === 'text' && last.value.trim() === '') result.pop();
    else {
      if (last.type === 'text') result[result.length - 1] = { ...last, value: last.value.trimEnd() };
      break;
    }
  }
  return result;
}

/** Joins adjacent pieces of one text or one formatting. */
export function joined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
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

function textSize(text: string): number {
  return escapeMrkdwn(text).length + (text.split('\n').length - 1) * LINE_SIZE;
}

/** An upper bound of the size of phrasing content in both formats. */
function sizeOf(node: PhrasingContent): number {
  if (node.type === 'text') return textSize(node.value);
  if (node.type === 'break') return LINE_SIZE;
  if (node.type === 'inlineCode') return escapeMrkdwn(node.value).length + 6;
  if (node.type === 'link')
    return escapeMrkdwn(node.url).length + node.children.reduce((total, child) => total + sizeOf(child), 8);
  return 'children' in node ? node.children.reduce((total, child) => total + sizeOf(child), 8) : 2;
}
