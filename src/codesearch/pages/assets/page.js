/**
 * Keyboard and lines of files: `/` searches, `j` and `k` walk through a list, `y` makes the address permanent. A click on a line
 * number marks the line, with shift a range.
 */

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** @returns {HTMLTableElement | null} */
function codeTable() {
  return document.querySelector('table.code[data-lines]');
}

/** The lines that the address names, as `?L10-20` or `#L10-20`. */
function linesOfAddress() {
  const match = /(?:[?&]|^#)L(\d+)(?:-L?(\d+))?(?:[&=]|$)/.exec(location.hash || location.search);
  if (match === null) return undefined;
  const [first, second] = [Number(match[1]), Number(match[2] ?? match[1])];
  return { start: Math.min(first, second), end: Math.max(first, second) };
}

/** @param {{ start: number, end: number }} lines */
function textOf({ start, end }) {
  return start === end ? `L${start}` : `L${start}-${end}`;
}

/** @param {{ start: number, end: number } | undefined} lines */
function markLines(lines) {
  for (const row of document.querySelectorAll('tr.marked')) row.classList.remove('marked');
  if (lines !== undefined) {
    const last = Math.min(lines.end, Number(codeTable()?.dataset.lines ?? 0));
    for (let line = lines.start; line <= last; line += 1) document.getElementById(`L${line}`)?.classList.add('marked');
  }
  for (const link of document.querySelectorAll('a[data-keeps-lines]')) {
    if (link instanceof HTMLAnchorElement)
      link.search = searchWith(lines, new URLSearchParams(link.search).get('blame'));
  }
}

/**
 * @param {{ start: number, end: number } | undefined} lines
 * @param {string | null} blame
 */
function searchWith(lines, blame) {
  const parts = [...(lines === undefined ? [] : [textOf(lines)]), ...(blame === '1' ? ['blame=1'] : [])];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** @param {MouseEvent} event */
function chooseLine(event) {
  const link = event.target instanceof Element ? event.target.closest('td.n a') : null;
  const row = link?.closest('tr[id]');
  if (!row || event.ctrlKey || event.metaKey || event.button !== 0) return;
  event.preventDefault();
  const line = Number(row.id.slice(1));
  const known = linesOfAddress();
  const lines =
    event.shiftKey && known !== undefined
      ? { start: Math.min(known.start, line), end: Math.max(known.start, line) }
      : { start: line, end: line };
  const blame = new URLSearchParams(location.search).get('blame');
  history.replaceState(null, '', `${location.pathname}${searchWith(lines, blame)}`);
  markLines(lines);
  getSelection()?.removeAllRanges();
}

/** @param {number} step */
function walk(step) {
  const links = [...document.querySelectorAll('[data-keys] a.main')].filter(
    (link) => link instanceof HTMLAnchorElement,
  );
  const active = document.activeElement;
  const at = active instanceof HTMLAnchorElement ? links.indexOf(active) : -1;
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

document.addEventListener('keydown', (event) => {
  if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.querySelector('form.search input');
  const permalink = document.querySelector('a[data-permalink]');
  if (event.key === '/' && box instanceof HTMLInputElement) {
    event.preventDefault();
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  } else if (event.key === 'j' || event.key === 'k') walk(event.key === 'j' ? 1 : -1);
  else if (event.key === 'y' && permalink instanceof HTMLAnchorElement) {
    history.replaceState(null, '', permalink.href);
  }
});

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement) || navigator.clipboard === undefined) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const label = button.textContent;
    await navigator.clipboard.writeText(button.dataset.copy ?? '').then(
      () => {
        button.textContent = 'Copied';
      },
      () => {
        button.textContent = 'Not allowed';
      },
    );
    setTimeout(() => {
      button.textContent = label;
    }, 1_500);
  });
}

if (codeTable() !== null) {
  codeTable()?.addEventListener('click', chooseLine);
  const showAddress = () => {
    const lines = linesOfAddress();
    markLines(lines);
    if (lines !== undefined) document.getElementById(`L${lines.start}`)?.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', showAddress);
  showAddress();
}
