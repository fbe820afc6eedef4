import { commitPath, filePath, repositoryPath } from '../addresses.ts';
import { type CommitPage, log, readCommit } from '../git/commits.ts';
import { type ChangedFile, commitChanges } from '../git/compare.ts';
import { GitError } from '../git/git.ts';
import { hunksOf, patchesOf } from '../git/patch.ts';
import { isSafePath } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import type { CodeAddress } from './code-address.ts';
import { type Html, html } from './html.ts';
import { type Page, pager } from './page.ts';
import { day, plural, repositoryPage } from './repository-frame.ts';
import { type PageRequest, parameter } from './request.ts';

/** The commits of a revision, newest first; with a path only those that change it. */
export async function commitsPage(
  request: PageRequest,
  repository: Repository,
  address: CodeAddress,
): Promise<Page | undefined> {
  const { revision, rest: path } = address;
  if (!isSafePath(path)) return undefined;
  const after = parameter(request, 'after');
  const found = await log(repository, { revision, path, first: LIMITS.commitsShown, after }).catch((error: unknown) => {
    // A cursor that is not one of ours; git's own failures have other kinds.
    if (error instanceof GitError && error.kind === 'failed') return undefined;
    throw error;
  });
  if (found === undefined && revision !== undefined) return undefined;
  return repositoryPage(request, address, {
    tab: 'commits',
    title: path === '' ? 'Commits' : `History of ${path}`,
    path,
    detail: html`Commits${path === '' ? '' : ' that change this path'}, newest first`,
    body: commitList(request, repository.name, found),
  });
}

function commitList(request: PageRequest, repository: string, found: CommitPage | undefined): Html {
  if (found === undefined || found.commits.length === 0) return html`<p class="empty">There are no commits.</p>`;
  const rows = found.commits.map(
    ({ oid, abbreviatedOID, subject, author }) =>
      html`<li><a class="main" href="${commitPath(repository, oid)}">${subject || '(no message)'}</a><span class="dim">${author.name}</span><span class="dim">${day(author.date)}</span><code><a href="${repositoryPath(repository, oid)}" title="Files at this commit">${abbreviatedOID}</a></code></li>`,
  );
  return html`<ul class="rows">${rows}</ul>${found.hasNextPage ? pager('Older commits', request, found.endCursor) : undefined}`;
}

/** A commit with its message and changes; undefined when the repository has no such commit. */
export async function commitPage(
  request: PageRequest,
  repository: Repository,
  { rest: id }: CodeAddress,
): Promise<Page | undefined> {
  const commit = /^[0-9a-f]{7,64}$/.test(id) ? await readCommit(repository, id) : undefined;
  const changes = commit === undefined ? undefined : await commitChanges(repository, commit.oid);
  if (commit === undefined || changes === undefined) return undefined;
  const { oid, author, committer, parents, subject, body } = commit;
  const { name } = repository;
  const also =
    committer.name === author.name ? undefined : html` · committed by ${committer.name} on ${day(committer.date)}`;
  const links = parents.map(
    (parent) => html` <code><a href="${commitPath(name, parent)}">${parent.slice(0, 10)}</a></code>`,
  );
  const patches = patchesOf(changes);
  let linesLeft: number = LIMITS.diffLinesShown;
  const files = changes.files.map((file, index) => {
    const rows = diffRows(patches[index] ?? '').slice(0, linesLeft);
    linesLeft -= rows.length;
    const shown = file.change === 'deleted' ? parents[0] : oid;
    const address = shown === undefined ? undefined : filePath({ repository: name, path: file.path, commit: shown });
    return filePart(file, address, rows);
  });
  return repositoryPage(
    request,
    { repository: name, revision: undefined },
    {
      tab: 'commits',
      title: subject,
      heading: html`${subject || '(no message)'}`,
      wide: true,
      detail: html`<a href="${repositoryPath(name)}">${name}</a> · <strong>${author.name}</strong> on ${day(author.date)}${also}`,
      body: html`${body === '' ? undefined : html`<pre>${body}</pre>`}<p class="dim">Commit <code>${oid}</code>${
        parents.length === 0 ? ' · the first commit' : html` · ${parents.length === 1 ? 'parent' : 'parents'}${links}`
      } · <a href="${repositoryPath(name, oid)}">Files at this commit</a></p>
<p class="dim">${plural(files.length, 'file')}${changes.hasMoreFiles ? ', more are not shown' : ''}.${
        changes.isPatchCut || linesLeft <= 0 ? ' The change is large: only its first lines are shown.' : ''
      }</p>${files}`,
    },
  );
}

function filePart(file: ChangedFile, address: string | undefined, rows: Html[]): Html {
  const { path, previousPath, change, additions, deletions } = file;
  const name = address === undefined ? html`${path}` : html`<a href="${address}">${path}</a>`;
  const from = previousPath === undefined ? undefined : html` <span class="dim">from ${previousPath}</span>`;
  const counts = additions === undefined ? html`not text` : html`+${additions} −${deletions ?? 0}`;
  return html`<details class="change"${rows.length <= LIMITS.diffLinesOpen ? html` open` : undefined}><summary>${name}${from} <span class="dim">${
    change === 'typeChanged' ? 'changed in type' : change
  } · ${counts}</span></summary><table class="code"><tbody>${rows}</tbody></table></details>`;
}

/** The rows of the patch of one file, with line numbers before and after. */
function diffRows(patch: string): Html[] {
  return hunksOf(patch).flatMap(({ before, after, section, lines }) => {
    let [old, now] = [before.start, after.start];
    const rows = lines.map((line) => {
      const text = line.slice(1).replace(/\r$/, '');
      const row = (kind: string, left: string | number, right: string | number): Html =>
        html`<tr class="${kind}"><td class="n">${left}</td><td class="n">${right}</td><td>${kind === '' ? ' ' : line[0]}${text}</td></tr>`;
      if (line.startsWith('+')) return row('plus', '', now++);
      return line.startsWith('-') ? row('minus', old++, '') : row('', old++, now++);
    });
    return [html`<tr class="hunk"><td class="n"></td><td class="n"></td><td>${section}</td></tr>`, ...rows];
  });
}
