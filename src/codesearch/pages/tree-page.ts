import { directoryPath, filePath, repositoryPath } from '../addresses.ts';
import { readFileAt } from '../git/file-content.ts';
import type { Repository } from '../git/repository.ts';
import { readTree } from '../git/tree.ts';
import type { Corpus } from '../index/corpus.ts';
import { LIMITS } from '../limits.ts';
import type { CodeAddress } from './code-address.ts';
import { type Html, html } from './html.ts';
import type { MarkdownRenderer } from './markdown.ts';
import { type Page, page } from './page.ts';
import { byteSize, plural, repositoryPage } from './repository-frame.ts';
import type { PageRequest } from './request.ts';

interface Entry {
  name: string;
  kind: 'blob' | 'tree' | 'submodule' | 'symlink';
  note?: string | undefined;
}

/** The start page: the repositories that the viewer may read. */
export function startPage(request: PageRequest, corpus: Corpus): Page {
  const own = corpus.repositories.filter(({ name }) => request.viewer.canRead(name));
  const items = own.map(
    ({ name }) =>
      html`<li><a class="main" href="${repositoryPath(name)}">${name}</a><span class="dim">${plural([...corpus.index.filesOf(name)].length, 'file')}</span><a href="${repositoryPath(name)}/-/commits">Commits</a></li>`,
  );
  return page({
    title: 'Repositories',
    section: 'repositories',
    viewer: request.viewer,
    formToken: request.formToken,
    detail: html`${plural(own.length, 'repository', 'repositories')}`,
    body:
      items.length > 0
        ? html`<ul class="rows">${items}</ul>`
        : html`<p class="empty">There is no repository that you may read.</p>`,
  });
}

/** The contents of a folder; undefined when there is no such folder. Without a revision it includes staged files. */
export async function treePage(
  request: PageRequest,
  corpus: Corpus,
  markdown: MarkdownRenderer,
  repository: Repository,
  address: CodeAddress,
): Promise<Page | undefined> {
  const { revision, rest: folder } = address;
  const listing =
    revision === undefined
      ? indexedEntries(corpus, repository.name, folder)
      : await entriesAt(repository, revision, folder);
  if (listing === undefined) return undefined;
  const prefix = folder === '' ? '' : `${folder}/`;
  const items = listing.entries.map((entry) => entryRow(entry, repository.name, `${prefix}${entry.name}`, revision));
  const readme = await readReadme(corpus, markdown, repository, address, listing.entries);
  return repositoryPage(request, address, {
    tab: 'tree',
    title: folder === '' ? 'Files' : folder,
    path: folder,
    detail: html`${plural(listing.entries.length, 'entry', 'entries')}${listing.hasMore ? ', more are not shown' : ''}`,
    body: html`${
      items.length > 0
        ? html`<ul class="rows tree">${items}</ul>`
        : html`<p class="empty">This repository has no files yet.</p>`
    }${readme}`,
  });
}

function entryRow(entry: Entry, repository: string, path: string, revision: string | undefined): Html {
  const note = entry.note === undefined ? undefined : html`<span class="dim">${entry.note}</span>`;
  if (entry.kind === 'submodule') return html`<li><span class="main">${entry.name}</span>${note}</li>`;
  const address =
    entry.kind === 'tree'
      ? directoryPath(repository, path, revision)
      : filePath({ repository, path, commit: revision });
  return html`<li><a class="main" href="${address}">${entry.name}${entry.kind === 'tree' ? '/' : ''}</a>${note}</li>`;
}

function indexedEntries(
  corpus: Corpus,
  repository: string,
  folder: string,
): { entries: Entry[]; hasMore: boolean } | undefined {
  const prefix = folder === '' ? '' : `${folder}/`;
  const entries = new Map<string, Entry>();
  for (const file of corpus.index.filesOf(repository)) {
    if (!file.path.startsWith(prefix)) continue;
    const [name = '', ...below] = file.path.slice(prefix.length).split('/');
    const kind = below.length > 0 ? 'tree' : 'blob';
    const note = kind === 'blob' && file.lineCount > 0 ? plural(file.lineCount, 'line') : undefined;
    entries.set(`${kind} ${name}`, { name, kind, note });
  }
  if (entries.size === 0 && folder !== '') return undefined;
  const sorted = [...entries.values()].sort(
    (a, b) => Number(b.kind === 'tree') - Number(a.kind === 'tree') || (a.name < b.name ? -1 : 1),
  );
  return { entries: sorted.slice(0, LIMITS.entriesShown), hasMore: sorted.length > LIMITS.entriesShown };
}

async function entriesAt(repository: Repository, revision: string, folder: string) {
  const tree = await readTree(repository, revision, folder);
  if (tree === undefined) return undefined;
  const entries = tree.slice(0, LIMITS.entriesShown).map(({ name, kind, oid, size }): Entry => {
    const note = kind === 'submodule' ? `submodule at ${oid.slice(0, 10)}` : kind === 'symlink' ? 'link' : size;
    return { name, kind, note: typeof note === 'number' ? byteSize(note) : note };
  });
  return { entries, hasMore: tree.length > entries.length };
}

/** The README of a folder, below its entries. */
async function readReadme(
  corpus: Corpus,
  markdown: MarkdownRenderer,
  repository: Repository,
  { revision, rest: folder }: CodeAddress,
  entries: readonly Entry[],
): Promise<Html | undefined> {
  const found = entries.find(({ name, kind }) => kind === 'blob' && /^readme(?:\.md|\.markdown)?$/i.test(name));
  if (found === undefined) return undefined;
  const path = folder === '' ? found.name : `${folder}/${found.name}`;
  let text: string | undefined;
  if (revision === undefined) {
    const file = corpus.index.get(repository.name, path);
    text = file === undefined ? undefined : (await repository.blobs.texts([file.blob])).get(file.blob);
  } else {
    const content = await readFileAt(repository, revision, path);
    text = content?.isBinary === false ? content.bytes?.toString('utf8') : undefined;
  }
  if (text === undefined || text.trim() === '' || text.length > LIMITS.readmeCharacters) return undefined;
  return html`<article class="readme"><h2>${found.name}</h2>${await markdown.render(text)}</article>`;
}
