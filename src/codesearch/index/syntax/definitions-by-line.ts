import { languageOfFile } from '../../git/languages.ts';
import type { CodeSymbol, Outline, SymbolKind } from '../symbols.ts';
import { indentOf } from './indent.ts';

/** Keywords of definitions; those that are not here define functions. */
const KEYWORDS: readonly (readonly [SymbolKind, string])[] = [
  ['class', 'class struct object actor service'],
  ['interface', 'interface trait protocol'],
  ['type', 'enum type input union scalar message table view'],
  ['module', 'module defmodule namespace'],
];
const KIND_OF_WORD = new Map(
  KEYWORDS.flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const)),
);

const DEFINITION =
  /^ ?(?:(?:export|default|public|private|protected|internal|static|final|abstract|open|sealed|override|suspend|inline|data|local|async|pub|create|or|replace|if|not|exists) )*(?:(?:enum )?(class|struct)|(function|func|fun|fn|def|defp|rpc|procedure|object|actor|interface|trait|protocol|enum|type|input|union|scalar|message|service|module|defmodule|namespace|table|view)) (?:[\p{L}\p{N}_$]+[.:]+)*"?([\p{L}_$][\p{L}\p{N}_$]*)/iu;
const IMPORT = /^\s*(?:import|use|using|from|require|include|#include)\b/;
const COMMENT = /^\s*(?:\/\/|#|--|\/?\*|;)/;
const LONGEST_LINE = 400;
const LONGEST_BLOCK = 600;

/** Finds headings of Markdown, and in code of a language without a grammar definitions that begin with a usual keyword. */
export function definitionsByLine(path: string, lines: readonly string[]): Outline {
  const language = languageOfFile(path);
  const outline = { symbols: [] as CodeSymbol[], commentLines: new Set<number>(), importLines: new Set<number>() };
  if (language?.id === 'md') return { ...outline, symbols: headingsOf(lines) };
  if (language?.isCode !== true) return outline;
  const { symbols, commentLines, importLines } = outline;
  for (const [index, line] of lines.entries()) {
    if (line.length > LONGEST_LINE) continue;
    if (COMMENT.test(line)) commentLines.add(index + 1);
    else if (IMPORT.test(line)) importLines.add(index + 1);
    else {
      // One space for each run of white space: no pattern can divide a long run in many ways.
      const [, first, second, name] = DEFINITION.exec(line.replace(/\s+/g, ' ')) ?? [];
      if (name === undefined) continue;
      const kind = KIND_OF_WORD.get((first ?? second ?? '').toLowerCase()) ?? 'function';
      const indent = indentOf(line);
      const exported = /^\s*(?:export|pub|public)\b/.test(line);
      symbols.push({ name, kind, line: index + 1, end: blockEnd(lines, index + 1, indent), exported, indent });
    }
  }
  return outline;
}

/** Last line of the block that a line opens, found by indentation and closing brackets. */
function blockEnd(lines: readonly string[], line: number, indent: number): number {
  const limit = Math.min(lines.length, line + LONGEST_BLOCK);
  let end = line;
  for (let index = line; index < limit; index += 1) {
    const text = lines[index] ?? '';
    const trimmed = text.trim();
    if (trimmed === '') continue;
    if (indentOf(text) <= indent && !/^(?:[}\])]|end\b|\{$)/.test(trimmed)) break;
    end = index + 1;
    if (indentOf(text) <= indent && trimmed !== '{' && !/(?:[{([]|=>|:|=)$/.test(trimmed)) break;
  }
  return end;
}

function headingsOf(lines: readonly string[]): CodeSymbol[] {
  const found: (CodeSymbol & { depth: number })[] = [];
  let fenced = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const [, marks, text] = fenced ? [] : (/^(#{1,6})\s+(\S.*)$/u.exec(line.slice(0, LONGEST_LINE)) ?? []);
    if (marks === undefined || text === undefined) continue;
    const depth = marks.length;
    for (const open of found) {
      if (open.end === lines.length && open.depth >= depth) open.end = lastFilled(lines, index);
    }
    const name = withoutClosingMarks(text).slice(0, 120);
    found.push({ name, kind: 'heading', line: index + 1, end: lines.length, exported: false, indent: 0, depth });
  }
  return found.map(({ depth: _, ...symbol }) => ({ ...symbol, end: lastFilled(lines, symbol.end) }));
}

function lastFilled(lines: readonly string[], end: number): number {
  let last = end;
  while (last > 1 && (lines[last - 1] ?? '').trim() === '') last -= 1;
  return last;
}

/** The text of a heading, without the `#` signs that may close it. */
function withoutClosingMarks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trimEnd() || text;
}
