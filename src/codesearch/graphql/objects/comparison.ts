import { type CommitPage, log } from '../../git/commits.ts';
import { type ChangedFile, type Changes, type Comparison, commitChanges, compare } from '../../git/compare.ts';
import { hunksOf, patchesOf } from '../../git/patch.ts';
import { isSafePath } from '../../git/refs.ts';
import { fieldError } from '../graphql-error.ts';
import type { Work } from '../work.ts';
import { connectionOf, type PageArguments, pageOf } from './connection.ts';
import { createBlob } from './file.ts';
import { createObjectReference } from './ref.ts';
import { type RepositoryContext, resolveOrRefuse } from './repository-context.ts';

type ToConnection = (context: RepositoryContext, page: CommitPage | undefined, isFirst: boolean) => object;

/**
 * The object of the type `RepositoryComparison`; without a base, head is a first commit, which adds all its files. Throws for a
 * revision that does not exist.
 */
export async function createComparison(
  context: RepositoryContext,
  base: string | undefined,
  head: string,
  work: Work,
  toConnection: ToConnection,
) {
  const { repository } = context;
  const to = await resolveOrRefuse(context, head, work);
  const from = base === undefined ? undefined : await resolveOrRefuse(context, base, work);

  const comparison = (own: Work): Promise<Comparison | undefined> =>
    own.read(`compare ${repository.name} ${from} ${to}`, async () =>
      from === undefined ? undefined : compare(repository, from, to),
    );
  const changes = async (own: Work): Promise<Changes> => {
    const found =
      from === undefined
        ? await own.read(`changes ${repository.name} ${to}`, () => commitChanges(repository, to))
        : (await comparison(own))?.changes;
    if (found === undefined) throw fieldError('NOT_FOUND', 'The commits do not exist any more.');
    own.expect(found.files.length);
    return found;
  };
  const end = (expression: string, oid: string | undefined) => ({
    expr: expression,
    object: oid === undefined ? null : createObjectReference(context, oid),
  });

  return {
    baseRepository: () => context.object(),
    headRepository: () => context.object(),
    range: {
      expr: `${base ?? ''}...${head}`,
      baseRevSpec: end(base ?? '', from),
      headRevSpec: end(head, to),
      async mergeBase(_: unknown, own: Work) {
        const shared = (await comparison(own))?.mergeBase;
        return shared === undefined ? null : createObjectReference(context, shared);
      },
    },
    async commits({ first: asked, path }: { first?: number | null; path?: string | null }, own: Work) {
      const { first } = pageOf({ first: asked ?? null });
      if (path && !isSafePath(path)) throw fieldError('BAD_REQUEST', 'path is not the path of a file or folder.');
      const options = { revision: to, since: from, first, path: path || undefined };
      const page = await own.read(`log ${repository.name} ${JSON.stringify(options)}`, () => log(repository, options));
      return toConnection(context, first === 0 ? undefined : page, true);
    },
    async fileDiffs(
      { paths, query, ...page }: PageArguments & { paths?: string[] | null; query?: string | null },
      own: Work,
    ) {
      const all = await changes(own);
      const files = all.files.filter(({ path }) => isWanted(path, paths ?? undefined, query ?? ''));
      const patches = patchesOf(all);
      return {
        ...connectionOf(
          files.map((file) => createFileDiff(context, file, patches[all.files.indexOf(file)] ?? '', from, to)),
          page,
        ),
        diffStat: sumOf(files),
        rawDiff(_: unknown, reader: Work) {
          reader.countText(all.patch.length);
          return all.patch;
        },
      };
    },
    changedFiles: async (page: PageArguments, own: Work) =>
      connectionOf(
        (await changes(own)).files.map(({ path, change }) => ({ path, status: STATUS[change] })),
        page,
      ),
    totalDiffCount: async (_: unknown, own: Work) => (await changes(own)).files.length,
  };
}

const STATUS = {
  added: 'ADDED',
  modified: 'MODIFIED',
  deleted: 'DELETED',
  renamed: 'RENAMED',
  copied: 'COPIED',
  typeChanged: 'TYPE_CHANGED',
} as const;

function createFileDiff(
  context: RepositoryContext,
  file: ChangedFile,
  patch: string,
  from: string | undefined,
  to: string,
) {
  const oldPath = file.change === 'added' ? null : (file.previousPath ?? file.path);
  const newPath = file.change === 'deleted' ? null : file.path;
  const before = () =>
    oldPath === null || from === undefined ? null : createBlob(context, { oid: from, revision: from, path: oldPath });
  const after = () => (newPath === null ? null : createBlob(context, { oid: to, revision: to, path: newPath }));
  return {
    oldPath,
    newPath,
    oldFile: before,
    newFile: after,
    mostRelevantFile: () => after() ?? before(),
    hunks(_: unknown, work: Work) {
      work.countText(patch.length);
      const hunks = hunksOf(patch);
      work.expect(hunks.length);
      return hunks.map((hunk) => ({
        oldRange: { startLine: hunk.before.start, lines: hunk.before.lines },
        oldNoNewlineAt: hunk.endsWithoutLineEnd,
        newRange: { startLine: hunk.after.start, lines: hunk.after.lines },
        section: hunk.section || null,
        body: hunk.lines.map((line) => `${line}\n`).join(''),
      }));
    },
    stat: sumOf([file]),
  };
}

function sumOf(files: readonly ChangedFile[]) {
  return {
    added: files.reduce((sum, { additions = 0 }) => sum + additions, 0),
    deleted: files.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
  };
}

function isWanted(path: string, paths: readonly string[] | undefined, query: string): boolean {
  const isBelow = paths?.some((one) => path === one || path.startsWith(`${one.replace(/\/$/, '')}/`)) ?? true;
  return isBelow && path.toLowerCase().includes(query.toLowerCase());
}
