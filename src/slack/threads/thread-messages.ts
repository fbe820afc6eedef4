import { z } from 'zod';
import type { MessageFile } from '../../core/question/thread-notes.ts';
import { hasSourcesLine } from '../../render/answer.ts';
import type { Identity } from '../api/identity.ts';
import { readableText } from '../incoming-text.ts';
import { mostFilesNoted } from '../settings.ts';
import { richText } from './rich-text.ts';

const someText = z.string().transform(readableText).catch('');
const maybeText = z.string().min(1).transform(readableText).optional().catch(undefined);

/** What is read of a file (docs.slack.dev/reference/objects/file-object). */
const fileObject = z.object({
  id: z.string().min(1),
  name: maybeText,
  title: maybeText,
  mimetype: someText,
  filetype: someText,
  mode: someText,
  size: z.number().nonnegative().catch(0),
  is_external: z.boolean().catch(false),
  file_access: z.string().catch('visible'),
  url_private: maybeText,
});

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

/** What is read of a message of `conversations.replies`. All other fields may be missing or odd. */
const messageObject = z.object({
  ts: z.string().regex(/^\d{1,12}\.\d{1,6}$/),
  user: maybeText,
  bot_id: maybeText,
  username: maybeText,
  bot_profile: z.object({ name: maybeText }).optional().catch(undefined),
  subtype: maybeText,
  text: someText,
  reply_count: z.number().optional().catch(undefined),
  blocks: listOf(blockObject),
  attachments: listOf(attachmentObject),
  files: z.unknown().optional(),
});

type MessageObject = z.infer<typeof messageObject>;

/** The author of a message: a person by id, or a program by name. */
export type Author = { userId: string } | { program: string } | 'app';

/** One message of a thread that can be quoted. */
export interface ThreadMessage {
  ts: string;
  author: Author;
  /** In Slack's own markup. */
  text: string;
  files: MessageFile[];
}

/** A page of a thread: messages to quote, oldest first, and the number of replies that Slack counts. */
export interface ThreadPage {
  messages: ThreadMessage[];
  replyCount?: number;
}

/** Subtypes of messages that people or programs wrote. Joins, new topics and deleted messages are not among them. */
const spokenSubtypes = new Set([undefined, 'file_share', 'thread_broadcast', 'bot_message', 'me_message']);

/** Reads messages as Slack returns them. The app's own cards are left out, because they do not quote the subject. */
export function readPage(raw: readonly unknown[], identity: Identity): ThreadPage {
  const known = raw.flatMap((each) => {
    const parsed = messageObject.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
  const replyCount = known[0]?.reply_count;
  const messages = known.flatMap((message) => {
    if (!spokenSubtypes.has(message.subtype)) return [];
    const author = authorOf(message, identity);
    if (author === 'app' && isCard(message)) return [];
    const text = textOf(message, author);
    const files = readFiles(message.files);
    return text === '' && files.length === 0 ? [] : [{ ts: message.ts, author, text, files }];
  });
  return { messages, ...(replyCount === undefined ? {} : { replyCount }) };
}

/** What a message says, in Slack's own markup: its text, or what its blocks and attachments say. */
export function readWords(raw: unknown, identity: Identity): string {
  const parsed = messageObject.safeParse(raw);
  return parsed.success ? textOf(parsed.data, authorOf(parsed.data, identity)) : '';
}

/** The files of a message or an event; `url` only for those whose content is text that the app may read. */
export function readFiles(raw: unknown): MessageFile[] {
  return listOf(fileObject)
    .parse(raw)
    .slice(0, mostFilesNoted)
    .filter(({ mode }) => mode !== 'tombstone')
    .map((file) => ({
      id: file.id,
      name: file.name ?? file.title ?? file.id,
      type: file.mimetype,
      bytes: file.size,
      ...(file.url_private !== undefined && isReadable(file) ? { url: file.url_private } : {}),
    }));
}

function isReadable(file: z.infer<typeof fileObject>): boolean {
  if (file.is_external || file.mode === 'external' || file.mode === 'hidden_by_limit') return false;
  if (file.file_access !== 'visible') return false;
  return file.mode === 'snippet' || textTypes.test(file.mimetype) || textFiletypes.has(file.filetype);
}

const textTypes =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|sql|graphql|javascript|typescript|x-(?:sh|python|ruby|perl|php|sql|ndjson|diff|patch|javascript|typescript|tex|yaml))(?:;|$))/i;

/** Slack's own names for kinds of text (docs.slack.dev/reference/objects/file-object, "File types"). */
const textFiletypes = new Set(
  `text apache applescript boxnote c clojure coffeescript cpp csharp css csv d dart diff dockerfile erlang fortran fsharp go
groovy handlebars haskell haxe html java javascript json julia kotlin latex lisp log lua markdown matlab mumps objc ocaml
pascal perl php pig powershell puppet python r ruby rust sass scala scheme shell smalltalk sql swift toml tsv typescript
vb vbscript velocity verilog vhdl xml yaml`.split(/\s+/),
);

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

/** A list without its unreadable entries. */
function listOf<Shape extends z.ZodType>(shape: Shape) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((item) => {
        const parsed = shape.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}
