import type { Passage } from '../rank.ts';
import { indentOf } from '../syntax/indent.ts';

const LONGEST_LINE = 180;

/** Lines quoted from a file; `start` and `end` are the first and last line. */
export interface Snippet {
  lines: string[];
  start: number;
  end: number;
}

/** The most relevant lines of a passage: all lines when short, or else its first lines and the best matching part. */
export function quote(passage: Passage, lines: readonly string[], most = 22): Snippet {
  const { start, end } = passage;
  if (end - start + 1 <= most) return cut(lines, start, end);
  const headEnd = passage.symbol === undefined ? start - 1 : signatureEnd(lines, start, end);
  const key = bestWindow(passage, Math.max(6, most - (headEnd - start + 1) - 1));
  if (key.start <= headEnd + 3) return unfinished(cut(lines, start, Math.min(end, start + most - 1)), end);
  const head = lines.slice(start - 1, headEnd);
  const from = Math.max(headEnd + 1, key.start);
  const indent = ' '.repeat(indentOf(lines[from - 1] ?? ''));
  const body = lines.slice(from - 1, key.end);
  const shown = headEnd < start ? body : [...head, `${indent}…`, ...body];
  return unfinished({ lines: outdent(shown), start: headEnd < start ? from : start, end: key.end }, end);
}

/** Marks a quote that ends before its passage. */
function unfinished(snippet: Snippet, end: number): Snippet {
  if (snippet.end >= end) return snippet;
  const indent = /^\s*/.exec(snippet.lines.at(-1) ?? '')?.[0] ?? '';
  return { ...snippet, lines: [...snippet.lines, `${indent}…`] };
}

function signatureEnd(lines: readonly string[], start: number, end: number): number {
  for (let line = start; line <= Math.min(end, start + 7); line += 1) {
    if (/([{:]|=>|\()\s*$/.test(lines[line - 1] ?? '') && !/\(\s*$/.test(lines[line - 1] ?? '')) return line;
  }
  return start;
}

function bestWindow(passage: Passage, size: number): { start: number; end: number } {
  let best = { start: passage.start, worth: -1 };
  for (const key of passage.keyLines) {
    const from = Math.max(passage.start, Math.min(key - 3, passage.end - size + 1));
    const worth = passage.keyLines.reduce(
      (sum, line, rank) => sum + (line >= from && line < from + size ? 1 / (1 + rank) : 0),
      0,
    );
    if (worth > best.worth + 1e-9) best = { start: from, worth };
  }
  return { start: best.start, end: Math.min(passage.end, best.start + size - 1) };
}

function cut(lines: readonly string[], start: number, end: number): Snippet {
  let first = start;
  let last = end;
  while (last > first && (lines[last - 1] ?? '').trim() === '') last -= 1;
  while (first < last && (lines[first - 1] ?? '').trim() === '') first += 1;
  return { lines: outdent(lines.slice(first - 1, last)), start: first, end: last };
}

function outdent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents, 40);
  return lines.map((line) => {
    const text = line.slice(Math.min(common, /^[ \t]*/.exec(line)?.[0].length ?? 0));
    return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  });
}
