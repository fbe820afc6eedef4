import { escapeHtml, escapeRegExp } from '../../escape.ts';
import { blame } from '../../git/blame.ts';
import { type FileContent, readFileAt } from '../../git/file-content.ts';
import { languageOfFile } from '../../git/languages.ts';
import { readEntry, readTree } from '../../git/tree.ts';
import { LIMITS } from '../../limits.ts';
import { fieldError } from '../graphql-error.ts';
import type { Work } from '../work.ts';
import { createSignature } from './person.ts';
import { detailsOf, type RepositoryContext, type SymbolArguments } from './repository-context.ts';
import { entryUrl, externalUrls } from './urls.ts';
import { createUser } from './user.ts';

/** Where a file or folder stands: a full commit id, the revision that was asked for, and the path. */
export interface Place {
  oid: string;
  revision: string;
  path: string;
}

/** The fields that files and folders share. */
export function entryFields(context: RepositoryContext, { oid, revision, path }: Place, kind: 'blob' | 'tree') {
  const { repository } = context;
  const { name } = repository;
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isDirectory: kind === 'tree',
    url: entryUrl(name, revision, kind, path),
    canonicalURL: entryUrl(name, oid, kind, path),
    externalURLs: () => externalUrls(name, { commit: oid, path, kind }),
    submodule: null,
    async isSingleChild(_: unknown, work: Work) {
      if (kind === 'blob' || path === '') return false;
      const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      const page = await work.read(`tree ${name} ${oid} false ${above}`, () => readTree(repository, oid, above));
      return page?.entries.length === 1;
    },
    commit: () => context.commit(oid, revision),
    repository: () => context.object(),
  };
}

/** The object of the type `GitBlob`; the file is read when a field needs its content. */
export function createBlob(context: RepositoryContext, place: Place, knownSize?: number) {
  const { repository } = context;
  const { oid, path } = place;
  const key = `${repository.name} ${oid} ${path}`;
  const language = languageOfFile(path)?.name;

  async function read(work: Work): Promise<FileContent> {
    const file = await work.read(`file ${key}`, () => readFileAt(repository, oid, path));
    if (file === undefined) throw fieldError('NOT_FOUND', `There is no file ${JSON.stringify(path)} at this commit.`);
    return file;
  }

  async function text(work: Work): Promise<string> {
    const { bytes } = await read(work);
    if (bytes === undefined) {
      throw fieldError('TOO_MUCH_WORK', `The file is larger than ${LIMITS.blobBytes} bytes.`);
    }
    return bytes.toString('utf8');
  }

  return {
    __typename: 'GitBlob',
    ...entryFields(context, place, 'blob'),
    rawURL: entryUrl(repository.name, place.revision, 'raw', path),
    async content(lines: LineArguments & { textOnly?: boolean | null }, work: Work) {
      if (lines.textOnly === true && (await read(work)).isBinary) return '';
      const content = linesOf(await text(work), lines);
      work.countText(content.length);
      return content;
    },
    async byteSize(_: unknown, work: Work) {
      if (knownSize !== undefined) return knownSize;
      const entry = await work.read(`entry ${key}`, () => readEntry(repository, oid, path));
      return entry?.size ?? (await read(work)).byteSize;
    },
    async totalLines(_: unknown, work: Work) {
      return (await read(work)).isBinary ? 0 : countLines(await text(work));
    },
    binary: async (_: unknown, work: Work) => (await read(work)).isBinary,
    contentType: async (_: unknown, work: Work) =>
      (await read(work)).isBinary ? 'application/octet-stream' : 'text/plain',
    richHTML: '',
    highlight: (lines: LineArguments) => ({
      aborted: true,
      async html(_: unknown, work: Work) {
        const rows = (await read(work)).isBinary ? [] : tableRows(await text(work), lines);
        const table = rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`;
        work.countText(table.length);
        return table;
      },
      lsif: '',
      async lineRanges({ ranges }: { ranges: { startLine: number; endLine: number }[] }, work: Work) {
        const rows = (await read(work)).isBinary ? [] : tableRows(await text(work), {});
        return ranges.map(({ startLine, endLine }) => {
          const found = rows.slice(Math.max(0, startLine), Math.max(0, endLine));
          for (const row of found) work.countText(row.length);
          return found;
        });
      },
    }),
    lsif: null,
    codeGraphData: null,
    symbols: (asked: SymbolArguments, work: Work) =>
      context.symbols(oid, { ...asked, includePatterns: [`^${escapeRegExp(path)}$`] }, work),
    language: language ?? '',
    languages: language === undefined ? [] : [language],
    async blame({ ignoreWhitespace, ...lines }: LineArguments & { ignoreWhitespace?: boolean | null }, work: Work) {
      if (ignoreWhitespace === true) throw fieldError('BAD_REQUEST', 'ignoreWhitespace is not supported.');
      const range = await rangeOf(lines, async () => countLines(await text(work)));
      if (range === 'none') return [];
      const ranges = await work.read(`blame ${key} ${range?.start}-${range?.end}`, () =>
        blame(repository, oid, path, range),
      );
      if (ranges === undefined) throw fieldError('NOT_FOUND', 'There are no such lines in the file.');
      work.expect(ranges.length);
      return ranges.map((hunk) => ({
        startLine: hunk.start,
        endLine: hunk.end + 1,
        rev: hunk.commit,
        author: createSignature(hunk.author, context.data, (id) => userObject(context, id)),
        message: async (_: unknown, own: Work) => (await detailsOf(context, hunk.commit, own)).message,
        commit: () => context.commit(hunk.commit),
        filename: hunk.path,
      }));
    },
  };
}

export function userObject({ data }: RepositoryContext, id: number): object | undefined {
  const user = data.users.userById(id);
  return user === undefined ? undefined : createUser(user);
}

interface LineArguments {
  startLine?: number | null;
  endLine?: number | null;
}

function linesOf(content: string, { startLine, endLine }: LineArguments): string {
  if (typeof startLine !== 'number' && typeof endLine !== 'number') return content;
  const lines = content.split(/(?<=\n)/);
  const last = typeof endLine === 'number' && endLine >= 0 ? endLine : lines.length;
  return lines.slice(Math.max(0, (startLine ?? 1) - 1), last).join('');
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

/** The lines that blame must read, within the file; `none` when there are none, undefined for all. */
async function rangeOf({ startLine, endLine }: LineArguments, lineCount: () => Promise<number>) {
  if (typeof startLine !== 'number' && typeof endLine !== 'number') return undefined;
  const count = await lineCount();
  const start = Math.max(1, startLine ?? 1);
  const end = typeof endLine === 'number' && endLine >= 0 ? Math.min(endLine, count) : count;
  return end < start ? 'none' : { start, end };
}

function countLines(content: string): number {
  const breaks = content.split('\n').length - 1;
  return content === '' || content.endsWith('\n') ? breaks : breaks + 1;
}
