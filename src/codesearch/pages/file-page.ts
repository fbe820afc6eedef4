import { commitPath, encodePath, filePath, repositoryPath } from '../addresses.ts';
import { type BlameRange, blame } from '../git/blame.ts';
import { readFileAt } from '../git/file-content.ts';
import { GitError } from '../git/git.ts';
import { resolveRevision } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import type { Corpus } from '../index/corpus.ts';
import { LIMITS } from '../limits.ts';
import { type CodeAddress, type LineRange, parseLines } from './code-address.ts';
import { type Html, html } from './html.ts';
import type { Page, RawFile } from './page.ts';
import { byteSize, day, plural, repositoryPage } from './repository-frame.ts';
import { type PageRequest, parameter } from './request.ts';

/** The content of a file, and the commit that has it; staged changes have none. */
interface ShownFile {
  kind: 'blob' | 'symlink';
  commit: string | undefined;
  text: string | undefined;
  byteSize: number | undefined;
  bytes?: Buffer | undefined;
}

/** Reads a file at the revision of an address; undefined when git has no such file there. */
async function readShownFile(
  corpus: Corpus,
  repository: Repository,
  { revision, rest: path }: CodeAddress,
): Promise<ShownFile | undefined> {
  const file = corpus.index.get(repository.name, path);
  // Links in answers mostly name the indexed commit, whose files need no search in git.
  if (file !== undefined && (revision === undefined || revision === file.commit)) {
    const text = (await repository.blobs.texts([file.blob])).get(file.blob);
    const size = text === undefined ? undefined : Buffer.byteLength(text);
    return { kind: 'blob', commit: file.commit, text, byteSize: size };
  }
  return revision === undefined ? undefined : readCommittedFile(repository, revision, path);
}

async function readCommittedFile(
  repository: Repository,
  revision: string,
  path: string,
): Promise<ShownFile | undefined> {
  const commit = await resolveRevision(repository, revision);
  const content = commit === undefined ? undefined : await readFileAt(repository, commit, path);
  if (content === undefined) return undefined;
  const text = content.isBinary ? undefined : content.bytes?.toString('utf8');
  return { kind: content.kind, commit, text, byteSize: content.byteSize, bytes: content.bytes };
}

/** A file with the requested lines marked, and with `blame=1` who wrote each line. */
export async function filePage(
  request: PageRequest,
  corpus: Corpus,
  repository: Repository,
  address: CodeAddress,
): Promise<Page | undefined> {
  const file = await readShownFile(corpus, repository, address);
  if (file === undefined) return undefined;
  const lines = file.text === undefined ? [] : file.text.replace(/\n$/, '').split('\n');
  const { shown, isCut } = beginning(lines);
  const withBlame = parameter(request, 'blame') === '1';
  const blamed = withBlame && file.text ? await readBlame(repository, file.commit, address.rest, shown.length) : [];
  const marked = parseLines(request.search);
  const size = file.byteSize === undefined ? '' : ` · ${byteSize(file.byteSize)}`;
  return repositoryPage(request, address, {
    title: address.rest,
    path: address.rest,
    wide: file.text !== undefined,
    detail: html`${file.text === undefined ? 'Not text' : plural(lines.length, 'line')}${size}${
      file.commit === undefined ? ' · with staged changes' : ''
    }`,
    body: html`${toolbar(address, file, withBlame, marked)}${
      typeof blamed === 'string' ? html`<p class="notice">${blamed}</p>` : undefined
    }${content(file, shown, { marked, withBlame, blamed: typeof blamed === 'string' ? [] : blamed }, repository.name)}${
      isCut
        ? html`<p class="notice">The first ${shown.length} of ${lines.length} lines are shown${shown.length === lines.length ? ', the last one in part' : ''}. Open the raw file to read the rest.</p>`
        : undefined
    }`,
  });
}

/** As many lines as a page shows; the last one may be cut. */
function beginning(lines: readonly string[]): { shown: string[]; isCut: boolean } {
  const shown: string[] = [];
  let left: number = LIMITS.charactersShown;
  for (const line of lines.slice(0, LIMITS.linesShown)) {
    if (left <= 0) break;
    shown.push(line.slice(0, left));
    left -= line.length + 1;
  }
  return { shown, isCut: shown.length < lines.length || left < -1 };
}

