/** A match in a line: `start` and `length` count UTF-16 units from the start of the line. */
export interface MatchRange {
  start: number;
  length: number;
}

/** A line with matches; `lineNumber` counts from 0, as in the public API. */
export interface LineMatch {
  line: string;
  lineNumber: number;
  ranges: readonly MatchRange[];
}

/** A place in a file: `offset` and `column` count characters, `line` counts lines, all from 0. */
export interface Location {
  offset: number;
  line: number;
  column: number;
}

/** Consecutive lines with matches. `offset` is only known within the chunk: it counts from the start of `content`. */
export interface ChunkMatch {
  content: string;
  contentStart: Location;
  ranges: readonly { start: Location; end: Location }[];
}

export interface SymbolMatch {
  name: string;
  /** Upper case, for example `FUNCTION`. */
  kind: string;
  /** Counts from 1. */
  line: number;
}

/** A file found by its content, its path (then `lineMatches` and `symbols` are empty) or its symbols. */
export interface FileMatch {
  kind: 'file';
  repository: string;
  path: string;
  /** Commit id of the searched revision; empty in a repository without commits. */
  commit: string;
  /** The revision of the query; empty for the default. */
  revision: string;
  /** Lower-case language name, or empty. */
  language: string;
  lineMatches: readonly LineMatch[];
  symbols: readonly SymbolMatch[];
  /** Matches within the path. */
  pathMatches: readonly MatchRange[];
  /** Whether the search stopped reading this file at a limit. */
  limitHit: boolean;
}

export interface RepositoryMatch {
  kind: 'repository';
  repository: string;
  /** The revision of the query; empty for the default. */
  revision: string;
  /** Matches within the name. */
  nameMatches: readonly MatchRange[];
}

export interface Signature {
  name: string;
  email: string;
  /** ISO 8601 with an offset. */
  date: string;
}

export interface CommitMatch {
  kind: 'commit';
  repository: string;
  commit: string;
  message: string;
  author: Signature;
  committer: Signature;
  /** The places in the message that matched; `line` counts from 0. */
  highlights: readonly { line: number; character: number; length: number }[];
}

export type SearchResult = FileMatch | RepositoryMatch | CommitMatch;

/** Told to the user beside the results: why they are empty or incomplete. */
export interface SearchAlert {
  /** Lower case with dashes, for example `invalid-pattern`. */
  kind: string;
  title: string;
  description: string;
  proposedQueries: readonly { description: string; query: string }[];
}

export interface SearchResults {
  /** Matches, not lines: a line with two matches counts twice; a path, repository or commit counts once. */
  matchCount: number;
  resultCount: number;
  /** Whether there are more matches than `count:` asked for, or a limit of the service cut the search. */
  limitHit: boolean;
  /** Names of repositories without the revision that was asked for. */
  missing: readonly string[];
  /** Names of repositories that were not searched completely before the deadline. */
  timedout: readonly string[];
  /** Names of the repositories that the filters select. */
  repositories: readonly string[];
  elapsedMilliseconds: number;
  alert: SearchAlert | undefined;
  results: readonly SearchResult[];
}

/** A search was not run; the message is for the user and never repeats the query. */
export class SearchError extends Error {
  override readonly name = 'SearchError';
  /** `busy`: too many searches of one user wait; translated to 429. `badRequest`: the text can't be a query. */
  readonly kind: 'badRequest' | 'busy';

  constructor(kind: SearchError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Matches of a result, as `matchCount` adds them up. */
export function countOf(result: SearchResult): number {
  if (result.kind === 'repository') return 1;
  if (result.kind === 'commit') return Math.max(1, result.highlights.length);
  const inLines = result.lineMatches.reduce((sum, { ranges }) => sum + ranges.length, 0);
  return Math.max(1, inLines + result.symbols.length);
}

/** The size of the texts in a result, in characters. */
export function charactersOf(result: SearchResult): number {
  if (result.kind === 'repository') return result.repository.length;
  if (result.kind === 'commit') return result.message.length;
  return result.lineMatches.reduce((sum, { line }) => sum + line.length, result.path.length);
}

/** Joins lines that follow each other, for clients that read chunks instead of lines. */
export function chunksOf(file: FileMatch): ChunkMatch[] {
  const groups: LineMatch[][] = [];
  for (const line of file.lineMatches) {
    const group = groups.at(-1);
    if (group !== undefined && group.at(-1)?.lineNumber === line.lineNumber - 1) group.push(line);
    else groups.push([line]);
  }
  return groups.map((lines) => {
    let offset = 0;
    const ranges = lines.flatMap((line) => {
      const at = (column: number): Location => ({ offset: offset + column, line: line.lineNumber, column });
      const found = line.ranges.map(({ start, length }) => ({ start: at(start), end: at(start + length) }));
      offset += line.line.length + 1;
      return found;
    });
    return {
      content: lines.map(({ line }) => line).join('\n'),
      contentStart: { offset: 0, line: lines[0]?.lineNumber ?? 0, column: 0 },
      ranges,
    };
  });
}
