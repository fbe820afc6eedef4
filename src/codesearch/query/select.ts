import { countOf, type FileMatch, type SearchResult } from './results.ts';
import type { Selection } from './settings.ts';

/** Turns results into what `select:` asks for and leaves out what was there before; undefined when nothing remains. */
export function createSelector(selection: Selection | undefined): (result: SearchResult) => SearchResult | undefined {
  const seen = new Set<string>();
  return (result) => {
    const selected = select(result, selection);
    if (selected === undefined) return undefined;
    return selected.kind === 'file' ? unseenMatches(selected, seen) : unseen(selected, seen);
  };
}

function unseen(result: SearchResult, seen: Set<string>): SearchResult | undefined {
  const key = keyOf(result);
  if (seen.has(key)) return undefined;
  seen.add(key);
  return result;
}

/** Alternatives of a query can find one file twice: only new matches count. */
function unseenMatches(file: FileMatch, seen: Set<string>): FileMatch | undefined {
  const key = keyOf(file);
  const isNew = !seen.has(key);
  seen.add(key);
  const isFirst = (part: string): boolean => {
    if (seen.has(`${key}\0${part}`)) return false;
    seen.add(`${key}\0${part}`);
    return true;
  };
  const lineMatches = file.lineMatches.flatMap((line) => {
    const ranges = line.ranges.filter(({ start }) => isFirst(`${line.lineNumber}:${start}`));
    return ranges.length === 0 ? [] : [{ ...line, ranges }];
  });
  const symbols = file.symbols.filter(({ name, line }) => isFirst(`${line}:${name}`));
  return isNew || lineMatches.length > 0 || symbols.length > 0 ? { ...file, lineMatches, symbols } : undefined;
}

/** One key per repository, commit, or file at a revision. */
export function keyOf(result: SearchResult): string {
  if (result.kind === 'repository') return `r\0${result.repository}\0${result.revision}`;
  if (result.kind === 'commit') {
    return `c\0${result.repository}\0${result.commit}\0${result.diffPreview === undefined ? 'm' : 'd'}`;
  }
  return `f\0${result.repository}\0${result.revision}\0${result.path}`;
}

function select(result: SearchResult, selection: Selection | undefined): SearchResult | undefined {
  if (selection === undefined) return result;
  switch (selection.kind) {
    case 'repo':
      return {
        kind: 'repository',
        repository: result.repository,
        revision: result.kind === 'commit' ? '' : result.revision,
        nameMatches: result.kind === 'repository' ? result.nameMatches : [],
      };
    case 'commit':
    case 'added':
    case 'removed':
      return result.kind === 'commit' ? result : undefined;
    default:
      return result.kind === 'file' ? selectInFile(result, selection) : undefined;
  }
}

function selectInFile(file: FileMatch, selection: Selection): FileMatch | undefined {
  const bare = { ...file, lineMatches: [], symbols: [], pathMatches: [] };
  if (selection.kind === 'file') return bare;
  if (selection.kind === 'directory') {
    return { ...bare, path: file.path.slice(0, file.path.lastIndexOf('/') + 1), language: '' };
  }
  if (selection.kind === 'content') return file.lineMatches.length > 0 ? { ...file, symbols: [] } : undefined;
  if (selection.kind !== 'symbol') return undefined;
  const wanted = selection.symbolKind?.toUpperCase();
  const symbols = file.symbols.filter(({ kind }) => wanted === undefined || kind === wanted);
  return symbols.length > 0 ? { ...file, symbols, lineMatches: [] } : undefined;
}

/** Joins results of one file that alternatives of a query found one after another. */
export function mergeResults(results: readonly SearchResult[]): SearchResult[] {
  const merged = new Map<string, SearchResult>();
  for (const result of results) {
    const key = keyOf(result);
    const before = merged.get(key);
    merged.set(key, before?.kind === 'file' && result.kind === 'file' ? mergeFiles(before, result) : result);
  }
  return [...merged.values()];
}

function mergeFiles(one: FileMatch, other: FileMatch): FileMatch {
  const lines = new Map(one.lineMatches.map((line) => [line.lineNumber, line]));
  for (const line of other.lineMatches) {
    const known = lines.get(line.lineNumber);
    const ranges = [...(known?.ranges ?? []), ...line.ranges].sort((a, b) => a.start - b.start);
    lines.set(line.lineNumber, { ...line, ranges });
  }
  return {
    ...one,
    lineMatches: [...lines.values()].sort((a, b) => a.lineNumber - b.lineNumber),
    symbols: [...one.symbols, ...other.symbols],
    limitHit: one.limitHit || other.limitHit,
  };
}

/** All matches of all results. */
export function sumOf(results: readonly SearchResult[]): number {
  return results.reduce((sum, result) => sum + countOf(result), 0);
}
