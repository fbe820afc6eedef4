import { commitPath, encodeRevision, repositoryPath } from '../addresses.ts';
import { defaultBranch, listRefs, type Ref } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';
import { day, plural, repositoryPage } from './repository-frame.ts';
import { numberParameter, type PageRequest, parameter } from './request.ts';

/** The branches or tags of a repository, newest first, with a filter by name. */
export async function refsPage(request: PageRequest, repository: Repository, kind: Ref['kind']): Promise<Page> {
  const query = parameter(request, 'filter');
  const skip = numberParameter(request, 'skip');
  const [found, main] = [
    await listRefs(repository, kind, { first: LIMITS.refsShown, skip, ...(query === undefined ? {} : { query }) }),
    await defaultBranch(repository),
  ];
  const { name } = repository;
  const words = kind === 'branch' ? ['branch', 'branches'] : ['tag', 'tags'];
  const items = found.refs.map((ref) => refRow(name, ref, main));
  const next = new URLSearchParams({
    ...(query === undefined ? {} : { filter: query }),
    skip: `${skip + LIMITS.refsShown}`,
  });
  return repositoryPage(
    request,
    { repository: name, revision: undefined },
    {
      tab: kind === 'branch' ? 'branches' : 'tags',
      title: kind === 'branch' ? 'Branches' : 'Tags',
      detail: html`${plural(found.totalCount, words[0] ?? '', words[1])}${query === undefined ? '' : ' with this text in their names'}, newest first`,
      body: html`<form class="inline" role="search"><input type="search" name="filter" value="${query ?? ''}" placeholder="Filter by name" aria-label="Filter by name"><button>Filter</button></form>${
        items.length > 0
          ? html`<ul class="rows" data-keys>${items}</ul>`
          : html`<p class="empty">There are no ${words[1] ?? ''}${query === undefined ? '' : ' with this text in their names'}.</p>`
      }${found.hasNextPage ? html`<p class="pager"><a class="button" rel="next" href="?${next.toString()}">More</a></p>` : undefined}`,
    },
  );
}

function refRow(repository: string, { displayName, kind, target, date }: Ref, main: string | undefined): Html {
  const isMain = kind === 'branch' && displayName === main;

  const compared =
    main === undefined || isMain
      ? undefined
      : html`<a href="${repositoryPath(repository)}/-/compare/${encodeRevision(main)}...${encodeRevision(displayName)}">Compare</a>`;
  return html`<li><a class="main" href="${repositoryPath(repository, displayName)}">${displayName}</a>${isMain ? html`<span class="badge">default</span>` : undefined}<span class="links"><a href="${repositoryPath(repository, displayName)}/-/commits">Commits</a>${compared}</span><span class="dim">${day(date)}</span><code><a href="${commitPath(repository, target)}">${target.slice(0, 10)}</a></code></li>`;
}
