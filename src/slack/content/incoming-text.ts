/** Names for Slack's ids. When a name is not known, the id is shown. */
export interface Names {
  user: (userId: string) => string | undefined;
  channel: (channelId: string) => string | undefined;
}

/**
 * Slack's tokens: `<@U…>`, `<#C…|name>`, `<!here>`, `<!date^…^… {time}|…>`, `<https://…|label>`. Only these forms are
 * tokens. Any other `<…>` is code that a person wrote, for example `Map<K,V>` or `List<@Nullable T>`, and stays.
 * Source: docs.slack.dev/messaging/formatting-message-text.
 */
const token =
  /<([@#][A-Z0-9]+|!date\^[^<>|]+|![a-z]+(?:\^[^<>\s|]+)?|(?:https?|mailto|tel|ftp|slack):[^<>|]+)(?:\|([^<>]*))?>/g;

/** Spaces at the end of a line. The lookbehind keeps the search linear when there are many spaces. */
const trailingSpaces = /(?<![^\S\n])[^\S\n]+$/gm;

/** Replaces NUL by U+FFFD, because databases and program arguments cannot contain NUL. */
export function readableText(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Turns text as Slack sends it into what its writer sees. Removes the app's own mention and decodes entities once. */
export function toPlainText(text: string, names: Names, botUserId?: string): string {
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(token)) {
    plain += decodeEntities(text.slice(end, match.index));
    plain += readable(match[1] ?? '', match[2], names, botUserId);
    end = match.index + match[0].length;
  }
  return readableText(plain + decodeEntities(text.slice(end)))
    .replace(trailingSpaces, '')
    .trim();
}

/** The ids of users and channels that have no label in a text. Each id is listed once. */
export function unnamedIds(text: string): { users: string[]; channels: string[] } {
  const users = new Set<string>();
  const channels = new Set<string>();
  for (const [, target = '', label] of text.matchAll(token)) {
    if (label) continue;
    if (target.startsWith('@')) users.add(target.slice(1));
    if (target.startsWith('#')) channels.add(target.slice(1));
  }
  return { users: [...users], channels: [...channels] };
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
      return special(rest, label);
    default:
      return link(decodeEntities(target), label === undefined ? undefined : decodeEntities(label));
  }
}

function special(target: string, label: string | undefined): string {
  const shown = nonEmpty(label);
  if (target.startsWith('date^')) return decodeEntities(shown ?? '');
  if (target.startsWith('subteam^')) return shown ?? '@group';
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
