import { commitPath, encodeRevision, repositoryPath } from '../addresses.ts';
import { type Commit, type CommitPage, log, readCommit } from '../git/commits.ts';
import { commitChanges, compare } from '../git/compare.ts';
import { GitError } from '../git/git.ts';
import { isSafePath } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import type { CodeAddress } from './code-address.ts';
import { changesPart } from './diff.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';
import { day, plural, repositoryPage, shortRevision } from './repository-frame.ts';
import { type PageRequest, parameter } from './request.ts';

/** The commits of a revision, newest first; with a path only those that change it. */
export async function commitsPage(
  request: PageRequest,
  repository: Repository,
  address: CodeAddress,
): Promise<Page | undefined> {
  const { revision, rest: path } = address;
  if (!isSafePath(path)) return undefined;
  const found = await log(repository, {
    revision,
    path,
    first: LIMITS.commitsShown,
    after: parameter(request, 'after'),
  }).catch((error: unknown) => {
    // A cursor that is not one of ours; git's own failures have other kinds.
    if (error instanceof GitError && error.kind === 'failed') return undefined;
    throw error;
  });
  if (found === undefined && revision !== undefined) return undefined;
  return repositoryPage(request, address, {
    tab: 'commits',
    title: path === '' ? 'Commits' : `History of ${path}`,
    path,
    detail: path === '' ? html`Commits, newest first` : html`Commits that change this path, newest first`,
    body: found === undefined ? noCommits(path) : commitList(request, repository.name, found, path),
  });
}

function noCommits(path: string): Html {
  return html`<p class="empty">${path === '' ? 'This repository has no commits yet.' : 'No commit changes this path.'}</p>`;
}

function commitList(request: PageRequest, repository: string, found: CommitPage, path: string): Html {
  if (found.commits.length === 0) return noCommits(path);
  return html`<ul class="rows" data-keys>${found.commits.map((commit) => commitRow(repository, commit))}</ul>${older(request, found)}`;
}

function commitRow(repository: string, { oid, abbreviatedOID, subject, author }: Commit): Html {
  return html`<li><a class="main" href="${commitPath(repository, oid)}">${subject || '(no message)'}</a><span class="dim">${author.name}</span><span class="dim">${day(author.date)}</span><code><a href="${repositoryPath(repository, oid)}" title="Files at this commit">${abbreviatedOID}</a></code></li>`;
}

function older(request: PageRequest, { hasNextPage, endCursor }: CommitPage): Html | undefined {
  if (!hasNextPage || endCursor === undefined) return undefined;
  const parameters = new URLSearchParams(request.search);
  parameters.set('after', endCursor);
  return html`<p class="pager"><a class="button" rel="next" href="?${parameters.toString()}">Older commits</a></p>`;
}

/** A commit with its message and changes; undefined when the repository has no such commit. */
export async function commitPage(
  request: PageRequest,
  repository: Repository,
  address: CodeAddress,
): Promise<Page | undefined> {
  if (!/^[0-9a-f]{7,64}$/.test(address.rest)) return undefined;
  const commit = await readCommit(repository, address.rest);
  if (commit === undefined) return undefined;
  const changes = await commitChanges(repository, commit.oid);
  if (changes === undefined) return undefined;
  const { oid, author, committer, parents, subject, body } = commit;
  const { name } = repository;
  const also =
    committer.name === author.name ? undefined : html` · committed by ${committer.name} on ${day(committer.date)}`;
  const links = parents.map((id) => html` <code><a href="${commitPath(name, id)}">${id.slice(0, 10)}</a></code>`);
  return repositoryPage(
    request,
    { repository: name, revision: undefined },
    {
      tab: 'commits',
      title: subject,
      heading: html`${subject || '(no message)'}`,
      wide: true,
      detail: html`<a href="${repositoryPath(name)}">${name}</a> · <strong>${author.name}</strong> on ${day(author.date)}${also}`,
      body: html`${body === '' ? undefined : html`<pre class="message">${body}</pre>`}<p class="dim">Commit <code>${oid}</code> <button type="button" hidden data-copy="${oid}">Copy</button>${
        parents.length === 0 ? ' · the first commit' : html` · ${parents.length === 1 ? 'parent' : 'parents'}${links}`
      } · <a href="${repositoryPath(name, oid)}">Files at this commit</a></p>${changesPart(changes, { repository: name, base: parents[0], head: oid })}`,
    },
  );
}

/** Two revisions side by side: commits that the second one adds, and what changes. Without both, a form. */
export async function comparePage(
  request: PageRequest,
  repository: Repository,
  address: CodeAddress,
): Promise<Page | undefined> {
  const [fromPath = '', toPath = ''] = address.rest.split('...');
  const base = fromPath || parameter(request, 'base') || 'HEAD';
  const head = toPath || parameter(request, 'head') || '';
  const { name } = repository;
  const frame = { repository: name, revision: undefined };
  const form = html`<form class="inline" action="${repositoryPath(name)}/-/compare"><label>Base <input name="base" value="${base}" required></label><label>Head <input name="head" value="${head}" placeholder="branch, tag or commit" required></label><button>Compare</button></form>`;
  if (head === '') {
    if (address.rest !== '' && toPath === '') return undefined;
    return repositoryPage(request, frame, {
      tab: 'compare',
      title: 'Compare',
      detail: html`Two branches, tags or commits`,
      body: form,
    });
  }
  const found = await compare(repository, base, head, {
    first: LIMITS.commitsShown,
    ...(parameter(request, 'after') === undefined ? {} : { after: parameter(request, 'after') ?? '' }),
  });
  if (found === undefined) {
    return repositoryPage(request, frame, {
      tab: 'compare',
      title: 'Compare',
      status: 404,
      body: html`<p class="error">This repository has no commit for ${base} or ${head}.</p>${form}`,
    });
  }
  const swapped = `${repositoryPath(name)}/-/compare/${encodeRevision(head)}...${encodeRevision(base)}`;
  const basis =
    found.mergeBase === undefined
      ? html`They have no common commit.`
      : html`Changes since their common commit <code><a href="${commitPath(name, found.mergeBase)}">${found.mergeBase.slice(0, 10)}</a></code>.`;
  return repositoryPage(request, frame, {
    tab: 'compare',
    title: `${shortRevision(base)}...${shortRevision(head)}`,
    wide: true,
    detail: html`<span class="badge">${shortRevision(base)}</span> … <span class="badge">${shortRevision(head)}</span> <a href="${swapped}">Swap</a>`,
    body: html`${form}<h2>${plural(found.commits.commits.length, 'commit')}${found.commits.hasNextPage ? ', and more' : ''}</h2>${
      found.commits.commits.length === 0
        ? html`<p class="empty">${shortRevision(base)} has every commit of ${shortRevision(head)}.</p>`
        : commitList(request, name, found.commits, '')
    }<h2>Changes</h2><p class="dim">${basis}</p>${changesPart(found.changes, { repository: name, base: found.mergeBase ?? found.base, head: found.head })}`,
  });
}
