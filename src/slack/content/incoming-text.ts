import { z } from 'zod';
import { invisible } from '../../core/intake/intents.ts';
import type { Identity } from '../api/slack-api.ts';
import { emojiNames } from './emoji-names.ts';

/** Names for Slack's ids. When a name is not known, the id is shown. */
export interface Names {
  user: (userId: string) => string | undefined;
  channel: (channelId: string) => string | undefined;
  /** The handle of a user group. */
  group?: (groupId: string) => string | undefined;
}

/**
 * Slack's tokens: `<@U…>`, `<#C…|name>`, `<!here>`, `<!date^…^… {time}|…>`, `<https://…|label>`. Only these forms are
 * tokens. Any other `<…>` is code that a person wrote, for example `Map<K,V>` or `List<@Nullable T>`, and stays.
 * Source: docs.slack.dev/messaging/formatting-message-text.
 */
const token =
  /<([@#][A-Z0-9]+|!date\^[^<>|]+|![a-z]+(?:\^[^<>\s|]+)?|(?:https?|mailto|tel|ftp|slack):[^<>|]+)(?:\|([^<>]*))?>/g;

/** Spaces at the end of a line. The lookbehind keeps the search linear when there are many spaces. */
const trailingSpaces = /(?<![^\S\n])[^\S\n]+(?=\n)/g;

/** Replaces NUL by U+FFFD, because databases and program arguments cannot contain NUL. */
export function readableText(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/**
 * Turns text as Slack sends it into what its writer sees. Removes the app's own mention with the punctuation that
 * belongs to it, and decodes entities once.
 */
export function toPlainText(text: string, names: Names, botUserId?: string): string {
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(token)) {
    plain += decodeEntities(text.slice(end, match.index));
    plain += readable(match[1] ?? '', match[2], names, botUserId);
    end = match.index + match[0].length;
    if (match[1] !== `@${botUserId}`) continue;
    const without = withoutMention(plain, text, end);
    plain = without.before;
    end = without.end;
  }
  return withoutTrailingSpaces(readableText(plain + decodeEntities(text.slice(end)))).trim();
}

/** Code keeps its spaces. A fence ends at the next marks that are as long or longer. */
function withoutTrailingSpaces(text: string): string {
  let result = '';
  let end = 0;
  let fence = 0;
  for (const { 0: marks, index } of text.matchAll(/`{3,}/g)) {
    if (fence > marks.length) continue;
    const part = text.slice(end, index);
    result += (fence === 0 ? part.replace(trailingSpaces, '') : part) + marks;
    end = index + marks.length;
    fence = fence === 0 ? marks.length : 0;
  }
  const rest = text.slice(end);
  return result + (fence === 0 ? rest.replace(trailingSpaces, '') : rest);
}

/** After the app's name at the beginning: `@app: …`, `@app, …`, `@app — …`, `@app！…`. An emoji is no punctuation, nor is `.env`. */
const separators = new RegExp(
  `(?:[\\s${invisible}]*(?:[,;：，；、。！—–]|:(?![\\p{L}\\p{N}_+'-]{1,100}:)|(?:-{1,3}(?:&gt;)?|[.!…]{1,3})(?=\\s|$)|[?？]{1,3}(?=\\s+[^\\s?？])))*[\\s${invisible}]*`,
  'uy',
);

/** Marks of formatting around the app's name, with the punctuation in them, or quotes or brackets. */
const markAfter = /[:,;]?([*_~]{1,3}|["'”“»«’)\]）】」])/y;

/** Marks that end with another one than they begin with. */
const pairs = new Set(['“”', '„“', '«»', '»«', '‘’', '()', '[]', '（）', '【】', '「」']);

/** The text before the app's name without what belongs to the name, and where the text goes on. */
function withoutMention(before: string, text: string, end: number): { before: string; end: number } {
  const [marks = '', mark = ''] = matchAt(markAfter, text, end) ?? [];
  const isMarked = mark !== '' && (before.endsWith(mark) || pairs.has(before.slice(-1) + mark));
  const from = isMarked ? end + marks.length : end;
  const said = isMarked ? before.slice(0, -mark.length) : before;
  if (said.trim() === '') return { before: '', end: from + (matchAt(separators, text, from)?.[0].length ?? 0) };
  // "Where is it, @app?" and "hey @app, where is it?"
  const isLast = /^[?!.…？！。\s]{0,9}$/.test(text.slice(from, from + 10));
  const next = text.charAt(from);
  const kept = isLast ? trimmedEnd(said, ',') : /^[\s,.:;!?…，。：；！？、]?$/.test(next) ? trimmedEnd(said, '') : said;
  return { before: kept, end: from };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Without spaces at the end, and without the mark before them. */
function trimmedEnd(text: string, mark: string): string {
  const trimmed = text.trimEnd();
  return mark !== '' && trimmed.endsWith(mark) ? trimmed.slice(0, -mark.length) : trimmed;
}

/** The ids of users, channels and user groups that have no label in a text. Each id is listed once. */
export function unnamedIds(text: string): { users: string[]; channels: string[]; groups: string[] } {
  const users = new Set<string>();
  const channels = new Set<string>();
  const groups = new Set<string>();
  for (const [, target = '', label] of text.matchAll(token)) {
    if (label) continue;
    if (target.startsWith('@')) users.add(target.slice(1));
    if (target.startsWith('#')) channels.add(target.slice(1));
    if (target.startsWith('!subteam^')) groups.add(target.slice('!subteam^'.length));
  }
  return { users: [...users], channels: [...channels], groups: [...groups] };
}

export function mentions(text: string, userId: string): boolean {
  return [...text.matchAll(token)].some(([, target]) => target === `@${userId}`);
}

/** Whether a text begins with a mention of a person other than the app, or of a group of people. */
export function addressesAnother(text: string, botUserId: string): boolean {
  const first = /^\s*<(?:@([A-Z0-9]+)(?:\|[^<>]*)?|!(?:subteam\^|here\b|channel\b|everyone\b)[^<>]*)>/.exec(text);
  return first !== null && first[1] !== botUserId;
}

/** The plain text without mentions of people and groups, and without links to profiles. */
export function textBesidePeople(text: string): string {
  return toPlainText(text.replace(person, ' '), { user: () => undefined, channel: () => undefined });
}

/** A mention of a person or a group of people, or a link to a person's profile. */
const person = /<(?:@[A-Z0-9]+|!subteam\^[^<>\s|]+|https:\/\/[a-z0-9.-]+\.slack\.com\/team\/[A-Z0-9]+)(?:\|[^<>]*)?>/g;

function readable(target: string, label: string | undefined, names: Names, botUserId: string | undefined): string {
  const rest = target.slice(1);
  switch (target[0]) {
    case '@':
      return rest === botUserId ? '' : `@${names.user(rest) ?? nonEmpty(label) ?? rest}`;
    case '#':
      return `#${nonEmpty(label) ?? names.channel(rest) ?? rest}`;
    case '!':
      return special(rest, label, names);
    default:
      return link(decodeEntities(target), label === undefined ? undefined : decodeEntities(label));
  }
}

function special(target: string, label: string | undefined, names: Names): string {
  const shown = nonEmpty(label);
  if (target.startsWith('date^')) return decodeEntities(shown ?? '');
  if (target.startsWith('subteam^')) {
    const id = target.slice('subteam^'.length);
    return shown ?? `@${names.group?.(id) ?? id}`;
  }
  const name = shown ?? target;
  return name.startsWith('@') ? name : `@${name}`;
}

function link(url: string, label: string | undefined): string {
  const bare = url.replace(/^(?:mailto|tel):/, '');
  if (label === undefined || label === '' || label === url || label === bare) return bare;
  // Slack also makes links of text without a scheme, for example of `main.py` and `example.com/path`.
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '') === label.replace(/\/$/, '') ? label : `${label} (${url})`;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : decodeEntities(text);
}

/** Decodes the three entities that Slack encodes, each once, so that `&amp;lt;` becomes `&lt;` and not `<`. */
function decodeEntities(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) => (name === 'lt' ? '<' : name === 'gt' ? '>' : '&'));
}

/** A text of Slack; empty where it is missing or odd. */
export const someText = z.string().transform(readableText).catch('');

/** A text of Slack that is not empty; undefined where it is missing or odd. */
export const maybeText = z.string().min(1).transform(readableText).optional().catch(undefined);

/** The timestamp of a message, which identifies it in its channel. It becomes part of keys in the store, so its form is checked. */
export const timestamp = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

/** An id of Slack, which is opaque. It becomes part of keys in the store, so it is bounded; Slack's have about 11 characters. */
export const slackId = z.string().max(100);

/** A list without its unreadable entries. */
export function listOf<Shape extends z.ZodType>(shape: Shape) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((item) => {
        const parsed = shape.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}

const characters: ReadonlyMap<string, string> = new Map(
  emojiNames
    .trim()
    .split(/[\n|]/)
    .flatMap((entry) => {
      const [emoji = '', ...names] = entry.split(' ');
      return names.map((name): [string, string] => [name, emoji]);
    }),
);

/** Slack numbers skin tones from 2 to 6. */
const tones = ['\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];

/** The characters of an emoji, or undefined for one that only the workspace has. `name` may end with a skin tone. */
export function emojiOf(name: string, skinTone?: number): string | undefined {
  const [base = '', tone] = name.split('::skin-tone-');
  const plain = characters.get(base);
  const modifier = tones[(skinTone ?? Number(tone)) - 2];
  if (plain === undefined || modifier === undefined) return plain;
  const [first = '', ...rest] = plain;
  return /\p{Emoji_Modifier_Base}/u.test(first) ? first + modifier + rest.join('').replace(/^\u{FE0F}/u, '') : plain;
}

/** Code points as Slack gives them: `1f44d-1f3fb`. Undefined if they are odd. */
export function fromCodePoints(hex: string): string | undefined {
  if (!/^[0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,15}$/i.test(hex)) return undefined;
  const codes = hex.split('-').map((code) => Number.parseInt(code, 16));
  return codes.every((code) => code >= 0x23 && code <= 0x10ffff) ? String.fromCodePoint(...codes) : undefined;
}

/**
 * Tokens, which stay, and rows of emoji. A name is no emoji where it touches a letter, a number or another colon, as in
 * `10:100:5` and `Foo::key::bar`. A skin tone is one more emoji of its row: a row must match in one way only, to be read in
 * linear time.
 */
const tokensAndEmoji = /<[^<>\n]*>|(?<![\p{L}\p{N}:])(?::[\p{L}\p{N}_+'-]{1,100}:)+(?![\p{L}\p{N}:])/gu;

const oneEmoji = /:([^:]+):(?::skin-tone-([2-6]):)?/g;

/** Replaces the names of emoji in a text outside of code. The workspace's own emoji stay as typed. */
function withEmoji(text: string): string {
  return text.replace(tokensAndEmoji, (found) =>
    found.startsWith('<')
      ? found
      : found.replace(
          oneEmoji,
          (typed: string, name: string, tone?: string) =>
            emojiOf(name, tone === undefined ? undefined : Number(tone)) ?? typed,
        ),
  );
}

/*
 * Slack's own markup, in the form in which the app passes texts on: `<@…>` is a mention, the app's own always by its user
 * id, code has no token of the app, and emoji are characters.
 */

/** Code in a message: a fence, or a span within one line. */
const code = /```[\s\S]*?```|`[^`\n]+`/g;

/** A text without its code, where a mention is none. */
export function withoutCode(text: string): string {
  return text.replace(code, ' ');
}

/** A token in code: people typed it, or Slack made a link of it. */
const tokenInCode = /<(?:@([A-Z0-9]+)|((?:https?|mailto|tel|ftp|slack):[^<>|]+))(?:\|([^<>]*))?>/g;

/** Brings a text as Slack sends it into that form. */
export function canonical(text: string, identity: Identity): string {
  let written = '';
  let end = 0;
  for (const { 0: span, index } of text.matchAll(code)) {
    written += prose(text.slice(end, index), identity) + inCode(span, identity);
    end = index + span.length;
  }
  return written + prose(text.slice(end), identity);
}

/** Some clients mention the app by the id of its bot (NousResearch/hermes-agent#85885). */
function prose(text: string, { botUserId, botId }: Identity): string {
  const mended = botId === undefined ? text : text.replaceAll(`<@${botId}>`, `<@${botUserId}>`);
  return withEmoji(mended);
}

/** Code stays as it was typed: links are no links there, and the id of the app is no mention of it. */
function inCode(span: string, identity: Identity): string {
  return span.replace(
    tokenInCode,
    (token, id: string | undefined, url: string | undefined, label: string | undefined) => {
      if (url !== undefined) return label === undefined || label === '' ? url.replace(/^(?:mailto|tel):/, '') : label;
      return isApp(id, identity) ? `&lt;@${id}&gt;` : token;
    },
  );
}

export function isApp(id: unknown, { botUserId, botId }: Identity): boolean {
  return id === botUserId || (botId !== undefined && id === botId);
}

/** Encodes what would be markup, so that the text reads as it stands. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A link. If Slack makes no link of its address, label and address are written as text. */
export function linked(url: string, label: string): string {
  if (!/^(?:https?|mailto|tel|ftp|slack):[^\s]/.test(url))
    return escaped(label === '' || label === url ? url : `${label} (${url})`);
  const address = url
    .replaceAll('&', '&amp;')
    .replace(/[<>|]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return label === '' ? `<${address}>` : `<${address}|${escaped(label)}>`;
}

/** A text as code, in marks that it does not contain itself. */
export function codeSpan(text: string): string {
  const marks = fence(text, 1);
  return `${marks}${escaped(text)}${marks}`;
}

export function codeBlock(text: string, language: string): string {
  const marks = fence(text, 3);
  return `${marks}${escaped(language)}\n${escaped(text)}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

function fence(text: string, least: number): string {
  const longest = [...text.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length), 0);
  return '`'.repeat(longest >= least ? longest + 1 : least);
}
