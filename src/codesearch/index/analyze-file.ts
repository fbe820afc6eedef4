import { isMachineWritten, isMinified, type Role, roleOf, saysGenerated } from './roles.ts';
import type { CodeSymbol } from './symbols.ts';
import { outlineOf } from './syntax/definitions.ts';
import { type WeightedTerms, weigh } from './text-index.ts';
import { type TrigramFilter, trigramFilterOf } from './trigrams.ts';
import { cutUnits, type Unit } from './units.ts';
import { textTerms } from './words.ts';

/** What the index keeps of a file; plain data, so that a worker thread can send it. */
export interface AnalyzedFile {
  role: Role;
  lineCount: number;
  symbols: CodeSymbol[];
  /** Lines that are only comment, and lines that are only imports. */
  commentLines: number[];
  importLines: number[];
  units: AnalyzedUnit[];
  /** Of the whole text; undefined where there is none. */
  trigrams: TrigramFilter | undefined;
  /** Of the whole text. */
  textLength: number;
}

/** A unit with its index terms; `symbol` is a place in the symbols of the file. */
export interface AnalyzedUnit extends Omit<Unit, 'symbol'> {
  symbol: number | undefined;
  terms: WeightedTerms;
}

/** Of a line; longer ones are data. */
const LONGEST_LINE = 2_000;

/** Finds the role, definitions, units and index terms of a file; without text (binary, too large) only those of its path. */
export async function analyzeFile(path: string, text: string | undefined): Promise<AnalyzedFile> {
  const named = roleOf(path);
  const role =
    text !== undefined && named === 'source' && (isMinified(text) || saysGenerated(text)) ? 'generated' : named;
  const pathTerms = textTerms(path);
  const trigrams = text === undefined ? undefined : trigramFilterOf(text);
  const textLength = text?.length ?? 0;
  if (text === undefined || isMinified(text) || isMachineWritten(path)) {
    const units = [{ start: 1, end: 1, symbol: undefined, terms: weigh({ path: pathTerms }) }];
    return { role, lineCount: 0, symbols: [], commentLines: [], importLines: [], units, trigrams, textLength };
  }
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  const outline = await outlineOf(path, text);
  const places = new Map(outline.symbols.map((symbol, place) => [symbol, place]));
  return {
    role,
    lineCount: lines.length,
    symbols: outline.symbols,
    commentLines: [...outline.commentLines],
    importLines: [...outline.importLines],
    units: cutUnits(lines, outline).map(({ start, end, symbol }) => ({
      start,
      end,
      symbol: symbol === undefined ? undefined : places.get(symbol),
      terms: termsOfUnit({ start, end, symbol }, pathTerms, lines, outline),
    })),
    trigrams,
    textLength,
  };
}

/** The index terms of lines of a file; `path` are those of its path. */
function termsOfUnit(
  { start, end, symbol }: Unit,
  path: readonly string[],
  lines: readonly string[],
  { symbols, commentLines }: { symbols: readonly CodeSymbol[]; commentLines: Pick<ReadonlySet<number>, 'has'> },
): WeightedTerms {
  const names = symbols.filter((each) => each === symbol || (each.line >= start && each.line <= end));
  const comment: string[] = [];
  const body: string[] = [];
  for (let line = start; line <= end; line += 1) {
    (commentLines.has(line) ? comment : body).push(lines[line - 1] ?? '');
  }
  return weigh({
    path,
    symbol: [...new Set(names.flatMap(({ name, owner = '' }) => textTerms(`${name} ${owner}`)))],
    comment: textTerms(comment.join('\n')),
    body: textTerms(body.join('\n')),
  });
}
