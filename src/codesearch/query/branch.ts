import { findLanguage } from '../git/languages.ts';
import { isSafeRevision } from '../git/refs.ts';
import { LIMITS } from '../limits.ts';
import { type FilterField, type FilterNode, QueryProblem } from './ast.ts';
import type { Selection } from './collect.ts';
import { compileFilter, type Pattern } from './pattern.ts';

const TYPES = ['file', 'path', 'repo', 'symbol', 'commit'] as const;
type ResultType = (typeof TYPES)[number];

/** Patterns of a filter: a text passes when all of `include` match it and none of `exclude`. */
export interface TextFilter {
  include: readonly Pattern[];
  exclude: readonly Pattern[];
}

/** The filters of one search. */
export interface Branch {
  repositories: TextFilter;
  /** Empty: the default revision, with staged changes. */
  revisions: readonly string[];
  paths: TextFilter;
  /** Language ids; a file has one of `include`, when there are any, and none of `exclude`. */
  languages: { include: readonly string[]; exclude: readonly string[] };
  /** Empty: files, paths and repositories. */
  types: ReadonlySet<ResultType>;
  isCaseSensitive: boolean;
  author: TextFilter;
  committer: TextFilter;
  message: TextFilter;
  after: string | undefined;
  before: string | undefined;
}

/** Filters that hold for a whole query, also when they stand in one of its alternatives. */
export interface GlobalSettings {
  /** Matches at most; undefined without `count:`. */
  count: number | undefined;
  /** Undefined without `timeout:`. */
  timeoutMs: number | undefined;
  select: Selection | undefined;
}

const COMMIT_FILTERS: readonly FilterField[] = ['author', 'committer', 'before', 'after', 'message'];
const NEGATABLE: ReadonlySet<FilterField> = new Set(['repo', 'file', 'lang', 'author', 'committer', 'message']);

/** Filters with one value from a list, and values of the public service that are refused with a reason. Most change nothing here. */
const CHOICES: Partial<Record<FilterField, { values: string; refused?: Record<string, string> }>> = {
  type: {
    values: TYPES.join(', '),
    refused: { diff: 'This service does not search in changes. Use type:commit for messages.' },
  },
  case: { values: 'yes, no, y, n, true, false' },
  fork: { values: 'yes, no, true, false', refused: { only: 'No repository here is known to be a fork.' } },
  archived: { values: 'yes, no, true, false', refused: { only: 'No repository here is archived.' } },
  visibility: { values: 'any, public', refused: { private: 'No repository here is known to be private.' } },
  index: { values: 'yes, no, only, true, false' },
  context: { values: 'global, @global' },
  select: { values: 'repo, file' },
};
/** Lists that grow with the public service: other values may be right there, and are not offered here. */
const OPEN: ReadonlySet<FilterField> = new Set(['context', 'select']);

function invalid(field: string, description: string): QueryProblem {
  return new QueryProblem('invalid-filter', `The filter ${field}: is wrong`, description);
}

function unsupported(field: string, description: string): QueryProblem {
  return new QueryProblem('unsupported-filter', `The filter ${field}: is not offered in this form`, description);
}

/** Reads the filters of one search; throws {@link QueryProblem}. */
export function readBranch(filters: readonly FilterNode[]): Branch {
  checkAll(filters);
  const isCaseSensitive = /^[yt]/i.test(onlyValue(filters, 'case') ?? '');
  const { names, revisions } = readRepositories(filters);
  const texts = (field: FilterField, nodes = filters.filter((filter) => filter.field === field)): TextFilter => {
    const [include, exclude] = [false, true].map((negated) =>
      nodes.filter((node) => node.negated === negated).map(({ value }) => compileFilter(field, value, isCaseSensitive)),
    );
    return { include: include ?? [], exclude: exclude ?? [] };
  };
  const types = new Set(valuesOf(filters, 'type').map((value) => value.toLowerCase() as ResultType));
  const forCommits = filters.find(({ field }) => COMMIT_FILTERS.includes(field))?.field;
  if (forCommits !== undefined && !types.has('commit')) throw invalid(forCommits, `${forCommits}: needs type:commit.`);
  if (types.has('commit') && filters.some(({ field }) => field === 'file' || field === 'lang')) {
    throw unsupported('type', 'type:commit takes no file: or lang:.');
  }
  return {
    repositories: texts('repo', names),
    revisions,
    paths: texts('file'),
    languages: { include: readLanguages(filters, false), exclude: readLanguages(filters, true) },
    types,
    isCaseSensitive,
    author: texts('author'),
    committer: texts('committer'),
    message: texts('message'),
    after: readDate(filters, 'after'),
    before: readDate(filters, 'before'),
  };
}

/** Reads `count:`, `timeout:` and `select:`; throws {@link QueryProblem}. */
export function readGlobalSettings(filters: readonly FilterNode[]): GlobalSettings {
  checkAll(filters);
  const [count, timeout] = [onlyValue(filters, 'count'), onlyValue(filters, 'timeout')];
  return {
    count: count === undefined ? undefined : readCount(count),
    timeoutMs: timeout === undefined ? undefined : readTimeout(timeout),
    select: onlyValue(filters, 'select')?.toLowerCase() as Selection | undefined,
  };
}

const valuesOf = (filters: readonly FilterNode[], field: FilterField): string[] =>
  filters.filter((filter) => filter.field === field).map(({ value }) => value);

