/** Shows the marked lines of a file. Those that an address names after `#`, as in `#L10-20`, only the browser sees. */
function showLines() {
  const named = /^#L(\d{1,7})(?:-L?(\d{1,7}))?$/.exec(location.hash);
  if (named !== null) {
    for (const row of document.querySelectorAll('tr.marked')) row.classList.remove('marked');
    const [first, last] = [Number(named[1]), Number(named[2] ?? named[1])];
    for (let line = Math.min(first, last); line <= Math.max(first, last); line += 1) {
      const row = document.getElementById(`L${line}`);
      if (row === null) break;
      row.classList.add('marked');
    }
  }
  document.querySelector('tr.marked')?.scrollIntoView({ block: 'center' });
}

addEventListener('hashchange', showLines);
showLines();
