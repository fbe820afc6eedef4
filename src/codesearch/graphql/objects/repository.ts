import { createHash } from 'node:crypto';
import { repositoryPath } from '../../addresses.ts';
import { languageBytes } from '../../git/languages.ts';
import { defaultBranch } from '../../git/refs.ts';
import { nameFromRemote, type Repository } from '../../git/repository.ts';
import type { GraphqlData } from '../data.ts';
import type { Work } from '../work.ts';
import { compareRevisions, createCommit } from './commit.ts';
import { connectionOf, type PageArguments } from './connection.ts';
import { link, plain } from './markdown.ts';
import { createRef, listRefObjects, type RefArguments } from './ref.ts';
import {
  detailsOf,
  idOfRepository,
  numberOfRepository,
  type RepositoryContext,
  resolve,
} from './repository-context.ts';
import { findSymbols } from './symbols.ts';
import { codeHostOf, externalUrls } from './urls.ts';

/** Prepares the objects of one repository. */
export function createRepositoryContext(data: GraphqlData, repository: Repository): RepositoryContext {
  const context: RepositoryContext = {
    repository,
    databaseId: numberOfRepository(repository.name),
    id: idOfRepository(repository.name),
    data,
    object: () => createRepository(context),
    commit: (oid, revision, known) => createCommit(context, oid, revision, known),
    symbols: (oid, asked, work) => findSymbols(context, oid, asked, work),
  };
  return context;
}

function createRepository(context: RepositoryContext) {
  const { repository, data } = context;
  const { name } = repository;
  const host = codeHostOf(name);
  const url = repositoryPath(name);
  return {
    __typename: 'Repository',
    id: context.id,
    databaseID: context.databaseId,
    name,
    uri: name,
    description: '',
    url,
    externalURLs: () => externalUrls(name, undefined),
    externalRepository: { id: host.path, serviceType: host.kind, serviceID: host.address },
    async language(_: unknown, work: Work) {
      const languages = await work.read(`languages ${name} HEAD`, () => languageBytes(repository, 'HEAD'));
      return languages?.[0]?.language.name ?? '';
    },
    createdAt: new Date(data.startedMs).toISOString(),
    async updatedAt(_: unknown, work: Work) {
      const oid = await resolve(context, 'HEAD', work);
      return oid === undefined ? null : (await detailsOf(context, oid, work)).committer.date;
    },
    mirrorInfo: {
      cloned: true,
      cloneInProgress: false,
      cloneProgress: null,
      remoteURL: null,
      updatedAt: null,
      lastError: null,
      isCorrupted: false,
    },
    isFork: false,
    isArchived: false,
    isPrivate: false,
    viewerCanAdminister: (_: unknown, { viewer }: Work) => viewer.siteAdmin,
    stars: 0,
    keyValuePairs: [],
    async defaultBranch(_: unknown, work: Work) {
      const branch = await work.read(`default branch ${name}`, () => defaultBranch(repository));
      const target = branch === undefined ? undefined : await resolve(context, `refs/heads/${branch}`, work);
      return target === undefined ? null : createRef(context, `refs/heads/${branch}`, target);
    },
    gitRefs: (options: RefArguments, work: Work) => listRefObjects(context, options, work),
    branches: (options: RefArguments, work: Work) => listRefObjects(context, { ...options, type: 'GIT_BRANCH' }, work),
    tags: (options: RefArguments, work: Work) => listRefObjects(context, { ...options, type: 'GIT_TAG' }, work),
    async commit({ rev, inputRevspec }: { rev: string; inputRevspec?: string | null }, work: Work) {
      const oid = await resolve(context, rev, work);
      return oid === undefined ? null : createCommit(context, oid, inputRevspec ?? rev);
    },
    comparison: ({ base, head }: { base?: string | null; head?: string | null }, work: Work) =>
      compareRevisions(context, base ?? 'HEAD', head ?? 'HEAD', work),
    label: link(name, url),
    detail: plain(''),
    matches: [],
  };
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
  uri?: string | null;
  cloneURL?: string | null;
  databaseID?: number | null;
}

/** The fields of `Query` about repositories, and a way to find one; all of them show only what the viewer may read. */
export function createRepositoryFields(data: GraphqlData) {
  const contexts = data.repositories.map((repository) => createRepositoryContext(data, repository));
  const byName = new Map(contexts.map((context) => [context.repository.name, context]));
  const readable = (context: RepositoryContext | undefined, { viewer }: Work): RepositoryContext | undefined =>
    context !== undefined && viewer.canRead(context.repository.name) ? context : undefined;

  function repository({ name, uri, cloneURL, databaseID }: RepositoryArguments, work: Work): object | null {
    const wanted = name ?? uri ?? (typeof cloneURL === 'string' ? nameFromRemote(cloneURL) : undefined);
    const context =
      wanted === undefined
        ? contexts.find(({ databaseId }) => databaseId === databaseID)
        : (byName.get(wanted) ?? contexts.find((one) => equalsIgnoringCase(one.repository.name, wanted)));
    return readable(context, work)?.object() ?? null;
  }

  return {
    /** Undefined for an unknown repository, and for one that the viewer may not read. */
    find: (name: string, work: Work): RepositoryContext | undefined => readable(byName.get(name), work),
    findById: (id: string, work: Work): RepositoryContext | undefined =>
      readable(
        contexts.find((context) => context.id === id),
        work,
      ),
    fields: {
      repository,
      repositoryRedirect({ hashedName, ...named }: RepositoryArguments & { hashedName?: string | null }, work: Work) {
        if (typeof hashedName !== 'string') return repository(named, work);
        const context = contexts.find((one) => hashOf(one.repository.name) === hashedName.toLowerCase());
        return readable(context, work)?.object() ?? null;
      },
      repositories({ query, names, cloned, indexed, descending, ...page }: RepositoriesArguments, work: Work) {
        const wanted = (query ?? '').toLowerCase();
        const found = contexts
          .filter((context) => readable(context, work) !== undefined && cloned !== false && indexed !== false)
          .filter(({ repository }) => repository.name.toLowerCase().includes(wanted))
          .filter(({ repository }) => names?.includes(repository.name) ?? true)
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

export type RepositoryFields = ReturnType<typeof createRepositoryFields>;

/** The public service's hash of a name: clients send it in place of the names of private repositories. */
function hashOf(name: string): string {
  return createHash('sha256').update(name.toLowerCase()).digest('hex');
}

function equalsIgnoringCase(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
