import { LIMITS } from '../limits.ts';
import type { Pattern } from './pattern.ts';
import type { WorkBudget } from './regexp/matcher.ts';

/** A line where a pattern can match. */
export interface TextLine {
  /** From 1. */
  number: number;
  text: string;
}

/** Whether a pattern matches in a line of a plain text. Throws `WorkBudgetError`. */
export function hasLine(pattern: Pattern, text: string, budget: WorkBudget): boolean {
  return linesWith(pattern, text, budget).next().done !== true;
}

/**
 * The lines of a plain text where any of these patterns matches, in order; after `most` characters the rest is cut. `perLine` counts
 * for each line, beside its text. Throws `WorkBudgetError`.
 */
export function linesWithAny(
  patterns: readonly Pattern[],
  text: string,
  most: number,
  perLine: number,
  budget: WorkBudget,
): { lines: TextLine[]; isCut: boolean } {
  const lines = new Map<number, TextLine>();
  let isCut = false;
  for (const pattern of patterns) {
    let characters = 0;
    for (const { number, start, end } of linesWith(pattern, text, budget)) {
      characters += end - start + perLine;
      isCut ||= characters > most;
      if (isCut) break;
      const line = copyOf(text.slice(start, Math.min(end, start + LIMITS.searchLineCharacters)));
      lines.set(number, { number, text: line });
    }
  }
  const all = [...lines.values()];
  return { lines: patterns.length < 2 ? all : all.sort((a, b) => a.number - b.number), isCut };
}

/** A part of a text keeps the whole text in memory; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function* linesWith(
  { needle, isNeedle, test }: Pattern,
  text: string,
  budget: WorkBudget,
): Generator<{ number: number; start: number; end: number }> {
  if (needle === undefined) return;
  let number = 1;
  let counted = 0;
  for (let at = 0; at < text.length; ) {
    needle.lastIndex = at;
    const found = needle.exec(text);
    if (found === null) return;
    const start = text.lastIndexOf('\n', found.index) + 1;
    const lineEnd = text.indexOf('\n', found.index);
    const end = lineEnd < 0 ? text.length : lineEnd;
    at = end + 1;
    if (!isNeedle && !test(text.slice(start, end), budget)) continue;
    for (let next = text.indexOf('\n', counted); next >= 0 && next < start; next = text.indexOf('\n', counted)) {
      number += 1;
      counted = next + 1;
    }
    yield { number, start, end };
  }
}
