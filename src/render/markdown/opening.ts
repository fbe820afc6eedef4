import type { RootContent } from 'mdast';
import { LIMITS } from '../limits.ts';
import { graphemeEnd, inertCut } from '../text.ts';
import { build } from './build.ts';
import { parseAnswer } from './parse.ts';
import { writeMrkdwn } from './to-mrkdwn.ts';
import { toUnits } from './units.ts';
import { textOf, wordsOf } from './words.ts';

/** Most characters to parse: far more than any preview shows, and quick to parse. */
const MAX_READ = 20_000;
/** The boundary value between two blocks such as paragraphs, see `toUnits`. Boundaries inside a block are lower. */
const BETWEEN_BLOCKS = 5;
/** Most units to try, because units without text, such as empty items, never reach the limit. */
const MAX_UNITS = 200;
const MORE = '\n…';

/**
 * Renders the beginning of an answer as one section of mrkdwn with at most `limit` visible characters. It ends at a
 * paragraph if one ends in the second half, otherwise at a sentence, an item, a row or a line. It leaves out a first
 * heading that repeats `title`.
 */
export function openingOf(markdown: string, limit: number, title?: string): string {
  const read = markdown.slice(0, graphemeEnd(markdown, MAX_READ));
  const nodes = parseAnswer(read);
  const shown = isHeading(nodes[0], title) ? nodes.slice(1) : nodes;
  const units = toUnits(shown);
  let end = 0;
  let blockEnd = 0;
  let blockLength = 0;
  for (let to = 1; to <= Math.min(units.length, MAX_UNITS); to += 1) {
    const { length } = textOf(build(units, 0, to));
    if (length > limit) break;
    const boundary = units[to]?.boundary ?? BETWEEN_BLOCKS;
    // Don't end with a heading.
    if (boundary < 0) continue;
    end = to;
    if (boundary < BETWEEN_BLOCKS) continue;
    blockEnd = to;
    blockLength = length;
  }
  const to = blockLength > limit / 2 ? blockEnd : end;
  const text = writeMrkdwn(build(units, 0, to));
  if (text === '' || text.length + MORE.length > LIMITS.sectionText) return inertCut(wordsOf(shown), limit);
  return to === units.length && read === markdown ? text : `${text}${MORE}`;
}

function isHeading(node: RootContent | undefined, words: string | undefined): boolean {
  return node?.type === 'heading' && textOf(node.children).trim() === words?.trim();
}
