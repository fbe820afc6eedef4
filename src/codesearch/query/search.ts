import { currentBudget, withinBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { resolveRevision } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { BusyError, createSlots } from '../git/slots.ts';
import type { Corpus } from '../index/corpus.ts';
import { LIMITS } from '../limits.ts';
import { type PatternType, QueryProblem } from './ast.ts';
import { searchCommits } from './commits.ts';
import { rangesOf, searchContent } from './content.ts';
import type { Place } from './files.ts';
import { parseQuery } from './parse.ts';
import { type Plan, type PlannedBranch, planQuery } from './plan.ts';
import { charactersOf, countOf, SearchError, type SearchResult, type SearchResults } from './results.ts';
import {
  createAlert,
  createPause,
  evaluate,
  passes,
  type Run,
  SearchStop,
  shorten,
  shownPatterns,
  stopOf,
} from './run.ts';
import { createSelector, mergeResults, sumOf } from './select.ts';
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
      if (error instanceof QueryProblem) return withoutResults(error);
      throw error;
    }
    const run = () => runPlan(corpus, clock, plan, request);
    return slots.run(request.viewer.username, run, request.signal).catch((error: unknown) => {
      throw error instanceof BusyError
        ? new SearchError('busy', 'Too many of your searches wait. Try again when some have finished.')
        : error;
    });
  };
}

function withoutResults({ kind, message, description }: QueryProblem): SearchResults {
  return {
    matchCount: 0,
    resultCount: 0,
    limitHit: false,
    cloning: [],
    missing: [],
    timedout: [],
    repositories: [],
    elapsedMilliseconds: 0,
    alert: createAlert(kind, message, description),
    results: [],
  };
}

async function runPlan(
  corpus: Corpus,
  clock: () => number,
  plan: Plan,
  request: SearchRequest,
): Promise<SearchResults> {
  const startedMs = clock();
  const results: SearchResult[] = [];
  const most = plan.count ?? LIMITS.searchCountDefault;
  const select = createSelector(plan.select);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), plan.timeoutMs ?? LIMITS.searchTimeoutMs);
  const outer = request.signal ?? currentBudget().signal;
  let left = most;
  let characters: number = LIMITS.searchResultCharacters;
  const signal = outer === undefined ? deadline.signal : AbortSignal.any([outer, deadline.signal]);
  const run: Run = {
    signal,
    pause: createPause(signal),
    limitHit: false,
    missing: new Set(),
    timedout: new Set(),
    alert: undefined,
    async add(found) {
      if (run.signal.aborted) throw new SearchStop('timeout');
      const selected = select(found);
      if (selected === undefined) return;
      if (left === 0) throw new SearchStop('limit');
      const result = shorten(selected, left);
      results.push(result);
      if (result !== selected) run.limitHit = true;
      left = Math.max(0, left - countOf(result));
      characters -= charactersOf(result);
      await request.onResult?.(result);
      if (result !== selected || characters < 0) throw new SearchStop('limit');
    },
  };
  const searched = new Set<string>();
  try {
    const budget = { user: request.viewer.username, signal: run.signal };
    await withinBudget(budget, () => runBranches(corpus, plan, request, run, searched));
  } finally {
    clearTimeout(timer);
  }
  request.signal?.throwIfAborted();
  const merged = mergeResults(results);
  return {
    matchCount: sumOf(results),
    resultCount: merged.length,
    limitHit: run.limitHit,
    cloning: [],
    missing: [...run.missing],
    timedout: [...run.timedout],
    repositories: [...searched],
    elapsedMilliseconds: Math.max(0, Math.round(clock() - startedMs)),
    alert: run.alert,
    results: merged,
  };
}

