import type { CodeSymbol, Outline } from './symbols.ts';

/** How files are cut into units. */
const UNITS = {
  /** A definition of fewer lines belongs to the text around it. */
  fewestLines: 3,
  /** A function within a shorter function is no unit of its own. */
  shortFunctionLines: 60,
  /** A longer unit is split into windows. */
  mostLines: 60,
  windowLines: 40,
} as const;

/** Lines of a file that are ranked as one: a definition, a part of a long one, or text between definitions. Both ends included. */
export interface Unit {
  start: number;
  end: number;
  /** The definition that the lines belong to; its comment is part of the unit. */
  symbol: CodeSymbol | undefined;
}

/** Cuts a file into units that cover each line once. */
export function cutUnits(lines: readonly string[], { symbols, commentLines }: Outline): Unit[] {
  const owners = ownersOf(lines, symbols, commentLines);
  const units: Unit[] = [];
  for (let start = 1; start <= lines.length; ) {
    const symbol = owners[start];
    let end = start;
    while (end < lines.length && owners[end + 1] === symbol) end += 1;
    const before = units.at(-1);
    if (before !== undefined && isBlank(lines, start, end)) before.end = end;
    else units.push(...splitLong(lines, { start, end, symbol }));
    start = end + 1;
  }
  return units;
}

/** The last line of what Python's programs say about a definition: it stands within that one, and says nothing about the next. */
const DOCSTRING_END = /^\s*(?!#).*(?:"""|''')\s*(?:#.*)?$/;

/** The innermost definition that is a unit of its own, for each line. */
function ownersOf(
  lines: readonly string[],
  symbols: readonly CodeSymbol[],
  commentLines: ReadonlySet<number>,
): (CodeSymbol | undefined)[] {
  const owners = new Array<CodeSymbol | undefined>(lines.length + 2);
  const isAbove = (line: number): boolean => commentLines.has(line) && !DOCSTRING_END.test(lines[line - 1] ?? '');
  for (const symbol of symbols) {
    const around = owners[symbol.line];
    const isWithinShort =
      around !== undefined &&
      /function|method/.test(around.kind) &&
      around.end - around.line < UNITS.shortFunctionLines;
    if (isWithinShort || symbol.end - symbol.line + 1 < UNITS.fewestLines) continue;
    let start = symbol.line;
    while (start > 1 && isAbove(start - 1) && owners[start - 1] === owners[symbol.line]) start -= 1;
    owners.fill(symbol, start, Math.min(symbol.end, lines.length) + 1);
  }
  return owners;
}

function splitLong(lines: readonly string[], { start, end, symbol }: Unit): Unit[] {
  const units: Unit[] = [];
  let from = start;
  while (end - from >= UNITS.mostLines) {
    const last = from + UNITS.windowLines - 1;
    let cut = last;
    while (cut > from + UNITS.windowLines / 2 && (lines[cut - 1] ?? '').trim() !== '') cut -= 1;
    if (cut === from + UNITS.windowLines / 2) cut = last;
    units.push({ start: from, end: cut, symbol });
    from = cut + 1;
  }
  units.push({ start: from, end, symbol });
  return units;
}

function isBlank(lines: readonly string[], start: number, end: number): boolean {
  for (let line = start; line <= end; line += 1) if (/[^\s{}()[\];,]/.test(lines[line - 1] ?? '')) return false;
  return true;
}
