/** A page about the code of a repository, as its address names it. */
export interface CodeAddress {
  repository: string;
  /** A branch, tag or commit; undefined for the default branch with staged changes. */
  revision: string | undefined;
  /** The word after `/-/`; `tree` when there is none. */
  view: string;
  /** What comes after the view: mostly a path. */
  rest: string;
}

/** Lines of a file, from 1. */
export interface LineRange {
  start: number;
  end: number;
}

/**
 * Reads `/<repository>@<revision>/-/<view>/<rest>`, also with `/r` before it. Branch names may contain slashes: the revision ends
 * at the first segment `-`. Of several repositories that fit, the one with the longest name counts.
 */
export function parseCodeAddress(
  segments: readonly string[],
  repositories: readonly string[],
): CodeAddress | undefined {
  const found = repositories
    .flatMap((name) => parseFor(name, segments) ?? [])
    .sort((a, b) => b.repository.length - a.repository.length)[0];
  if (found !== undefined || segments[0] !== 'r') return found;
  return parseCodeAddress(segments.slice(1), repositories);
}

function parseFor(repository: string, segments: readonly string[]): CodeAddress | undefined {
  const own = repository.split('/');
  const last = own.length - 1;
  const end = segments[last];
  const name = own[last] ?? '';
  if (end === undefined || !own.slice(0, last).every((part, index) => segments[index] === part)) return undefined;
  if (end !== name && !end.startsWith(`${name}@`)) return undefined;
  const dash = segments.indexOf('-', last + 1);
  const until = dash < 0 ? segments.length : dash;
  if (end === name && until > own.length) return undefined;
  const revision = [end.slice(name.length + 1), ...segments.slice(own.length, until)].join('/');
  const [view = 'tree', ...rest] = dash < 0 ? [] : segments.slice(dash + 1);
  return { repository, revision: revision === '' ? undefined : revision, view, rest: rest.join('/') };
}

/** Reads `?L10-20`, `?L10-L20`, `?L10` or `?L10:3-20:5`, also among other parameters; undefined without lines. */
export function parseLines(search: string): LineRange | undefined {
  const match = /(?:^|&)L(\d{1,7})(?::\d+)?(?:-L?(\d{1,7})(?::\d+)?)?(?:=?)(?:&|$)/.exec(search);
  if (!match) return undefined;
  const first = Number(match[1]);
  const second = Number(match[2] ?? match[1]);
  return { start: Math.min(first, second), end: Math.max(first, second) };
}
