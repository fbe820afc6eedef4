import { filePath } from '../addresses.ts';
import { escapeRegExp } from '../escape.ts';
import { type Commit, log } from '../git/commits.ts';
import { GitError } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import { roleOf } from '../index/roles.ts';
import { LIMITS } from '../limits.ts';
import type { PatternType } from '../query/ast.ts';
import type { FileMatch, SearchResults } from '../query/results.ts';
import type { Search } from '../query/search.ts';
import type { Readable } from './readable.ts';

/** Where to search: undefined means everywhere. */
export interface SearchScope {
  repository?: string | undefined;
  /** A regular expression for paths. */
  paths?: string | undefined;
}

export interface CommitQuery {
  repository?: string | undefined;
  message?: string | undefined;
  author?: string | undefined;
  path?: string | undefined;
  changes?: string | undefined;
}

/** A call of a tool can't be carried out as it was asked; the message is for the model. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

export interface SearchToolsSetup {
  readable: Readable;
  search: Search;
  /** Who searches. */
  viewer: { username: string; canRead: (repository: string) => boolean };
  signal: AbortSignal;
}

/** Searches for a model, over what the asker may read. Each returns text. */
export function createSearchTools({ readable, search, viewer, signal }: SearchToolsSetup) {
  async function run(patternType: PatternType, scope: SearchScope, terms: readonly string[]): Promise<SearchResults> {
    const filters = [
      ...(scope.repository === undefined ? [] : [`repo:${quote(`^${escapeRegExp(known(scope.repository).name)}$`)}`]),
      ...(scope.paths === undefined ? [] : [`file:${quote(scope.paths)}`]),
      `count:${LIMITS.modelSearchMatches}`,
    ];
    const results = await search({ query: [...filters, ...terms].join(' '), patternType, viewer, signal });
    if (results.alert !== undefined && results.results.length === 0) {
      throw new ToolRefusal(`${results.alert.title}. ${results.alert.description}`);
    }
    return results;
  }

  function known(name: string): Repository {
    const repository = readable.repository(name);
    if (repository === undefined)
      throw new ToolRefusal('There is no repository of this name. Use a name from the list.');
    return repository;
  }

  function saw({ repository, path }: Pick<FileMatch, 'repository' | 'path'>): void {
    readable.seen.add(repository);
    const file = readable.file(repository, path);
    if (file !== undefined) readable.remember(file);
  }

  const files = ({ results }: SearchResults): FileMatch[] =>
    results.flatMap((result) => (result.kind === 'file' ? [result] : [])).sort(byUsefulness);

  function show(found: readonly FileMatch[], results: SearchResults): string {
    if (found.length === 0) return ['No file matches.', ...earlyEnd(results)].join(' ');
    let left: number = LIMITS.modelSearchLines;
    let files = 0;
    const shown: string[] = [];
    for (const { repository, path, lineMatches } of found) {
      if (left <= 0) break;
      const lines = lineMatches.slice(0, Math.min(left, LIMITS.modelSearchLinesPerFile));
      const more = lineMatches.length - lines.length;
      left -= Math.max(1, lines.length);
      files += 1;
      saw({ repository, path });
      shown.push(`${path} (${repository})`);
      for (const { line, lineNumber } of lines) {
        shown.push(`  ${lineNumber + 1}: ${line.trim().slice(0, LIMITS.modelLineCharacters)}`);
      }
      if (lineMatches.length === 0) shown.push('  (the path matches)');
      if (more > 0) shown.push(`  … ${more} more lines in this file`);
    }
    const all = found.reduce((sum, { lineMatches }) => sum + lineMatches.length, 0);
    const cut = files < found.length ? `; the first ${files} files are shown: narrow the search to see others` : '';
    const alert = results.alert === undefined ? [] : [`${results.alert.title}.`];
    shown.push([`${all} lines in ${found.length} files match${cut}.`, ...earlyEnd(results), ...alert].join(' '));
    return shown.join('\n');
  }

  return {
    async text(
      asked: SearchScope & { text: string; isRegexp?: boolean | undefined; caseSensitive?: boolean | undefined },
    ) {
      const content = asked.isRegexp === true ? delimit(asked.text) : quote(asked.text);
      const terms = ['type:file', ...(asked.caseSensitive === true ? ['case:yes'] : []), `content:${content}`];
      const results = await run(asked.isRegexp === true ? 'standard' : 'literal', asked, terms);
      return show(files(results), results);
    },
    async symbols(asked: SearchScope & { name: string }) {
      const results = await run('literal', asked, ['type:symbol', `content:${quote(asked.name)}`]);
      const wanted = asked.name.toLowerCase();
      const all = files(results).flatMap((file) => file.symbols.map((symbol) => ({ file, symbol })));
      const isExact = (name: string): number => Number(name.toLowerCase() === wanted);
      all.sort((a, b) => isExact(b.symbol.name) - isExact(a.symbol.name));
      const shown = all.slice(0, LIMITS.modelSearchLines);
      for (const { file } of shown) saw(file);
      const lines = shown.map(
        ({ file, symbol }) =>
          `${symbol.kind.toLowerCase()} ${symbol.name}: ${file.path}:${symbol.line} (${file.repository})`,
      );
      if (all.length === 0) lines.push('No definition has this in its name.');
      if (all.length > shown.length) lines.push(`… ${all.length - shown.length} more`);
      return [...lines, ...earlyEnd(results)].join('\n');
    },
    async commits({ repository, message, author, path, changes }: CommitQuery) {
      if ([message, author, path, changes].every((one) => one === undefined)) {
        throw new ToolRefusal('Give message, author, path or changes.');
      }
      const searched = repository === undefined ? readable.repositories() : [known(repository)];
      if (path !== undefined && searched.length > 1) throw new ToolRefusal('A path needs a repository.');
      const notes: string[] = [];
      const pages = await Promise.all(
        searched.map(async (one) => {
          const options = { author, path, changing: changes, first: LIMITS.modelCommits };
          const page = await log(one, { ...options, ...(message === undefined ? {} : { message: [message] }) }).catch(
            (error: unknown) => {
              if (!(error instanceof GitError) || error.kind === 'stopped') throw error;
              notes.push(`Not searched completely: ${one.name}`);
              return undefined;
            },
          );
          const boundary = await one.boundary();
          return (page?.commits ?? []).map((commit) => ({ one, commit, isBoundary: boundary.has(commit.oid) }));
        }),
      );
      const found = pages
        .flat()
        .sort((a, b) => Date.parse(b.commit.committer.date) - Date.parse(a.commit.committer.date))
        .slice(0, LIMITS.modelCommits);
      for (const { one, commit, isBoundary } of found) {
        readable.seen.add(one.name);
        if (!isBoundary || (path === undefined && changes === undefined)) continue;
        notes.push(
          `The clone of ${one.name} has no history before commit ${commit.oid}: what that seems to add may be older, and by others.`,
        );
      }
      if (found.length === 0) return ['No commit matches.', ...notes].join('\n');
      return [...found.map(({ one, commit }) => describe(one.name, commit)), ...notes].join('\n\n');
    },
  };
}