function onlyValue(filters: readonly FilterNode[], field: FilterField): string | undefined {
  const [value, ...others] = new Set(valuesOf(filters, field).map((each) => each.trim()));
  if (others.length > 0) throw invalid(field, `Give ${field}: once.`);
  return value;
}

/** What can be said of each filter alone. */
function checkAll(filters: readonly FilterNode[]): void {
  for (const { field, negated, value } of filters) {
    if (negated && !NEGATABLE.has(field)) throw invalid(field, `${field}: can't be excluded.`);
    if (value.trim() === '') throw invalid(field, `${field}: needs a value.`);
    // `has.path(…)` and the like: known to the public service, not to this one.
    const [, predicate] = /^((?:has|contains|at)\b[\w.]*)\(/.exec(value) ?? [];
    if (predicate !== undefined && (field === 'repo' || field === 'file' || field === 'rev')) {
      throw unsupported(field, `This service has no predicate ${field}:${predicate}(…).`);
    }
    const choice = CHOICES[field];
    if (choice === undefined || choice.values.split(', ').includes(value.toLowerCase())) continue;
    const refused = Object.entries(choice.refused ?? {}).find(([each]) => each === value.toLowerCase())?.[1];
    if (refused !== undefined) throw unsupported(field, refused);
    throw (OPEN.has(field) ? unsupported : invalid)(field, `${field}: is one of ${choice.values}.`);
  }
}

/** Splits `name@revision`; `rev:` gives the revision separately. */
function readRepositories(filters: readonly FilterNode[]): { names: FilterNode[]; revisions: string[] } {
  const names: FilterNode[] = [];
  const revisions: string[] = [];
  for (const filter of filters.filter(({ field }) => field === 'repo')) {
    const at = filter.value.indexOf('@');
    if (at >= 0 && filter.negated) throw invalid('repo', 'A repository that is excluded has no revision.');
    if (at !== 0) names.push(at < 0 ? filter : { ...filter, value: filter.value.slice(0, at) });
    if (at >= 0) revisions.push(...filter.value.slice(at + 1).split(':'));
  }
  const separate = onlyValue(filters, 'rev');
  if (revisions.length > 0 && separate !== undefined) {
    throw invalid('rev', 'Give the revision once: with rev: or with "@" in repo:.');
  }
  if (separate !== undefined) revisions.push(...separate.split(':'));
  if (revisions.length > LIMITS.queryRevisions) {
    throw invalid('rev', `A search has at most ${LIMITS.queryRevisions} revisions.`);
  }
  for (const revision of revisions) {
    if (/^[*^]/.test(revision)) {
      throw unsupported('rev', 'Patterns of revisions are not offered: name branches, tags or commits.');
    }
    if (!isSafeRevision(revision)) {
      throw invalid('rev', 'A revision is a branch, a tag, a commit id or a form like HEAD~3.');
    }
  }
  return { names, revisions };
}

/** A part of a language is searched with it, as people expect. */
const LANGUAGE_PARTS: Record<string, string> = { ts: 'tsx', js: 'jsx' };

function readLanguages(filters: readonly FilterNode[], negated: boolean): string[] {
  const own = filters.filter((filter) => filter.negated === negated);
  return valuesOf(own, 'lang').flatMap((value) => {
    const language = findLanguage(value);
    if (language === undefined) throw invalid('lang', 'This language is not known here.');
    const part = LANGUAGE_PARTS[language.id];
    return part === undefined ? [language.id] : [language.id, part];
  });
}

function readDate(filters: readonly FilterNode[], field: 'after' | 'before'): string | undefined {
  const value = onlyValue(filters, field);
  if (value === undefined || isDate(value)) return value;
  throw invalid(field, `${field}: is a date such as 2024-03-01, "november 1 2019", yesterday or "2 weeks ago".`);
}

function readCount(value: string): number {
  if (value.toLowerCase() === 'all') return LIMITS.searchCountMax;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw invalid('count', 'count: is a number from 1, or all.');
  return Math.min(Number(value), LIMITS.searchCountMax);
}

const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 0.001, µs: 0.001, ns: 0.000_001 };

/** A duration such as `1m30s` or `500ms`; longer ones than the service allows are shortened, as the public service does. */
function readTimeout(value: string): number {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|ns)){1,7}$/.test(value)) {
    throw invalid('timeout', 'timeout: is a duration such as 10s, 1m or 500ms.');
  }
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)) {
    sum += Number(amount) * (UNITS[unit] ?? 0);
  }
  return Math.min(Math.max(1, Math.round(sum)), LIMITS.searchTimeoutMaxMs);
}

const WORDS = new Set(
  (
    'now today yesterday midnight noon tea never ago last this at on of the a an am pm gmt utc z t ' +
    'one two three four five six seven eight nine ten ' +
    'january february march april may june july august september october november december ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
    'second seconds minute minutes hour hours day days week weeks month months year years'
  ).split(' '),
);

/**
 * Whether git reads a text as a date. git takes every text, and takes what it does not understand for the present, so that a
 * wrong date would silently change the results.
 */
function isDate(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '' || trimmed.length > 60 || trimmed.startsWith('-')) return false;
  if (!/^[\w\s.,:/+-]+$/.test(trimmed)) return false;
  const words = trimmed.match(/[a-z_]+/g) ?? [];
  const hasNumber = /\d/.test(trimmed);
  const known = words.every((word) => WORDS.has(word) || (hasNumber && /^(?:st|nd|rd|th)$/.test(word)));
  return known && (hasNumber || words.length > 0);
}
