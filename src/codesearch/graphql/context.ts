import { type Commit, type Person, readCommit } from '../git/commits.ts';
import { isSafeRevision, resolveRevision } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import type { Search } from '../query/search.ts';
import { fieldError } from './errors.ts';
import { globalId } from './lists.ts';
import type { Work } from './work.ts';

/** A repository with what its objects need of each other, so that their files do not import one another in a circle. */
export interface RepositoryContext {
  repository: Repository;
  id: string;
  search: Search;
  /** The object of the type `Repository`. */
  object(): object;
  /** The object of the type `GitCommit` for a full commit id; `revision` stands in its addresses. */
  commit(oid: string, revision?: string, known?: Commit): object;
  /** The object of the type `GitBlob`. */
  file(place: Place): object;
}

/** Where a file or folder stands: a full commit id, the revision that was asked for, and the path. */
export interface Place {
  oid: string;
  revision: string;
  path: string;
}

/** The number of a repository: it depends on the name alone, so that ids stay when repositories are added. */
export function numberOfRepository(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash % 0x7ffffffe) + 1;
}

export function idOfRepository(name: string): string {
  return globalId('Repository', numberOfRepository(name));
}

/** The full id of a commit; undefined when there is none, an error for text that can't name a commit. */
export async function resolve({ repository }: RepositoryContext, revision: string, work: Work) {
  // An empty revision means the default branch, as in addresses of pages.
  const name = revision === '' ? 'HEAD' : revision;
  if (!isSafeRevision(name)) throw fieldError('BAD_REQUEST', 'The revision is not the name or id of a commit.');
  return work.read(resolveRevision, repository, name);
}

/** What a commit records; it exists, because its id came from git. */
export async function detailsOf({ repository }: RepositoryContext, oid: string, work: Work): Promise<Commit> {
  const commit = await work.read(readCommit, repository, oid);
  if (commit === undefined) throw fieldError('NOT_FOUND', 'The commit does not exist any more.');
  return commit;
}

/** The object of the type `Signature`. */
export function createSignature({ name, email, date }: Person) {
  return { date, person: { name, email, displayName: name || email.replace(/@.*$/s, ''), avatarURL: null } };
}
