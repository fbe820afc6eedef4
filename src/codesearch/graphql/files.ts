import { directoryPath, filePath, repositoryPath } from '../addresses.ts';
import { escapeHtml, escapeRegExp } from '../escape.ts';
import { blame } from '../git/blame.ts';
import { type FileContent, readFileAt } from '../git/file-content.ts';
import { languageOfFile } from '../git/languages.ts';
import { readEntry, readTree, type TreeEntry } from '../git/tree.ts';
import { LIMITS } from '../limits.ts';
import { createSignature, type Place, type RepositoryContext } from './context.ts';
import { fieldError } from './errors.ts';
import { firstOf } from './lists.ts';
import { findSymbols, type SymbolArguments } from './search.ts';
import type { Work } from './work.ts';

interface LineArguments {
  startLine?: number | null;
  endLine?: number | null;
}

/** The object of the type `GitBlob` or `GitTree` at a path that a client wrote; null when there is none. */
export async function findEntry(context: RepositoryContext, place: Place, work: Work, recursive: boolean) {
  // Clients write `./a`, `/a` or `a//b` too, and of a folder `a/` or `.`.
  const path = place.path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  if (path === '') return createFolder(context, { ...place, path }, recursive);
  const entry = await work.read(readEntry, context.repository, place.oid, path);
  return entry === undefined ? null : createEntry(context, place, entry, recursive);
}

function createEntry(context: RepositoryContext, place: Place, entry: TreeEntry, recursive = false) {
  const own = { ...place, path: entry.path };
  if (entry.kind === 'blob' || entry.kind === 'symlink') return createFile(context, own, entry.size);
  const folder = createFolder(context, own, recursive);
  if (entry.kind === 'tree') return folder;
  const url = (_: unknown, work: Work) => submoduleUrl(context, own, work);
  return { ...folder, submodule: { commit: entry.oid, url } };
}

/** The object of the type `GitTree`. `recursive` is the default of its list. */
function createFolder(context: RepositoryContext, place: Place, recursive = false) {
  const { repository } = context;
  const { oid, path } = place;
  const commit = place.revision || undefined;
  return {
    __typename: 'GitTree',
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isDirectory: true,
    isRoot: path === '',
    url: path === '' ? repositoryPath(repository.name, commit) : directoryPath(repository.name, path, commit),
    submodule: null,
    async isSingleChild(_: unknown, work: Work) {
      if (path === '') return false;
      const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      return (await work.read(readTree, repository, oid, above, false))?.length === 1;
    },
    async entries(options: { first?: number | null; recursive?: boolean | null }, work: Work): Promise<object[]> {
      const first = firstOf(options, LIMITS.treeEntriesPerPage);
      const isDeep = options.recursive ?? recursive;
      const entries = (await work.read(readTree, repository, oid, path, isDeep)) ?? [];
      work.expect(entries.length);
      if (!isDeep) return entries.slice(0, first).map((entry) => createEntry(context, place, entry));
      // git lists the files alone.
      const all = [
        ...entries.map((entry) => ({ path: entry.path, object: () => createEntry(context, place, entry) })),
        ...foldersAbove(entries, path).map((folder) => ({
          path: folder,
          object: () => createFolder(context, { ...place, path: folder }),
        })),
      ].sort((a, b) => (a.path < b.path ? -1 : 1));
      return all.slice(0, first).map(({ object }) => object());
    },
  };
}

/** The folders between a folder and the files below it, each once. */
function foldersAbove(files: readonly TreeEntry[], root: string): string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    const start = root === '' ? 0 : root.length + 1;
    for (let at = path.indexOf('/', start); at >= 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  }
  return [...folders];
}

