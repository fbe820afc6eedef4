/** A part of a `rich_text` block. */
export interface Part {
  type: string;
  [field: string]: unknown;
}

type Style = Record<string, boolean>;

/**
 * Slack's mrkdwn as the parts of a `rich_text` block; lists only where a person typed it. Each pattern reads the text
 * once, from mark to mark, so that hostile text takes linear time.
 */
export function richTextOf(mrkdwn: string, { withLists = false } = {}): Part[] {
  const pieces = mrkdwn.replaceAll('\0', '').split('```');
  // A fence without an end is text.
  if (pieces.length % 2 === 0) pieces.push(pieces.splice(-2).join('```'));
  return pieces.flatMap((piece, index) => {
    const isCode = index % 2 === 1;
    const inner = isCode || index > 0 ? piece.replace(/^\n/, '') : piece;
    const text = isCode || index < pieces.length - 1 ? inner.replace(/\n$/, '') : inner;
    if (!isCode) return groupsOf(text, withLists);
    return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: unescaped(text) || ' ' }], border: 0 }];
  });
}

const section: Part = { type: 'rich_text_section' };
const quote: [RegExp, Part] = [/^(?:>|&gt;) ?/, { type: 'rich_text_quote' }];
const lists: [RegExp, Part][] = [
  [/^[-•*] /, { type: 'rich_text_list', style: 'bullet', indent: 0, border: 0 }],
  [/^\d+\. /, { type: 'rich_text_list', style: 'ordered', indent: 0, border: 0 }],
];

/** Lines of one kind stand together. */
function groupsOf(text: string, withLists: boolean): Part[] {
  const found: { head: Part; lines: string[] }[] = [];
  const kinds = withLists ? [quote, ...lists] : [quote];
  for (const line of text === '' ? [] : text.split('\n')) {
    const [mark, head] = kinds.find(([pattern]) => pattern.test(line)) ?? [/^/, section];
    const last = found.at(-1);
    if (last?.head === head) last.lines.push(line.replace(mark, ''));
    else found.push({ head, lines: [line.replace(mark, '')] });
  }
  return found.map(({ head, lines }) => {
    if (head.type !== 'rich_text_list') return { ...head, elements: inlineOf(lines.join('\n')) };
    return { ...head, elements: lines.map((line) => ({ ...section, elements: inlineOf(line) })) };
  });
}

const atom = /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]{1,60}(?:::skin-tone-[2-6])?):/g;
const styles = ['bold', 'italic', 'strike'] as const;
const emphasis =
  /(?<![\p{L}\p{N}*])\*(?![\s*])([^*\n]+)(?<!\s)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_])_(?![\s_])([^_\n]+)(?<!\s)_(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}~])~(?![\s~])([^~\n]+)(?<!\s)~(?![\p{L}\p{N}~])/gu;

/** Code, tokens and emoji, then emphasis around them. What is read waits under a number, so that no pattern reads it. */
function inlineOf(text: string): Part[] {
  const atoms: Part[] = [];
  const rest = text.replace(atom, (typed: string, code?: string, token?: string, emoji?: string) => {
    const part =
      code !== undefined
        ? { type: 'text', text: unescaped(code), style: { code: true } }
        : emoji !== undefined
          ? { type: 'emoji', name: emoji }
          : tokenOf(token ?? '');
    return part === undefined ? typed : `\0${atoms.push(part) - 1}\0`;
  });
  return styled(rest, atoms, {});
}

function styled(text: string, atoms: readonly Part[], style: Style): Part[] {
  const found: Part[] = [];
  let end = 0;
  const add = (until: number): void => {
    for (const [index, piece] of text.slice(end, until).split('\0').entries()) {
      const part = index % 2 === 1 ? atoms[Number(piece)] : { type: 'text', text: unescaped(piece) };
      const all = { ...style, ...(part?.style as Style | undefined) };
      if (piece !== '') found.push({ type: '', ...part, ...(Object.keys(all).length > 0 && { style: all }) });
    }
  };
  for (const match of text.matchAll(emphasis)) {
    const [whole, ...inner] = match;
    const which = inner.findIndex((each) => each !== undefined);
    const name = styles[which] ?? '';
    if (style[name] === true) continue;
    add(match.index);
    found.push(...styled(inner[which] ?? '', atoms, { ...style, [name]: true }));
    end = match.index + whole.length;
  }
  add(text.length);
  return found;
}

/** What stands between `<` and `>`: a mention, a date or a link; undefined for anything else. */
export function tokenOf(token: string): Part | undefined {
  const [target = '', ...rest] = token.split('|');
  const [, kind = '', id] = /^([@#]|!subteam\^)([A-Z0-9]+)$/.exec(target) ?? [];
  if (kind === '@') return { type: 'user', user_id: id };
  if (kind === '#') return { type: 'channel', channel_id: id };
  if (kind !== '') return { type: 'usergroup', usergroup_id: id };
  if (/^!(?:here|channel|everyone)$/.test(target)) return { type: 'broadcast', range: target.slice(1) };
  const [, timestamp, format, url] = /^!date\^(\d{1,11})\^([^^]+)(?:\^(.+))?$/.exec(target) ?? [];
  if (timestamp !== undefined) return { type: 'date', timestamp, format, url: url && unescaped(url) };
  if (!/^(?:https?:\/\/|mailto:)/i.test(target)) return undefined;
  const text = rest.length > 0 && { text: unescaped(rest.join('|')) };
  return { type: 'link', url: unescaped(target), ...text };
}

/** Slack escapes these three characters, and no others. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
