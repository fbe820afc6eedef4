import type { Identity } from '../api/slack-api.ts';
import { codeBlock, codeSpan, emojiOf, escaped, fromCodePoints, isApp, linked } from './incoming-text.ts';

/** How deep elements are read: Slack nests lists and quotes no deeper. */
const deepest = 10;

/** What is read of an element of a `rich_text` block; every field may be missing or odd. */
type Element = Record<string, unknown>;

/** What the reader of a block knows of its message. */
export interface Reading {
  identity: Identity;
  /** The names that the message's `text` gives to channels and groups, by their id. Blocks have only the ids. */
  labels: ReadonlyMap<string, string>;
}

/** Writes a `rich_text` block's elements in Slack's markup. Each paragraph and item begins a line. */
export function richText(elements: unknown, reading: Reading): string {
  return parts(elements, reading, 0).join('\n');
}

function parts(elements: unknown, reading: Reading, depth: number): string[] {
  if (depth >= deepest) return [];
  return listed(elements).flatMap((element): string[] => {
    switch (element.type) {
      case 'rich_text_list':
        return items(element, reading, depth);
      case 'rich_text_quote':
        return [inlines(element.elements, reading).replace(/^/gm, '&gt; ')];
      case 'rich_text_preformatted':
        return [codeBlock(bareInlines(element.elements, reading), wordOf(element.language))];
      case 'rich_text_section': {
        const line = inlines(element.elements, reading);
        return line === '' ? [] : [line];
      }
      default:
        return element.elements === undefined
          ? [inlines([element], reading)].filter((line) => line !== '')
          : parts(element.elements, reading, depth + 1);
    }
  });
}

/** A nested list is a row of lists with different indents. `offset` counts the numbered items before. */
function items({ elements, style, indent, offset }: Element, reading: Reading, depth: number): string[] {
  let number = numberOf(offset, 1_000_000);
  const margin = '  '.repeat(numberOf(indent, 8));
  return listed(elements).flatMap((item) => {
    const isList = item.type === 'rich_text_list';
    const text = parts([item], reading, depth + 1).join('\n');
    if (isList) return text === '' ? [] : [text.replace(/^/gm, `${margin}  `)];
    number += 1;
    if (text === '') return [];
    const mark = style === 'ordered' ? `${number}.` : '•';
    return [`${margin}${mark} ${text.replaceAll('\n', `\n${margin}  `)}`];
  });
}

/** A line of elements. Neighbors in code are one span. */
function inlines(elements: unknown, reading: Reading): string {
  let line = '';
  let code = '';
  const endCode = (): void => {
    if (code !== '') line += codeSpan(code);
    code = '';
  };
  for (const element of listed(elements)) {
    if (hasStyle(element, 'code')) {
      code += bare(element, reading);
      continue;
    }
    endCode();
    const text = inline(element, reading);
    line += hasStyle(element, 'strike') && text.trim() !== '' ? `~${text}~` : text;
  }
  endCode();
  return line;
}

/** A token as it stands in the text of messages (docs.slack.dev/messaging/formatting-message-text). */
function inline(element: Element, reading: Reading): string {
  const { type, text, url } = element;
  switch (type) {
    case 'text':
      return escaped(wordOf(text));
    case 'user':
    case 'canvas_user_mention': {
      const id = wordOf(element.user_id);
      return `<@${isApp(id, reading.identity) ? reading.identity.botUserId : id}>`;
    }
    case 'channel':
      return `<#${withLabel(wordOf(element.channel_id), reading)}>`;
    case 'usergroup':
      return `<!subteam^${withLabel(wordOf(element.usergroup_id), reading)}>`;
    case 'broadcast':
      return `<!${wordOf(element.range)}>`;
    // The address of a workspace's own emoji is that of its picture.
    case 'emoji':
      return escaped(bare(element, reading));
    default:
      return typeof url === 'string' && url !== '' ? linked(url, wordOf(text)) : escaped(bare(element, reading));
  }
}

function bareInlines(elements: unknown, reading: Reading): string {
  return listed(elements)
    .map((element) => bare(element, reading))
    .join('');
}

/** An element without any markup, as in code. */
function bare(element: Element, { identity, labels }: Reading): string {
  const { type, text, url, name } = element;
  switch (type) {
    case 'emoji':
      return (
        fromCodePoints(wordOf(element.unicode)) ??
        emojiOf(wordOf(name), numberOf(element.skin_tone, 6) || undefined) ??
        `:${wordOf(name)}:`
      );
    case 'user':
      return isApp(element.user_id, identity) ? `<@${wordOf(element.user_id)}>` : `@${wordOf(element.user_id)}`;
    case 'channel':
      return `#${labels.get(wordOf(element.channel_id)) ?? wordOf(element.channel_id)}`;
    case 'usergroup':
      return labels.get(wordOf(element.usergroup_id)) ?? `@${wordOf(element.usergroup_id)}`;
    case 'broadcast':
      return `@${wordOf(element.range)}`;
    case 'date':
      return wordOf(element.fallback) || dateOf(element.timestamp);
    case 'color':
      return wordOf(element.value);
    case 'team':
      return wordOf(element.team_id);
    default:
      return wordOf(text) || wordOf(url) || wordOf(element.fallback) || wordOf(element.label);
  }
}

/** Files and canvases that stand in the line of a message, by their ids. Slack may leave them out of `files`. */
export function filesIn(elements: unknown, depth = 0): Element[] {
  if (depth >= deepest) return [];
  return listed(elements).flatMap((element) =>
    element.type === 'file' || element.type === 'canvas' ? [element] : filesIn(element.elements, depth + 1),
  );
}

function withLabel(id: string, { labels }: Reading): string {
  const label = labels.get(id);
  return label === undefined ? id : `${id}|${label}`;
}

function hasStyle({ style }: Element, name: string): boolean {
  return typeof style === 'object' && style !== null && (style as Element)[name] === true;
}

function dateOf(timestamp: unknown): string {
  const ms = typeof timestamp === 'number' ? timestamp * 1000 : Number.NaN;
  return Math.abs(ms) <= 8.64e15 ? `${new Date(ms).toISOString().slice(0, 16)}Z` : '';
}

function listed(elements: unknown): Element[] {
  return Array.isArray(elements) ? elements.filter((each) => typeof each === 'object' && each !== null) : [];
}

function numberOf(value: unknown, most: number): number {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.floor(value), most) : 0;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
