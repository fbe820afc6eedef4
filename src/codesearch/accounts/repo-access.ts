import { z } from 'zod';
import { escapeRegExp } from '../escape.ts';
import type { User } from './records.ts';

/** A file of access rules can't be used; the message says why. */
export class RepoAccessError extends Error {
  override readonly name = 'RepoAccessError';
}

/**
 * User names by repository: the name of a repository, a pattern in which `*` stands for any text, or a regular
 * expression between slashes. The user name `*` stands for everyone who is signed in.
 */
export type RepoAccessRules = Readonly<Record<string, readonly string[]>>;

/** Who may read which repository. */
export interface RepoAccess {
  /** Without a user: what a person who is not signed in may read. */
  canRead(user: Pick<User, 'username' | 'siteAdmin'> | undefined, repository: string): boolean;
  /** Whether the rules of two repositories name the same users. */
  hasSameRules(repository: string, other: string): boolean;
}

const FILE = z.record(z.string().min(1).max(1_000), z.array(z.string().min(1).max(128)).max(100_000));

/** Reads the JSON text of a file of rules; throws {@link RepoAccessError}. */
export function parseRepoAccess(text: string): RepoAccessRules {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new RepoAccessError('The file of --repo-access is not valid JSON.', { cause: error });
  }
  const rules = FILE.safeParse(parsed);
  if (!rules.success) {
    throw new RepoAccessError(
      'The file of --repo-access must be an object: repository patterns with lists of user names.',
    );
  }
  return rules.data;
}

/**
 * A repository without a rule is open to everyone; one with several needs the user in each. Site admins read every
 * repository. Throws {@link RepoAccessError} for a rule that fits none of the repositories: a misspelled rule would
 * leave a repository open.
 */
export function createRepoAccess(rules: RepoAccessRules, repositories: readonly string[]): RepoAccess {
  const parsed = Object.entries(rules).map(([pattern, users]) => ({
    pattern,
    matches: matcher(pattern),
    users: new Set(users),
  }));
  const idle = parsed.filter(({ matches }) => !repositories.some(matches)).map(({ pattern }) => pattern);
  if (idle.length > 0) throw new RepoAccessError(`--repo-access: no repository fits ${idle.join(', ')}.`);
  const rulesOf = new Map(
    repositories.map((repository) => [repository, parsed.filter(({ matches }) => matches(repository))]),
  );
  const readersOf = (repository: string): string =>
    JSON.stringify((rulesOf.get(repository) ?? []).map(({ users }) => [...users].sort()).sort());
  return {
    hasSameRules: (repository, other) => readersOf(repository) === readersOf(other),
    canRead(user, repository) {
      if (user?.siteAdmin === true) return true;
      const own = rulesOf.get(repository) ?? parsed.filter(({ matches }) => matches(repository));
      return own.every(({ users }) => user !== undefined && (users.has(user.username) || users.has('*')));
    },
  };
}

function matcher(pattern: string): (repository: string) => boolean {
  const expression = /^\/(.+)\/$/s.exec(pattern)?.[1];
  try {
    const regExp =
      expression === undefined
        ? new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 's')
        : new RegExp(expression);
    return (repository) => regExp.test(repository);
  } catch (error) {
    throw new RepoAccessError(`--repo-access: ${pattern} is not a regular expression.`, { cause: error });
  }
}
