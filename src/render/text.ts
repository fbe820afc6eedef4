/** Invisible, and no part of any word Slack looks for. */
const ZERO_WIDTH_SPACE = '\u200B';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Writes text so that Slack's mrkdwn shows it as it is: the three control characters as entities, each exactly once, and
 * U+FFFD for NUL, as Markdown has it.
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Takes the ping out of `@here`, `@channel` and `@everyone` by an invisible character after the `@`. Slack reads these
 * bare words only where automatic parsing is on (`link_names`, `parse`, text objects without `verbatim`); we switch it
 * off wherever it can be switched, and this covers the rest. An address such as `me@here.org` stays as it is.
 */
export function defuseWords(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}_.+-])@(?=(?:here|channel|everyone)\b)/giu, `@${ZERO_WIDTH_SPACE}`);
}

/** Untrusted text as inert mrkdwn: shown as it is, pings nobody, links nowhere. */
export function inertMrkdwn(text: string): string {
  return escapeMrkdwn(defuseWords(text)).replace(/^([^\S\n]*)&gt;/gm, `$1${ZERO_WIDTH_SPACE}&gt;`);
}

/** Untrusted text for `plain_text` objects, which parse nothing: one line, no control characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

/** The longest end ≤ `limit` that does not divide a grapheme cluster; at least one character for a text that is not empty. */
export function graphemeEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  // A cluster is short in honest text: looking back a little finds its beginning without reading the whole text.
  const from = Math.max(0, limit - 64);
  let safeFrom = from;
  while (safeFrom > 0 && isLowSurrogate(text.charCodeAt(safeFrom))) safeFrom -= 1;
  let end = safeFrom;
  for (const { index, segment } of GRAPHEMES.segment(text.slice(safeFrom, limit + 64))) {
    const segmentEnd = safeFrom + index + segment.length;
    if (segmentEnd > limit) break;
    end = segmentEnd;
  }
  // A cluster longer than what we looked at (stacked marks): any end will do that keeps surrogate pairs whole.
  if (end <= from) end = isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
  return Math.max(end, Math.min(text.length, isLowSurrogate(text.charCodeAt(1)) ? 2 : 1));
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The longest end ≤ `limit` at a line, else a sentence, else a word, else between graphemes; at least half of `limit`. */
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

/** Cuts to `limit` including the "…" that says so, at a word where one ends near. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const hard = graphemeEnd(text, limit - 1);
  const window = text.slice(0, hard);
  const space = window.search(/\s\S*$/u);
  return `${(space > limit / 2 ? window.slice(0, space) : window).trimEnd()}…`;
}

/** Untrusted text as one line of inert mrkdwn of at most `limit` written characters, cut before it is escaped. */
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

/** Divides text into pieces whose written form (`write`) is at most `limit` long; nothing is lost between them. */
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
