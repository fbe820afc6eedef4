import { directoryPath, repositoryPath } from '../addresses.ts';
import { escapeRegExp } from '../escape.ts';
import type { CodeAddress } from './code-address.ts';
import { type Html, html } from './html.ts';
import { type Page, type PageContent, page, tab } from './page.ts';
import type { PageRequest } from './request.ts';

/** A page within a repository: the trail to it and the tabs of the repository above its body. */
export function repositoryPage(
  request: PageRequest,
  { repository, revision }: Pick<CodeAddress, 'repository' | 'revision'>,
  content: Omit<PageContent, 'heading'> & { tab?: 'tree' | 'commits'; path?: string; heading?: Html },
): Page {
  const { tab: current, path = '', heading, body, ...rest } = content;
  const root = repositoryPath(repository, revision);
  return page({
    section: 'repositories',
    viewer: request.viewer,
    formToken: request.formToken,
    query: `repo:^${escapeRegExp(repository)}$ `,
    ...rest,
    title: `${content.title} · ${repository}`,
    heading: heading ?? trail(repository, revision, path),
    body: html`<nav class="tabs" aria-label="Repository">${tab('Files', root, current === 'tree')}${tab('Commits', `${root}/-/commits`, current === 'commits')}</nav>${body}`,
  });
}

/** The repository and its revision, and each folder on the way to a path, as links. */
function trail(repository: string, revision: string | undefined, path: string): Html {
  const parts = path === '' ? [] : path.split('/');
  const links = parts.map((part, index) =>
    index === parts.length - 1
      ? html` / ${part}`
      : html` / <a href="${directoryPath(repository, parts.slice(0, index + 1).join('/'), revision)}">${part}</a>`,
  );
  const badge =
    revision === undefined
      ? undefined
      : html` <span class="badge" title="${revision}">${/^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 10) : revision}</span>`;
  return html`<a href="${repositoryPath(repository, revision)}">${repository}</a>${badge}${links}`;
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
