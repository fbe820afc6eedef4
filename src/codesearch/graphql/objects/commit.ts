import { commitPath } from '../../addresses.ts';
import { type Commit, type CommitPage, log } from '../../git/commits.ts';
import { languageBytes } from '../../git/languages.ts';
import { isSafePath } from '../../git/refs.ts';
import { readTree } from '../../git/tree.ts';
import { LIMITS } from '../../limits.ts';
import { fieldError } from '../graphql-error.ts';
import type { Work } from '../work.ts';
import { createComparison } from './comparison.ts';
import { pageInfo, pageOf } from './connection.ts';
import { userObject } from './file.ts';
import { findFile, findFolder } from './folder.ts';
import { idWithin } from './global-id.ts';
import { createSignature } from './person.ts';
import { detailsOf, type RepositoryContext, type SymbolArguments } from './repository-context.ts';
import { externalUrls } from './urls.ts';

interface AncestorArguments {
  first?: number | null;
  query?: string | null;
  path?: string | null;
  after?: string | null;
  afterCursor?: string | null;
  before?: string | null;
}

const CURSOR = /^[0-9a-f]{40,64}-\d{1,9}$/;

/** The object of the type `GitCommit`; what the commit records is read when a field needs it. */
export function createCommit(context: RepositoryContext, oid: string, revision = oid, known?: Commit) {
  const { repository, data } = context;
  const { name } = repository;
  const details = async (work: Work): Promise<Commit> => known ?? detailsOf(context, oid, work);
  const field =
    <Name extends keyof Commit>(part: Name) =>
    async (_: unknown, work: Work): Promise<Commit[Name]> =>
      (await details(work))[part];
  const place = (path: string) => ({ oid, revision, path });
  const userOf = (id: number) => userObject(context, id);
  const languages = (work: Work) => work.read(`languages ${name} ${oid}`, () => languageBytes(repository, oid));

  return {
    __typename: 'GitCommit',
    id: idWithin('GitCommit', context.id, { c: oid }),
    repository: () => context.object(),
    oid,
    abbreviatedOID: field('abbreviatedOID'),
    message: field('message'),
    subject: field('subject'),
    body: async (_: unknown, work: Work) => (await details(work)).body || null,
    author: async (_: unknown, work: Work) => createSignature((await details(work)).author, data, userOf),
    committer: async (_: unknown, work: Work) => createSignature((await details(work)).committer, data, userOf),
    parents: async (_: unknown, work: Work) => (await details(work)).parents.map((parent) => context.commit(parent)),
    url: commitPath(name, oid),
    canonicalURL: commitPath(name, oid),
    externalURLs: () => externalUrls(name, { commit: oid }),
    path: async ({ path }: { path: string }, work: Work) =>
      (await findFile(context, place(path), work)) ?? (await findFolder(context, place(path), work)) ?? null,
    tree: async ({ path, recursive }: { path: string; recursive: boolean }, work: Work) =>
      (await findFolder(context, place(path), work, recursive)) ?? null,
    blob: async ({ path }: { path: string }, work: Work) => (await findFile(context, place(path), work)) ?? null,
    file: async ({ path }: { path: string }, work: Work) => (await findFile(context, place(path), work)) ?? null,
    symbols: (asked: SymbolArguments, work: Work) => context.symbols(oid, asked, work),
    async fileNames(_: unknown, work: Work) {
      const tree = await work.read(`tree ${name} ${oid} true `, () =>
        readTree(repository, oid, '', { recursive: true }),
      );
      return (tree?.entries ?? []).slice(0, LIMITS.graphqlPageMax).map(({ path }) => path);
    },
    languages: async (_: unknown, work: Work) => ((await languages(work)) ?? []).map(({ language }) => language.name),
    languageStatistics: async (_: unknown, work: Work) =>
      ((await languages(work)) ?? []).map(({ language, bytes, files }) => ({
        name: language.name,
        totalBytes: bytes,
        totalFiles: files,
      })),
    async ancestors({ first: asked, query, path, after, afterCursor, before }: AncestorArguments, work: Work) {
      const { first } = pageOf({ first: asked ?? null });
      const cursor = afterCursor ?? (CURSOR.test(after ?? '') ? after : undefined) ?? undefined;
      if (cursor !== undefined && !CURSOR.test(cursor)) {
        throw fieldError('BAD_REQUEST', 'afterCursor is not a cursor of this list.');
      }
      if (path && !isSafePath(path)) throw fieldError('BAD_REQUEST', 'path is not the path of a file or folder.');
      const options = {
        revision: oid,
        first,
        after: cursor,
        path: path || undefined,
        message: query ? [query] : undefined,
        committedAfter: after && after !== cursor ? after : undefined,
        committedBefore: before || undefined,
      };
      const page = await work.read(`log ${name} ${JSON.stringify(options)}`, () => log(repository, options));
      work.expect(page?.commits.length ?? 0);
      return commitConnection(context, first === 0 ? undefined : page, cursor === undefined);
    },
    async diff({ base }: { base?: string | null }, work: Work) {
      const [parent] = (await details(work)).parents;
      return createComparison(context, base ?? parent, oid, work, commitConnection);
    },
  };
}

/** The object of the type `GitCommitConnection`; `isFirst` tells whether the page begins at the newest commit. */
function commitConnection(context: RepositoryContext, page: CommitPage | undefined, isFirst: boolean) {
  const { commits, hasNextPage, endCursor } = page ?? { commits: [], hasNextPage: false, endCursor: undefined };
  return {
    nodes: commits.map((commit) => context.commit(commit.oid, commit.oid, commit)),
    totalCount: isFirst && !hasNextPage ? commits.length : null,
    pageInfo: pageInfo(hasNextPage ? (endCursor ?? null) : null),
  };
}

/** What `Repository.comparison` returns. */
export function compareRevisions(context: RepositoryContext, base: string, head: string, work: Work) {
  return createComparison(context, base, head, work, commitConnection);
}
