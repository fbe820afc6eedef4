import { randomBytes } from 'node:crypto';
import type { SlackBlock } from './messages.ts';

/** How people's names and channels' names become ids. */
export interface Names {
  personOf: (name: string) => string | undefined;
  channelOf: (name: string) => string | undefined;
}

type Fields = Record<string, unknown>;

/** A part of a `rich_text` block. */
interface Part {
  type: string;
  [field: string]: unknown;
}

const everybody = new Set(['here', 'channel', 'everyone']);

const code = /```[\s\S]*?```|`[^`\n]+`/g;
const token = /(https?:\/\/[^\s<>|]+)|(?<![\w@])@([\w.-]*\w)|(?<![\w#])#([\w-]+)/g;

/** The text of a message as Slack stores it, and its `rich_text` block, from what a person types. */
export function written(typed: string, names: Names): { text: string; blocks?: SlackBlock[] } {
  if (typed.trim() === '') return { text: '' };
  const text = outside(typed, (plain) =>
    escaped(plain).replaceAll(token, (all, url: string | undefined, name?: string, channel?: string) => {
      if (url !== undefined) return `<${url}>`;
      if (name !== undefined) return everybody.has(name) ? `<!${name}>` : linked(all, '@', names.personOf(name));
      return linked(all, '#', names.channelOf(channel ?? ''), channel);
    }),
  );
  return {
    text,
    blocks: [{ type: 'rich_text', block_id: randomBytes(3).toString('base64url'), elements: sections(typed, names) }],
  };
}

function linked(all: string, mark: string, id: string | undefined, label?: string): string {
  return id === undefined ? all : `<${mark}${id}${label === undefined ? '' : `|${label}`}>`;
}

/** What a person would type for a stored text. */
export function typed(text: string, nameOf: (id: string) => string): string {
  return text
    .replaceAll(/<([^<>]+)>/g, (_, inner: string) => {
      const [target = '', label] = inner.split('|');
      if (target.startsWith('@')) return `@${nameOf(target.slice(1))}`;
      if (target.startsWith('#')) return `#${label || nameOf(target.slice(1))}`;
      return target.startsWith('!') ? `@${target.slice(1)}` : target;
    })
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Applies `change` to what stands outside of code. */
function outside(text: string, change: (plain: string) => string): string {
  let end = 0;
  let result = '';
  for (const { 0: piece, index } of text.matchAll(code)) {
    result += change(text.slice(end, index)) + escaped(piece);
    end = index + piece.length;
  }
  return result + change(text.slice(end));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Fences, quotes and lists; all other lines are sections. */
function sections(text: string, names: Names): Part[] {
  return text.split(/(```[\s\S]*?```)/).flatMap((piece, index) => {
    if (index % 2 === 1) {
      const [, body = ''] = /^```\n?([\s\S]*?)\n?```$/.exec(piece) ?? [];
      return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: body || ' ' }], border: 0 }];
    }
    return groups(piece.replace(/^\n/, '').replace(/\n$/, ''), names);
  });
}

const kinds: [RegExp, Part][] = [
  [/^> ?/, { type: 'rich_text_quote' }],
  [/^(?:[-•*]) /, { type: 'rich_text_list', style: 'bullet', indent: 0, border: 0 }],
  [/^\d+\. /, { type: 'rich_text_list', style: 'ordered', indent: 0, border: 0 }],
];

function groups(text: string, names: Names): Part[] {
  const found: { head: Part; lines: string[] }[] = [];
  const section: Part = { type: 'rich_text_section' };
  for (const line of text === '' ? [] : text.split('\n')) {
    const [mark, head] = kinds.find(([pattern]) => pattern.test(line)) ?? [/^/, section];
    const last = found.at(-1);
    if (last?.head === head) last.lines.push(line.replace(mark, ''));
    else found.push({ head, lines: [line.replace(mark, '')] });
  }
  return found.map(({ head, lines }) => ({
    ...head,
    elements:
      head.type === 'rich_text_list'
        ? lines.map((line) => ({ type: 'rich_text_section', elements: inline(line, names) }))
        : inline(lines.join('\n'), names),
  }));
}

const mark =
  /`([^`\n]+)`|(?<!\w)\*([^*\n]+)\*(?!\w)|(?<!\w)_([^_\n]+)_(?!\w)|(?<!\w)~([^~\n]+)~(?!\w)|(https?:\/\/[^\s<>|]+)|(?<![\w@])@([\w.-]*\w)|(?<![\w#])#([\w-]+)|:([a-z0-9_+-]+):/g;

const styles = ['code', 'bold', 'italic', 'strike'];

function inline(text: string, names: Names, style: Fields = {}): Part[] {
  const styled = Object.keys(style).length === 0 ? {} : { style };
  const found: Part[] = [];
  let end = 0;
  const plain = (until: number): void => {
    if (until > end) found.push({ type: 'text', text: text.slice(end, until), ...styled });
  };
  for (const match of text.matchAll(mark)) {
    const element = elementOf(match, names, style, styled);
    if (element === undefined) continue;
    plain(match.index);
    found.push(...element);
    end = match.index + match[0].length;
  }
  plain(text.length);
  return found;
}

function elementOf(match: RegExpExecArray, names: Names, style: Fields, styled: Fields): Part[] | undefined {
  const [, ...parts] = match;
  const which = parts.findIndex((part) => part !== undefined);
  const part = parts[which] ?? '';
  const name = styles[which];
  if (name === 'code') return [{ type: 'text', text: part, style: { ...style, code: true } }];
  if (name !== undefined) return style[name] === true ? undefined : inline(part, names, { ...style, [name]: true });
  if (which === 4) return [{ type: 'link', url: part, ...styled }];
  if (which === 7) return [{ type: 'emoji', name: part, ...styled }];
  if (which === 5 && everybody.has(part)) return [{ type: 'broadcast', range: part, ...styled }];
  const id = which === 5 ? names.personOf(part) : names.channelOf(part);
  if (id === undefined) return undefined;
  return [which === 5 ? { type: 'user', user_id: id, ...styled } : { type: 'channel', channel_id: id, ...styled }];
}
