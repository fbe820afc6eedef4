import { nameToEmoji } from 'gemoji';
import { type Html, html } from './html.ts';

/** For whom a page is rendered. */
export interface Reader {
  person: string;
  /** The channel that is open. */
  channel: string;
  /** Of a person, an app, a channel or a group of people; undefined for an unknown id. */
  nameOf(id: string): string | undefined;
  /** The entries of a menu that Slack fills: `kind` is `users`, `channels` or `conversations`. */
  choicesOf(kind: string, include: readonly string[]): readonly { id: string; name: string }[];
  locale: string;
  /** Absent: that of this machine, which the reader's browser has too. */
  timeZone?: string;
  nowMs: number;
  /** The address of the workspace; links to it stay in the tab. */
  origin: string;
}

/** Slack's mrkdwn as HTML. Each pattern reads the text once, from mark to mark, so that hostile text takes linear time. */
export function renderMrkdwn(mrkdwn: string, reader: Reader): Html {
  const parts = mrkdwn.replaceAll('\0', '').split('```');
  // A fence without an end is text.
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join('```'));
  return html`${parts.map((part, index) => {
    const inner = index > 0 && part.startsWith('\n') ? part.slice(1) : part;
    const trimmed = index < parts.length - 1 && inner.endsWith('\n') ? inner.slice(0, -1) : inner;
    return index % 2 === 1 ? renderCode(unescaped(trimmed)) : renderLines(trimmed, reader);
  })}`;
}

export function renderCode(code: string, language = ''): Html {
  return html`<pre tabindex="0">${language !== '' && html`<span class="language">${language}</span>`}<code>${code}</code></pre>`;
}

/** Lines that begin with `>` are quoted; the others keep their ends. */
function renderLines(text: string, reader: Reader): Html {
  const groups: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const [marker] = /^(?:>|&gt;) ?/.exec(line) ?? [];
    const last = groups.at(-1);
    const rest = line.slice(marker?.length ?? 0);
    if (last !== undefined && last.quoted === (marker !== undefined)) last.lines.push(rest);
    else groups.push({ quoted: marker !== undefined, lines: [rest] });
  }
  return html`${groups.map(({ quoted, lines }) => {
    const inner = renderInline(lines.join('\n'), reader);
    return quoted ? html`<blockquote>${inner}</blockquote>` : inner;
  })}`;
}

const atoms = /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]{1,60}):(?::skin-tone-([2-6]):)?/g;
const emphasis: readonly [RegExp, (inner: Html) => Html][] = [
  [/(?<![\p{L}\p{N}*])\*(?![\s*])([^*\n]+)(?<!\s)\*(?![\p{L}\p{N}*])/gu, (inner) => html`<strong>${inner}</strong>`],
  [/(?<![\p{L}\p{N}_])_(?![\s_])([^_\n]+)(?<!\s)_(?![\p{L}\p{N}_])/gu, (inner) => html`<em>${inner}</em>`],
  [/(?<![\p{L}\p{N}~])~(?![\s~])([^~\n]+)(?<!\s)~(?![\p{L}\p{N}~])/gu, (inner) => html`<s>${inner}</s>`],
];

/** Code, tokens and emoji, then emphasis around them. What is rendered waits under a number, so that no pattern reads it. */
function renderInline(text: string, reader: Reader): Html {
  const rendered: Html[] = [];
  const keep = (inner: Html) => `\0${rendered.push(inner) - 1}\0`;
  const format = (part: string): Html => {
    const marked = emphasis.reduce(
      (rest, [pattern, wrap]) => rest.replace(pattern, (_, inner: string) => keep(wrap(format(inner)))),
      part,
    );
    return html`${marked.split('\0').map((piece, index) => (index % 2 === 1 ? rendered[Number(piece)] : unescaped(piece)))}`;
  };
  return format(
    text.replace(atoms, (typed: string, code?: string, token?: string, emoji = '', tone?: string) => {
      if (code !== undefined) return keep(html`<code>${unescaped(code)}</code>`);
      if (token !== undefined) return keep(renderToken(token, reader));
      const known = emojiOf(emoji, tone);
      return known === undefined ? typed : keep(html`${known}`);
    }),
  );
}

