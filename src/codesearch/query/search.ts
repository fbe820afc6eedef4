import type { PatternType } from './ast.ts';
import type { SearchResult, SearchResults } from './results.ts';

export interface SearchRequest {
  query: string;
  /** Wins over `version`; `patternType:` in the query wins over both. */
  patternType?: PatternType | undefined;
  /** The version of the language: V1 reads words as regexps, V2 as literal, V3 (default) as standard. */
  version?: 'V1' | 'V2' | 'V3' | undefined;
  /** Searches of one user run one after another. */
  viewer: { username: string; canRead: (repository: string) => boolean };
  /** Stops the search and its git processes; the search then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Matches when the query has no `count:`; default `LIMITS.searchCountDefault`. */
  defaultCount?: number | undefined;
  /** Total deadline in milliseconds, when it is shorter than the query's own. */
  deadlineMs?: number | undefined;
  /** Called with results in batches as they are found, before the search returns; it may wait, to slow the search down. */
  onResults?: ((results: readonly SearchResult[]) => Promise<void> | void) | undefined;
}

/**
 * Runs one query over the repositories the viewer can read. Problems of the query are an `alert` in the results; throws
 * `SearchError` for text that can't be a query and for a user with too many waiting searches.
 */
export type Search = (request: SearchRequest) => Promise<SearchResults>;
