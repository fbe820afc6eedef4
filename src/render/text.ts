import { fileQuestion, forwardQuestion, threadQuestion } from '../core/question/prompt.ts';
import { LIMITS } from './limits.ts';
import type { Say } from './say.ts';

/** An invisible character that is part of no word that Slack looks for. */
const ZERO_WIDTH_SPACE = '\u200B';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Escapes text so that Slack's mrkdwn shows it unchanged: each of the three control characters becomes an entity
 * exactly once. NUL becomes U+FFFD, as in Markdown.
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Stops `@here`, `@channel` and `@everyone` from notifying people, with an invisible character after the `@`. Slack
 * reads these bare words only where automatic parsing is on (`link_names`, `parse`, text objects without `verbatim`).
 * The app switches parsing off wherever it can, and this covers the rest. An address such as `me@here.org` stays
 * unchanged.
 */
export function defuseWords(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}_.+-])@(?=(?:here|channel|everyone)\b)/giu, `@${ZERO_WIDTH_SPACE}`);
}

/**
 * Removes the characters that reorder text on the screen (U+202A–202E, U+2066–2069), so that people read names and
 * sentences in the order of their characters. In code they stay, because it is shown byte for byte.
 */
export function withoutDirections(text: string): string {
  return text.replace(/[\u202A-\u202E\u2066-\u2069]/g, '');
}

/** Untrusted text as inert mrkdwn: shown as it is read, without notifications or links. */
export function inertMrkdwn(text: string): string {
  return escapeMrkdwn(defuseWords(withoutDirections(text))).replace(/^([^\S\n]*)&gt;/gm, `$1${ZERO_WIDTH_SPACE}&gt;`);
}