function earlyEnd({ limitHit, timedout }: SearchResults): string[] {
  if (!limitHit && timedout.length === 0) return [];
  return ['The search ended early, or not all files are read yet: there may be more.'];
}

function describe(repository: string, { oid, subject, body, author }: Commit): string {
  const head = `commit ${oid} (${repository})\n${author.date.slice(0, 10)} ${author.name}: ${subject}`;
  return body === '' ? head : `${head}\n${body}`.slice(0, LIMITS.modelCommitCharacters);
}

const ROLES = ['source', 'config', 'test', 'example', 'docs', 'vendored', 'generated'];

function byUsefulness(a: FileMatch, b: FileMatch): number {
  const roles = ROLES.indexOf(roleOf(a.path)) - ROLES.indexOf(roleOf(b.path));
  const [one, other] = [filePath(a), filePath(b)];
  return roles || (one < other ? -1 : one > other ? 1 : 0);
}

/** A text in quotation marks, as the query language reads it; a line break never matches within a line. */
function quote(text: string): string {
  return `"${text.replace(/[\r\n]+/g, ' ').replace(/["\\]/g, '\\$&')}"`;
}

/** A regular expression between slashes, as the query language reads it. */
function delimit(source: string): string {
  return `/${source.replace(/[\r\n]+/g, ' ').replace(/\\.|\//g, (part) => (part === '/' ? '\\/' : part))}/`;
}
