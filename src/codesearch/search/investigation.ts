import { escapeRegExp } from '../escape.ts';
import type { LogOptions } from '../git/commits.ts';
import { estimateTokens } from '../limits.ts';
import { blockEnd } from './blocks.ts';
import { type Commit, readCommits } from './commits.ts';
import type { Corpus } from './corpus.ts';
import type { ChunkHit, IndexedFile, RoleWeights } from './file-index.ts';
import { type CodeSymbol, indentOf } from './symbols.ts';

/** A definition in a file. */
export interface Definition {
  file: IndexedFile;
  symbol: CodeSymbol;
}

/** One line that uses a name; `within` is the enclosing definition. */
export interface Usage {
  file: IndexedFile;
  line: number;
  text: string;
  within: CodeSymbol | undefined;
}

const MOST_USAGE_FILES = 250;

/** The tools of one investigation; each use is announced as a step or counted as a tool call. */
export function createInvestigation(corpus: Corpus, step: (reasoning: string) => Promise<void>) {
  const read = new Map<IndexedFile, string[] | undefined>();
  let toolCalls = 0;
  let tokensRead = 0;

  const tools = {
    corpus,
    step,
    spent: () => ({ toolCalls, tokensRead }),
    find(terms: ReadonlyMap<string, number>, roles: RoleWeights): ChunkHit[] {
      toolCalls += 1;
      return corpus.index.find(terms, roles);
    },
    definitions(name: string): Definition[] {
      return corpus.index.definitions(name);
    },
    /** Reads many files in one go, before they are needed. */
    preload: (files: readonly IndexedFile[]): Promise<void> => corpus.preload(files),
    /** Lines of a file; empty for a binary file. */
    async lines(file: IndexedFile): Promise<string[]> {
      if (!read.has(file)) {
        toolCalls += 1;
        const lines = await corpus.lines(file);
        tokensRead += estimateTokens((lines ?? []).join('\n'));
        read.set(file, lines);
      }
      return read.get(file) ?? [];
    },
    /** Lines that use an identifier, without its definitions and imports; searches a few hundred files at most. */
    async usages(name: string, definitions: readonly Definition[]): Promise<Usage[]> {
      toolCalls += 1;
      const files = corpus.index.findName(name).sort(byUsefulness).slice(0, MOST_USAGE_FILES);
      await corpus.preload(files);
      const word = usagePattern(name, definitions);
      const usages: Usage[] = [];
      for (const file of files) {
        const lines = (await corpus.lines(file)) ?? [];
        let inComment = false;
        for (const [index, text] of lines.entries()) {
          if (/^\s*\/\*/.test(text)) inComment = true;
          const isComment = inComment;
          if (text.includes('*/')) inComment = false;
          if (isComment || text.length > 500 || !word.test(text) || isImportOrComment(text)) continue;
          const line = index + 1;
          if (definitions.some((known) => known.file === file && known.symbol.line === line)) continue;
          usages.push({ file, line, text: text.trim(), within: enclosing(file, line, lines) });
        }
      }
      return usages;
    },
    async commitsOf(name: string, count: number, options: LogOptions): Promise<Commit[]> {
      toolCalls += 1;
      const repository = corpus.repository(name);
      return repository === undefined ? [] : readCommits(repository, { ...options, first: count });
    },
    findCommits(terms: ReadonlyMap<string, number>) {
      toolCalls += 1;
      return corpus.repositories
        .flatMap(({ name }) => corpus.commits(name)?.find(terms) ?? [])
        .sort((a, b) => b.score - a.score);
    },
  };
  return tools;
}

export type Investigation = ReturnType<typeof createInvestigation>;

/** The innermost definition whose block contains a line. */
export function enclosing(file: IndexedFile, line: number, lines: readonly string[]): CodeSymbol | undefined {
  const indent = indentOf(lines[line - 1] ?? '');
  return file.symbols.findLast(
    (symbol) =>
      symbol.line < line &&
      symbol.indent < indent &&
      symbol.kind !== 'constant' &&
      symbol.kind !== 'heading' &&
      blockEnd(lines, symbol) >= line,
  );
}

const ROLE_ORDER = ['source', 'config', 'test', 'example', 'docs', 'vendored', 'generated'];

/** Sorts source before tests before documents, then by path. */
export function byUsefulness(a: IndexedFile, b: IndexedFile): number {
  return ROLE_ORDER.indexOf(a.role) - ROLE_ORDER.indexOf(b.role) || comparePaths(a, b);
}

export function comparePaths(a: IndexedFile, b: IndexedFile): number {
  return a.repository < b.repository || (a.repository === b.repository && a.path < b.path) ? -1 : 1;
}

/** An ordinary word like `timeout` counts only where it is called; a distinctive name counts everywhere. */
function usagePattern(name: string, definitions: readonly Definition[]): RegExp {
  const isWord = /^[a-z]+$/.test(name) && definitions.some(({ symbol }) => /function|method/.test(symbol.kind));
  const isMethod = definitions.some(({ symbol }) => symbol.kind === 'method');
  const before = isWord && !isMethod ? '(?<![\\p{L}\\p{N}_$.])' : '(?<![\\p{L}\\p{N}_$])';
  const after = isWord ? '\\s*(?:<[^>]*>)?\\(' : '(?![\\p{L}\\p{N}_$])';
  return new RegExp(`${before}${escapeRegExp(name)}${after}`, 'u');
}

/** Import and comment lines mention a name without using it. */
function isImportOrComment(line: string): boolean {
  return /^\s*(import\b|from\s+\S+\s+import\b|export\s+(?:type\s+)?(?:\*|\{)|use\s+[\w:]+|#include|\/\/|\/?\*|#\s|--[-\s]|(?:abstract|declare)\b)|^\s*(?:const|let|var)\s+\{?[^=]*=\s*require\(/.test(
    line,
  );
}
