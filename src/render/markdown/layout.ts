import { LIMITS } from '../limits.ts';
import { graphemeEnd } from '../text.ts';
import { build } from './build.ts';
import type { DiagramNotes } from './diagrams.ts';
import { asPlainText, parseAnswer } from './parse.ts';
import { weightOf, writeMarkdown } from './to-markdown.ts';
import { writeMrkdwn } from './to-mrkdwn.ts';
import { type Cost, NO_COST, toUnits, type Unit } from './units.ts';
import { wordsOf } from './words.ts';

/** The part of an answer in one message, in every format. */
export interface AnswerPart {
  markdown: string;
  /** mrkdwn sections of at most 3,000 characters. Joined by blank lines they are the plain form. */
  sections: string[];
  /** The readable text without formatting. */
  words: string;
}

/** What must fit into the messages besides the answer, in `messageWeight` and in blocks. */
export interface Surroundings {
  firstWeight: number;
  lastWeight: number;
  /** Weight in every message: the line with the part number. */
  eachWeight: number;
  /** Most blocks around the answer. */
  blocks: number;
}

/** An answer in parts. `isWhole` is false if the parts do not contain the whole answer. */
export interface DividedAnswer {
  parts: AnswerPart[];
  isWhole: boolean;
}

/** Most parts of an answer: more than people read in a thread, together about 240,000 characters. */
const MAX_PARTS = 20;
/** No message holds more than `messageWeight` characters, so the text beyond this is never shown. */
const MAX_SHOWN = MAX_PARTS * LIMITS.messageWeight;

/** Most lines of an answer. Answers that are parsed as Markdown have fewer. */
const MAX_LINES = 6_000;

/** Room in a section for inexact costs. */
const SECTION_MARGIN = 20;

/**
 * Divides an answer into as few messages as fit Slack's limits in all three formats alike, at the best places:
 * headings, then paragraphs and code blocks, then list items, rows and lines, and inside a text only if necessary. If
 * only the content around the answer did not fit any more, the last part is empty. An answer has at most 20 parts; a
 * longer one ends there. `diagrams` creates the note after each diagram.
 */
export function layoutAnswer(markdown: string, around: Surroundings, diagrams?: DiagramNotes): DividedAnswer {
  const readable = beginningOf(markdown);
  const divided =
    divideUnits(toUnits(parseAnswer(readable, diagrams)), around) ??
    divideUnits(toUnits(asPlainText(readable)), around);
  if (divided === undefined) throw new RangeError('What surrounds the answer leaves no room for it.');
  return { ...divided, isWhole: divided.isWhole && readable.length === markdown.length };
}

/** Cuts an answer to the longest text that can be shown, at a whole character. */
function beginningOf(markdown: string): string {
  const end = graphemeEnd(markdown, MAX_SHOWN);
  let at = -1;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    at = markdown.indexOf('\n', at + 1);
    if (at < 0 || at >= end) return markdown.slice(0, end);
  }
  return markdown.slice(0, at);
}

/** Divides units into parts. Undefined if a single unit is larger than a message. */
function divideUnits(units: readonly Unit[], around: Surroundings): DividedAnswer | undefined {
  const sizes = running(units);
  const weightLeft = (from: number, isLast: boolean) =>
    LIMITS.messageWeight - around.eachWeight - (from === 0 ? around.firstWeight : 0) - (isLast ? around.lastWeight : 0);
  // The place after the last unit represents the content that follows the answer in the last message.
  const total = units.length + 1;
  const fits = (from: number, to: number, slack = 1, isLast = to > units.length) => {
    const cost = between(units, sizes, from, Math.min(to, units.length));
    const weight = weightLeft(from, isLast) * slack;
    const sections = Math.ceil((cost.mrkdwn * slack) / (LIMITS.sectionText - SECTION_MARGIN)) + 1;
    return (
      cost.markdown <= LIMITS.markdownText * slack &&
      cost.weight + LIMITS.blockWeight <= weight &&
      cost.mrkdwn + sections * LIMITS.blockWeight <= weight &&
      cost.blocks + around.blocks + 1 <= LIMITS.messageBlocks &&
      cost.tableRows < LIMITS.tableRows &&
      cost.tableText <= LIMITS.tableText
    );
  };
  const boundary = (at: number) => (at === units.length ? 5.5 : (units[at]?.boundary ?? 0));
  const render = (from: number, to: number, isLast = to > units.length): AnswerPart | undefined => {
    const nodes = build(units, from, Math.min(to, units.length));
    const sections = toSections(units, sizes, from, Math.min(to, units.length));
    if (sections === undefined) return undefined;
    const part = {
      markdown: writeMarkdown(nodes),
      sections,
      words: wordsOf(nodes),
    };
    const weight = weightLeft(from, isLast);
    const written = part.sections.reduce((sum, section) => sum + section.length + LIMITS.blockWeight, 0);
    return part.markdown.length <= LIMITS.markdownText && weightOf(part.markdown) <= weight && written <= weight
      ? part
      : undefined;
  };
  const runs = pack(total, fits, boundary, render, MAX_PARTS);
  if (runs === undefined) return undefined;
  const last = runs.at(-1);
  if (last === undefined || last.to === total) return { parts: runs.map((run) => run.rendered), isWhole: true };
  // The content that follows the answer must fit into the last part that is shown.
  let to = last.to;
  let shown: AnswerPart | undefined;
  while (shown === undefined && to > last.from) {
    shown = fits(last.from, to, 1, true) ? render(last.from, to, true) : undefined;
    to -= 1;
  }
  const parts = runs.slice(0, -1).map((run) => run.rendered);
  return { parts: [...parts, shown ?? { markdown: '', sections: [], words: '' }], isWhole: false };
}

