import { invisible } from '../../core/intake/intents.ts';

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
