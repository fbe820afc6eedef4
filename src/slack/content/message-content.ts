import { z } from 'zod';
import type { ForwardedMessage, MessageFile } from '../../core/question/thread-notes.ts';
import { hasSourcesLine } from '../../render/answer.ts';
import type { Identity } from '../api/identity.ts';
import { listOf, maybeText, someText } from './fields.ts';
import { readFiles } from './files.ts';
import { readableText } from './incoming-text.ts';
import { richText } from './rich-text.ts';

const textObject = z.object({ text: someText });

const blockObject = z.object({
  type: someText,
  block_id: maybeText,
  /** A string in `markdown` blocks, an object in the others. */
  text: z.union([z.string(), textObject]).optional().catch(undefined),
  fields: listOf(textObject),
  /** Of `rich_text` blocks. */
  elements: z.unknown().optional(),
});

const attachmentObject = z.object({ pretext: someText, title: someText, text: someText, fallback: someText });

/** What is read of a message, as events, `conversations.history` and shortcuts have it. Every field may be missing or odd. */
const messageObject = z.object({
  user: maybeText,
  bot_id: maybeText,
  username: maybeText,
  bot_profile: z.object({ name: maybeText }).optional().catch(undefined),
  text: someText,
  blocks: listOf(blockObject),
  attachments: listOf(attachmentObject),
  files: z.unknown().optional(),
});

type MessageObject = z.infer<typeof messageObject>;

/** The author of a message: a person by id, or a program by name. */
export type Author = { userId: string } | { program: string } | 'app';

/** What a message contains. */
export interface MessageContent {
  author: Author;
  /**
   * What its author wrote, in Slack's own markup. Only this text decides what is asked: a `<@…>` in it is a mention, the
   * app's own always by its user id, and what stands in code has no tokens. Empty for a bare forward or file.
   */
  text: string;
  /** Messages that its author passed on: other people's words, so nothing in them is obeyed. Texts are Slack's markup. */
  forwards: ForwardedMessage[];
  /** The files of the message and of what it forwards. */
  files: MessageFile[];
}

/**
 * Reads a message, as an event, a shortcut or a list of messages has it. The only reader of what messages contain.
 * Undefined for what is no message, and for a card of the app, which quotes only the question.
 */
export function readContent(raw: unknown, identity: Identity): MessageContent | undefined {
  const parsed = messageObject.safeParse(raw);
  if (!parsed.success) return undefined;
  const author = authorOf(parsed.data, identity);
  if (author === 'app' && isCard(parsed.data)) return undefined;
  return { author, text: textOf(parsed.data, author), forwards: [], files: readFiles(parsed.data.files) };
}

/** All texts of a message as one text in Slack's own markup, with what it forwards as quotes that name their source. */
export function wholeText({ text, forwards }: Pick<MessageContent, 'text' | 'forwards'>): string {
  return [text, ...forwards.map(quotedForward)].filter((part) => part !== '').join('\n');
}

function quotedForward({ from, channel, ts, url, text }: ForwardedMessage): string {
  const source = [
    `from ${from}`,
    ...(channel === undefined ? [] : [`in #${channel}`]),
    ...(ts === undefined ? [] : [`at ${new Date(Number(ts) * 1000).toISOString().slice(0, 16)}Z`]),
    ...(url === undefined ? [] : [url]),
  ].join(' ');
  return `Forwarded message ${source}:\n${text.replace(/^/gm, '&gt; ')}`;
}

function authorOf({ user, bot_id: botId, bot_profile: profile, username }: MessageObject, identity: Identity): Author {
  if (user === identity.botUserId || (botId !== undefined && botId === identity.botId)) return 'app';
  if (botId !== undefined || user === undefined) return { program: profile?.name ?? username ?? 'a program' };
  return { userId: user };
}

function isCard({ blocks }: MessageObject): boolean {
  return blocks.some(({ block_id: id }) => /^ds:q[0-9a-f]{24}:card(?::|$)/.test(id ?? ''));
}

/**
 * What people write is in `text`. Programs often leave `text` empty, or put only the beginning of their blocks there. A
 * forwarded message is an attachment.
 */
function textOf({ text, blocks, attachments }: MessageObject, author: Author): string {
  if (typeof author === 'object' && 'userId' in author && text !== '') return text;
  const words = blocks.slice(0, endOfAnswer(blocks, author)).map((block) => {
    if (block.type === 'context') return '';
    if (block.type === 'rich_text') return readableText(richText(block.elements));
    return [ownText(block), ...block.fields.map((field) => field.text)].filter((part) => part !== '').join('\n');
  });
  const beside = attachments.map((each) =>
    each.text === '' && each.title === ''
      ? each.fallback
      : [each.pretext, each.title, each.text].filter((part) => part !== '').join('\n'),
  );
  const said = [...words, ...beside].filter((part) => part !== '').join('\n');
  return said.length > text.length ? said : text;
}

/** What the app writes below the text and the sources of an answer: follow-ups, the footer with the marker, votes. */
const belowSources = new Set(['actions', 'context', 'context_actions']);

/**
 * An answer of the app ends above its sources. Earlier versions wrote a divider and then several sections. Other dividers
 * are lines within the answer.
 */
function endOfAnswer(blocks: MessageObject['blocks'], author: Author): number {
  if (author !== 'app') return blocks.length;
  const last = blocks.findLastIndex(({ type }) => !belowSources.has(type));
  const sources = blocks[last];
  if (sources?.type === 'section' && hasSourcesLine(ownText(sources))) return last;
  const above = blocks.findLastIndex(({ type }, index) => index <= last && type !== 'section');
  return blocks[above]?.type === 'divider' ? above : blocks.length;
}

function ownText({ text = '' }: MessageObject['blocks'][number]): string {
  return typeof text === 'object' ? text.text : text;
}
