/**
 * Posts what people do, and shows the page again when the workspace changes. The server renders it whole; only what differs is
 * swapped, so that focus, drafts, choices and places in long lists stay.
 */

let isShowing = false;
let isStale = false;
let isPressed = false;
/** How often the person went somewhere. */
let visits = 0;

/** Makes `old` equal to `fresh`. An element with `data-own` keeps what is in it. @param {Element} old @param {Element} fresh */
function swap(old, fresh) {
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.hasAttribute('data-own')) return;
  const keys = new Set([...fresh.children].map(keyOf));
  for (const child of [...old.children]) if (!keys.has(keyOf(child))) child.remove();
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    while (at !== null && node instanceof Element && at instanceof Text) at = dropped(at);
    if (at !== null && isSame(at, node)) {
      if (at instanceof Element && node instanceof Element) swap(at, node);
      else if (at.nodeValue !== node.nodeValue) at.nodeValue = node.nodeValue;
      at = at.nextSibling;
    } else old.insertBefore(node, at);
  }
  while (at !== null) at = dropped(at);
}

/** @param {ChildNode} node */
function dropped(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/**
 * What an element is. If a button became another one while a person presses it, the press would do what they never saw.
 * @param {Element} element
 */
function keyOf(element) {
  return [element.nodeName, ...['data-key', 'name', 'data-action'].map((name) => element.getAttribute(name))].join(' ');
}

/** @param {ChildNode} one @param {ChildNode} other */
function isSame(one, other) {
  if (one instanceof Element && other instanceof Element) return keyOf(one) === keyOf(other);
  return one.nodeType === other.nodeType;
}

/** Shows what the server has now at an address. @param {string} [url] where the person goes; absent: the same place again */
async function show(url) {
  if (url === undefined && (isShowing || isPressed)) {
    isStale = true;
    return;
  }
  if (url !== undefined) visits += 1;
  const visit = visits;
  isShowing = true;
  try {
    const reply = await fetch(url ?? location.href);
    const text = await reply.text();
    // If the person went elsewhere meanwhile, this page would replace that one; so it is dropped.
    if (visit !== visits) return;
    if (url === undefined && isPressed) {
      isStale = true;
      return;
    }
    if (url !== undefined && reply.url !== location.href) history.pushState(null, '', reply.url);
    put(new DOMParser().parseFromString(text, 'text/html'));
    settle(url !== undefined);
  } finally {
    if (visit === visits) isShowing = false;
  }
  await showMissed();
}

/** Shows what changed while the page could not show it. */
async function showMissed() {
  if (!isStale || isPressed) return;
  isStale = false;
  await show();
}

/** Puts a page in place of the shown one. A list stays at its end, and begins there. @param {Document} fresh */
function put(fresh) {
  const lists = [...document.querySelectorAll('[data-scrolls]')];
  const atEnd = new Set(lists.filter((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 60));
  document.title = fresh.title;
  swap(document.body, fresh.body);
  for (const list of document.querySelectorAll('[data-scrolls]')) {
    if (atEnd.has(list) || !lists.includes(list)) list.scrollTop = list.scrollHeight;
  }
}

/** What elements can't do by their attributes alone. @param {boolean} isNew whether the person came here just now */
function settle(isNew) {
  for (const dialog of document.querySelectorAll('dialog')) {
    if (!dialog.open) dialog.showModal();
  }
  // Once a person has chosen, a menu no longer follows its attributes, for example when they go back.
  for (const option of document.querySelectorAll('select[data-go] [selected]'))
    Object.assign(option, { selected: true });
  if (!isNew) return;
  document.querySelector('.marked')?.scrollIntoView({ block: 'center' });
  const main = document.querySelector('main');
  if (main?.dataset.act !== undefined) void act(main);
  if (matchMedia('(hover: hover)').matches) {
    const fields = ['.msg-edit-input', '.thread-pane .composer-input', 'main .composer-input'];
    const field = fields.map((name) => document.querySelector(name)).find((each) => each !== null);
    if (field instanceof HTMLElement) field.focus();
  }
}

/**
 * Does what an element says, and shows what came of it. Resolves with whether it was done.
 * @param {HTMLElement} element @param {object} [more]
 */
async function act({ dataset }, more = {}) {
  const by = { ...here(), ...more, ...JSON.parse(dataset.by ?? '{}') };
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`/act/${dataset.act ?? 'use'}`, { method: 'POST', headers, body: JSON.stringify(by) });
  const { problem, errors = {}, message } = await reply.json();
  const toast = document.getElementById('toast');
  if (toast !== null) Object.assign(toast, { hidden: problem === undefined, textContent: problem ?? '' });
  for (const alert of document.querySelectorAll('.modal-error'))
    alert.textContent = errors[alert.getAttribute('data-key') ?? ''] ?? '';
  if (problem !== undefined) return false;
  const isElsewhere = message !== undefined && message.channel !== by.channel;
  await show(isElsewhere ? `/archives/${message.channel}?as=${by.person}` : dataset.go);
  return Object.keys(errors).length === 0;
}

/** Who acts, in which channel. */
function here() {
  return JSON.parse(document.querySelector('.app')?.getAttribute('data-by') ?? '{}');
}

/** Whether the person confirms what an element does. @param {HTMLElement} element */
function isConfirmed({ dataset }) {
  return dataset.confirm === undefined || confirm(dataset.confirm);
}

/**
 * What stands in a form: fields, files, and what is entered in a view, by `block/action`, with `[]` for several values.
 * @param {HTMLFormElement | null} form
 */
async function contentOf(form) {
  const data = form === null ? new FormData() : new FormData(form);
  /** @type {Record<string, string>} */
  const fields = {};
  /** @type {Record<string, string | string[]>} */
  const entered = {};
  const files = [];
  for (const [name, value] of data) {
    if (value instanceof File) {
      if (value.size > 0) files.push({ name: value.name, mimetype: value.type, base64: await base64Of(value) });
    } else if (!name.includes('/')) fields[name] = value;
    else if (!name.endsWith('[]')) entered[name] = value;
    else
      entered[name.slice(0, -2)] = data
        .getAll(name)
        .map(String)
        .filter((each) => each !== '');
  }
  return { ...fields, broadcast: data.has('broadcast'), files, entered };
}

/** @param {File} file @returns {Promise<string>} */
function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^.*,/, '')));
    reader.addEventListener('error', reject);
    reader.readAsDataURL(file);
  });
}

