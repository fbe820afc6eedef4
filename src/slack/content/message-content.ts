import { z } from 'zod';
import type { ForwardedMessage, MessageFile } from '../../core/question/thread-notes.ts';
import { isSourcesLine } from '../../render/answer.ts';
import type { Identity } from '../api/slack-api.ts';
import { mostFilesNoted } from '../settings.ts';
import {
  canonical,
  escaped,
  isApp,
  linked,
  listOf,
  maybeText,
  mentions,
  readableText,
  someText,
  timestamp,
} from './incoming-text.ts';
import { filesIn, type Reading, richText } from './rich-text.ts';

/** A text as blocks have it: a bare string, or an object. */
const blockText = z
  .union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)])
  .transform(readableText)
  .catch('');

const cellObject = z.object({
  type: someText,
  text: blockText,
  value: z.unknown().optional(),
  elements: z.unknown().optional(),
});

/** What is read of a block. All other fields may be missing or odd. */
const blockObject = z.object({
  type: someText,
  block_id: maybeText,
  text: blockText,
  title: blockText,
  subtitle: blockText,
  body: blockText,
  description: blockText,
  alt_text: blockText,
  title_url: maybeText,
  fields: listOf(blockText),
  rows: z.unknown().optional(),
  elements: z.unknown().optional(),
});

type Block = z.infer<typeof blockObject>;

/** A context block has texts and pictures. */
const contextElement = z.object({ type: someText, text: blockText, alt_text: blockText });

/** Blocks whose words are labels of what can be pressed or typed. */
const unread = new Set(['actions', 'context_actions', 'input', 'divider']);

/** What blocks say, in Slack's markup. */
function blocksText(blocks: readonly Block[], reading: Reading): string {
  return blocks
    .map((block) => blockWords(block, reading))
    .filter((words) => words !== '')
    .join('\n');
}

/** The files that stand in the text of blocks. */
function filesOfBlocks(blocks: readonly Block[]): Record<string, unknown>[] {
  return blocks
    .filter(({ type }) => type === 'rich_text')
    .flatMap(({ elements }) => filesIn(elements).map(fileOfElement));
}

function contextElements({ elements }: Pick<Block, 'elements'>) {
  return listOf(contextElement).parse(elements);
}

function blockWords(block: Block, reading: Reading): string {
  if (unread.has(block.type)) return '';
  switch (block.type) {
    case 'rich_text':
      return readableText(richText(block.elements, reading));
    case 'markdown':
      return escaped(block.text);
    case 'context':
      return contextElements(block)
        .map(({ type, text, alt_text: alt }) => (type === 'image' ? alt : canonical(text, reading.identity)))
        .filter((words) => words !== '')
        .join(' ');
    case 'image':
    case 'video':
      return picture(block);
    case 'table':
    case 'data_table':
      return table(block.rows, reading);
    default: {
      const { text, title, subtitle, body, description, fields } = block;
      return [title, subtitle, text, body, description, ...fields]
        .filter((words) => words !== '')
        .map((words) => canonical(words, reading.identity))
        .join('\n');
    }
  }
}

/** A picture can't be read; what is written about it can. */
function picture({ type, title, alt_text: alt, title_url: url }: Block): string {
  const words = title || alt;
  const named = url === undefined ? words : linked(url, words);
  return named === '' ? '' : `(${type === 'image' ? 'image' : 'video'}: ${named})`;
}

/** A table in Markdown. Its first row is the header, which people mark only by bold text. */
function table(rows: unknown, reading: Reading): string {
  const lines = listOf(z.array(z.unknown()).transform((cells) => listOf(cellObject).parse(cells)))
    .parse(rows)
    .map((cells) => `| ${cells.map((cell) => cellText(cell, reading)).join(' | ')} |`);
  const [header, ...others] = lines;
  if (header === undefined) return '';
  const columns = Math.max(1, header.split(/(?<!\\)\|/).length - 2);
  return [header, `|${' --- |'.repeat(columns)}`, ...others].join('\n');
}

