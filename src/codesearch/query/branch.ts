import { findLanguage } from '../git/languages.ts';
import { isSafeRevision } from '../git/refs.ts';
import { LIMITS } from '../limits.ts';
import { type FilterField, type FilterNode, QueryProblem } from './ast.ts';
import { isDate } from './dates.ts';
import { compileFilter, type Pattern } from './pattern.ts';

export type ResultType = 'file' | 'path' | 'repo' | 'symbol' | 'commit' | 'diff';

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
  after: readonly string[];
  before: readonly string[];
}

export function invalidFilter(field: string, description: string): QueryProblem {
  return new QueryProblem('invalid-filter', `The filter ${field}: is wrong`, description);
}

export function unsupportedFilter(field: string, description: string): QueryProblem {
  return new QueryProblem('unsupported-filter', `The filter ${field}: is not offered in this form`, description);
}

const TYPES: readonly ResultType[] = ['file', 'path', 'repo', 'symbol', 'commit', 'diff'];
const COMMIT_FILTERS: readonly FilterField[] = ['author', 'committer', 'before', 'after', 'message'];
const NEGATABLE: ReadonlySet<FilterField> = new Set(['repo', 'file', 'lang', 'author', 'committer', 'message']);

const ONCE: readonly FilterField[] = ['rev', 'before', 'after'];

/** Reads the filters of one search; throws {@link QueryProblem}. */
export function readBranch(filters: readonly FilterNode[]): Branch {
  for (const { field, negated, value } of filters) {
    if (negated && !NEGATABLE.has(field)) throw invalidFilter(field, `${field}: can't be excluded.`);
    if (value.trim() === '') throw invalidFilter(field, `${field}: needs a value.`);
    checkPredicate(field, value);
  }
  for (const field of ONCE) {
    if (filters.filter((filter) => filter.field === field).length > 1)
      throw invalidFilter(field, `Give ${field}: once.`);
  }
  const values = (field: FilterField): string[] =>
    filters.filter((filter) => filter.field === field).map(({ value }) => value);
  for (const value of values('fork')) readInclusion('fork', value, 'No repository here is known to be a fork.');
  for (const value of values('archived')) readInclusion('archived', value, 'No repository here is archived.');
  for (const value of values('visibility')) readVisibility(value);
  for (const value of values('index')) readIndex(value);
  for (const value of values('context')) {
    if (value !== 'global' && value !== '@global') {
      throw unsupportedFilter('context', 'This service has one search context: context:global.');
    }
  }
  const isCaseSensitive = readCase(values('case'));
  const { names, revisions } = readRepositories(filters);
  const texts = (field: FilterField): TextFilter =>
    textFilter(
      filters.filter((filter) => filter.field === field),
      isCaseSensitive,
    );
  const types = readTypes(values('type'));
  const needsCommits = COMMIT_FILTERS.find((field) => values(field).length > 0);
  if (needsCommits !== undefined && !types.has('commit') && !types.has('diff')) {
    throw invalidFilter(needsCommits, `${needsCommits}: needs type:commit or type:diff.`);
  }
  if (types.has('commit') && !types.has('diff') && (values('file').length > 0 || values('lang').length > 0)) {
    throw unsupportedFilter(
      'type',
      'type:commit takes no file: or lang:. Use type:diff to search in changes of files.',
    );
  }
  return {
    repositories: textFilter(names, isCaseSensitive),
    revisions: [...revisions, ...values('rev').flatMap((value) => readRevisions(value))],
    paths: texts('file'),
    languages: readLanguages(filters),
    types,
    isCaseSensitive,
    author: texts('author'),
    committer: texts('committer'),
    message: texts('message'),
    after: values('after').map((value) => readDate('after', value)),
    before: values('before').map((value) => readDate('before', value)),
  };
}

