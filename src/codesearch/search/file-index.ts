import MiniSearch from 'minisearch';
import type { AnalyzedFile } from './analyze-file.ts';
import type { Chunk } from './chunks.ts';
import type { Role } from './roles.ts';
import type { CodeSymbol } from './symbols.ts';
import { identifierTerms } from './words.ts';

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
  chunkIds: number[];
}

/** A chunk that matched; `terms` are the terms of the query found in it. */
export interface ChunkHit {
  file: IndexedFile;
  chunk: Chunk;
  score: number;
  terms: string[];
}

interface Entry {
  id: number;
  path: string;
  symbols: string;
  body: string;
}

const PRIOR: Record<Role, number> = {
  source: 1,
  docs: 0.75,
  config: 0.6,
  test: 0.5,
  example: 0.5,
  vendored: 0.15,
  generated: 0.1,
};

/** The weight of each file role in the first search; questions about tests or documents change it. */
export type RoleWeights = Partial<Record<Role, number>>;

/** The search index of all repositories: BM25+ over chunks of files, and definitions by name. */
export function createFileIndex() {
  const search = new MiniSearch<Entry>({
    fields: ['path', 'symbols', 'body'],
    tokenize: (text) => text.split(' '),
    processTerm: (term) => term || null,
  });
  const chunks = new Map<number, { file: IndexedFile; chunk: Chunk }>();
  const files = new Map<string, IndexedFile>();
  const byName = new Map<string, { file: IndexedFile; symbol: CodeSymbol }[]>();
  let nextId = 1;

  function remove(key: string): void {
    const file = files.get(key);
    if (file === undefined) return;
    files.delete(key);
    for (const id of file.chunkIds) {
      search.discard(id);
      chunks.delete(id);
    }
    for (const symbol of file.symbols) {
      const name = nameKey(symbol.name);
      const rest = (byName.get(name) ?? []).filter((entry) => entry.file !== file);
      if (rest.length > 0) byName.set(name, rest);
      else byName.delete(name);
    }
  }

  return {
    /** Adds or replaces a file. */
    put(repository: string, path: string, blob: string, analyzed: AnalyzedFile): void {
      const key = fileKey(repository, path);
      remove(key);
      const { role, lineCount, symbols, pathText } = analyzed;
      const file: IndexedFile = { repository, path, blob, commit: undefined, role, lineCount, symbols, chunkIds: [] };
      for (const { chunk, symbols: names, body } of analyzed.chunks) {
        const id = nextId++;
        search.add({ id, path: pathText, symbols: names, body });
        chunks.set(id, { file, chunk });
        file.chunkIds.push(id);
      }
      files.set(key, file);
      for (const symbol of symbols) {
        if (symbol.kind === 'heading') continue;
        const name = nameKey(symbol.name);
        const known = byName.get(name);
        if (known === undefined) byName.set(name, [{ file, symbol }]);
        else known.push({ file, symbol });
      }
    },
    remove: (repository: string, path: string): void => remove(fileKey(repository, path)),
    get: (repository: string, path: string): IndexedFile | undefined => files.get(fileKey(repository, path)),
    all: (): IterableIterator<IndexedFile> => files.values(),
    size: (): number => files.size,
    /** Definitions of this name; those with the same capitalization first. */
    definitions(name: string): { file: IndexedFile; symbol: CodeSymbol }[] {
      const found = byName.get(nameKey(name)) ?? [];
      const exact = found.filter(({ symbol }) => symbol.name === name);
      return exact.length > 0 ? exact : found;
    },
    /** Files that contain an identifier as a whole word, in any capitalization. */
    findName(name: string): IndexedFile[] {
      const terms = identifierTerms(name);
      const term = terms.at(-1);
      if (term === undefined) return [];
      const results = search.search(term, { fields: ['body'] });
      return [...new Set(results.flatMap((result) => chunks.get(Number(result.id))?.file ?? []))];
    },
    /** All chunks with any of the terms, best first. */
    find(terms: ReadonlyMap<string, number>, roles: RoleWeights): ChunkHit[] {
      const query = [...terms.keys()].join(' ');
      if (query === '') return [];
      const weights = { ...PRIOR, ...roles };
      const results = search.search(query, {
        boost: { path: 1.6, symbols: 2.2, body: 1 },
        boostTerm: (term) => terms.get(term) ?? 1,
        boostDocument: (id) => {
          const entry = chunks.get(Number(id));
          return entry === undefined ? 0 : weights[entry.file.role];
        },
      });
      const hits: ChunkHit[] = [];
      for (const result of results) {
        const entry = chunks.get(Number(result.id));
        if (entry !== undefined) hits.push({ ...entry, score: result.score, terms: result.queryTerms });
      }
      return hits;
    },
  };
}

export type FileIndex = ReturnType<typeof createFileIndex>;

/** The same key for names that differ only in capitals and underscores. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/_/g, '') || name;
}

function fileKey(repository: string, path: string): string {
  return `${repository}\0${path}`;
}