/** What stands between `<` and `>`: a mention, a date or a link. */
export function renderToken(token: string, reader: Reader): Html {
  const bar = token.indexOf('|');
  const target = bar < 0 ? token : token.slice(0, bar);
  const label = bar < 0 ? '' : unescaped(token.slice(bar + 1));
  const [, kind = '', id = ''] = /^([@#]|!subteam\^)([A-Z0-9]+)$/.exec(target) ?? [];
  if (kind === '#') return renderChannel(id, label, reader);
  if (kind !== '') return renderMention(id, label.replace(/^@/, ''), reader);
  if (/^!(?:here|channel|everyone)$/.test(target)) return html`<span class="mention me">@${target.slice(1)}</span>`;
  const [, seconds, format, url] = /^!date\^(\d{1,11})\^([^^]+)(?:\^(.+))?$/.exec(target) ?? [];
  if (seconds !== undefined && format !== undefined) {
    const time = html`<time>${renderDate(Number(seconds), format, reader)}</time>`;
    return url === undefined ? time : renderLink(unescaped(url), time, reader);
  }
  if (/^(?:https?:\/\/|mailto:)/i.test(target)) return renderLink(unescaped(target), label, reader);
  return html`${`<${unescaped(token)}>`}`;
}

export function renderMention(id: string, label: string, { nameOf, person }: Reader): Html {
  return html`<span class="mention${id === person && ' me'}">@${nameOf(id) ?? (label || id)}</span>`;
}

export function renderChannel(id: string, label: string, { nameOf, origin }: Reader): Html {
  const name = nameOf(id) ?? label;
  if (name === '') return html`<span class="mention">a private channel</span>`;
  return html`<a class="mention" href="${origin}/archives/${id}">#${name}</a>`;
}

/** A link opens its own tab, unless it leads to a place in this workspace. Other schemes than the web's are text. */
export function renderLink(url: string, label: Html | string, { origin }: Reader): Html {
  const shown = label === '' ? url : label;
  if (!/^(?:https?:\/\/|mailto:)/i.test(url)) return html`${shown}`;
  if (url.startsWith(`${origin}/archives/`)) return html`<a href="${url}">${shown}</a>`;
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${shown}</a>`;
}

const dateForms: Record<string, Intl.DateTimeFormatOptions> = {
  date: { dateStyle: 'long' },
  date_short: { dateStyle: 'medium' },
  date_long: { dateStyle: 'full' },
  time: { timeStyle: 'short' },
  time_secs: { timeStyle: 'medium' },
};

/** Slack's format of dates (docs.slack.dev/messaging/formatting-message-text), in the reader's language and time zone. */
export function renderDate(seconds: number, format: string, { locale, timeZone, nowMs }: Reader): string {
  const date = new Date(seconds * 1000);
  const dayOf = (at: Date | number): string => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
  const daysFromNow = (Date.parse(dayOf(date)) - Date.parse(dayOf(nowMs))) / 86_400_000;
  return format.replace(/\{(\w+?)(_pretty)?\}/g, (all, name: string, pretty?: string) => {
    if (name === 'date_num') return dayOf(date);
    const form = dateForms[name];
    if (form === undefined) return all;
    if (pretty !== undefined && Math.abs(daysFromNow) <= 1)
      return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(daysFromNow, 'day');
    return new Intl.DateTimeFormat(locale, { ...form, timeZone }).format(date);
  });
}

/** The characters of an emoji by Slack's name; undefined for one that only a workspace has. `tone`: 2 to 6. */
export function emojiOf(name: string, tone?: string | number): string | undefined {
  // Slack's names are GitHub's, with a prefix for flags and large shapes.
  const emoji = nameToEmoji[name] ?? nameToEmoji[name.replace(/^(?:large_|flag-)/, '')];
  if (emoji === undefined || tone === undefined) return emoji;
  return emoji.replace('\u{FE0F}', '') + String.fromCodePoint(0x1f3f9 + Number(tone));
}

/** A plain text, whose emoji may be names. */
export function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+'-]{1,60}):/g, (typed: string, name: string) => emojiOf(name) ?? typed);
}

/** Slack escapes these three characters, and no others. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
