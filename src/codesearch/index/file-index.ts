import type { AnalyzedFile } from './analyze-file.ts';
import type { Role } from './roles.ts';
import type { CodeSymbol } from './symbols.ts';
import { createTextIndex, type Match, type Numbered, type Statistics, statisticsOf } from './text-index.ts';
import type { TrigramFilter } from './trigrams.ts';
import type { Unit } from './units.ts';
import { identifierTerms, longestIdentifier } from './words.ts';

/** Line numbers of a file. One bit for each line: large files have thousands of lines of comments. */
interface LineSet {
  has(line: number): boolean;
}

function lineSetOf(lines: readonly number[]): LineSet {
  const bits = new Uint8Array((lines.reduce((last, line) => Math.max(last, line), 0) >> 3) + 1);
  for (const line of lines) bits[line >> 3] = (bits[line >> 3] ?? 0) | (1 << (line & 7));
  return { has: (line) => ((bits[line >> 3] ?? 0) & (1 << (line & 7))) !== 0 };
}

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
  const parts = new Map<string, Part>();

  function partOf(repository: string): Part {
    const part = parts.get(repository) ?? createPart();
    parts.set(repository, part);
    return part;
  }

  return {
    ...createView(parts),
    /** Adds or replaces a file. `isRead`: as in {@link IndexedFile}. */
    put(place: Place, analyzed: AnalyzedFile, isRead: boolean): IndexedFile {
      return partOf(place.repository).put(place, analyzed, isRead);
    },
    remove: (repository: string, path: string): void => parts.get(repository)?.remove(path),
  };
}

export type FileIndex = ReturnType<typeof createFileIndex>;

/** The index as readers see it. */
export interface IndexView {
  get(repository: string, path: string): IndexedFile | undefined;
  all(): Iterable<IndexedFile>;
  filesOf(repository: string): Iterable<IndexedFile>;
  size(): number;
  /** How many files are listed but not read yet. */
  unread(): number;
  /** Definitions of this name; those with the same capitalization first. */
  definitions(name: string): Definition[];
  /** Files with all of these terms. */
  filesWith(terms: readonly string[]): IndexedFile[];
  /** Files that contain an identifier, or the longest part of a name, as a whole word, in any capitalization. */
  findName(name: string): IndexedFile[];
  hasTerm(term: string): boolean;
  /** Inverse document frequency of a term, or of several taken as one. */
  rarity(terms: readonly string[]): number;
  /** All units with any of the terms, in no order. */
  find(terms: readonly string[], weights: readonly number[]): UnitMatch[];
  /** Some of the repositories: no number, score or order in it depends on the others. */
  of(repositories: ReadonlySet<string>): IndexView;
}

/** The index of one repository. */
function createPart() {
  const search = createTextIndex<IndexedUnit>();
  const files = new Map<string, IndexedFile>();
  const byName = new Map<string, Definition[]>();
  let unread = 0;

  function enter(file: IndexedFile): void {
    files.set(file.path, file);
    if (!file.isRead) unread += 1;
    for (const symbol of file.symbols) {
      if (symbol.kind === 'heading') continue;
      const name = nameKey(symbol.name);
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [{ file, symbol }]);
      else known.push({ file, symbol });
    }
  }

  function remove(path: string): void {
    const file = files.get(path);
    if (file === undefined) return;
    files.delete(path);
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
    search,
    files,
    unread: (): number => unread,
    definitions: (name: string): readonly Definition[] => byName.get(nameKey(name)) ?? [],
    put({ repository, path, blob, commit }: Place, analyzed: AnalyzedFile, isRead: boolean): IndexedFile {
      remove(path);
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
    /** Files with all of these terms. */
    filesWith(terms: readonly string[]): Iterable<IndexedFile> {
      let common: Set<IndexedFile> | undefined;
      for (const term of terms) {
        const own = new Set<IndexedFile>();
        for (const { file } of search.documentsWith(term)) if (common === undefined || common.has(file)) own.add(file);
        common = own;
      }
      return common ?? [];
    },
  };
}

type Part = ReturnType<typeof createPart>;

/** Reads the parts of the named repositories as one; without names, all. */
function createView(parts: ReadonlyMap<string, Part>, names?: ReadonlySet<string>): IndexView {
  const partOf = (name: string): Part | undefined => (names?.has(name) === false ? undefined : parts.get(name));
  const own = (): Part[] => [...(names ?? parts.keys())].flatMap((name) => partOf(name) ?? []);
  const statistics = (): Statistics => statisticsOf(own().map(({ search }) => search));
  const filesWith = (terms: readonly string[]): IndexedFile[] => own().flatMap((part) => [...part.filesWith(terms)]);
  return {
    get: (repository, path) => partOf(repository)?.files.get(path),
    *all() {
      for (const { files } of own()) yield* files.values();
    },
    filesOf: (repository) => partOf(repository)?.files.values() ?? [],
    size: () => own().reduce((sum, { files }) => sum + files.size, 0),
    unread: () => own().reduce((sum, part) => sum + part.unread(), 0),
    definitions(name) {
      const found = own().flatMap((part) => part.definitions(name));
      const exact = found.filter(({ symbol }) => symbol.name === name);
      return exact.length > 0 ? exact : found;
    },
    filesWith,
    findName: (name) => filesWith(identifierTerms(longestIdentifier(name)).slice(-1)),
    hasTerm: (term) => own().some(({ search }) => search.has(term)),
    rarity: (terms) => statistics().rarity(terms),
    find(terms, weights) {
      const numbers = statistics();
      return own().flatMap(({ search }) => search.find(terms, weights, numbers));
    },
    of: (some) => createView(parts, new Set([...some].filter((name) => names?.has(name) !== false))),
  };
}

/** The same key for names that differ only in capitals and underscores. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/_/g, '') || name;
}
