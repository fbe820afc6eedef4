export type SymbolKind = 'function' | 'method' | 'class' | 'interface' | 'type' | 'constant' | 'heading' | 'module';

/** A definition; lines count from 1, and both ends are included. */
export interface CodeSymbol {
  name: string;
  kind: SymbolKind;
  /** The line with its name. */
  line: number;
  end: number;
  /** Whether its line shows that it is visible outside its file. */
  exported: boolean;
  /** Columns of leading white space; a tab counts as four. */
  indent: number;
  /** The name of the definition around it. */
  owner?: string;
}

/** The innermost function, class or type around a line. */
export function enclosing(symbols: readonly CodeSymbol[], line: number): CodeSymbol | undefined {
  return symbols.findLast(
    (symbol) =>
      symbol.line <= line && symbol.end >= line && symbol.end > symbol.line && !/constant|heading/.test(symbol.kind),
  );
}

/** What the grammar of a file says about it. */
export interface Outline {
  /** In the order of their lines. */
  symbols: CodeSymbol[];
  /** Lines that are only comment. */
  commentLines: ReadonlySet<number>;
  /** Lines that only bring in names of other files, or pass them on. */
  importLines: ReadonlySet<number>;
}

/** Columns of leading white space; a tab counts as four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns += 1;
    else if (character === '\t') columns += 4;
    else break;
  }
  return columns;
}
