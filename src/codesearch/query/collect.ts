import { countOf, type FileMatch, type LineMatch, type SearchResult } from './results.ts';

/** What results are turned into. */
export type Selection = 'repo' | 'file';

/** The results of a search. Alternatives of a query can find one file one after another: only new matches count then. */
export function createCollection(selection: Selection | undefined) {
  const found = new Map<string, SearchResult>();
  return {
    /** What is asked for of a result, without what was there before; undefined when nothing remains. */
    newOf(given: SearchResult): SearchResult | undefined {
      const result = select(given, selection);
      if (result === undefined) return undefined;
      const known = found.get(keyOf(result));
      if (known === undefined) return result;
      return known.kind === 'file' && result.kind === 'file' ? newInFile(known, result) : undefined;
    },
    add(result: SearchResult): void {
      const known = found.get(keyOf(result));
      const isMore = known?.kind === 'file' && result.kind === 'file';
      found.set(keyOf(result), isMore ? bothOf(known, result) : result);
    },
    results: (): SearchResult[] => [...found.values()],
  };
}

function select(result: SearchResult, selection: Selection | undefined): SearchResult | undefined {
  if (selection === undefined) return result;
  if (selection === 'file') {
    return result.kind === 'file' ? { ...result, lineMatches: [], symbols: [], pathMatches: [] } : undefined;
  }
  if (result.kind === 'repository') return result;
  const revision = result.kind === 'file' ? result.revision : '';
  return { kind: 'repository', repository: result.repository, revision, nameMatches: [] };
}

/** One key per repository, commit, or file at a revision. */
function keyOf(result: SearchResult): string {
  const { kind, repository } = result;
  return [
    kind,
    repository,
    ...(kind === 'commit' ? [result.commit] : [result.revision, kind === 'file' && result.path]),
  ].join('\0');
}

function newInFile(known: FileMatch, file: FileMatch): FileMatch | undefined {
  const knownLines = new Map(known.lineMatches.map(({ lineNumber, ranges }) => [lineNumber, ranges]));
  const lineMatches = file.lineMatches.flatMap((line) => {
    const before = new Set(knownLines.get(line.lineNumber)?.map(({ start }) => start));
    const ranges = line.ranges.filter(({ start }) => !before.has(start));
    return ranges.length === 0 ? [] : [{ ...line, ranges }];
  });
  const knownSymbols = new Set(known.symbols.map(({ name, line }) => `${line} ${name}`));
  const symbols = file.symbols.filter(({ name, line }) => !knownSymbols.has(`${line} ${name}`));
  return lineMatches.length > 0 || symbols.length > 0 ? { ...file, lineMatches, symbols } : undefined;
}

function bothOf(one: FileMatch, other: FileMatch): FileMatch {
  const lines = new Map<number, LineMatch>();
  for (const line of [...one.lineMatches, ...other.lineMatches]) {
    const ranges = [...(lines.get(line.lineNumber)?.ranges ?? []), ...line.ranges].sort((a, b) => a.start - b.start);
    lines.set(line.lineNumber, { ...line, ranges });
  }
  return {
    ...one,
    lineMatches: [...lines.values()].sort((a, b) => a.lineNumber - b.lineNumber),
    symbols: [...one.symbols, ...other.symbols],
    limitHit: one.limitHit || other.limitHit,
  };
}

/** Shortens a result to this many matches. */
export function shorten(result: SearchResult, most: number): SearchResult {
  if (result.kind !== 'file' || countOf(result) <= most) return result;
  let left = most;
  const lineMatches = result.lineMatches.flatMap((line) => {
    const ranges = line.ranges.slice(0, left);
    left -= ranges.length;
    return ranges.length === 0 ? [] : [{ ...line, ranges }];
  });
  return { ...result, lineMatches, symbols: result.symbols.slice(0, left), limitHit: true };
}
