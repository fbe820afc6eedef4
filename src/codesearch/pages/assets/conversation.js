/** Loads a conversation again while one of its questions is open, and shows what has changed. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** @param {Document} from */
function conversationIn(from) {
  return from.getElementById('conversation');
}

function isOpen() {
  return conversationIn(document)?.dataset.open === 'true';
}

/** Replaces the conversation on the page; keeps it when nothing has changed. */
async function refresh() {
  const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const loaded = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [shown, fresh] = [conversationIn(document), conversationIn(loaded)];
  if (shown === null || fresh === null) return;
  document.title = loaded.title;
  const [heading, newHeading] = [document.querySelector('h1'), loaded.querySelector('h1')];
  if (heading !== null && newHeading !== null) heading.textContent = newHeading.textContent;
  if (shown.innerHTML !== fresh.innerHTML) shown.replaceWith(document.adoptNode(fresh));
}

async function watch() {
  let waitMs = FIRST_WAIT_MS;
  while (isOpen()) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (document.visibilityState === 'hidden') continue;
    try {
      await refresh();
      waitMs = FIRST_WAIT_MS;
    } catch {
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}

void watch();