/** The shown text of a cell, or its value. A bar or a line's end would end the cell. */
function cellText({ type, text, value, elements }: z.infer<typeof cellObject>, reading: Reading): string {
  const words = type === 'rich_text' ? richText(elements, reading) : escaped(text === '' ? simpleValue(value) : text);
  return readableText(words)
    .replace(/\\(?=\|)|\|/g, '\\$&')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function simpleValue(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** What is read of an attachment: a forward, the alert of a program, a table, or the preview of a link. */
const attachmentObject = z.object({
  is_share: z.boolean().catch(false),
  is_msg_unfurl: z.boolean().catch(false),
  is_app_unfurl: z.boolean().catch(false),
  from_url: maybeText,
  original_url: maybeText,
  app_unfurl_url: maybeText,
  ts: timestamp.optional().catch(undefined),
  channel_name: maybeText,
  author_id: maybeText,
  author_name: maybeText,
  author_subname: maybeText,
  author_link: maybeText,
  bot_id: maybeText,
  pretext: someText,
  title: someText,
  title_link: maybeText,
  text: someText,
  footer: someText,
  fallback: someText,
  fields: listOf(z.object({ title: someText, value: someText })),
  blocks: listOf(blockObject),
  message_blocks: listOf(z.object({ message: z.object({ blocks: listOf(blockObject) }) })),
  files: z.unknown().optional(),
  attachments: z.unknown().optional(),
});

type AttachmentObject = z.infer<typeof attachmentObject>;

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
   * What its author wrote, in Slack's own markup. Only this text decides what is asked. Every `<@…>` in it is a mention. The app is
   * always mentioned by its user id. Code never has the app's token. Empty for a bare forward or file.
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
  const { text, blocks, attachments, files } = parsed.data;
  const reading: Reading = { identity, labels: labelsIn(text) };
  const attachedFiles: unknown[] = [];
  const forwards = forwardsIn(attachments, reading, attachedFiles);
  const own = [ownText(parsed.data, author, reading), attachedText(attachments, reading)];
  return {
    author,
    text: own.filter((part) => part !== '').join('\n'),
    forwards: bounded(forwards),
    files: readFiles([...(Array.isArray(files) ? files : []), ...attachedFiles, ...filesOfBlocks(blocks)]),
  };
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
 * Blocks have what people see: they tell code, lists and emoji apart, and `text` may leave out much of that. Programs put
 * anything in `text`: a copy, the beginning, or more than their blocks say.
 */
function ownText({ text, blocks }: MessageObject, author: Author, reading: Reading): string {
  const said = canonical(withoutPlaceholder(text), reading.identity);
  const isPerson = typeof author === 'object' && 'userId' in author;
  const read =
    isPerson && said !== ''
      ? blocks.filter(({ type }) => ofPeople.has(type))
      : blocks.slice(0, endOfAnswer(blocks, author));
  const words = blocksText(read, reading);
  if (words === '') return said;
  // If only `text` mentions the app, `text` is read, because the app must reply to every mention.
  if (isPerson) return mentionsApp(said, reading) && !mentionsApp(words, reading) ? said : words;
  return words.length > said.length ? words : said;
}

function mentionsApp(text: string, { identity }: Reading): boolean {
  return mentions(text, identity.botUserId);
}

/** The blocks that people's own messages have. Apps that post for a person add others. */
const ofPeople = new Set(['rich_text', 'table', 'data_table', 'markdown']);

/** What programs and people attach beside the text: alerts, tables. Previews of links are no words of the author. */
function attachedText(attachments: readonly AttachmentObject[], reading: Reading): string {
  return attachments
    .filter((attachment) => !attachment.is_share && !isPreview(attachment))
    .map((attachment) => wordsOf(attachment, reading))
    .filter((words) => words !== '')
    .join('\n');
}

function isPreview({
  is_msg_unfurl,
  is_app_unfurl,
  from_url,
  original_url,
  app_unfurl_url,
}: AttachmentObject): boolean {
  return is_msg_unfurl || is_app_unfurl || (from_url ?? original_url ?? app_unfurl_url) !== undefined;
}

/** What an attachment says: its blocks and its fields, or else its fallback. */
function wordsOf(attachment: AttachmentObject, reading: Reading): string {
  const { pretext, title, title_link: link, text, fields, footer, fallback } = attachment;
  const { identity } = reading;
  const read = (words: string): string => canonical(withoutPlaceholder(words), identity);
  const words = [
    blocksText(attachment.blocks, reading),
    read(pretext),
    link === undefined || title === '' ? read(title) : linked(link, title),
    read(text),
    ...fields.map((field) => [read(field.title), read(field.value)].filter((part) => part !== '').join(': ')),
    read(footer),
  ].filter((part) => part !== '');
  return words.length > 0 ? words.join('\n') : read(fallback);
}

/** Most messages that are read of what one message forwards, and how deep forwards of forwards are. */
const mostForwards = 10;
const deepestForward = 3;
/** Most characters of all that one message forwards. */
const forwardsRoom = 12_000;

/** What a message forwards, each before what it forwards itself. Their files are added to `files`. */
function forwardsIn(
  attachments: readonly AttachmentObject[],
  reading: Reading,
  files: unknown[],
  depth = 0,
): ForwardedMessage[] {
  if (depth >= deepestForward) return [];
  return attachments.flatMap((attachment) => {
    if (!attachment.is_share || isApp(attachment.author_id ?? attachment.bot_id, reading.identity)) return [];
    const nested = listOf(attachmentObject).parse(attachment.attachments);
    files.push(...(Array.isArray(attachment.files) ? attachment.files : []));
    return [forwarded(attachment, nested, reading, files), ...forwardsIn(nested, reading, files, depth + 1)];
  });
}

function forwarded(
  attachment: AttachmentObject,
  nested: readonly AttachmentObject[],
  reading: Reading,
  files: unknown[],
): ForwardedMessage {
  const { ts, from_url: url, channel_name: channel, message_blocks: copies } = attachment;
  const blocks = copies.flatMap(({ message }) => message.blocks);
  files.push(...filesOfBlocks([...blocks, ...attachment.blocks]));
  const words = [blocksText(blocks, reading), attachedText(nested, reading)].filter((part) => part !== '').join('\n');
  return {
    from: authorOfForward(attachment),
    text: words === '' ? wordsOf(attachment, reading) : words,
    channel,
    ts,
    url,
  };
}

function authorOfForward({ author_id: id, author_name: name, author_subname: subname }: AttachmentObject): string {
  const label = escaped(name ?? subname ?? '');
  if (id === undefined || !/^[A-Z0-9]+$/.test(id)) return label === '' ? 'someone' : label;
  return label === '' ? `<@${id}>` : `<@${id}|${label}>`;
}

/** As many forwards as fit. The last one is cut where it ends in the middle. */
function bounded(forwards: readonly ForwardedMessage[]): ForwardedMessage[] {
  let room = forwardsRoom;
  return forwards.slice(0, mostForwards).flatMap((forward) => {
    if (room <= 0) return [];
    const text = forward.text.length > room ? `${forward.text.slice(0, room)}…` : forward.text;
    room -= text.length;
    return [{ ...forward, text }];
  });
}

/** What Slack writes where it has no text. */
const placeholders = new Set(['[no preview available]', "This content can't be displayed."]);

function withoutPlaceholder(text: string): string {
  return placeholders.has(text.trim()) ? '' : text;
}

/** The names that tokens of a text give to channels and groups. */
function labelsIn(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/<(?:#|!subteam\^)([A-Z0-9]+)\|([^<>]+)>/g)].map(([, id = '', label = '']) => [id, label]),
  );
}

/** What the app writes below the text of an answer: sources with the footer and the marker, follow-ups, votes. */
const belowAnswer = new Set(['actions', 'context', 'context_actions']);

/** An answer of the app ends above its sources. */
function endOfAnswer(blocks: readonly Block[], author: Author): number {
  if (author !== 'app') return blocks.length;
  const last = blocks.findLastIndex(({ type }) => !belowAnswer.has(type));
  const below = contextElements(blocks[last + 1] ?? {});
  return below.some(({ text }) => isSourcesLine(text)) ? last + 1 : blocks.length;
}

/** What is read of a file (docs.slack.dev/reference/objects/file-object). */
const fileObject = z.object({
  id: z.string().min(1),
  name: maybeText,
  title: maybeText,
  mimetype: someText,
  filetype: someText,
  mode: someText,
  subtype: someText,
  size: z.number().nonnegative().catch(0),
  is_external: z.boolean().catch(false),
  file_access: z.string().catch('visible'),
  url_private: maybeText,
  /** The transcript of a clip, and its first words. */
  vtt: maybeText,
  transcription: z
    .object({
      status: someText,
      preview: z
        .object({ content: someText, has_more: z.boolean().catch(false) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** Of an e-mail. */
  subject: someText,
  plain_text: someText,
});

type FileObject = z.infer<typeof fileObject>;

/** Most characters that are read of a text that the message itself has of a file: of an e-mail or a transcript. */
const givenTextRoom = 8_000;

/**
 * The files of a message. `url` only for those whose content is text that the app may read. A file is listed once, also
 * if it stands in the text too. Deleted files are left out.
 */
export function readFiles(raw: unknown): MessageFile[] {
  const files = new Map<string, MessageFile>();
  for (const file of listOf(fileObject).parse(raw)) {
    if (isDeleted(file)) continue;
    const known = files.get(file.id);
    if (known === undefined || known.isUnknown === true) files.set(file.id, readFile(file));
  }
  return [...files.values()].slice(0, mostFilesNoted);
}

/** The file of a `file` or `canvas` element, which has its id and sometimes a name. */
function fileOfElement({ type, file_id: id, text }: Record<string, unknown>): Record<string, unknown> {
  return { id, title: text, ...(type === 'canvas' ? { mimetype: canvasType } : {}) };
}

function isDeleted({ mode, file_access: access }: FileObject): boolean {
  return mode === 'tombstone' || access === 'file_not_found';
}

function readFile(file: FileObject): MessageFile {
  const { id, name, title, mimetype, filetype, size } = file;
  const isCanvas = mimetype === canvasType || filetype === 'quip' || filetype === 'canvas';
  const shownName = isCanvas ? (title ?? name) : (name ?? title);
  const url = isReadable(file) ? (isClip(file) ? file.vtt : file.url_private) : undefined;
  const text = givenText(file);
  return {
    id,
    name: shownName ?? id,
    type: isCanvas ? canvasType : mimetype,
    bytes: size,
    url,
    ...(text === '' ? {} : { text }),
    ...(isUnknown(file) ? { isUnknown: true } : {}),
  };
}

const canvasType = 'application/vnd.slack-docs';

/** Slack gave only the id, or the transcript is not ready (docs.slack.dev/apis/slack-connect). */
function isUnknown(file: FileObject): boolean {
  if (file.file_access === 'check_file_info') return true;
  if (file.mode === '' && file.mimetype === '' && file.filetype === '' && file.url_private === undefined) return true;
  return isClip(file) && file.transcription?.status === 'processing';
}

function isClip({ subtype }: FileObject): boolean {
  return subtype === 'slack_audio' || subtype === 'slack_video';
}

/** What Slack tells of the content: of an e-mail all, of a clip the beginning. */
function givenText({ mode, subject, plain_text: text, transcription }: FileObject): string {
  if (mode === 'email')
    return [subject, text]
      .filter((part) => part !== '')
      .join('\n\n')
      .slice(0, givenTextRoom);
  if (transcription?.status !== 'complete' || transcription.preview === undefined) return '';
  const { content, has_more: hasMore } = transcription.preview;
  return `${content.slice(0, givenTextRoom)}${content !== '' && hasMore ? '…' : ''}`;
}

function isReadable(file: FileObject): boolean {
  if (file.is_external || file.mode === 'external' || file.mode === 'hidden_by_limit') return false;
  if (file.file_access !== 'visible') return false;
  // Its content is the page of a mail, with the text that Slack gives.
  if (file.mode === 'email' && file.plain_text !== '') return false;
  if (isClip(file)) return file.transcription?.status === 'complete';
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
