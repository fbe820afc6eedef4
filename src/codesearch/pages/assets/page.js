/** Focuses the search box on `/`, unless the person types in a field. */
document.addEventListener('keydown', (event) => {
  const target = event.target;
  const types = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
  if (types || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key !== '/') return;
  const box = document.querySelector('form.search input');
  if (!(box instanceof HTMLInputElement)) return;
  event.preventDefault();
  box.focus();
  box.select();
});
