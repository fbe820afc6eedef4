import { type Commit, readCommit } from '../../git/commits.ts';
import { isSafeRevision, resolveRevision } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { GraphqlData } from '../data.ts';
import { fieldError } from '../graphql-error.ts';
import type { Work } from '../work.ts';
import { globalId } from './global-id.ts';

/** A repository with what its objects need of each other, so that their files do not import one another in a circle. */
export interface RepositoryContext {
  repository: Repository;
  databaseId: number;
  id: string;
  data: GraphqlData;
  /** The object of the type `Repository`. */
  object(): object;
  /** The object of the type `GitCommit` for a full commit id; `revision` stands in its addresses. */
  commit(oid: string, revision?: string, known?: Commit): object;
  /** The object of the type `SymbolConnection`, of the files whose paths fit all patterns. */
  symbols(oid: string, asked: SymbolArguments, work: Work): Promise<object>;
}

export interface SymbolArguments {
  first?: number | null;
  query?: string | null;
  includePatterns?: readonly string[] | null;
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
  return work.read(`revision ${repository.name} ${name}`, () => resolveRevision(repository, name));
}

/** Like {@link resolve}, but an unknown revision is an error that names it. */
export async function resolveOrRefuse(context: RepositoryContext, revision: string, work: Work): Promise<string> {
  const oid = await resolve(context, revision, work);
  if (oid === undefined) throw fieldError('NOT_FOUND', `There is no revision ${JSON.stringify(revision)}.`);
  return oid;
}

/** What a commit records; it exists, because its id came from git. */
export async function detailsOf({ repository }: RepositoryContext, oid: string, work: Work): Promise<Commit> {
  const commit = await work.read(`commit ${repository.name} ${oid}`, () => readCommit(repository, oid));
  if (commit === undefined) throw fieldError('NOT_FOUND', 'The commit does not exist any more.');
  return commit;
}
