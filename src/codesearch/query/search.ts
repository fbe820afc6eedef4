import { currentBudget, withinBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { resolveRevision } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { BusyError, createSlots } from '../git/slots.ts';
import type { Corpus } from '../index/corpus.ts';
import { LIMITS } from '../limits.ts';
import { type PatternType, QueryProblem } from './ast.ts';
import { createCollection, shorten } from './collect.ts';
import { searchCommits } from './commits.ts';
import { rangesOf, searchContent } from './content.ts';
import type { Place } from './files.ts';
import { parseQuery } from './parse.ts';
import { type Plan, type PlannedBranch, planQuery } from './plan.ts';
import { charactersOf, countOf, SearchError, type SearchResult, type SearchResults } from './results.ts';
import { createAlert, createPause, evaluate, passes, type Run, SearchStop, shownPatterns } from './run.ts';
import { searchSymbols } from './symbols.ts';

export interface SearchRequest {
  query: string;
  /** Wins over `version`; `patternType:` in the query wins over both. */
  patternType?: PatternType | undefined;
  /** The version of the language: V1 reads words as regexps, V2 as literal, V3 (default) as standard. */
  version?: 'V1' | 'V2' | 'V3' | undefined;
  /** Searches of one user run one after another. */
  viewer: { username: string; canRead: (repository: string) => boolean };
  /** Stops the search and its git processes; it then rejects with the reason of the signal. Default: the end of the request. */
  signal?: AbortSignal | undefined;
  /** Called with each result as it is found, before the search returns; it may wait, to slow the search down. */
  onResult?: ((result: SearchResult) => Promise<void> | void) | undefined;
}

/**
 * Runs one query over the repositories the viewer can read. Problems of the query are an `alert` in the results; throws
 * `SearchError` for text that can't be a query and for a user with too many waiting searches.
 */
export type Search = (request: SearchRequest) => Promise<SearchResults>;

/** One search of a plan in one repository. */
interface Work {
  branch: PlannedBranch;
  repository: Repository;
}

/** Creates the search over all repositories of a corpus. */
export function createSearch(corpus: Corpus, clock: () => number = Date.now): Search {
  const slots = createSlots({
    running: LIMITS.searches,
    runningPerUser: 1,
    waiting: LIMITS.searchesWaiting,
    waitingPerUser: LIMITS.searchesWaitingPerUser,
    waitMs: LIMITS.searchWaitMs,
  });
  return async (request) => {
    if (request.query.includes('\0')) throw new SearchError('badRequest', 'A query must not contain a NUL character.');
    let plan: Plan;
    try {
      plan = planQuery(parseQuery(request.query, request));
    } catch (error) {
      if (!(error instanceof QueryProblem)) throw error;
      return { ...NOTHING, alert: createAlert(error.kind, error.message, error.description) };
    }
    const run = () => runPlan(corpus, clock, plan, request);
    return slots.run(request.viewer.username, run, request.signal).catch((error: unknown) => {
      throw error instanceof BusyError
        ? new SearchError('busy', 'Too many of your searches wait. Try again when some have finished.')
        : error;
    });
  };
}

const NOTHING: SearchResults = {
  matchCount: 0,
  resultCount: 0,
  limitHit: false,
  missing: [],
  timedout: [],
  repositories: [],
  elapsedMilliseconds: 0,
  alert: undefined,
  results: [],
};

async function runPlan(
  corpus: Corpus,
  clock: () => number,
  plan: Plan,
  request: SearchRequest,
): Promise<SearchResults> {
  const startedMs = clock();
  const collection = createCollection(plan.select);
  const deadline = new AbortController();
  const timeoutMs = plan.timeoutMs ?? LIMITS.searchTimeoutMs;
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const outer = request.signal ?? currentBudget().signal;
  const signal = outer === undefined ? deadline.signal : AbortSignal.any([outer, deadline.signal]);
  let matchCount = 0;
  let left = plan.count ?? LIMITS.searchCountDefault;
  let characters: number = LIMITS.searchResultCharacters;
  const run: Run = {
    signal,
    pause: createPause(signal),
    limitHit: false,
    missing: new Set(),
    timedout: new Set(),
    alert: undefined,
    async add(found) {
      if (signal.aborted) throw new SearchStop('timeout');
      const selected = collection.newOf(found);
      if (selected === undefined) return;
      if (left === 0) throw new SearchStop('limit');
      const result = shorten(selected, left);
      collection.add(result);
      matchCount += countOf(result);
      left = Math.max(0, left - countOf(result));
      characters -= charactersOf(result);
      await request.onResult?.(result);
      if (result !== selected || characters < 0) throw new SearchStop('limit');
    },
  };
  const readable = corpus.repositories.filter(({ name }) => request.viewer.canRead(name));
  const work = plan.branches.flatMap((branch) =>
    readable.filter(({ name }) => passes(branch.repositories, name)).map((repository) => ({ branch, repository })),
  );
  try {
    await withinBudget({ user: request.viewer.username, signal }, () => runAll(corpus, work, timeoutMs, run));
  } finally {
    clearTimeout(timer);
  }
  request.signal?.throwIfAborted();
  const results = collection.results();
  return {
    matchCount,
    resultCount: results.length,
    limitHit: run.limitHit,
    missing: [...run.missing],
    timedout: [...run.timedout],
    repositories: [...new Set(work.map(({ repository }) => repository.name))],
    elapsedMilliseconds: Math.max(0, Math.round(clock() - startedMs)),
    alert: run.alert,
    results,
  };
}

/** Runs all searches of a plan, and notes in `run` what ends one early. */
async function runAll(corpus: Corpus, work: readonly Work[], timeoutMs: number, run: Run): Promise<void> {
  if (work.length === 0) {
    run.alert = createAlert('no-repositories', 'No repository is searched', 'No repository passes the repo: filters.');
    return;
  }
  if (work.some(({ branch }) => branch.types.has('symbol'))) {
    // What is not read by then sets `limitHit`.
    await corpus.refresh({ waitMs: Math.min(LIMITS.symbolsWaitMs, timeoutMs / 2), signal: run.signal });
  }
  let found = 0;
  for (const [index, { branch, repository }] of work.entries()) {
    try {
      if (run.signal.aborted) throw new SearchStop('timeout');
      found += await searchRepository(corpus, repository, branch, run);
    } catch (error) {
      const isOver = noteEnd(error, run, repository.name);
      if (!isOver) continue;
      if (isOver === 'timeout') for (const rest of work.slice(index)) run.timedout.add(rest.repository.name);
      return;
    }
  }
  if (found === 0 && run.missing.size > 0) {
    run.alert ??= createAlert(
      'revision-not-found',
      'The revision does not exist',
      `No searched repository has the revision of the query: ${[...run.missing].join(', ')}.`,
    );
  }
}

/** Notes why the search of a repository ended early. Returns why the whole search is over, if it is; throws what is no end of a search. */
function noteEnd(error: unknown, run: Run, repository: string): SearchStop['kind'] | undefined {
  if (error instanceof SearchStop && error.kind === 'limit') {
    run.limitHit = true;
    return 'limit';
  }
  if (!(error instanceof SearchStop || error instanceof GitError)) throw error;
  if (error.kind === 'timeout' || error.kind === 'stopped' || run.signal.aborted) {
    run.alert ??= createAlert(
      'timed-out',
      'The search timed out',
      'Not everything was searched. Choose less with repo:, file: or lang:, or give more time with timeout:60s.',
    );
    return 'timeout';
  }
  if (error.kind === 'busy') {
    throw new SearchError('busy', 'Too many searches run at the moment. Try again in a few seconds.');
  }
  run.alert ??= createAlert(
    'repository-failed',
    'A repository could not be searched',
    `git could not read ${repository}.`,
  );
  return undefined;
}

/** Runs one search in one repository at all of its revisions; returns how many of those exist. */
async function searchRepository(
  corpus: Corpus,
  repository: Repository,
  branch: PlannedBranch,
  run: Run,
): Promise<number> {
  let found = 0;
  for (const revision of branch.revisions.length === 0 ? [''] : branch.revisions) {
    const place = await findPlace(repository, revision);
    if (place !== undefined) await searchPlace(corpus, place, branch, run);
    else if (revision !== '') run.missing.add(repository.name);
    if (place !== undefined) found += 1;
  }
  return found;
}

/** Undefined for a revision that does not exist and for a bare repository without commits. */
async function findPlace(repository: Repository, revision: string): Promise<Place | undefined> {
  const isHead = revision === '' || revision === 'HEAD';
  const commit = isHead ? await repository.head() : await resolveRevision(repository, revision);
  if (commit === undefined && (revision !== '' || repository.bare)) return undefined;
  return { repository, revision, commit: commit ?? '' };
}

async function searchPlace(corpus: Corpus, place: Place, branch: PlannedBranch, run: Run): Promise<void> {
  const { types, expression, paths, languages } = branch;
  const lists = [paths.include, paths.exclude, languages.include, languages.exclude];
  const hasFileFilters = lists.some((list) => list.length > 0);
  if (types.has('repo') || (types.size === 0 && !hasFileFilters)) await addRepository(place, branch, run);
  const searchesFiles =
    types.size === 0 ? expression !== undefined || hasFileFilters : types.has('file') || types.has('path');
  if (searchesFiles) await searchContent(place, branch, corpus.index, run);
  if (types.has('symbol')) await searchSymbols(corpus, place, branch, run);
  if (types.has('commit')) await searchCommits(place, branch, run);
}

/** The repository itself is a result when its name matches, or when the query only has filters for repositories. */
async function addRepository({ repository, revision }: Place, branch: PlannedBranch, run: Run): Promise<void> {
  const { expression, patterns } = branch;
  const shown = shownPatterns(expression, patterns);
  if (expression !== undefined) {
    if (shown.length === 0) return;
    const holds = (index: number): boolean => patterns[index]?.test(repository.name) === true;
    if (!evaluate(expression, holds)) return;
  }
  const nameMatches = await rangesOf(shown, repository.name, run);
  await run.add({ kind: 'repository', repository: repository.name, revision, nameMatches });
}
