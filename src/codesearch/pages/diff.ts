import { filePath } from '../addresses.ts';
import type { Changes } from '../git/compare.ts';
import { patchesOf } from '../git/patch.ts';
import { LIMITS } from '../limits.ts';
import { type Html, html } from './html.ts';
import { plural } from './repository-frame.ts';

const CHANGE_WORDS = {
  added: 'added',
  modified: 'changed',
  deleted: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
  typeChanged: 'changed in type',
} as const;

/** The changed files, one after the other, with links to their content at `head` (deleted ones at `base`). */
export function changesPart(
  changes: Changes,
  { repository, base, head }: { repository: string; base: string | undefined; head: string },
): Html {
  if (changes.files.length === 0) return html`<p class="empty">No file changes.</p>`;
  const patches = patchesOf(changes);
  let linesLeft: number = LIMITS.diffLinesShown;
  const parts = changes.files.map((file, index) => {
    const rows = diffRows(patches[index] ?? '').slice(0, Math.max(0, linesLeft));
    linesLeft -= rows.length;
    const place =
      file.change !== 'deleted'
        ? filePath({ repository, path: file.path, commit: head })
        : base === undefined
          ? undefined
          : filePath({ repository, path: file.path, commit: base });
    const name = place === undefined ? html`${file.path}` : html`<a href="${place}">${file.path}</a>`;
    const from =
      file.previousPath === undefined ? undefined : html` <span class="dim">from ${file.previousPath}</span>`;
    const counts =
      file.additions === undefined
        ? html`<span class="dim">binary</span>`
        : html`<span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions ?? 0}</span>`;
    const body =
      rows.length > 0
        ? html`<table class="code diff"><tbody>${rows}</tbody></table>`
        : html`<p class="dim">${file.additions === undefined ? 'The content is not text.' : 'No lines are shown.'}</p>`;
    return html`<details id="file-${index + 1}" class="change"${rows.length <= LIMITS.diffLinesOpen ? html` open` : undefined}><summary>${name}${from} <span class="dim">${CHANGE_WORDS[file.change]}</span> <span class="counts">${counts}</span></summary>${body}</details>`;
  });
  const isCut = changes.isPatchCut || linesLeft <= 0;
  return html`<p class="dim">${plural(changes.files.length, 'file')}${changes.hasMoreFiles ? ', more are not shown' : ''}.${
    isCut ? ' The change is large: only its first lines are shown.' : ''
  }</p>${parts}`;
}

/** The rows of one file of a unified patch, with line numbers before and after. */
function diffRows(patch: string): Html[] {
  const rows: Html[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
      rows.push(html`<tr class="hunk"><td class="n"></td><td class="n"></td><td>${hunk[3]?.trim() ?? ''}</td></tr>`);
      continue;
    }
    if (line.startsWith('diff --git ')) inHunk = false;
    if (!inHunk || line === '') continue;
    const sign = line[0];
    const text = line.slice(1).replace(/\r$/, '');
    if (sign === '+')
      rows.push(html`<tr class="plus"><td class="n"></td><td class="n">${after++}</td><td>${text}</td></tr>`);
    else if (sign === '-')
      rows.push(html`<tr class="minus"><td class="n">${before++}</td><td class="n"></td><td>${text}</td></tr>`);
    else if (sign === ' ')
      rows.push(html`<tr><td class="n">${before++}</td><td class="n">${after++}</td><td>${text}</td></tr>`);
    else rows.push(html`<tr><td class="n"></td><td class="n"></td><td class="dim">${text.trim()}</td></tr>`);
  }
  return rows;
}
