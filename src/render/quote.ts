import { LIMITS } from './limits.ts';
import { inertMrkdwn, pieces } from './text.ts';

const QUOTE_MARK = '> ';
/** Room for a heading line in the first section, and for the "…" in the last one. */
const RESERVE = 200;
/** Leaves room in `messageWeight` for the blocks around the quote. */
const MAX_WRITTEN = 11_000;

/**
 * Quotes untrusted text, in full if Slack's limits allow it, otherwise its beginning with "…". Returns mrkdwn
 * sections of ≤ 3,000 characters.
 */
export function quote(heading: string, text: string): string[] {
  const sections: string[] = [];
  let written = 0;
  const all = pieces(text, LIMITS.sectionText - RESERVE - heading.length, quoted);
  for (const piece of all) {
    const section = quoted(piece.replace(/\n$/, ''));
    if (written + section.length > MAX_WRITTEN) {
      const last = sections.length - 1;
      sections[last] = `${sections[last]}…`;
      return withHeading(heading, sections);
    }
    sections.push(section);
    written += section.length;
  }
  return withHeading(heading, sections);
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `${QUOTE_MARK}${inertMrkdwn(line)}`)
    .join('\n');
}

function withHeading(heading: string, sections: string[]): string[] {
  return sections.length === 0
    ? [heading]
    : sections.map((section, index) => (index === 0 ? `${heading}\n${section}` : section));
}
