import type { Passage } from './rank.ts';

const LONGEST_LINE = 180;
/** Lines before the best one, where there is room. */
const LINES_BEFORE = 4;

/** The most relevant lines of a passage: all when there are few, or else the line with the name, and the lines around the best. */
export function quote(
  { start, end, symbol, keyLines }: Pick<Passage, 'start' | 'end' | 'symbol' | 'keyLines'>,
  lines: readonly string[],
  most: number,
): string[] {
  if (end - start + 1 <= most) return outdent(trim(lines.slice(start - 1, end)));
  const named = symbol !== undefined && symbol.line >= start && symbol.line <= end ? symbol.line : undefined;
  const key = keyLines[0] ?? start;
  const size = most - 2;
  const from = Math.max(named ?? start, Math.min(key - LINES_BEFORE, end - size + 1));
  const to = Math.min(end, from + size - 1);
  const head = named === undefined || from <= named + 2 ? [] : [lines[named - 1] ?? '', '…'];
  const first = head.length > 0 ? from : (named ?? from);
  return outdent([...head, ...trim(lines.slice(first - 1, to)), ...(to < end ? ['…'] : [])]);
}

function trim(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return lines.slice(Math.max(0, first), lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function outdent(lines: readonly string[]): string[] {
  const margin = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
  const common = Math.min(...lines.filter((line) => line.trim() !== '' && line !== '…').map(margin), 40);
  return lines.map((line) => {
    const text = line.slice(Math.min(common, margin(line)));
    return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  });
}
