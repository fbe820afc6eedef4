import { commitPath } from '../addresses.ts';
import { type Commit, type LogOptions, log } from '../git/commits.ts';
import { type ChangedFile, compareChanges } from '../git/compare.ts';
import { languagesAt } from '../git/languages.ts';
import { hunksOf, patchesOf } from '../git/patch.ts';
import { isSafePath } from '../git/refs.ts';
import { readTree } from '../git/tree.ts';
import { LIMITS } from '../limits.ts';
import { createSignature, detailsOf, type RepositoryContext, resolve } from './context.ts';
import { fieldError } from './errors.ts';
import { findEntry } from './files.ts';
import { connectionOf, firstOf, globalId } from './lists.ts';
import { findSymbols, type SymbolArguments } from './search.ts';
import type { Work } from './work.ts';

/** The object of the type `GitCommit`; what the commit records is read when a field needs it. */
export function createCommit(context: RepositoryContext, oid: string, revision = oid, known?: Commit) {
  const { repository, id } = context;
  const details = async (work: Work): Promise<Commit> => known ?? detailsOf(context, oid, work);
  const field =
    <T>(read: (commit: Commit) => T) =>
    async (_: unknown, work: Work): Promise<T> =>
      read(await details(work));
  const entryAt = (path: string, work: Work, recursive = false) =>
    findEntry(context, { oid, revision, path }, work, recursive);
  const fileAt = async ({ path }: { path: string }, work: Work) => {
    const entry = await entryAt(path, work);
    return entry?.isDirectory === false ? entry : null;
  };

  return {
    __typename: 'GitCommit',
    id: globalId('GitCommit', JSON.stringify({ r: id, c: oid })),
    repository: () => context.object(),
    oid,
    abbreviatedOID: field(({ abbreviatedOID }) => abbreviatedOID),
    message: field(({ message }) => message),
    subject: field(({ subject }) => subject),
    body: field(({ body }) => body || null),
    author: field(({ author }) => createSignature(author)),
    committer: field(({ committer }) => createSignature(committer)),
    parents: field(({ parents }) => parents.map((parent) => context.commit(parent))),
    url: commitPath(repository.name, oid),
    path: ({ path }: { path: string }, work: Work) => entryAt(path, work),
    async tree({ path, recursive }: { path: string; recursive: boolean }, work: Work) {
      const entry = await entryAt(path, work, recursive);
      return entry?.isDirectory === true ? entry : null;
    },
    blob: fileAt,
    file: fileAt,
    symbols: (asked: SymbolArguments, work: Work) => findSymbols(context, oid, asked, work),
    async fileNames(_: unknown, work: Work) {
      const files = (await work.read(readTree, repository, oid, '', true)) ?? [];
      return files.slice(0, LIMITS.graphqlPageMax).map(({ path }) => path);
    },
    languages: async (_: unknown, work: Work) => (await work.read(languagesAt, repository, oid)) ?? [],
    ancestors({ first, path }: { first?: number | null; path?: string | null }, work: Work) {
      if (path && !isSafePath(path)) throw fieldError('BAD_REQUEST', 'path is not the path of a file or folder.');
      return listCommits(context, { revision: oid, first: firstOf({ first }), path: path || undefined }, work);
    },
  };
}

/** The object of the type `GitCommitConnection`. */
async function listCommits(context: RepositoryContext, options: LogOptions & { first: number }, work: Work) {
  const page = options.first === 0 ? undefined : await work.read(log, context.repository, options);
  const { commits, hasNextPage } = page ?? { commits: [], hasNextPage: page === undefined };
  work.expect(commits.length);
  return {
    nodes: commits.map((commit) => context.commit(commit.oid, commit.oid, commit)),
    totalCount: hasNextPage ? null : commits.length,
  };
}

/** The object of the type `RepositoryComparison`. Throws for a revision that does not exist. */
export async function createComparison(context: RepositoryContext, base: string, head: string, work: Work) {
  const { repository } = context;
  const [from, to] = [await resolveOrRefuse(context, base, work), await resolveOrRefuse(context, head, work)];
  return {
    commits: ({ first }: { first?: number | null }, own: Work) =>
      listCommits(context, { revision: to, since: from, first: firstOf({ first }) }, own),
    async fileDiffs({ first, paths }: { first?: number | null; paths?: string[] | null }, own: Work) {
      const changes = await own.read(compareChanges, repository, from, to);
      if (changes === undefined) throw fieldError('NOT_FOUND', 'The commits do not exist any more.');
      own.expect(changes.files.length);
      const patches = patchesOf(changes);
      const all = changes.files.map((file, index) => ({ file, patch: patches[index] ?? '' }));
      const wanted = all.filter(({ file }) => isBelow(file.path, paths ?? ['']));
      return connectionOf(
        wanted.map(({ file, patch }) => createFileDiff(file, patch)),
        { first },
      );
    },
  };
}

async function resolveOrRefuse(context: RepositoryContext, revision: string, work: Work): Promise<string> {
  const oid = await resolve(context, revision, work);
  if (oid === undefined) throw fieldError('NOT_FOUND', `There is no revision ${JSON.stringify(revision)}.`);
  return oid;
}

/** Whether a path is one of these or in one of these folders; '' is the root. */
function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((one) => one === '' || path === one || path.startsWith(`${one.replace(/\/$/, '')}/`));
}

function createFileDiff({ path, previousPath, change, additions = 0, deletions = 0 }: ChangedFile, patch: string) {
  return {
    oldPath: change === 'added' ? null : (previousPath ?? path),
    newPath: change === 'deleted' ? null : path,
    stat: { added: additions, deleted: deletions },
    hunks(_: unknown, work: Work) {
      work.weigh(patch);
      return hunksOf(patch).map(({ before, after, section, lines, endsWithoutLineEnd }) => ({
        oldRange: { startLine: before.start, lines: before.lines },
        oldNoNewlineAt: endsWithoutLineEnd,
        newRange: { startLine: after.start, lines: after.lines },
        section: section || null,
        body: lines.map((line) => `${line}\n`).join(''),
      }));
    },
  };
}
