import { randomBytes } from 'node:crypto';
import type { SlackBlock } from './messages.ts';
import { escaped, richTextOf, unescaped } from './mrkdwn.ts';

/** How people's names and channels' names become ids. */
export interface Names {
  personOf: (name: string) => string | undefined;
  channelOf: (name: string) => string | undefined;
}

const everybody = new Set(['here', 'channel', 'everyone']);

const code = /```[\s\S]*?```|`[^`\n]+`/g;
const token = /(https?:\/\/[^\s<>|]+)|(?<![\w@])@([\w.-]*\w)|(?<![\w#])#([\w-]+)/g;

/** The text of a message as Slack stores it, and its `rich_text` block, from what a person types. */
export function written(typed: string, names: Names): { text: string; blocks?: SlackBlock[] } {
  if (typed.trim() === '') return { text: '' };
  const linked = (plain: string) =>
    escaped(plain).replaceAll(token, (all, url: string | undefined, name?: string, channel = '') => {
      if (url !== undefined) return `<${url}>`;
      if (name !== undefined && everybody.has(name)) return `<!${name}>`;
      const id = name === undefined ? names.channelOf(channel) : names.personOf(name);
      if (id === undefined) return all;
      return name === undefined ? `<#${id}|${channel}>` : `<@${id}>`;
    });
  let text = '';
  let end = 0;
  for (const { 0: piece, index } of typed.matchAll(code)) {
    text += linked(typed.slice(end, index)) + escaped(piece);
    end = index + piece.length;
  }
  text += linked(typed.slice(end));
  const block = { type: 'rich_text', block_id: randomBytes(3).toString('base64url') };
  return { text, blocks: [{ ...block, elements: richTextOf(text, { withLists: true }) }] };
}

/** What a person would type for a stored text. */
export function typed(text: string, nameOf: (id: string) => string): string {
  return unescaped(
    text.replaceAll(/<([^<>]+)>/g, (_, inner: string) => {
      const [target = '', label] = inner.split('|');
      if (target.startsWith('@')) return `@${nameOf(target.slice(1))}`;
      if (target.startsWith('#')) return `#${label || nameOf(target.slice(1))}`;
      return target.startsWith('!') ? `@${target.slice(1)}` : target;
    }),
  );
}