/** `has.path(…)` and the like: known to the public service, not to this one. */
function checkPredicate(field: FilterField, value: string): void {
  const [, name] = /^((?:has|contains|at)\b[\w.]*)\(/.exec(value) ?? [];
  if (name !== undefined && (field === 'repo' || field === 'file' || field === 'rev')) {
    throw unsupportedFilter(field, `This service has no predicate ${field}:${name}(…).`);
  }
}

function readInclusion(field: FilterField, value: string, none: string): void {
  if (/^only$/i.test(value)) throw unsupportedFilter(field, `${none} Use ${field}:yes or ${field}:no.`);
  if (!/^(?:yes|no|true|false)$/i.test(value)) throw invalidFilter(field, `${field}: is yes, no or only.`);
}

function readVisibility(value: string): void {
  if (/^private$/i.test(value)) {
    throw unsupportedFilter('visibility', 'No repository here is known to be private. Use visibility:any.');
  }
  if (!/^(?:any|public)$/i.test(value)) {
    throw invalidFilter('visibility', 'visibility: is any, public or private.');
  }
}

/** Every repository is searched at every revision, whether a client wants an index or not. */
function readIndex(value: string): void {
  if (!/^(?:yes|no|only|true|false)$/i.test(value)) {
    throw invalidFilter('index', 'index: is yes, no or only.');
  }
}

function readCase(values: readonly string[]): boolean {
  const wanted = new Set(
    values.map((value) => {
      if (/^(?:yes|y|true)$/i.test(value)) return true;
      if (/^(?:no|n|false)$/i.test(value)) return false;
      throw invalidFilter('case', 'case: is yes or no.');
    }),
  );
  if (wanted.size > 1) throw invalidFilter('case', 'Give case: once.');
  return wanted.has(true);
}

/** Splits `name@revision`; `rev:` gives the revision separately. */
function readRepositories(filters: readonly FilterNode[]): { names: FilterNode[]; revisions: string[] } {
  const names: FilterNode[] = [];
  const revisions: string[] = [];
  for (const filter of filters.filter(({ field }) => field === 'repo')) {
    const at = filter.value.indexOf('@');
    if (at < 0) names.push(filter);
    else {
      if (filter.negated) throw invalidFilter('repo', 'A repository that is excluded has no revision.');
      if (at > 0) names.push({ ...filter, value: filter.value.slice(0, at) });
      revisions.push(...readRevisions(filter.value.slice(at + 1)));
    }
  }
  if (revisions.length > LIMITS.queryRevisions) {
    throw invalidFilter('repo', `A search has at most ${LIMITS.queryRevisions} revisions.`);
  }
  if (revisions.length > 0 && filters.some(({ field }) => field === 'rev')) {
    throw invalidFilter('rev', 'Give the revision once: with rev: or with "@" in repo:.');
  }
  return { names, revisions };
}

function readRevisions(value: string): string[] {
  const revisions = value.split(':');
  for (const revision of revisions) {
    if (revision.startsWith('*') || revision.startsWith('^')) {
      throw unsupportedFilter('rev', 'Patterns of revisions are not offered: name branches, tags or commits.');
    }
    if (!isSafeRevision(revision)) {
      throw invalidFilter('rev', 'A revision is a branch, a tag, a commit id or a form like HEAD~3.');
    }
  }
  if (revisions.length > LIMITS.queryRevisions) {
    throw invalidFilter('rev', `A search has at most ${LIMITS.queryRevisions} revisions.`);
  }
  return revisions;
}

function textFilter(filters: readonly FilterNode[], isCaseSensitive: boolean): TextFilter {
  const compiled = (negated: boolean): Pattern[] =>
    filters
      .filter((filter) => filter.negated === negated)
      .map(({ field, value }) => compileFilter(field, value, isCaseSensitive));
  return { include: compiled(false), exclude: compiled(true) };
}

function readLanguages(filters: readonly FilterNode[]): { include: string[]; exclude: string[] } {
  const languages = (negated: boolean): string[] =>
    filters
      .filter((filter) => filter.field === 'lang' && filter.negated === negated)
      .flatMap(({ value }) => {
        const language = findLanguage(value);
        if (language === undefined) throw invalidFilter('lang', 'This language is not known here.');
        // A part of a language is searched with it, as people expect.
        const parts: Record<string, string> = { ts: 'tsx', js: 'jsx' };
        return [language.id, ...(parts[language.id] === undefined ? [] : [parts[language.id] ?? ''])];
      });
  return { include: languages(false), exclude: languages(true) };
}

function readTypes(values: readonly string[]): ReadonlySet<ResultType> {
  const types = new Set<ResultType>();
  for (const value of values) {
    const type = TYPES.find((one) => one === value.toLowerCase());
    if (type === undefined) throw invalidFilter('type', `type: is ${TYPES.join(', ')}.`);
    types.add(type);
  }
  return types;
}

function readDate(field: FilterField, value: string): string {
  if (!isDate(value)) {
    throw invalidFilter(
      field,
      `${field}: is a date such as 2024-03-01, "november 1 2019", yesterday or "2 weeks ago".`,
    );
  }
  return value.trim();
}