/** Uses a button, menu or box of a block. @param {HTMLElement} element @param {string | string[]} [choice] */
async function use(element, choice) {
  const { entered } = await contentOf(element.closest('form'));
  const view = element.closest('[data-view]')?.getAttribute('data-view') ?? undefined;
  const ts = element.closest('[data-ts]')?.getAttribute('data-ts') ?? undefined;
  const { block: blockId, action: actionId, choice: own = choice } = element.dataset;
  return act(element, {
    place: view === undefined ? { channel: here().channel, ts } : { view },
    blockId,
    actionId,
    choice: own,
    entered,
  });
}

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target.closest('a, button') : null;
  if (!(target instanceof HTMLElement)) return;
  const { act: does, block } = target.dataset;
  const menu = target.closest('.menu');
  if (menu instanceof HTMLElement) menu.hidePopover();
  if (does !== undefined || block !== undefined) {
    if (!isConfirmed(target)) event.preventDefault();
    else void (does === undefined ? use(target) : act(target));
  } else if (target instanceof HTMLAnchorElement && target.target === '' && !target.hasAttribute('download')) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || target.origin !== location.origin) return;
    event.preventDefault();
    const url = new URL(target.href);
    // A link to a message does not say who acts.
    url.searchParams.set('as', url.searchParams.get('as') ?? new URLSearchParams(location.search).get('as') ?? '');
    void show(url.href);
  }
});

