import type { RootContent } from 'mdast';
import { LIMITS } from '../limits.ts';
import { graphemeEnd, inertCut } from '../text.ts';
import { build } from './build.ts';
import { parseAnswer, textOf, wordsOf } from './parse.ts';
import { writeMrkdwn } from './to-mrkdwn.ts';
import { toUnits } from './units.ts';

/** Far more than is shown of any answer, and quickly read. */
const MAX_READ = 20_000;
/** The boundary between two paragraphs and the like, see `toUnits`; those inside of them are lower. */
const BETWEEN_BLOCKS = 5;
/** Of what takes no room: empty items and the like. */
const MAX_UNITS = 200;
const MORE = '\n…';

/**
 * The beginning of an answer as one section of mrkdwn: at most `limit` characters as they are read. It ends with a
 * paragraph where one ends in the second half, else with a sentence, an item, a row or a line. A first heading that says
 * what `title` says is left out.
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
    // A heading must not come last.
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