function toSections(units: readonly Unit[], sizes: readonly Cost[], from: number, to: number): string[] | undefined {
  if (from >= to) return [];
  const limit = LIMITS.sectionText - SECTION_MARGIN;
  const parts = pack(
    to - from,
    (start, end, slack = 1) => between(units, sizes, from + start, from + end).mrkdwn <= limit * slack,
    (at) => units[from + at]?.boundary ?? 0,
    (start, end) => {
      const text = writeMrkdwn(build(units, from + start, from + end));
      return text.length <= LIMITS.sectionText ? text : undefined;
    },
  );
  return parts?.map(({ rendered }) => rendered).filter((text) => text !== '');
}

/**
 * Divides `count` items, in order, into as few runs as fit. It begins each run at the best boundary that adds no run
 * and leaves no run less than half full. `render` may reject items that `fits` allowed; then `pack` tries fewer items,
 * and returns undefined if not even one item can be rendered. It stops after `most` runs.
 */
function pack<T>(
  count: number,
  fits: (from: number, to: number, slack?: number) => boolean,
  boundary: (at: number) => number,
  render: (from: number, to: number) => T | undefined,
  most = Number.POSITIVE_INFINITY,
): Run<T>[] | undefined {
  const furthest = (from: number, slack = 1) => {
    let low = from + 1;
    let high = count;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (fits(from, middle, slack)) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const needed = new Array<number>(count + 1).fill(0);
  for (let from = count - 1; from >= 0; from -= 1) needed[from] = 1 + (needed[furthest(from)] ?? 0);

  const result: Run<T>[] = [];
  let from = 0;
  while (from < count && result.length < most) {
    let slack = 1;
    let end = chooseEnd(from, furthest(from), count, needed, fits, boundary);
    let rendered = render(from, end);
    while (rendered === undefined && end > from + 1) {
      slack *= 0.95;
      end = Math.min(end - 1, chooseEnd(from, furthest(from, slack), count, needed, fits, boundary));
      rendered = render(from, end);
    }
    if (rendered === undefined) return undefined;
    result.push({ from, to: end, rendered });
    from = end;
  }
  return result;
}

/** The items `from` (inclusive) to `to` (exclusive), rendered together. */
interface Run<T> {
  from: number;
  to: number;
  rendered: T;
}

function chooseEnd(
  from: number,
  furthest: number,
  count: number,
  needed: readonly number[],
  fits: (from: number, to: number, slack?: number) => boolean,
  boundary: (at: number) => number,
): number {
  if (furthest >= count) return furthest;
  let best = furthest;
  for (let at = furthest - 1; at > from; at -= 1) {
    if ((needed[at] ?? 0) > (needed[furthest] ?? 0)) break;
    if (fits(from, at, 0.5)) break;
    if (boundary(at) > boundary(best)) best = at;
  }
  return best;
}

function running(units: readonly Unit[]): Cost[] {
  const sizes: Cost[] = [NO_COST];
  let total = NO_COST;
  for (const { cost } of units) {
    total = add(total, cost, 1);
    sizes.push(total);
  }
  return sizes;
}

function between(units: readonly Unit[], sizes: readonly Cost[], from: number, to: number): Cost {
  const inside = add(sizes[to] ?? NO_COST, sizes[from] ?? NO_COST, -1);
  const unit = from < to ? units[from] : undefined;
  return unit === undefined ? inside : add(inside, unit.reopening, 1);
}

function add(left: Cost, right: Cost, sign: 1 | -1): Cost {
  return {
    markdown: left.markdown + sign * right.markdown,
    weight: left.weight + sign * right.weight,
    mrkdwn: left.mrkdwn + sign * right.mrkdwn,
    blocks: left.blocks + sign * right.blocks,
    tableRows: left.tableRows + sign * right.tableRows,
    tableText: left.tableText + sign * right.tableText,
  };
}
