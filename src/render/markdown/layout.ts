import { LIMITS } from '../limits.ts';
import { build } from './build.ts';
import { asPlainText, parseAnswer, textOf } from './parse.ts';
import { weightOf, writeMarkdown } from './to-markdown.ts';
import { writeMrkdwn } from './to-mrkdwn.ts';
import { type Cost, NO_COST, type Unit } from './unit.ts';
import { toUnits } from './units.ts';

/** One message's share of an answer, in every format. */
export interface AnswerPart {
  markdown: string;
  /** mrkdwn, each at most 3,000 characters; joined by blank lines they are the plain form. */
  sections: string[];
  /** What can be read in it, without formatting. */
  words: string;
}

/** What must fit into the first and the last message besides the answer: all in `messageWeight` and in blocks. */
export interface Surroundings {
  firstWeight: number;
  lastWeight: number;
  /** Every message: the line that says which part it is. */
  eachWeight: number;
  /** Blocks around the answer, at most. */
  blocks: number;
}

/** Room kept free in a section for what costs are not exact about. */
const SECTION_MARGIN = 20;

/**
 * Divides an answer into as few messages as fit Slack's limits in all three formats alike, at the best places there are:
 * headings, then paragraphs and code blocks, then list items, rows and lines, and inside a text only when it must be.
 * The last part may be empty when only what surrounds the answer did not fit any more.
 */
export function layoutAnswer(markdown: string, around: Surroundings): AnswerPart[] {
  const key = JSON.stringify([around, markdown]);
  if (latest?.key !== key) latest = { key, parts: divide(markdown, around) };
  return latest.parts;
}

/** The parts of one answer are posted one after the other, each rendered anew; dividing it once is enough. */
let latest: { key: string; parts: AnswerPart[] } | undefined;

function divide(markdown: string, around: Surroundings): AnswerPart[] {
  const parts =
    divideUnits(toUnits(parseAnswer(markdown)), around) ?? divideUnits(toUnits(asPlainText(markdown)), around);
  if (parts === undefined) throw new RangeError('What surrounds the answer leaves no room for it.');
  return parts;
}

/** Undefined when a single unit is larger than a message. */
function divideUnits(units: readonly Unit[], around: Surroundings): AnswerPart[] | undefined {
  const sizes = running(units);
  const weightLeft = (from: number, to: number) =>
    LIMITS.messageWeight -
    around.eachWeight -
    (from === 0 ? around.firstWeight : 0) -
    (to > units.length ? around.lastWeight : 0);
  // One place after the last unit stands for what follows the answer in the last message.
  const total = units.length + 1;
  const fits = (from: number, to: number, slack = 1) => {
    const cost = between(units, sizes, from, Math.min(to, units.length));
    const weight = weightLeft(from, to) * slack;
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
  const render = (from: number, to: number): AnswerPart | undefined => {
    const nodes = build(units, from, Math.min(to, units.length));
    const sections = toSections(units, sizes, from, Math.min(to, units.length));
    if (sections === undefined) return undefined;
    const part = {
      markdown: writeMarkdown(nodes),
      sections,
      words: nodes.map((node) => textOf([node])).join(' '),
    };
    const weight = weightLeft(from, to);
    const written = part.sections.reduce((sum, section) => sum + section.length + LIMITS.blockWeight, 0);
    return part.markdown.length <= LIMITS.markdownText && weightOf(part.markdown) <= weight && written <= weight
      ? part
      : undefined;
  };
  return pack(total, fits, boundary, render);
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
  return parts?.filter((text) => text !== '');
}

/**
 * Divides `count` things, in order, into as few runs as fit, beginning each run at the best boundary that costs no
 * additional run and leaves none less than half full. `render` may refuse what `fits` allowed; then less is tried, and
 * undefined returned when not even one thing can be rendered.
 */
function pack<T>(
  count: number,
  fits: (from: number, to: number, slack?: number) => boolean,
  boundary: (at: number) => number,
  render: (from: number, to: number) => T | undefined,
): T[] | undefined {
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

  const result: T[] = [];
  let from = 0;
  while (from < count) {
    let slack = 1;
    let end = chooseEnd(from, furthest(from), count, needed, fits, boundary);
    let rendered = render(from, end);
    while (rendered === undefined && end > from + 1) {
      slack *= 0.95;
      end = Math.min(end - 1, chooseEnd(from, furthest(from, slack), count, needed, fits, boundary));
      rendered = render(from, end);
    }
    if (rendered === undefined) return undefined;
    result.push(rendered);
    from = end;
  }
  return result;
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