/** Runs all searches of a plan; whatever ends one early is noted in `run`. */
async function runBranches(
  corpus: Corpus,
  plan: Plan,
  request: SearchRequest,
  run: Run,
  searched: Set<string>,
): Promise<void> {
  const readable = corpus.repositories.filter(({ name }) => request.viewer.canRead(name));
  const work: { branch: PlannedBranch; repository: Repository }[] = [];
  try {
    for (const branch of plan.branches) {
      const own = readable.filter(({ name }) => passes(branch.repositories, name));
      for (const { name } of own) searched.add(name);
      work.push(...own.map((repository) => ({ branch, repository })));
    }
    if (plan.branches.some(({ types }) => types.has('symbol'))) {
      // What is not read by then sets `limitHit`.
      const waitMs = Math.min(LIMITS.symbolsWaitMs, (plan.timeoutMs ?? LIMITS.searchTimeoutMs) / 2);
      await corpus.refresh({ waitMs, signal: run.signal });
      if (run.signal.aborted) throw new SearchStop('timeout');
    }
    if (work.length === 0)
      run.alert = createAlert(
        'no-repositories',
        'No repository is searched',
        'No repository passes the repo: filters.',
      );
    let found = 0;
    for (const [index, { branch, repository }] of work.entries()) {
      try {
        found += await searchRepository(corpus, repository, branch, plan, run);
      } catch (error) {
        endOf(
          error,
          run,
          work.slice(index).map((rest) => rest.repository.name),
          repository.name,
        );
        if (!(error instanceof GitError)) return;
      }
    }
    if (found === 0 && run.missing.size > 0) {
      run.alert ??= createAlert(
        'revision-not-found',
        'The revision does not exist',
        `No searched repository has the revision of the query: ${[...run.missing].join(', ')}.`,
      );
    }
  } catch (error) {
    endOf(
      error,
      run,
      work.map(({ repository }) => repository.name),
      undefined,
    );
  }
}

/** Notes why a search ended early; throws what is no end of a search. */
function endOf(error: unknown, run: Run, unfinished: readonly string[], current: string | undefined): void {
  try {
    stopOf(error, run);
  } catch (stop) {
    if (stop instanceof SearchStop) {
      noteStop(stop, run, unfinished);
      return;
    }
    if (!(stop instanceof GitError) || current === undefined) throw stop;
    run.alert ??= createAlert(
      'repository-failed',
      'A repository could not be searched',
      `git could not read ${current}.`,
    );
  }
}

function noteStop({ kind }: SearchStop, run: Run, unfinished: readonly string[]): void {
  if (kind === 'limit') {
    run.limitHit = true;
    return;
  }
  for (const name of unfinished) run.timedout.add(name);
  run.alert ??= createAlert(
    'timed-out',
    'The search timed out',
    'Not everything was searched. Choose less with repo:, file: or lang:, or give more time with timeout:60s.',
  );
}

/** Runs one search in one repository at all of its revisions; returns how many of those exist. */
async function searchRepository(
  corpus: Corpus,
  repository: Repository,
  branch: PlannedBranch,
  plan: Plan,
  run: Run,
): Promise<number> {
  const revisions = branch.revisions.length === 0 ? [''] : branch.revisions;
  let found = 0;
  for (const revision of revisions) {
    const place = await findPlace(repository, revision);
    if (place === undefined) {
      if (revision !== '') run.missing.add(repository.name);
      continue;
    }
    found += 1;
    await searchPlace(corpus, place, branch, plan, run);
  }
  return found;
}

/** Undefined for a revision that does not exist and for a bare repository without commits. */
async function findPlace(repository: Repository, revision: string): Promise<Place | undefined> {
  if (revision !== '' && revision !== 'HEAD') {
    const commit = await resolveRevision(repository, revision);
    return commit === undefined ? undefined : { repository, revision, commit, isStaged: false };
  }
  const commit = (await repository.head()) ?? '';
  if (revision === 'HEAD') return commit === '' ? undefined : { repository, revision, commit, isStaged: false };
  if (repository.bare && commit === '') return undefined;
  return { repository, revision, commit, isStaged: !repository.bare };
}

async function searchPlace(corpus: Corpus, place: Place, branch: PlannedBranch, plan: Plan, run: Run): Promise<void> {
  const { types, expression } = branch;
  const hasFileFilters = [
    branch.paths.include,
    branch.paths.exclude,
    branch.languages.include,
    branch.languages.exclude,
  ].some((list) => list.length > 0);
  const searchesRepositories = types.has('repo') || (types.size === 0 && !hasFileFilters);
  if (searchesRepositories) await addRepository(place, branch, run);
  const listsFiles = expression !== undefined || hasFileFilters || types.size > 0;
  const searchesFiles = types.size === 0 ? listsFiles : types.has('file') || types.has('path');
  if (searchesFiles) await searchContent(place, branch, corpus.index, run);
  if (types.has('symbol')) await searchSymbols(corpus, place, branch, run);
  const side = plan.select?.kind === 'added' || plan.select?.kind === 'removed' ? plan.select.kind : undefined;
  if (types.has('commit')) await searchCommits(place, branch, 'commit', undefined, run);
  if (types.has('diff')) await searchCommits(place, branch, 'diff', side, run);
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