/** Untrusted text for `plain_text` objects, which parse nothing: one line without characters that control or reorder. */
export function oneLine(text: string): string {
  return withoutDirections(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/**
 * The largest end ≤ `limit` that does not split a grapheme cluster. At least one character for a text that is not
 * empty.
 */
export function graphemeEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  // A grapheme cluster is normally short, so 64 characters back are enough to find its beginning.
  const from = Math.max(0, limit - 64);
  let safeFrom = from;
  while (safeFrom > 0 && isLowSurrogate(text.charCodeAt(safeFrom))) safeFrom -= 1;
  let end = safeFrom;
  for (const { index, segment } of GRAPHEMES.segment(text.slice(safeFrom, limit + 64))) {
    const segmentEnd = safeFrom + index + segment.length;
    if (segmentEnd > limit) break;
    end = segmentEnd;
  }
  // The cluster is longer than that (stacked marks): cut anywhere but inside a surrogate pair.
  if (end <= from) end = isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
  return Math.max(end, Math.min(text.length, isLowSurrogate(text.charCodeAt(1)) ? 2 : 1));
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Cuts written mrkdwn to so many bytes of UTF-8, not inside an entity. */
export function withinBytes(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= bytes) return text;
  const begun = new TextDecoder().decode(encoded.subarray(0, bytes - 3)).replace(/\ufffd+$/, '');
  return `${begun.replace(/&[a-z]{0,4}$/, '')}…`;
}

/**
 * The best end ≤ `limit`: at a line, else a sentence, else a word, else between graphemes. At least half of `limit`.
 */
export function niceEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const window = text.slice(0, limit);
  const earliest = Math.floor(limit / 2);
  for (const pattern of [/\n/g, /[.!?。！？]["')\]]*\s/g, /\s/g]) {
    let best = 0;
    for (const match of window.matchAll(pattern)) best = match.index + match[0].length;
    if (best > earliest) return best;
  }
  return graphemeEnd(text, limit);
}

/** Cuts the text to `limit` characters including "…", at a word if one ends nearby. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const hard = graphemeEnd(text, limit - 1);
  const window = text.slice(0, hard);
  const space = window.search(/\s\S*$/u);
  return `${(space > limit / 2 ? window.slice(0, space) : window).trimEnd()}…`;
}

/**
 * Untrusted text as one line of inert mrkdwn with at most `limit` characters as written. It is cut before it is
 * escaped.
 */
export function inertCut(text: string, limit: number): string {
  const line = oneLine(text);
  let room = limit;
  let written = inertMrkdwn(cut(line, room));
  while (written.length > limit) {
    room = Math.floor((room * limit) / written.length);
    written = inertMrkdwn(cut(line, room));
  }
  return written;
}

/**
 * Splits text into pieces whose written form (`write`) has at most `limit` characters. The pieces contain the whole
 * text.
 */
export function pieces(text: string, limit: number, write: (piece: string) => string): string[] {
  const result: string[] = [];
  let rest = text;
  while (rest !== '') {
    let end = niceEnd(rest, limit);
    while (end > 1 && write(rest.slice(0, end)).length > limit) {
      end = niceEnd(rest, Math.floor((end * limit) / write(rest.slice(0, end)).length));
    }
    result.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return result;
}

/** The text of a question as people see it. Text that the app wrote itself is in the reader's language. */
export function shownText(text: string, { thread }: Say): string {
  switch (text) {
    case threadQuestion:
      return thread.question();
    case forwardQuestion:
      return thread.forwardQuestion();
    case fileQuestion:
      return thread.fileQuestion();
    default:
      return text;
  }
}

/** Names repositories in mrkdwn, in at most about `room` characters. Says how many others there are, of `total`. */
export function namesOf(
  repositories: readonly string[],
  room: number,
  { words }: Say,
  total = repositories.length,
): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of repositories) {
    const written = `\`${inertCut(name.replaceAll('`', "'"), Math.floor(room / 2))}\``;
    length += written.length + 2;
    if (length > room && shown.length > 0) break;
    shown.push(written);
  }
  const left = Math.max(total, repositories.length) - shown.length;
  return left === 0 ? shown.join(', ') : `${shown.join(', ')} ${words.andMore(left)}`;
}

/**
 * A time as Slack's date token, which each reader sees in their time zone; UTC for clients that can't. `url`: the link
 * target.
 */
export function slackTime(atMs: number, url?: string): string {
  return slackDate(atMs, '{time}', new Date(atMs).toISOString().slice(11, 16), url);
}

/** A day and time as Slack's date token. `url`: the link target. */
export function slackDayTime(atMs: number, { words }: Say, url?: string): string {
  const utc = new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  return slackDate(atMs, words.dayAndTime('{date_short_pretty}', '{time}'), utc, url);
}

function slackDate(atMs: number, format: string, utc: string, url?: string): string {
  const safe = url === undefined ? undefined : safeUrl(url);
  const link = safe === undefined ? '' : `^${escapeMrkdwn(safe)}`;
  return `<!date^${Math.floor(atMs / 1000)}^${format}${link}|${utc} UTC>`;
}

/**
 * Returns the address if it may be linked: http, https or mailto, without characters that could end Slack's link
 * syntax. Undefined for all others (`javascript:`, `file:`, relative, too long); callers show them as text.
 */
export function safeUrl(url: string): string | undefined {
  if (!/^(?:https?:\/\/[^\s/]|mailto:[^\s])/iu.test(url)) return undefined;
  const encoded = url.replace(/[\s<>|"`\\^{}\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (character) =>
    encodeURIComponent(character),
  );
  return escapeMrkdwn(encoded).length > LIMITS.url ? undefined : encoded;
}

/**
 * Slack's address of a message, in the form of `chat.getPermalink`. `workspaceUrl` is the workspace's address and ends
 * with a slash.
 */
export function permalink(
  workspaceUrl: string,
  { channelId, ts, threadTs }: { channelId: string; ts: string; threadTs?: string | undefined },
): string {
  const inThread = threadTs === undefined || threadTs === ts ? '' : `?thread_ts=${threadTs}&cid=${channelId}`;
  return `${workspaceUrl}archives/${channelId}/p${ts.replace('.', '')}${inThread}`;
}

/** A link in Slack's mrkdwn. An address that can't be linked is shown next to its label. */
export function mrkdwnLink(url: string, label: string): string {
  const shown = linkLabel(label);
  const safe = safeUrl(url);
  if (safe === undefined) return shown === '' ? linkLabel(url) : `${shown} (${linkLabel(url)})`;
  return `<${escapeMrkdwn(safe)}|${shown === '' ? linkLabel(url) : shown}>`;
}

/** Replaces pipes by a similar character, because a pipe would end the address and begin the label. */
function linkLabel(label: string): string {
  return escapeMrkdwn(defuseWords(oneLine(label))).replaceAll('|', '\u2758');
}
