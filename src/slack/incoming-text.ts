/** Names for Slack's ids, where known; without a name the id is shown. */
export interface Names {
  user: (userId: string) => string | undefined;
  channel: (channelId: string) => string | undefined;
}

/**
 * Slack's tokens: `<@U…>`, `<#C…|name>`, `<!here>`, `<!date^…^… {time}|…>`, `<https://…|label>`. Only these forms are
 * tokens; any other `<…>` is somebody's code, such as `Map<K,V>` or `List<@Nullable T>`, and stays. Source:
 * docs.slack.dev/messaging/formatting-message-text.
 */
const token =
  /<([@#][A-Z0-9]+|!date\^[^<>|]+|![a-z]+(?:\^[^<>\s|]+)?|(?:https?|mailto|tel|ftp|slack):[^<>|]+)(?:\|([^<>]*))?>/g;

/** Spaces at the end of a line. The look behind keeps the search linear where spaces are many. */
const trailingSpaces = /(?<![^\S\n])[^\S\n]+$/gm;

/** Text without NUL, which neither databases nor arguments of programs hold: U+FFFD stands in its place. */
export function readableText(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Turns text as Slack sends it into what its writer sees. The app's own mention is taken out; entities are decoded once. */
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

/** The user and channel ids in a text that come without a label, each once. */
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

/** Whether a text begins by addressing a person other than the app, or a group of people. */
export function addressesAnother(text: string, botUserId: string): boolean {
  const first = /^\s*<(?:@([A-Z0-9]+)(?:\|[^<>]*)?|!(?:subteam\^|here\b|channel\b|everyone\b)[^<>]*)>/.exec(text);
  return first !== null && first[1] !== botUserId;
}

/** The plain text without mentions of people and groups, and without links to profiles. */
export function textBesidePeople(text: string): string {
  return toPlainText(text.replace(person, ' '), { user: () => undefined, channel: () => undefined });
}

/** A mention of a person or a group of people, or the address of a person's profile. */
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
  // Slack makes links of what people write without a scheme, `main.py` and `example.com/path` alike.
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '') === label.replace(/\/$/, '') ? label : `${label} (${url})`;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : decodeEntities(text);
}

/** Decodes the three entities Slack encodes, each once, so that `&amp;lt;` stays the text `&lt;`. */
function decodeEntities(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) => (name === 'lt' ? '<' : name === 'gt' ? '>' : '&'));
}
