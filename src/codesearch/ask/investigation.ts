import { setImmediate as breathe } from 'node:timers/promises';
import { escapeRegExp } from '../escape.ts';
import type { LogOptions } from '../git/commits.ts';
import { type Commit, readCommits } from '../index/commits.ts';
import type { Corpus } from '../index/corpus.ts';
import type { Definition, IndexedFile, UnitMatch } from '../index/file-index.ts';
import { compareRoles } from '../index/roles.ts';
import { type CodeSymbol, enclosing } from '../index/symbols.ts';
import { estimateTokens, LIMITS } from '../limits.ts';
import { type Literal, lookUp } from './verbatim.ts';

/** One line that uses a name; `within` is the enclosing definition. */
export interface Usage {
  file: IndexedFile;
  line: number;
  text: string;
  within: CodeSymbol | undefined;
}

/** Files that are read whole for one answer. */
const MOST_FILES_READ = 1_000;

/** The tools of one investigation; each use is announced as a step or counted as a tool call. */
export function createInvestigation(corpus: Corpus, step: (reasoning: string) => Promise<void>) {
  const read = new Map<IndexedFile, string[] | undefined>();
  let toolCalls = 0;
  let tokensRead = 0;

  const tools = {
    corpus,
    step,
    spent: () => ({ toolCalls, tokensRead }),
    /** All units with any of the terms, in no order. */
    find(terms: readonly string[], weights: readonly number[]): UnitMatch[] {
      toolCalls += 1;
      return corpus.index.find(terms, weights);
    },
    /** Looks a text up as it is written. */
    lookUp(text: string): Promise<Literal> {
      toolCalls += 1;
      return lookUp(text, corpus.index, tools);
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
    /** Files with their lines, as many as an answer reads: in groups, so that many large ones fit in memory. */
    async *linesOfAll(files: readonly IndexedFile[]): AsyncGenerator<[IndexedFile, string[]]> {
      for (const group of groupsOf(files.slice(0, MOST_FILES_READ))) {
        await corpus.preload(group);
        for (const file of group) {
          yield [file, (await corpus.lines(file)) ?? []];
          await breathe();
        }
      }
    },
    /** Whether more files have an identifier than {@link usages} reads. */
    hasMoreUsages: (name: string): boolean => corpus.index.findName(name).length > MOST_FILES_READ,
    /**
     * Lines that use an identifier, without its definitions, imports and comments; of the most useful files. Uses of an ordinary word
     * like `timeout` are those that call it.
     */
    async usages(name: string, definitions: readonly Definition[]): Promise<Usage[]> {
      toolCalls += 1;
      const files = corpus.index.findName(name).sort(byUsefulness);
      const { use, calls } = usagePatterns(name, definitions);
      const usages: Usage[] = [];
      for await (const [file, lines] of tools.linesOfAll(files)) {
        const { commentLines, importLines, symbols } = file;
        for (const [index, text] of lines.entries()) {
          const line = index + 1;
          if (commentLines.has(line) || importLines.has(line) || text.length > 500 || !use.test(text)) continue;
          if (definitions.some((known) => known.file === file && isOwnLine(known.symbol, line))) continue;
          usages.push({ file, line, text: text.trim(), within: enclosing(symbols, line) });
        }
      }
      for (const call of calls) {
        const found = usages.filter(({ text }) => call.test(text));
        if (found.length > 0) return found;
      }
      return [];
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

/** Groups of about `LIMITS.blobBatchBytes` characters. */
function* groupsOf(files: readonly IndexedFile[]): Generator<IndexedFile[]> {
  let group: IndexedFile[] = [];
  let characters = 0;
  for (const file of files) {
    if (characters + file.textLength > LIMITS.blobBatchBytes && group.length > 0) {
      yield group;
      group = [];
      characters = 0;
    }
    group.push(file);
    characters += file.textLength;
  }
  if (group.length > 0) yield group;
}

/** Whether a line is part of the definition itself; a function may call itself. */
function isOwnLine(symbol: CodeSymbol, line: number): boolean {
  return line === symbol.line || (symbol.kind === 'constant' && symbol.line < line && line <= symbol.end);
}

/** The words in the names of the repositories, in lower case: in a question they say where, not what. */
export function repositoryWords({ repositories }: Corpus): Set<string> {
  return new Set(repositories.flatMap(({ name }) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)));
}

/** Sorts source before tests before documents, then by path. */
export function byUsefulness(a: IndexedFile, b: IndexedFile): number {
  return compareRoles(a.role, b.role) || comparePaths(a, b);
}

export function comparePaths(a: IndexedFile, b: IndexedFile): number {
  return a.repository < b.repository || (a.repository === b.repository && a.path < b.path) ? -1 : 1;
}

/** `use`: a name where it is used. `calls`: what counts as a use of it; the first pattern that is found anywhere decides. */
function usagePatterns(name: string, definitions: readonly Definition[]): { use: RegExp; calls: RegExp[] } {
  const isWord = /^[a-z]+$/.test(name) && definitions.some(({ symbol }) => /function|method/.test(symbol.kind));
  const isMethod = definitions.some(({ symbol }) => symbol.kind === 'method');
  const use = new RegExp(`(?<![\\p{L}\\p{N}_$])${escapeRegExp(name)}(?![\\p{L}\\p{N}_$])`, 'u');
  if (!isWord) return { use, calls: [use] };
  const call = new RegExp(`${use.source}\\s*(?:<[^>]*>)?\\(`, 'u');
  // A call through a module looks like one of another object's method.
  return { use, calls: isMethod ? [call] : [new RegExp(`(?<!\\.)${call.source}`, 'u'), call] };
}