function toolbar(
  { repository, revision, rest: path }: CodeAddress,
  file: ShownFile,
  withBlame: boolean,
  marked: LineRange | undefined,
): Html {
  const root = repositoryPath(repository, revision);
  const place = (commit: string | undefined, blame: boolean): string => {
    const own = filePath({ repository, path, commit }, marked?.start, marked?.end);
    return blame ? `${own}${own.includes('?') ? '&' : '?'}blame=1` : own;
  };
  return html`<div class="toolbar">${
    file.text === undefined
      ? undefined
      : html`<a class="button" href="${place(revision, !withBlame)}">${withBlame ? 'Without blame' : 'Blame'}</a>`
  }<a class="button" href="${root}/-/commits/${encodePath(path)}">History</a><a class="button" href="${root}/-/raw/${encodePath(path)}">Raw</a>${
    file.commit === undefined
      ? undefined
      : html`<a class="button" href="${place(file.commit, withBlame)}">Permalink</a>`
  }</div>`;
}

interface Shown {
  marked: LineRange | undefined;
  withBlame: boolean;
  blamed: readonly BlameRange[];
}

function content(file: ShownFile, lines: readonly string[], shown: Shown, repository: string): Html {
  if (file.kind === 'symlink')
    return html`<p class="empty">This is a symbolic link to <code>${file.text ?? '?'}</code>. It is not followed.</p>`;
  if (file.text === undefined) {
    return html`<p class="empty">This file is not text${file.byteSize === undefined || file.byteSize > LIMITS.blobBytes ? ', or too large to show' : ''}.</p>`;
  }
  if (file.text === '') return html`<p class="empty">This file is empty.</p>`;
  const { marked, withBlame, blamed } = shown;
  const startOf = new Map(blamed.map((range) => [range.start, range]));
  const rows = lines.map((line, index) => {
    const number = index + 1;
    const isMarked = marked !== undefined && number >= marked.start && number <= marked.end;
    const range = startOf.get(number);
    const who = range === undefined ? undefined : blameCell(range, repository, lines.length);
    return html`<tr id="L${number}"${isMarked ? html` class="marked"` : undefined}>${who}<td class="n"><a href="?L${number}${withBlame ? '&blame=1' : ''}">${number}</a></td><td>${line.replace(/\r$/, '')}</td></tr>`;
  });
  return html`<table class="code file"><tbody>${rows}</tbody></table>`;
}

/** The lines that one commit wrote share a cell. */
function blameCell({ start, end, commit, author, subject }: BlameRange, repository: string, lineCount: number): Html {
  const rows = Math.min(end, lineCount) - start + 1;
  return html`<td class="who" rowspan="${rows}">${day(author.date)} <a href="${commitPath(repository, commit)}" title="${subject}">${subject || commit.slice(0, 10)}</a> <span class="dim">${author.name}</span></td>`;
}

/** The blame of the shown lines, or the reason why there is none. */
async function readBlame(
  repository: Repository,
  commit: string | undefined,
  path: string,
  lineCount: number,
): Promise<BlameRange[] | string> {
  if (commit === undefined) return 'This file has staged changes. Blame shows committed lines only.';
  try {
    return (await blame(repository, commit, path, { start: 1, end: lineCount })) ?? 'git has no blame for this file.';
  } catch (error) {
    if (!(error instanceof GitError) || (error.kind !== 'timeout' && error.kind !== 'tooMuch')) throw error;
    return 'The blame of this file takes too long.';
  }
}

/** The content of a file alone, as text or as a download: never as a page of this service. */
export async function rawFile(
  corpus: Corpus,
  repository: Repository,
  address: CodeAddress,
): Promise<RawFile | undefined> {
  const shown = await readShownFile(corpus, repository, address);
  if (shown === undefined) return undefined;
  // The index reads text only.
  const isRead = shown.text !== undefined || shown.bytes !== undefined;
  const file = isRead ? shown : await readCommittedFile(repository, address.revision ?? 'HEAD', address.rest);
  if (file === undefined || file.kind === 'symlink') return undefined;
  // As with pages: a browser or a proxy must not show it to the next person.
  const headers = { 'Cache-Control': 'no-store' };
  if (file.text !== undefined) return { contentType: 'text/plain; charset=utf-8', body: file.text, headers };
  if (file.bytes === undefined) return undefined;
  return {
    contentType: 'application/octet-stream',
    body: file.bytes,
    headers: { ...headers, 'Content-Disposition': 'attachment' },
  };
}
