import { complete, fieldAt, tokenize } from './graphql-language.js';

/** @typedef {import('./graphql-schema.js').Schema} Schema */

const MOST_SHOWN = 12;
const LONGEST_COLORED = 50_000;
const KEYWORDS = new Set(['query', 'mutation', 'subscription', 'fragment', 'on', 'true', 'false', 'null']);

/**
 * A text area with colors and completion. The colored text lies behind the transparent text of the area.
 *
 * @param {HTMLTextAreaElement} area
 * @param {HTMLUListElement} list
 * @param {(place: { type: string, field: string }) => void} onField
 */
export function createEditor(area, list, onField) {
  const backdrop = area.parentElement?.querySelector('pre') ?? document.createElement('pre');
  /** @type {Schema | undefined} */
  let schema;
  /** @type {import('./graphql-language.js').Completion[]} */
  let offered = [];
  let chosen = 0;
  let start = 0;

  function paint() {
    const text = area.value;
    const parts = [];
    let end = 0;
    const tokens = text.length > LONGEST_COLORED ? [] : tokenize(text);
    for (const [index, token] of tokens.entries()) {
      if (token.kind === 'sign') continue;
      parts.push(text.slice(end, token.start));
      const part = document.createElement('span');
      const isKeyword = token.kind === 'name' && KEYWORDS.has(token.text) && tokens[index + 1]?.text !== ':';
      part.className = isKeyword ? 'keyword' : token.kind;
      part.textContent = token.text;
      parts.push(part);
      end = token.end;
    }
    // A last empty line has no height without a character.
    parts.push(text.slice(end), '\n ');
    backdrop.replaceChildren(...parts);
    scroll();
  }

  function scroll() {
    backdrop.scrollTop = area.scrollTop;
    backdrop.scrollLeft = area.scrollLeft;
  }

  /** Shows what may stand at the cursor; after a sign only when the person asks for it. */
  function offer(isAsked = false) {
    closeCompletions();
    if (schema === undefined || area.selectionStart !== area.selectionEnd) return;
    const cursor = area.selectionStart;
    const found = complete(schema, area.value, cursor);
    const typed = area.value.slice(found.start, cursor);
    if (!isAsked && typed === '') return;
    if (found.completions.length === 1 && found.completions[0]?.label === typed) return;
    offered = found.completions.slice(0, MOST_SHOWN);
    start = found.start;
    chosen = 0;
    show();
  }

  function show() {
    list.hidden = offered.length === 0;
    area.setAttribute('aria-expanded', String(!list.hidden));
    list.replaceChildren(
      ...offered.map(({ label, detail, description }, index) => {
        const item = document.createElement('li');
        item.id = `completion-${index}`;
        item.setAttribute('role', 'option');
        item.setAttribute('aria-selected', String(index === chosen));
        const name = document.createElement('span');
        name.textContent = label;
        const type = document.createElement('span');
        type.className = 'dim';
        type.textContent = detail;
        item.append(name, ' ', type);
        if (index === chosen && description !== '') {
          const about = document.createElement('p');
          about.textContent = description.slice(0, 300);
          item.append(about);
        }
        item.addEventListener('mousedown', (event) => {
          event.preventDefault();
          accept(index);
        });
        return item;
      }),
    );
    if (list.hidden) area.removeAttribute('aria-activedescendant');
    else area.setAttribute('aria-activedescendant', `completion-${chosen}`);
    placeList();
  }

  /** Puts the list below the word. All characters of the editor have the same width. */
  function placeList() {
    const before = area.value.slice(0, start);
    const line = before.split('\n').length - 1;
    const column = before.length - (before.lastIndexOf('\n') + 1);
    const style = getComputedStyle(area);
    const lineHeight = Number.parseFloat(style.lineHeight);
    const left = Number.parseFloat(style.paddingLeft) + column * characterWidth(style) - area.scrollLeft;
    list.style.left = `${Math.max(0, Math.min(left, area.clientWidth - 240))}px`;
    list.style.top = `${Number.parseFloat(style.paddingTop) + (line + 1) * lineHeight - area.scrollTop + 2}px`;
  }

  function closeCompletions() {
    offered = [];
    show();
  }

  /** Whether the chosen completion already stands in the text. */
  function isTyped() {
    return area.value.slice(start, area.selectionStart) === offered[chosen]?.label;
  }

  /** @param {number} index */
  function accept(index) {
    const label = offered[index]?.label;
    if (label === undefined) return;
    replace(start, area.selectionStart, label);
    closeCompletions();
  }

  /**
   * Replaces a part of the text in a way that can be undone.
   *
   * @param {number} from
   * @param {number} to
   * @param {string} text
   */
  function replace(from, to, text) {
    area.focus();
    area.setSelectionRange(from, to);
    if (!document.execCommand('insertText', false, text)) area.setRangeText(text, from, to, 'end');
    paint();
  }

  /** Keeps the indentation on a new line, and adds one step after an opening brace. */
  function breakLine() {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const line = value.slice(value.lastIndexOf('\n', from - 1) + 1, from);
    const indent = /^ */.exec(line)?.[0] ?? '';
    const opens = /[{([]\s*$/.test(line);
    const closes = opens && /^[})\]]/.test(value.slice(to));
    replace(from, to, `\n${indent}${opens ? '  ' : ''}${closes ? `\n${indent}` : ''}`);
    if (closes) area.setSelectionRange(from + indent.length + 3, from + indent.length + 3);
  }

  area.addEventListener('input', () => {
    paint();
    offer();
  });
  area.addEventListener('scroll', scroll);
  area.addEventListener('blur', closeCompletions);
  area.addEventListener('click', closeCompletions);
  document.addEventListener('selectionchange', () => {
    if (document.activeElement !== area || schema === undefined) return;
    const place = fieldAt(schema, area.value, area.selectionStart);
    if (place !== undefined) onField(place);
  });
  area.addEventListener('keydown', (event) => {
    if (event.ctrlKey && event.key === ' ') {
      event.preventDefault();
      offer(true);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const isOpen = !list.hidden;
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length;
      show();
    } else if (isOpen && (event.key === 'Enter' || event.key === 'Tab') && !isTyped()) {
      event.preventDefault();
      accept(chosen);
    } else if (isOpen && event.key === 'Escape') {
      event.preventDefault();
      closeCompletions();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      breakLine();
    }
  });

  return {
    closeCompletions,
    /** @param {Schema} given */
    useSchema(given) {
      schema = given;
    },
    /** @param {string} text */
    setText(text) {
      area.value = text;
      paint();
    },
    /**
     * @param {number} line from 1
     * @param {number} column from 1
     */
    goTo(line, column) {
      const before = area.value.split('\n').slice(0, line - 1);
      const at = before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
      area.focus();
      area.setSelectionRange(at, at);
    },
  };
}

/** @type {Map<string, number>} */
const widths = new Map();

/** @param {CSSStyleDeclaration} style */
function characterWidth({ font }) {
  let width = widths.get(font);
  if (width === undefined) {
    const context = document.createElement('canvas').getContext('2d');
    if (context === null) return 8;
    context.font = font;
    width = context.measureText('m'.repeat(100)).width / 100;
    widths.set(font, width);
  }
  return width;
}
