import { gitText } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import { commitPath, directoryPath, filePath, repositoryPath } from '../search/addresses.ts';
import type { Corpus } from '../search/corpus.ts';
import type { IndexedFile } from '../search/file-index.ts';
import { type Html, html } from './html.ts';
import { type Page, page } from './page.ts';

const LINES_SHOWN = 20_000;
const ENTRIES_SHOWN = 2_000;
const PATCH_CHARACTERS = 200_000;

/** Reads `?L10-20`, `?L10` or `?L10:3-20:5` as first and last line; undefined for anything else. */
export function parseLines(search: string): { start: number; end: number } | undefined {
  const match = /^L(\d{1,7})(?::\d+)?(?:-L?(\d{1,7})(?::\d+)?)?(?:&|$)/.exec(search);
  if (!match) return undefined;
  const first = Number(match[1]);
  const second = Number(match[2] ?? match[1]);
  return { start: Math.min(first, second), end: Math.max(first, second) };
}

/** A tracked file with the requested lines highlighted; undefined when git does not track the path. */
export async function filePage(
  corpus: Corpus,
  repository: Repository,
  path: string,
  search: string,
): Promise<Page | undefined> {
  const file = corpus.index.get(repository.name, path);
  if (file === undefined) return undefined;
  const marked = parseLines(search);
  const texts = await repository.blobs.texts([file.blob]).catch(() => new Map<string, string>());
  const text = texts.get(file.blob);
  const all = text === undefined ? [] : text.replace(/\n$/, '').split('\n');
  const rows = all.slice(0, LINES_SHOWN).map((line, index) => {
    const number = index + 1;
    const isMarked = marked !== undefined && number >= marked.start && number <= marked.end;
    return html`<tr id="L${number}" class="${isMarked ? 'marked' : ''}"><td class="n"><a href="?L${number}">${number}</a></td><td>${line.replace(/\r$/, '')}</td></tr>`;
  });
  const body =
    text === undefined ? html`<p class="dim">This file is not text.</p>` : html`<table class="code">${rows}</table>`;
  const rest =
    all.length > LINES_SHOWN
      ? html`<p class="dim">The first ${LINES_SHOWN} of ${all.length} lines are shown.</p>`
      : html``;
  const shown =
    marked === undefined
      ? ''
      : marked.start === marked.end
        ? `, line ${marked.start}`
        : `, lines ${marked.start} to ${marked.end}`;
  return page({
    title: `${path} · ${repository.name}`,
    heading: trail(repository.name, path),
    detail: html`${all.length} lines${shown}, as git has recorded them`,
    body: html`${body}${rest}`,
    wide: text !== undefined,
  });
}

/** The contents of a folder of a repository; undefined for a folder without tracked files. */
export function treePage(corpus: Corpus, repository: Repository, folder: string): Page | undefined {
  const prefix = folder === '' ? '' : `${folder}/`;
  const own = [...corpus.index.all()].filter(
    (file) => file.repository === repository.name && file.path.startsWith(prefix),
  );
  if (own.length === 0 && folder !== '') return undefined;
  const entries = new Map<string, IndexedFile | undefined>();
  for (const file of own) {
    const [first = '', ...rest] = file.path.slice(prefix.length).split('/');
    entries.set(rest.length > 0 ? `${first}/` : first, rest.length > 0 ? undefined : file);
  }
  const items = [...entries]
    .sort(([a, fileA], [b, fileB]) => Number(fileA !== undefined) - Number(fileB !== undefined) || (a < b ? -1 : 1))
    .slice(0, ENTRIES_SHOWN)
    .map(([name, file]) => {
      const address =
        file === undefined ? directoryPath(repository.name, `${prefix}${name.slice(0, -1)}`) : filePath(file);
      return html`<li><a href="${address}">${name}</a></li>`;
    });
  return page({
    title: `${folder === '' ? repository.name : folder} · ${repository.name}`,
    heading: trail(repository.name, folder),
    detail: html`${own.length} tracked files`,
    body: html`<ul class="plain">${items}</ul>`,
  });
}

/** A commit with its message and patch; undefined when the repository has no such commit. */
export async function commitPage(repository: Repository, id: string): Promise<Page | undefined> {
  if (!/^[0-9a-f]{7,64}$/.test(id)) return undefined;
  const message = await gitText(repository.git, ['show', '--no-patch', '--format=%H%n%an%n%aI%n%B', `${id}^{commit}`]);
  const [full = '', author = '', date = '', subject = '', ...body] = message.split('\n');
  if (full === '') return undefined;
  const patch = await gitText(repository.git, [
    'show',
    '--format=',
    '--stat',
    '--patch',
    '--no-ext-diff',
    '--no-textconv',
    full,
  ]);
  const shown = patch.slice(0, PATCH_CHARACTERS);
  return page({
    title: `${subject} · ${repository.name}`,
    heading: html`<a href="${repositoryPath(repository.name)}">${repository.name}</a> ${subject}`,
    detail: html`<a href="${commitPath(repository.name, full)}">${full.slice(0, 12)}</a> by ${author}, ${date}`,
    body: html`<pre>${body.join('\n').trim()}</pre><pre>${shown}${shown.length < patch.length ? '\n…' : ''}</pre>`,
  });
}

/** The start page: a list of the repositories. */
export function startPage(corpus: Corpus): Page {
  const items = corpus.repositories.map(({ name }) => html`<li><a href="${repositoryPath(name)}">${name}</a></li>`);
  return page({
    title: 'Code search',
    heading: html`Code search`,
    detail: html`${corpus.index.size()} files`,
    body: html`<ul class="plain">${items}</ul>`,
  });
}

function trail(repository: string, path: string): Html {
  const parts = path === '' ? [] : path.split('/');
  const links = parts.map((part, index) => {
    const whole = parts.slice(0, index + 1).join('/');
    return index === parts.length - 1
      ? html` / ${part}`
      : html` / <a href="${directoryPath(repository, whole)}">${part}</a>`;
  });
  return html`<a href="${repositoryPath(repository)}">${repository}</a>${links}`;
}