/** Reads the address of a submodule from `.gitmodules` at the commit; empty when it is not there. */
async function submoduleUrl({ repository }: RepositoryContext, { oid, path }: Place, work: Work): Promise<string> {
  const file = await work.read(readFileAt, repository, oid, '.gitmodules');
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

/** The object of the type `GitBlob`; the file is read when a field needs its content. */
export function createFile(context: RepositoryContext, place: Place, knownSize?: number) {
  const { repository } = context;
  const { oid, path } = place;
  const language = languageOfFile(path)?.name;

  async function read(work: Work): Promise<FileContent> {
    const file = await work.read(readFileAt, repository, oid, path);
    if (file === undefined) throw fieldError('NOT_FOUND', `There is no file ${JSON.stringify(path)} at this commit.`);
    return file;
  }

  async function text(work: Work): Promise<string> {
    const { bytes } = await read(work);
    if (bytes !== undefined) return bytes.toString('utf8');
    throw fieldError('TOO_MUCH_WORK', `The file is larger than ${LIMITS.blobBytes} bytes.`);
  }

  const rows = async (lines: LineArguments, work: Work): Promise<string[]> =>
    (await read(work)).isBinary ? [] : tableRows(await text(work), lines);

  return {
    __typename: 'GitBlob',
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isDirectory: false,
    url: filePath({ repository: repository.name, path, commit: place.revision || undefined }),
    submodule: null,
    isSingleChild: false,
    content: async (lines: LineArguments, work: Work) => linesOf(await text(work), lines),
    byteSize: async (_: unknown, work: Work) => knownSize ?? (await read(work)).byteSize,
    totalLines: async (_: unknown, work: Work) => ((await read(work)).isBinary ? 0 : countLines(await text(work))),
    binary: async (_: unknown, work: Work) => (await read(work)).isBinary,
    contentType: async (_: unknown, work: Work) =>
      (await read(work)).isBinary ? 'application/octet-stream' : 'text/plain',
    richHTML: '',
    highlight: (lines: LineArguments) => ({
      aborted: true,
      async html(_: unknown, work: Work) {
        const table = (await rows(lines, work)).join('');
        return table === '' ? '' : `<table><tbody>${table}</tbody></table>`;
      },
      lsif: '',
      async lineRanges({ ranges }: { ranges: { startLine: number; endLine: number }[] }, work: Work) {
        const all = await rows({}, work);
        return ranges.map(({ startLine, endLine }) => all.slice(Math.max(0, startLine), Math.max(0, endLine)));
      },
    }),
    languages: language === undefined ? [] : [language],
    commit: () => context.commit(oid, place.revision),
    repository: () => context.object(),
    lsif: null,
    codeGraphData: null,
    symbols: (asked: SymbolArguments, work: Work) =>
      findSymbols(context, oid, { ...asked, includePatterns: [`^${escapeRegExp(path)}$`] }, work),
    async blame({ startLine, endLine }: LineArguments, work: Work) {
      const count = countLines(await text(work));
      const start = Math.max(1, startLine ?? 1);
      const end = Math.min(lastOf(endLine, count), count);
      if (end < start) return [];
      const hunks = await work.read(blame, repository, oid, path, { start, end });
      if (hunks === undefined) throw fieldError('NOT_FOUND', 'There are no such lines in the file.');
      work.expect(hunks.length);
      return hunks.map((hunk) => ({
        startLine: hunk.start,
        endLine: hunk.end + 1,
        author: createSignature(hunk.author),
        commit: () => context.commit(hunk.commit),
      }));
    },
  };
}

function linesOf(content: string, { startLine, endLine }: LineArguments): string {
  if (typeof startLine !== 'number' && typeof endLine !== 'number') return content;
  const lines = content.split(/(?<=\n)/);
  return lines.slice(Math.max(0, (startLine ?? 1) - 1), lastOf(endLine, lines.length)).join('');
}

/** A negative line means the last one. */
function lastOf(endLine: number | null | undefined, count: number): number {
  return typeof endLine === 'number' && endLine >= 0 ? endLine : count;
}

/** A row of an HTML table for each line, as the public service writes it for files without colors. */
function tableRows(content: string, lines: LineArguments): string[] {
  const first = Math.max(1, lines.startLine ?? 1);
  const texts = linesOf(content, lines).replace(/\n$/, '').split('\n');
  return texts.map((text, index) => {
    const code = escapeHtml(text.replace(/\r$/, ''));
    return `<tr><td class="line" data-line="${first + index}"></td><td class="code"><div>${code}</div></td></tr>`;
  });
}

function countLines(content: string): number {
  const breaks = content.split('\n').length - 1;
  return content === '' || content.endsWith('\n') ? breaks : breaks + 1;
}
