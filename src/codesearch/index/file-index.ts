import type { AnalyzedFile } from './analyze-file.ts';
import { type LineSet, lineSetOf } from './line-set.ts';
import type { Role } from './roles.ts';
import type { CodeSymbol } from './symbols.ts';
import { createTextIndex, type Match, type Numbered } from './text-index.ts';
import type { TrigramFilter } from './trigrams.ts';
import type { Unit } from './units.ts';
import { identifierTerms, longestIdentifier } from './words.ts';

/** A tracked file in the index. */
export interface IndexedFile {
  repository: string;
  path: string;
  blob: string;
  /** The commit of HEAD when it has the file with this content; undefined for staged changes. Changes with HEAD. */
  commit: string | undefined;
  role: Role;
  lineCount: number;
  symbols: CodeSymbol[];
  commentLines: LineSet;
  importLines: ReadonlySet<number>;
  units: IndexedUnit[];
  /** Undefined where the text is not known: not read yet, not text, or too large. */
  trigrams: TrigramFilter | undefined;
  /** Characters of the text, where there are trigrams. */
  textLength: number;
  /** Whether the index has the text too, where it is text; else only the path. */
  isRead: boolean;
}

/** A unit with its file. */
export interface IndexedUnit extends Unit, Numbered {
  file: IndexedFile;
}

export type UnitMatch = Match<IndexedUnit>;

/** Which content of which file. */
type Place = Pick<IndexedFile, 'repository' | 'path' | 'blob' | 'commit'>;

/** A definition in a file. */
export interface Definition {
  file: IndexedFile;
  symbol: CodeSymbol;
}

/** The search index of all repositories: terms of units, and definitions by name. */
export function createFileIndex() {
  const search = createTextIndex<IndexedUnit>();
  /** By repository and path: a key of both would be built for each file of a search. */
  const files = new Map<string, Map<string, IndexedFile>>();
  let size = 0;
  const byName = new Map<string, Definition[]>();
  let unread = 0;

  function enter(file: IndexedFile): void {
    const own = files.get(file.repository) ?? new Map<string, IndexedFile>();
    files.set(file.repository, own.set(file.path, file));
    size += 1;
    if (!file.isRead) unread += 1;
    for (const symbol of file.symbols) {
      if (symbol.kind === 'heading') continue;
      const name = nameKey(symbol.name);
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [{ file, symbol }]);
      else known.push({ file, symbol });
    }
  }

  function remove(repository: string, path: string): void {
    const file = files.get(repository)?.get(path);
    if (file === undefined) return;
    files.get(repository)?.delete(path);
    size -= 1;
    if (!file.isRead) unread -= 1;
    search.remove(file.units);
    for (const symbol of file.symbols) {
      const name = nameKey(symbol.name);
      const rest = (byName.get(name) ?? []).filter((entry) => entry.file !== file);
      if (rest.length > 0) byName.set(name, rest);
      else byName.delete(name);
    }
  }

  return {
    /** Adds or replaces a file. `isRead`: as in {@link IndexedFile}. */
    put({ repository, path, blob, commit }: Place, analyzed: AnalyzedFile, isRead: boolean): IndexedFile {
      remove(repository, path);
      const { role, lineCount, symbols, units, trigrams, textLength } = analyzed;
      const file: IndexedFile = {
        ...{ repository, path, blob, commit, role, lineCount, symbols, trigrams, textLength, isRead },
        commentLines: lineSetOf(analyzed.commentLines),
        importLines: new Set(analyzed.importLines),
        units: [],
      };
      for (const { start, end, symbol: place, terms } of units) {
        const symbol = place === undefined ? undefined : symbols[place];
        const unit: IndexedUnit = { id: 0, file, start, end, symbol };
        search.add(unit, terms);
        file.units.push(unit);
      }
      enter(file);
      return file;
    },
    remove,
    get: (repository: string, path: string): IndexedFile | undefined => files.get(repository)?.get(path),
    *all(): IterableIterator<IndexedFile> {
      for (const own of files.values()) yield* own.values();
    },
    size: (): number => size,
    /** How many files are listed but not read yet. */
    unread: (): number => unread,
    /** Definitions of this name; those with the same capitalization first. */
    definitions(name: string): Definition[] {
      const found = byName.get(nameKey(name)) ?? [];
      const exact = found.filter(({ symbol }) => symbol.name === name);
      return exact.length > 0 ? exact : found;
    },
    /** Files with all of these terms. */
    filesWith(terms: readonly string[]): IndexedFile[] {
      let common: Set<IndexedFile> | undefined;
      for (const term of terms) {
        const own = new Set<IndexedFile>();
        for (const { file } of search.documentsWith(term)) if (common === undefined || common.has(file)) own.add(file);
        common = own;
      }
      return [...(common ?? [])];
    },
    /** Files that contain an identifier, or the longest part of a name, as a whole word, in any capitalization. */
    findName(name: string): IndexedFile[] {
      return this.filesWith(identifierTerms(longestIdentifier(name)).slice(-1));
    },
    hasTerm: search.has,
    rarity: search.rarity,
    /** All units with any of the terms, in no order. */
    find: (terms: readonly string[], weights: readonly number[]): UnitMatch[] => search.find(terms, weights),
  };
}

export type FileIndex = ReturnType<typeof createFileIndex>;

/** The same key for names that differ only in capitals and underscores. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/_/g, '') || name;
}
