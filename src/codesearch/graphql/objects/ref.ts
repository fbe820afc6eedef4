import { repositoryPath } from '../../addresses.ts';
import { listRefs, type Ref } from '../../git/refs.ts';
import { LIMITS } from '../../limits.ts';
import type { Work } from '../work.ts';
import { connection, connectionOf, type PageArguments, pageOf } from './connection.ts';
import { idWithin } from './global-id.ts';
import type { RepositoryContext } from './repository-context.ts';

export type RefArguments = PageArguments & { query?: string | null; type?: string | null };

/** The object of the type `GitRef`, for a ref that names this commit. */
export function createRef(context: RepositoryContext, name: string, target: string) {
  const [, kind, displayName = name] = /^refs\/(heads|tags)\/(.+)$/s.exec(name) ?? [];
  return {
    __typename: 'GitRef',
    id: idWithin('GitRef', context.id, { v: name }),
    name,
    abbrevName: displayName,
    displayName,
    prefix: name.slice(0, name.length - displayName.length),
    type: kind === 'heads' ? 'GIT_BRANCH' : kind === 'tags' ? 'GIT_TAG' : 'GIT_REF_OTHER',
    target: createObjectReference(context, target, displayName),
    repository: () => context.object(),
    url: repositoryPath(context.repository.name, displayName),
  };
}

/** The object of the type `GitObject` for a commit. */
export function createObjectReference(context: RepositoryContext, oid: string, revision = oid) {
  return {
    oid,
    abbreviatedOID: oid.slice(0, 7),
    type: 'GIT_COMMIT',
    commit: () => context.commit(oid, revision),
  };
}

/** The object of the type `GitRefConnection` for one kind of refs, or for both. */
export async function listRefObjects(context: RepositoryContext, { type, query, ...page }: RefArguments, work: Work) {
  const { first, skip } = pageOf(page);
  const toObject = ({ name, target }: Ref) => createRef(context, name, target);
  const read = (kind: Ref['kind'], options: { first: number; skip: number }) =>
    work.read(`refs ${context.repository.name} ${kind} ${options.first} ${options.skip} ${query ?? ''}`, () =>
      listRefs(context.repository, kind, { ...options, query: query ?? '' }),
    );
  if (type === 'GIT_REF_OTHER') return connectionOf([], page);
  if (type === 'GIT_BRANCH' || type === 'GIT_TAG') {
    const { refs, totalCount } = await read(type === 'GIT_BRANCH' ? 'branch' : 'tag', { first, skip });
    return connection(refs.slice(0, first).map(toObject), totalCount, skip);
  }
  const all = { first: LIMITS.refsPerPage, skip: 0 };
  const refs = [...(await read('branch', all)).refs, ...(await read('tag', all)).refs];
  refs.sort((a, b) => Date.parse(b.date) - Date.parse(a.date));
  return connectionOf(refs.map(toObject), page);
}
