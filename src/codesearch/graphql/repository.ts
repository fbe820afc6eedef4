import { createHash } from 'node:crypto';
import { encodePath, repositoryPath } from '../addresses.ts';
import { defaultBranch, listRefs, type Ref } from '../git/refs.ts';
import { nameFromRemote, type Repository } from '../git/repository.ts';
import type { Search } from '../query/search.ts';
import { createCommit, createComparison } from './commit.ts';
import { detailsOf, idOfRepository, type RepositoryContext, resolve } from './context.ts';
import { createFile } from './files.ts';
import { connectionOf, firstOf, type PageArguments } from './lists.ts';
import { createLink } from './markdown.ts';
import type { Work } from './work.ts';

/** What repositories need of the service. */
export interface RepositorySetup {
  repositories: readonly Repository[];
  search: Search;
  startedMs: number;
}

function createContext({ search, startedMs }: RepositorySetup, repository: Repository): RepositoryContext {
  const context: RepositoryContext = {
    repository,
    id: idOfRepository(repository.name),
    search,
    object: () => createRepository(context, startedMs),
    commit: (oid, revision, known) => createCommit(context, oid, revision, known),
    file: (place) => createFile(context, place),
  };
  return context;
}

/** The object of the type `Repository`. */
function createRepository(context: RepositoryContext, startedMs: number) {
  const { repository } = context;
  const { name } = repository;
  const host = codeHostOf(name);
  const url = repositoryPath(name);
  const refs = async (kind: 'branch' | 'tag', asked: RefArguments, work: Work) => {
    const first = firstOf(asked);
    const { refs: found, hasNextPage } = await work.read(listRefs, repository, kind, asked.query ?? '');
    return {
      nodes: found.slice(0, first).map((ref) => createRef(context, ref)),
      pageInfo: { hasNextPage: hasNextPage || found.length > first, endCursor: null },
    };
  };
  return {
    __typename: 'Repository',
    id: context.id,
    name,
    uri: name,
    description: '',
    url,
    externalURLs:
      host.kind === 'github' || host.kind === 'gitlab'
        ? [{ url: `${host.address}${encodePath(host.path)}`, serviceType: host.kind }]
        : [],
    externalRepository: { id: host.path, serviceType: host.kind, serviceID: host.address },
    createdAt: new Date(startedMs).toISOString(),
    async updatedAt(_: unknown, work: Work) {
      const oid = await resolve(context, 'HEAD', work);
      return oid === undefined ? null : (await detailsOf(context, oid, work)).committer.date;
    },
    mirrorInfo: { cloned: true, cloneInProgress: false, isCorrupted: false },
    isFork: false,
    isArchived: false,
    isPrivate: false,
    viewerCanAdminister: (_: unknown, { viewer }: Work) => viewer.siteAdmin,
    stars: 0,
    keyValuePairs: [],
    async defaultBranch(_: unknown, work: Work) {
      const branch = await work.read(defaultBranch, repository);
      const target = branch === undefined ? undefined : await resolve(context, `refs/heads/${branch}`, work);
      if (branch === undefined || target === undefined) return null;
      return createRef(context, { name: `refs/heads/${branch}`, displayName: branch, target });
    },
    branches: (asked: RefArguments, work: Work) => refs('branch', asked, work),
    tags: (asked: RefArguments, work: Work) => refs('tag', asked, work),
    async commit({ rev }: { rev: string }, work: Work) {
      const oid = await resolve(context, rev, work);
      return oid === undefined ? null : context.commit(oid, rev);
    },
    comparison: ({ base, head }: { base?: string | null; head?: string | null }, work: Work) =>
      createComparison(context, base ?? 'HEAD', head ?? 'HEAD', work),
    label: createLink(name, url),
  };
}

type RefArguments = Pick<PageArguments, 'first'> & { query?: string | null };

/** The object of the type `GitRef`. */
function createRef(context: RepositoryContext, { name, displayName, target: oid }: Ref) {
  return {
    name,
    abbrevName: displayName,
    displayName,
    target: { oid, abbreviatedOID: oid.slice(0, 7), commit: () => context.commit(oid, displayName) },
    url: repositoryPath(context.repository.name, displayName),
  };
}

/** The host that a name like `github.com/org/name` names; without a host, kind `other` and an empty address. */
function codeHostOf(name: string): { kind: string; address: string; path: string } {
  const [, host, path] = /^([^/]+\.[^/]+)\/(.+)$/.exec(name) ?? [];
  if (host === undefined || path === undefined) return { kind: 'other', address: '', path: name };
  const known = ['bitbucket', 'github', 'gitlab'].find((one) => host.includes(one)) ?? 'other';
  return { kind: known === 'bitbucket' ? 'bitbucketServer' : known, address: `https://${host}/`, path };
}

interface RepositoriesArguments extends PageArguments {
  query?: string | null;
  names?: readonly string[] | null;
  cloned?: boolean | null;
  indexed?: boolean | null;
  descending?: boolean | null;
}

interface RepositoryArguments {
  name?: string | null;
  cloneURL?: string | null;
  hashedName?: string | null;
}

/** The fields of `Query` about repositories, and a way to find one; all of them show only what the viewer may read. */
export function createRepositoryFields(setup: RepositorySetup) {
  const contexts = setup.repositories.map((repository) => createContext(setup, repository));
  const byName = new Map(contexts.map((context) => [context.repository.name, context]));
  // Only these are searched for a name: otherwise a repository that the viewer may not read could hide another one that fits.
  const readable = ({ viewer }: Work) => contexts.filter(({ repository: { name } }) => viewer.canRead(name));

  function repository({ name, cloneURL, hashedName }: RepositoryArguments, work: Work): object | null {
    const wanted = name ?? (typeof cloneURL === 'string' ? nameFromRemote(cloneURL) : undefined);
    const hash = hashedName?.toLowerCase();
    const own = readable(work);
    const found =
      hash === undefined
        ? (own.find((one) => one.repository.name === wanted) ??
          own.find((one) => one.repository.name.toLowerCase() === wanted?.toLowerCase()))
        : own.find((one) => hashOf(one.repository.name) === hash);
    return found?.object() ?? null;
  }

  return {
    /** Undefined for an unknown repository, and for one that the viewer may not read. */
    find: (name: string, { viewer }: Work) => (viewer.canRead(name) ? byName.get(name) : undefined),
    fields: {
      repository,
      repositoryRedirect: repository,
      repositories({ query, names, cloned, indexed, descending, ...page }: RepositoriesArguments, work: Work) {
        const wanted = (query ?? '').toLowerCase();
        const found = (cloned === false || indexed === false ? [] : readable(work))
          .filter(({ repository: { name } }) => name.toLowerCase().includes(wanted) && (names?.includes(name) ?? true))
          .sort((a, b) => (a.repository.name < b.repository.name ? -1 : 1));
        if (descending === true) found.reverse();
        return connectionOf(
          found.map((context) => context.object()),
          page,
        );
      },
    },
  };
}

/** The public service's hash of a name: clients send it in place of the names of private repositories. */
function hashOf(name: string): string {
  return createHash('sha256').update(name.toLowerCase()).digest('hex');
}