document.addEventListener('change', (event) => {
  const field = event.target;
  if (field instanceof HTMLSelectElement && field.hasAttribute('data-go')) void show(field.value);
  else if (field instanceof HTMLSelectElement && field.dataset.block !== undefined) {
    const chosen = [...field.selectedOptions].map(({ value }) => value);
    if (field.classList.contains('bk-overflow')) field.value = '';
    if (isConfirmed(field)) void use(field, field.multiple ? chosen : chosen[0]);
  } else if (field instanceof HTMLInputElement && field.dataset.block !== undefined) {
    const group = [...document.querySelectorAll('input:checked')];
    const checked = group.flatMap((each) =>
      each instanceof HTMLInputElement && each.name === field.name ? each.value : [],
    );
    void use(field, field.type === 'checkbox' ? checked : field.value);
  }
});

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const content = contentOf(form);
  const area = form.querySelector('.composer-input');
  if (!(area instanceof HTMLTextAreaElement)) return void act(form, await content);
  const chosen = form.querySelector('[type="file"]');
  if (area.value.trim() === '' && chosen instanceof HTMLInputElement && chosen.value === '') return;
  const typed = area.value;
  form.reset();
  // What was not sent is given back.
  if (!(await act(form, await content)) && area.value === '') area.value = typed;
});

document.addEventListener('keydown', (event) => {
  const area = event.target;
  if (area instanceof HTMLTextAreaElement && area.matches('.composer-input, .msg-edit-input')) {
    const list = area.form?.querySelector('.completions');
    if (list instanceof HTMLElement && !list.hidden && ['Enter', 'Tab', 'Escape'].includes(event.key)) {
      event.preventDefault();
      if (event.key !== 'Escape') complete(area, list.firstElementChild?.textContent ?? '');
      list.hidden = true;
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      area.form?.requestSubmit();
    }
  }
  if (event.key !== 'Escape' || document.querySelector(':popover-open') !== null) return;
  // The topmost thing closes first: a modal, then what is being typed in, then the thread.
  const closers = [...document.querySelectorAll('[data-escape]')];
  const form = area instanceof Element ? area.closest('form') : null;
  const closer =
    closers.findLast((each) => each.closest('dialog')) ?? form?.querySelector('[data-escape]') ?? closers.at(-1);
  if (!(closer instanceof HTMLElement)) return;
  event.preventDefault();
  closer.click();
});

// Offers names for the word that is being typed.
document.addEventListener('input', ({ target: area }) => {
  if (!(area instanceof HTMLTextAreaElement)) return;
  const list = area.form?.querySelector('.completions');
  if (!(list instanceof HTMLElement)) return;
  const [word = ''] = /(?:(?<=\s|^)[@#]|^\/)[\w.-]*$/.exec(area.value.slice(0, area.selectionStart)) ?? [];
  const all = document.querySelector('.app')?.getAttribute('data-completions')?.split(' ') ?? [];
  const names = word === '' ? [] : all.filter((name) => name.startsWith(word) && name !== word).slice(0, 8);
  list.hidden = names.length === 0;
  list.replaceChildren(
    ...names.map((name) => {
      const item = document.createElement('li');
      item.role = 'option';
      item.textContent = name;
      item.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        complete(area, name);
        list.hidden = true;
      });
      return item;
    }),
  );
});

/** @param {HTMLTextAreaElement} area @param {string} name */
function complete(area, name) {
  const before = area.value.slice(0, area.selectionStart).replace(/[@#/][\w.-]*$/, '');
  area.setRangeText(`${name} `, before.length, area.selectionStart, 'end');
}

// If the page moved what a person presses before they let go, the press would do nothing; so changes wait for the release.
document.addEventListener('pointerdown', () => {
  isPressed = true;
});
for (const end of ['pointerup', 'pointercancel']) {
  document.addEventListener(end, () => {
    // The click comes after the release.
    setTimeout(() => {
      isPressed = false;
      void showMissed();
    });
  });
}

addEventListener('popstate', () => void show(location.href));
const changes = new EventSource('/page/events');
// The first event of a connection says that changes may have been missed.
changes.addEventListener('message', () => {
  if (!document.hidden) void show();
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void show();
});
for (const list of document.querySelectorAll('[data-scrolls]')) list.scrollTop = list.scrollHeight;
settle(true);
