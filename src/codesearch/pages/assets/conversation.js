export {};

/** Shows what has changed in a conversation while one of its questions is open. */
const isOpen = () => document.getElementById('conversation')?.dataset.open === 'true';

for (let waitMs = 1_000; isOpen(); ) {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  if (document.visibilityState === 'hidden') continue;
  try {
    const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const loaded = new DOMParser().parseFromString(await response.text(), 'text/html');
    document.title = loaded.title;
    for (const place of ['h1', '#conversation']) {
      const [shown, fresh] = [document.querySelector(place), loaded.querySelector(place)];
      if (shown && fresh && shown.innerHTML !== fresh.innerHTML) shown.replaceWith(document.adoptNode(fresh));
    }
    waitMs = 1_000;
  } catch {
    waitMs = Math.min(waitMs * 2, 10_000);
  }
}
