import { directoryPath, encodeRevision, repositoryPath } from '../addresses.ts';
import { escapeRegExp } from '../escape.ts';
import type { CodeAddress } from './code-address.ts';
import { type Html, html } from './html.ts';
import { type Page, type PageContent, page } from './page.ts';
import type { PageRequest } from './request.ts';

type Tab = 'tree' | 'commits' | 'branches' | 'tags' | 'compare';

/** A page within a repository: the trail to it and the tabs of the repository above its body. */
export function repositoryPage(
  request: PageRequest,
  { repository, revision }: Pick<CodeAddress, 'repository' | 'revision'>,
  content: Omit<PageContent, 'heading'> & { tab: Tab | undefined; path?: string; heading?: Html },
): Page {
  const { tab, path = '', heading, body, ...rest } = content;
  return page({
    section: 'repositories',
    viewer: request.viewer,
    formToken: request.formToken,
    query: `repo:^${escapeRegExp(repository)}$ `,
    ...rest,
    title: `${content.title} · ${repository}`,
    heading: heading ?? trail(repository, revision, path),
    body: html`${tabs(repository, revision, tab)}${body}`,
  });
}

function tabs(repository: string, revision: string | undefined, current: Tab | undefined): Html {
  const entry = (tab: Tab, address: string, label: string): Html =>
    html`<a href="${address}"${tab === current ? html` aria-current="true"` : undefined}>${label}</a>`;
  const root = repositoryPath(repository, revision);
  const plain = repositoryPath(repository);
  return html`<nav class="tabs" aria-label="Repository">${entry('tree', root, 'Files')}${entry(
    'commits',
    `${root}/-/commits`,
    'Commits',
  )}${entry('branches', `${plain}/-/branches`, 'Branches')}${entry('tags', `${plain}/-/tags`, 'Tags')}${entry(
    'compare',
    `${plain}/-/compare${revision === undefined ? '' : `/${encodeRevision('HEAD')}...${encodeRevision(revision)}`}`,
    'Compare',
  )}</nav>`;
}

/** The repository and its revision, and each folder on the way to a path, as links. */
export function trail(repository: string, revision: string | undefined, path: string): Html {
  const parts = path === '' ? [] : path.split('/');
  const links = parts.map((part, index) => {
    const whole = parts.slice(0, index + 1).join('/');
    return index === parts.length - 1
      ? html`<span class="slash">/</span>${part}`
      : html`<span class="slash">/</span><a href="${directoryPath(repository, whole, revision)}">${part}</a>`;
  });
  const badge =
    revision === undefined
      ? undefined
      : html` <span class="badge" title="${revision}">${shortRevision(revision)}</span>`;
  return html`<a href="${repositoryPath(repository, revision)}">${repository}</a>${badge}${links}`;
}

/** A commit id in short; other revisions as they are. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 10) : revision;
}

/** `1.5 kB`, in steps of 1,000. */
export function byteSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The day of an ISO 8601 date, in the time zone it was written in. */
export function day(date: string): Html {
  return html`<time datetime="${date}" title="${date}">${date.slice(0, 10)}</time>`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
