import { readFileAt } from '../../git/file-content.ts';
import { readEntry, readTree, type TreeEntry } from '../../git/tree.ts';
import { LIMITS } from '../../limits.ts';
import type { Work } from '../work.ts';
import { pageOf } from './connection.ts';
import { createBlob, entryFields, type Place } from './file.ts';
import type { RepositoryContext } from './repository-context.ts';

interface ListArguments {
  first?: number | null;
  recursive?: boolean | null;
}

/** The object of the type `GitTree`. `recursive` is the default of its lists. */
export function createFolder(context: RepositoryContext, place: Place, recursive = false) {
  const { repository } = context;

  /** With recursive, files alone, as git lists them. */
  async function list(isDeep: boolean, work: Work): Promise<TreeEntry[]> {
    const key = `tree ${repository.name} ${place.oid} ${isDeep} ${place.path}`;
    const page = await work.read(key, () => readTree(repository, place.oid, place.path, { recursive: isDeep }));
    work.expect(page?.entries.length ?? 0);
    return page?.entries ?? [];
  }

  const toObject = (entry: TreeEntry) => createEntry(context, { ...place, path: entry.path }, entry);
  const toFolder = (path: string) => createFolder(context, { ...place, path });
  const isFile = ({ kind }: TreeEntry): boolean => kind === 'blob' || kind === 'symlink';

  return {
    __typename: 'GitTree',
    ...entryFields(context, place, 'tree'),
    isRoot: place.path === '',
    async entries(options: ListArguments, work: Work) {
      const { first } = pageOf({ first: options.first ?? null }, LIMITS.treeEntriesPerPage);
      const isDeep = options.recursive ?? recursive;
      const entries = await list(isDeep, work);
      if (!isDeep) return entries.slice(0, first).map(toObject);
      const all = [
        ...entries.map((entry) => ({ path: entry.path, object: () => toObject(entry) })),
        ...foldersAbove(entries, place.path).map((path) => ({ path, object: () => toFolder(path) })),
      ];
      all.sort((a, b) => (a.path < b.path ? -1 : 1));
      return all.slice(0, first).map(({ object }) => object());
    },
    async files(options: ListArguments, work: Work) {
      const { first } = pageOf({ first: options.first ?? null }, LIMITS.treeEntriesPerPage);
      const files = (await list(options.recursive ?? recursive, work)).filter(isFile);
      return files.slice(0, first).map(toObject);
    },
    async directories(options: ListArguments, work: Work) {
      const { first } = pageOf({ first: options.first ?? null }, LIMITS.treeEntriesPerPage);
      const isDeep = options.recursive ?? recursive;
      const entries = await list(isDeep, work);
      const folders = isDeep
        ? foldersAbove(entries, place.path)
        : entries.filter(({ kind }) => kind === 'tree').map(({ path }) => path);
      return folders.slice(0, first).map(toFolder);
    },
  };
}

/** The folder at a path; undefined when there is none. */
export async function findFolder(
  context: RepositoryContext,
  place: Place,
  work: Work,
  recursive = false,
): Promise<object | undefined> {
  const path = cleanPath(place.path);
  if (path === '') return createFolder(context, { ...place, path: '' }, recursive);
  const entry = await findEntry(context, { ...place, path }, work);
  if (entry === undefined || (entry.kind !== 'tree' && entry.kind !== 'submodule')) return undefined;
  return entry.kind === 'tree'
    ? createFolder(context, { ...place, path }, recursive)
    : createEntry(context, { ...place, path }, entry);
}

/** The file at a path; undefined when there is none. */
export async function findFile(context: RepositoryContext, place: Place, work: Work): Promise<object | undefined> {
  const path = cleanPath(place.path);
  const entry = await findEntry(context, { ...place, path }, work);
  if (entry === undefined || (entry.kind !== 'blob' && entry.kind !== 'symlink')) return undefined;
  return createBlob(context, { ...place, path }, entry.size);
}

/** Clients write the path of a file as `./a`, `/a` or `a//b` too, and of a folder as `a/` or `.`. */
function cleanPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.join('/');
}

function findEntry({ repository }: RepositoryContext, { oid, path }: Place, work: Work) {
  return work.read(`entry ${repository.name} ${oid} ${path}`, () => readEntry(repository, oid, path));
}

function createEntry(context: RepositoryContext, place: Place, entry: TreeEntry): object {
  if (entry.kind === 'tree') return createFolder(context, place);
  if (entry.kind !== 'submodule') return createBlob(context, place, entry.size);
  return {
    ...createFolder(context, place),
    submodule: {
      path: entry.path,
      commit: entry.oid,
      url: (_: unknown, work: Work) => submoduleUrl(context, place, work),
    },
  };
}

/** Reads the address of a submodule from `.gitmodules` at the commit; empty when it is not there. */
async function submoduleUrl({ repository }: RepositoryContext, { oid, path }: Place, work: Work): Promise<string> {
  const key = `file ${repository.name} ${oid} .gitmodules`;
  const file = await work.read(key, () => readFileAt(repository, oid, '.gitmodules'));
  return urlOfSubmodule(file?.bytes?.toString('utf8') ?? '', path);
}

/** Reads line by line: an expression with several repetitions would take the square of a file made for it. */
export function urlOfSubmodule(gitmodules: string, path: string): string {
  let section: Record<string, string> = {};
  for (const line of `${gitmodules}\n[`.split('\n')) {
    const [key = '', ...value] = line.split('=');
    if (key.trimStart().startsWith('[')) {
      if (section.path === path) return withoutPassword(section.url ?? '');
      section = {};
    } else section[key.trim()] = value.join('=').trim();
  }
  return '';
}

function withoutPassword(address: string): string {
  const [start, end] = [address.indexOf('//'), address.lastIndexOf('@')];
  return start < 0 || end < start ? address : `${address.slice(0, start)}//${address.slice(end + 1)}`;
}

/** The folders between a folder and the files below it, each once, parents first. */
function foldersAbove(files: readonly TreeEntry[], root: string): string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    const start = root === '' ? 0 : root.length + 1;
    for (let at = path.indexOf('/', start); at >= 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  }
  return [...folders];
}
