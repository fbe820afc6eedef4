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

export function renderCode(code: string, language = ''): Html {
  return html`<pre tabindex="0">${language !== '' && html`<span class="language">${language}</span>`}<code>${code}</code></pre>`;
}

export function renderMention(id: string, { nameOf, person }: Reader): Html {
  return html`<span class="mention${id === person && ' me'}">@${nameOf(id) ?? id}</span>`;
}

export function renderChannel(id: string, { nameOf, origin }: Reader): Html {
  const name = nameOf(id);
  if (name === undefined) return html`<span class="mention">a private channel</span>`;
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
