import type { Node, Tree } from '@vscode/tree-sitter-wasm';
import type { CodeSymbol, Outline, SymbolKind } from '../symbols.ts';
import type { Grammar } from './grammars.ts';
import { indentOf } from './indent.ts';

const KINDS: readonly SymbolKind[] = ['method', 'function', 'class', 'interface', 'type', 'module', 'constant'];
/** Minified files have more; they are not read as code. */
const MOST_DEFINITIONS = 20_000;

/** Runs the grammar's query for definitions and comments on a parsed file. */
export function definitionsInTree(grammar: Grammar, tree: Tree, text: string): Outline {
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
