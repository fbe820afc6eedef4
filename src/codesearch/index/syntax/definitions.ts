import type { Node, Tree } from '@vscode/tree-sitter-wasm';
import { languageOfFile } from '../../git/languages.ts';
import { type CodeSymbol, indentOf, type Outline, type SymbolKind } from '../symbols.ts';
import { type Grammar, grammarOf, withTree } from './grammars.ts';

/** Finds the definitions and comments of a file: with a grammar where there is one, otherwise line by line. */
export async function outlineOf(path: string, text: string): Promise<Outline> {
  const grammar = await grammarOf(path);
  const parsed =
    grammar === undefined ? undefined : await withTree(grammar, text, (tree) => definitionsInTree(grammar, tree, text));
  return parsed ?? definitionsByLine(path, text.split('\n'));
}

const KINDS: readonly SymbolKind[] = ['method', 'function', 'class', 'interface', 'type', 'module', 'constant'];
/** Minified files have more; they are not read as code. */
const MOST_DEFINITIONS = 20_000;

/** Runs the grammar's query for definitions and comments on a parsed file. */
function definitionsInTree(grammar: Grammar, tree: Tree, text: string): Outline {
  const lines = text.split('\n');
  const commentLines = new Set<number>();
  const importLines = new Set<number>();
  const found = new Map<string, CodeSymbol>();
  const owners: { name: string; line: number; end: number }[] = [];
  for (const { captures } of grammar.definitions.matches(tree.rootNode, { matchLimit: MOST_DEFINITIONS })) {
    const parts = Object.fromEntries(captures.map(({ name, node }) => [name, node]));
    if (parts.comment !== undefined) addLines(commentLines, parts.comment, lines);
    if (parts.import !== undefined) addLines(importLines, parts.import, lines);
    const kind = KINDS.find((each) => parts[each] !== undefined);
    const around = parts[kind ?? 'owner'];
    const name = parts.name?.text ?? nameInDeclarator(parts.declarator?.text);
    if (around === undefined || name === undefined || name.length > 200) continue;
    const line = (parts.name ?? parts.declarator ?? around).startPosition.row + 1;
    const end = lastLine(around);
    if (kind === undefined) {
      owners.push({ name, line, end });
      continue;
    }
    const opening = lines[line - 1] ?? '';
    const key = `${line} ${name}`;
    const known = found.get(key);
    if (known !== undefined && KINDS.indexOf(known.kind) <= KINDS.indexOf(kind)) continue;
    const exported = /^\s*(?:export|pub|public)\b/.test(opening) || (grammar.name === 'go' && /^\p{Lu}/u.test(name));
    found.set(key, { name: name.replace(/^#/, ''), kind, line, end, exported, indent: indentOf(opening) });
  }
  // A name that stands for an imported module is no definition.
  for (const [key, { kind, line }] of found) if (kind === 'constant' && importLines.has(line)) found.delete(key);
  const symbols = [...found.values()].sort((a, b) => a.line - b.line || b.end - a.end);
  return { symbols: withOwners(symbols, owners), commentLines, importLines };
}

function withOwners(
  symbols: readonly CodeSymbol[],
  others: readonly { name: string; line: number; end: number }[],
): CodeSymbol[] {
  const around: { name: string; line: number; end: number }[] = [];
  const opened = [...symbols, ...others].sort((a, b) => a.line - b.line || b.end - a.end);
  const owners = new Map<unknown, string>();
  for (const each of opened) {
    while ((around.at(-1)?.end ?? Number.POSITIVE_INFINITY) < each.line) around.pop();
    const owner = around.at(-1)?.name;
    if (owner !== undefined) owners.set(each, owner);
    if (each.end > each.line) around.push(each);
  }
  return symbols.map((symbol) => {
    const owner = owners.get(symbol);
    return owner === undefined ? symbol : { ...symbol, owner };
  });
}

/** The lines of a comment or an import, unless code stands before it. */
function addLines(lines: Set<number>, node: Node, texts: readonly string[]): void {
  const { row, column } = node.startPosition;
  if ((texts[row] ?? '').slice(0, column).trim() !== '') return;
  for (let line = row + 1; line <= lastLine(node); line += 1) lines.add(line);
}

/** A node that ends at the beginning of a line ends with the line before. */
function lastLine({ startPosition, endPosition }: Node): number {
  return Math.max(startPosition.row, endPosition.column === 0 ? endPosition.row - 1 : endPosition.row) + 1;
}

/** The name in a declarator of C: `*Store::load(int key)` declares `load`. */
function nameInDeclarator(text: string | undefined): string | undefined {
  return /(~?[\p{L}_$][\p{L}\p{N}_$]*)\s*\(/u.exec(text?.slice(0, 400) ?? '')?.[1];
}

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
function definitionsByLine(path: string, lines: readonly string[]): Outline {
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
