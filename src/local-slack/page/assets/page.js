/**
 * Posts what people do, and shows the page again when the workspace changes. The server renders it whole; only what differs is
 * swapped, so that focus, drafts, choices and places in long lists stay.
 */

let isShowing = false;
let isStale = false;
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

/** @param {Element} element */
function keyOf(element) {
  return `${element.nodeName} ${element.getAttribute('data-key') ?? ''} ${element.getAttribute('name') ?? ''}`;
}

/** @param {ChildNode} one @param {ChildNode} other */
function isSame(one, other) {
  if (one instanceof Element && other instanceof Element) return keyOf(one) === keyOf(other);
  return one.nodeType === other.nodeType;
}

/** Shows what the server has now at an address. @param {string} [url] where the person goes; absent: the same place again */
async function show(url) {
  if (url === undefined && isShowing) {
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
    if (url !== undefined && reply.url !== location.href) history.pushState(null, '', reply.url);
    put(new DOMParser().parseFromString(text, 'text/html'));
    settle(url !== undefined);
  } finally {
    if (visit === visits) isShowing = false;
  }
  if (isStale) {
    isStale = false;
    await show();
  }
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
  for (const option of document.querySelectorAll('[data-go] [selected]')) Object.assign(option, { selected: true });
  if (!isNew) return;
  document.querySelector('.marked')?.scrollIntoView({ block: 'center' });
  const opens = document.querySelector('main')?.dataset.opens;
  if (opens !== undefined) void post(`/page/act/${opens}?`, new FormData());
  if (matchMedia('(hover: hover)').matches) {
    const fields = ['.msg-edit-input', '.thread-pane .composer-input', 'main .composer-input'];
    const field = fields.map((name) => document.querySelector(name)).find((each) => each !== null);
    if (field instanceof HTMLElement) field.focus();
  }
}

/** @param {string} action @param {FormData} form */
async function post(action, form) {
  const reply = await fetch(`${action}&${location.search.slice(1)}`, { method: 'POST', body: form });
  const { problem, go, errors } = reply.ok ? await reply.json() : { problem: await reply.text() };
  const toast = document.getElementById('toast');
  if (toast !== null) {
    toast.textContent = problem ?? '';
    toast.hidden = problem === undefined;
  }
  if (problem !== undefined) return false;
  await show(go);
  return errors === undefined;
}

/** Whether the person confirms what an element does. @param {HTMLElement} element */
function isConfirmed({ dataset }) {
  return dataset.confirm === undefined || confirm(dataset.confirm);
}

/** Uses a button, menu or box of a block. @param {HTMLElement} element @param {string[]} choices */
function use(element, choices) {
  const { block = '', action = '', choice } = element.dataset;
  const holder = element.closest('form');
  const form = holder === null ? new FormData() : new FormData(holder);
  const place = element.closest('[data-view], [data-ts]');
  form.set('view', place?.getAttribute('data-view') ?? '');
  form.set('ts', place?.getAttribute('data-ts') ?? '');
  form.set('block', block);
  form.set('action', action);
  for (const each of choice === undefined ? choices : [choice]) form.append('choice', each);
  if (element.getAttribute('name')?.endsWith('[]')) form.set('several', '1');
  return post('/page/act/use?', form);
}

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target.closest('a, button') : null;
  if (!(target instanceof HTMLElement)) return;
  const { post: action, block } = target.dataset;
  const menu = target.closest('.menu');
  if (menu instanceof HTMLElement) menu.hidePopover();
  if (action !== undefined || block !== undefined) {
    if (!isConfirmed(target)) event.preventDefault();
    else if (action !== undefined) void post(action, new FormData());
    else void use(target, []);
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
    if (isConfirmed(field)) void use(field, chosen);
  } else if (field instanceof HTMLInputElement && field.dataset.block !== undefined) {
    const group = document.getElementsByName(field.name);
    const checked = [...group].filter((each) => each instanceof HTMLInputElement && each.checked);
    void use(field, field.type === 'text' ? [field.value] : checked.map((each) => each.getAttribute('value') ?? ''));
  } else if (field instanceof HTMLInputElement && field.type === 'file') {
    field.parentElement?.setAttribute('data-count', String(field.files?.length || ''));
  }
});

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const sent = new FormData(form);
  const area = form.querySelector('.composer-input');
  if (!(area instanceof HTMLTextAreaElement)) return post(form.getAttribute('action') ?? '', sent);
  const files = sent.getAll('files').some((file) => file instanceof File && file.size > 0);
  if (area.value.trim() === '' && !files) return;
  const typed = area.value;
  form.reset();
  form.querySelector('[data-count]')?.removeAttribute('data-count');
  // What was not sent is given back.
  if (!(await post(form.getAttribute('action') ?? '', sent)) && area.value === '') area.value = typed;
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
