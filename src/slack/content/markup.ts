import type { Identity } from '../api/identity.ts';
import { withEmoji } from './emoji.ts';

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
