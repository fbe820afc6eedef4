import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import { conversationOf } from '../../core/question/conversations.ts';
import { isOnlyInMessage, linksOf, type Permalink } from '../../core/question/prompt.ts';
import {
  isInThread,
  type Question,
  type ReadsFrom,
  type Thread,
  type ThreadContext,
  type ThreadPlace,
} from '../../core/question/question.ts';
import {
  type ForwardedMessage,
  type MessageFile,
  type ThreadNote,
  takeNotes,
} from '../../core/question/thread-notes.ts';
import { permalink } from '../../render/text.ts';
import { mayReadThread } from '../access/membership.ts';
import type { Identity } from '../api/slack-api.ts';
import { maybeText, timestamp } from '../content/incoming-text.ts';
import { type Author, type MessageContent, readContent, readFiles, wholeText } from '../content/message-content.ts';
import type { WorkspaceContext } from '../context.ts';
import { mostFilesRead, mostLinksRead, mostThreadWindows, repliesPerPage } from '../settings.ts';
import { threadNotesName } from './thread-note-keeper.ts';
import {
  chooseQuotes,
  fitFiles,
  type LinkedQuote,
  newestQuoted,
  type Occasion,
  type Quotable,
  writeForwards,
  writeLinked,
  writeQuotes,
} from './thread-quotes.ts';

/** How quotes name the author of the app's own messages. */
const ownName = 'Deep Search (this app)';

/** What was found, before it is quoted. `own`: the files of the question itself. */
interface Found {
  occasion: Occasion;
  messages: Quotable[];
  own: MessageFile[];
  /** What the question's own message forwards, where Slack's event left it out. */
  forwards?: ForwardedMessage[];
  total: number;
  /** The thread that was read. */
  rootTs?: string;
  refused?: boolean;
}

/** What the question's own message has beside its text. */
interface OwnMessage {
  files: MessageFile[];
  forwards?: ForwardedMessage[];
}

/**
 * Reads what a question may be about. A thread without a conversation is read: its first message and the newest ones. So
 * is a thread of people when a question starts a new conversation there. In a thread with a conversation, the thread notes have what people
 * said since the last question, so only the files of a mention are fetched.
 */
export async function readThread(
  w: WorkspaceContext,
  question: Question,
  thread: Thread | undefined,
): Promise<ThreadContext> {
  const links = await readLinkedMessages(w, question);
  const { place, readsThread } = question;
  const isRead = readsThread === true && isInThread(place);
  const found = isRead ? await find(w, question, place, thread) : await since(w, [], { files: [] });
  return quote(w, question, found, links);
}

async function find(
  w: WorkspaceContext,
  question: Question,
  place: ThreadPlace,
  thread: Thread | undefined,
): Promise<Found> {
  if (question.readsFrom !== undefined) return elsewhere(w, question, question.readsFrom);
  const isRoot = question.messageTs === place.threadTs;
  // A new conversation in a thread of the app does not use what was said there before.
  const leavesBehind = question.fresh && thread?.followsReplies === true;
  if (isRoot || leavesBehind) return since(w, [], await ownMessage(w, question, place));
  const given = await take(w, question, place);
  if (conversationOf(thread, question) !== undefined && !question.fresh)
    return since(w, given, await ownMessage(w, question, place));
  return (
    (await wholeThread(w, question, place)) ?? {
      ...(await since(w, given, { files: question.files ?? [] })),
      refused: true,
    }
  );
}

/**
 * Reads another thread than the question's own. Its notes are kept for the questions asked in it. The form checked
 * the asker's access, perhaps hours ago, so it is checked again.
 */
async function elsewhere(w: WorkspaceContext, question: Question, readsFrom: ReadsFrom): Promise<Found> {
  const mayRead = readsFrom.isRefused !== true && (await mayReadThread(w, question.askerId, readsFrom));
  const found = mayRead ? await wholeThread(w, question, readsFrom) : undefined;
  return found ?? { ...(await since(w, [], { files: [] })), refused: true };
}

/** Undefined when Slack does not let the app read the thread. */
async function wholeThread(w: WorkspaceContext, question: Question, place: ThreadPlace): Promise<Found | undefined> {
  try {
    return await readWhole(w, question, place);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

async function readWhole(w: WorkspaceContext, question: Question, place: ThreadPlace): Promise<Found> {
  const upTo = upToTs(question);
  // When Slack's limits leave no room, each question waits, and tries again at its own time.
  const page = await fetchPage(w, place, 'answer', { latest: upTo, inclusive: true, limit: repliesPerPage });
  const read = page.hasMore ? await rootAndNewest(w, place, upTo, page) : page.messages;
  const before = read.filter(({ ts }) => Number(ts) < Number(upTo));
  const asked = read.find(({ ts }) => ts === question.messageTs);
  return {
    occasion: 'thread',
    messages: await named(w, before),
    own: asked?.files ?? question.files ?? [],
    ...(question.forwarded === undefined && asked !== undefined ? { forwards: asked.forwards } : {}),
    // Messages that were not read are only counted. The question itself is one of the replies.
    total: page.hasMore ? Math.max(before.length, page.replyCount ?? 0) : before.length,
    rootTs: place.threadTs,
  };
}

/** `page`: the first page of the thread, which has the root and the oldest messages. */
async function rootAndNewest(
  w: WorkspaceContext,
  place: ThreadPlace,
  upTo: string,
  page: ThreadPage,
): Promise<ThreadPage['messages']> {
  const { messages, count, lastTs = place.threadTs, latestReply = upTo, replyCount = count } = page;
  const endTs = Number(latestReply) < Number(upTo) ? latestReply : upTo;
  const unread = { afterTs: lastTs, endTs, count: replyCount + 1 - count, perPage: count };
  // One more than are quoted, for the question itself.
  const newest = await readNewestMessages((window) => fetchPage(w, place, 'answer', window), unread, newestQuoted + 1);
  const root = messages.filter(({ ts }) => ts === place.threadTs);
  return [...root, ...newest.filter(({ ts }) => ts !== place.threadTs)];
}

async function since(
  w: WorkspaceContext,
  given: ThreadNote[],
  { files: own, forwards = [] }: OwnMessage,
): Promise<Found> {
  const messages = await named(
    w,
    given.map(({ userId, ...message }) => ({ ...message, author: { userId }, forwards: [] })),
  );
  return { occasion: messages.length === 0 ? 'files' : 'since', messages, own, forwards, total: messages.length };
}

/** Gives the question the notes that belong to it, once. They are stored as taken before they are used. */
async function take(w: WorkspaceContext, question: Question, place: ThreadPlace): Promise<ThreadNote[]> {
  const name = threadNotesName(place);
  const known = await w.threadNotes.get(name);
  if (known === undefined) return [];
  const takenBy = known.taken?.questionId;
  const earlier = takenBy === undefined ? undefined : await w.questions.get(takenBy);
  const wasAsked = takenBy !== undefined && (earlier === undefined || earlier.upstream.askedMs !== undefined);
  let given: ThreadNote[] = [];
  await w.threadNotes.update(name, (notes) => {
    const gift = takeNotes(question.id, upToTs(question), notes, wasAsked);
    given = gift.given;
    return gift.notes;
  });
  return given;
}

/**
 * An `app_mention` event may have no files, and a closed question has no forwards any more, so the message is looked up.
 * When that fails, the question does not wait for them, unless it is about nothing else.
 */
async function ownMessage(w: WorkspaceContext, question: Question, place: ThreadPlace): Promise<OwnMessage> {
  const { files, messageTs, forwarded } = question;
  if (files !== undefined || messageTs === undefined) return { files: files ?? [] };
  const isRoot = messageTs === place.threadTs;
  const window = isRoot ? { limit: 1 } : { oldest: messageTs, latest: messageTs, inclusive: true, limit: 2 };
  try {
    const { messages } = await fetchPage(w, place, 'private', window);
    const own = messages.find(({ ts }) => ts === messageTs);
    return { files: own?.files ?? [], forwards: forwarded === undefined ? (own?.forwards ?? []) : [] };
  } catch (error) {
    if (!isAppError(error) || (isOnlyInMessage(question) && !isRefusal(error))) throw error;
    return { files: [] };
  }
}

async function fetchPage(
  w: WorkspaceContext,
  { channelId: channel, threadTs: ts }: ThreadPlace,
  priority: 'answer' | 'private',
  window: { latest?: string; oldest?: string; inclusive?: boolean; limit: number },
): Promise<ThreadPage & { hasMore: boolean }> {
  const page = await w.slack.call('conversations.replies', { channel, ts, ...window }, { priority });
  return { ...readPage(page.messages ?? [], w.slack.identity, ts), hasMore: page.has_more === true };
}

/** Looks up names only for messages that may be quoted. */
async function named(w: WorkspaceContext, messages: ThreadPage['messages']): Promise<Quotable[]> {
  const quotable = [...new Set([...messages.slice(0, 1), ...messages.slice(-newestQuoted)])];
  // All texts at once first, so that a name in many messages is looked up once.
  await w.read(quotable.map((message) => `${nameToken(message.author)} ${wholeText(message)}`).join('\n'));
  const chosen = new Map(
    await Promise.all(
      quotable.map(async (message): Promise<[string, Quotable]> => {
        const { ts, author, files } = message;
        return [ts, { ts, from: await nameOf(w, author), text: await w.read(wholeText(message)), files }];
      }),
    ),
  );
  return messages.map(({ ts, text, files }) => chosen.get(ts) ?? { ts, from: '', text, files });
}

async function nameOf(w: WorkspaceContext, author: Author): Promise<string> {
  if (author === 'app') return ownName;
  if ('program' in author) return `${author.program} (app)`;
  return (await w.read(nameToken(author))).replace(/^@/, '');
}

async function quote(
  w: WorkspaceContext,
  question: Question,
  found: Found,
  links: Awaited<ReturnType<typeof readLinkedMessages>>,
): Promise<ThreadContext> {
  const { occasion, forwards = [], total, rootTs } = found;
  const refused =
    found.refused === true || (isOnlyInMessage(question) && forwards.length === 0 && found.own.length === 0);
  const forwarded = await quoteForwards(forwards, w.read);
  const { own, linked, messages } = await lookUpFiles(w, { ...found, linked: await named(w, links.messages) });
  const chosen = chooseQuotes(messages);
  const asker = (await w.read(`<@${question.askerId}>`)).replace(/^@/, '');
  // The question's own files first, then those of linked messages, then from the newest message back.
  const attached = [
    ...own.map((file) => ({ file, from: asker })),
    ...[...linked, ...chosen.toReversed()].flatMap(({ files, from }) => files.map((file) => ({ file, from }))),
  ];
  const mayHaveText = ({ file }: { file: MessageFile }) => file.url !== undefined || file.text !== undefined;
  const readable = new Set(attached.filter(mayHaveText).slice(0, mostFilesRead));
  const files = fitFiles(
    await Promise.all(
      attached.map(async (each) => {
        if (!readable.has(each)) return each;
        const { url, text } = each.file;
        const read = url === undefined ? undefined : await w.readFile(each.file);
        return { ...each, ...(read ?? (text === undefined ? {} : { text })) };
      }),
    ),
  );
  const filesRead = files.filter(({ text }) => text !== undefined).length;
  return {
    messages: chosen.length,
    total,
    files: filesRead,
    unreadable: files.length - filesRead,
    text: [
      forwarded?.text ?? '',
      writeLinked(
        await Promise.all(linked.map((each, index) => asLinked(w, each, links.messages[index]?.link))),
        files,
      ),
      writeQuotes(occasion, { all: messages, total, rootTs, chosen, files }, new Set(own)),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    ...(forwarded === undefined ? {} : { forwarded: forwarded.messages }),
    ...(linked.length === 0 ? {} : { linked: linked.length }),
    ...(links.unread === 0 ? {} : { linksUnread: links.unread }),
    ...(refused ? { refused } : {}),
  };
}

/** Asks Slack for the files of which an event had only the id. Those of which Slack does not tell more stay as they are. */
async function lookUpFiles(w: WorkspaceContext, found: Pick<Found, 'own' | 'messages'> & { linked: Quotable[] }) {
  const { own, linked, messages } = found;
  const listed = [...own, ...[...linked, ...messages.toReversed()].flatMap(({ files }) => files)];
  const unknown = [...new Set(listed.filter(({ isUnknown }) => isUnknown === true).map(({ id }) => id))];
  const known = new Map(
    await Promise.all(
      unknown.slice(0, mostFilesRead).map(async (id) => [id, await fileInfo(w, id)] satisfies [string, unknown]),
    ),
  );
  const withFiles = (message: Quotable): Quotable => ({ ...message, files: message.files.map(lookedUp) });
  return { own: own.map(lookedUp), linked: linked.map(withFiles), messages: messages.map(withFiles) };

  function lookedUp(file: MessageFile): MessageFile {
    return (file.isUnknown === true ? known.get(file.id) : undefined) ?? file;
  }
}

async function fileInfo(w: WorkspaceContext, file: string): Promise<MessageFile | undefined> {
  try {
    const info = await w.slack.call('files.info', { file }, { priority: 'private' });
    return readFiles([info.file])[0];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}

async function asLinked(
  w: WorkspaceContext,
  { from, text, ts, files }: Quotable,
  link: Permalink | undefined,
): Promise<LinkedQuote> {
  if (link === undefined) return { from, text, ts, files };
  const channel = (await w.read(`<#${link.channelId}>`)).replace(/^#/, '');
  return { from, text, ts, files, channel, url: permalink(`https://${link.host}/`, link) };
}

/** The end of the part that is about the question: its message, else its card, which is posted at once. */
function upToTs({ messageTs, card, acceptedMs }: Question): string {
  return messageTs ?? card.ts ?? (acceptedMs / 1000).toFixed(6);
}

function nameToken(author: Author): string {
  return typeof author === 'object' && 'userId' in author ? `<@${author.userId}>` : '';
}

/** Whether Slack would refuse again. */
function isRefusal(error: unknown): boolean {
  return isAppError(error, 'unauthorized', 'undeliverable', 'notFound', 'refused');
}

/** What a question stores of the messages that its message forwards. `read`: Slack's text as people see it. */
export async function quoteForwards(
  forwards: readonly ForwardedMessage[],
  read: (text: string) => Promise<string>,
): Promise<NonNullable<Question['forwarded']> | undefined> {
  if (forwards.length === 0) return undefined;
  const readable = await Promise.all(
    forwards.map(async ({ from, text, ...place }) => ({
      ...place,
      from: (await read(from)).replace(/^@/, ''),
      text: await read(text),
    })),
  );
  return { messages: forwards.length, text: writeForwards(readable) };
}

/** A message that the question links to. */
interface LinkedMessage extends ThreadMessage {
  link: Permalink;
}

const slackHost = /(?:^|\.)slack(?:-gov)?\.com$/;

/**
 * Reads the messages that a question links to, if its asker may read their channels, and may ask there. `unread`: how many
 * were not read. Links in other people's messages are not followed.
 */
async function readLinkedMessages(
  w: WorkspaceContext,
  question: Question,
): Promise<{ messages: LinkedMessage[]; unread: number }> {
  const { slack } = w;
  const { workspaceUrl } = slack.identity;
  const ownHost = workspaceUrl === undefined ? undefined : new URL(workspaceUrl).host;
  const links = linksOf(question).filter(({ host }) => host === ownHost || slackHost.test(host));
  const mayRead = new Map<string, Promise<boolean>>();
  const messages = await Promise.all(links.slice(0, mostLinksRead).map(readLinked));
  const read = messages.filter((message) => message !== undefined);
  return { messages: read, unread: links.length - read.length };

  async function readLinked(link: Permalink): Promise<LinkedMessage | undefined> {
    const { channelId: channel, ts, threadTs = ts } = link;
    const asking = mayRead.get(channel) ?? mayReadThread(w, question.askerId, placeOf(link));
    mayRead.set(channel, asking);
    try {
      if (!(await asking)) return undefined;
      const window = { oldest: ts, latest: ts, inclusive: true, limit: 2 };
      const page = await slack.call(
        'conversations.replies',
        { channel, ts: threadTs, ...window },
        { priority: 'answer' },
      );
      const found = readPage(page.messages ?? [], slack.identity, threadTs).messages.find((each) => each.ts === ts);
      return found === undefined ? undefined : { ...found, link };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  function placeOf({ channelId, ts, threadTs = ts }: Permalink) {
    return { teamId: question.place.teamId, channelId, threadTs };
  }
}

/** A part of a thread, by time. Slack returns its oldest messages first, and `hasMore` if they fill more than a page. */
type FetchWindow = (window: {
  oldest: string;
  latest: string;
  inclusive: boolean;
  limit: number;
}) => Promise<ThreadPage & { hasMore: boolean }>;

/** How many messages the first window should hold at most, if the unread ones were spread evenly in time. */
const aimedAt = 120;

/**
 * Reads at least the `wanted` newest messages of a thread after its first page, oldest first. Slack has no call for that:
 * every window begins with its oldest messages, so a fixed number of pages would end in an old part of the thread. So this
 * looks for a window up to the end that fits on one page. Each window that does not shows how far the newest messages
 * are away. Empty if no window fits. `perPage`: how many messages Slack returned on the first page; fewer than asked for are
 * allowed.
 */
async function readNewestMessages(
  fetchWindow: FetchWindow,
  unread: { afterTs: string; endTs: string; count: number; perPage: number },
  wanted: number,
): Promise<ThreadMessage[]> {
  const end = Number(unread.endTs);
  let after = Number(unread.afterTs);
  let most = unread.count;
  let { perPage } = unread;
  let span = 0;
  let newest: ThreadMessage[] = [];
  for (let calls = 0; calls < mostThreadWindows; calls += 1) {
    const rest = Math.max(0, end - after);
    if (span === 0) span = (rest * Math.min(aimedAt, perPage / 2)) / Math.max(1, most);
    const isRest = most <= perPage || span >= rest;
    const oldest = isRest ? after : end - span;
    const page = await fetchWindow({
      oldest: oldest.toFixed(6),
      latest: unread.endTs,
      inclusive: true,
      limit: repliesPerPage,
    });
    if (!page.hasMore) {
      newest = page.messages;
      if (isRest || newest.length >= wanted) break;
      span *= 4;
    } else {
      after = Math.max(after, Number(page.lastTs ?? 0));
      most = Math.max(1, most - page.count);
      perPage = Math.min(perPage, page.count);
      span = newest.length > 0 ? Math.sqrt(span * rest) / 2 : 0;
    }
  }
  return newest;
}

/** What places a message in its thread. */
const placedMessage = z.looseObject({
  ts: timestamp,
  subtype: maybeText,
  /** Only on the first message of a thread. */
  reply_count: z.number().optional().catch(undefined),
  latest_reply: timestamp.optional().catch(undefined),
});

/** One message of a thread that can be quoted. */
export interface ThreadMessage extends MessageContent {
  ts: string;
}

/**
 * A page of a thread: messages to quote, oldest first. `replyCount` and `latestReply` are known only if the thread's first
 * message is on the page.
 */
interface ThreadPage {
  messages: ThreadMessage[];
  /** How many messages Slack returned, with those that are not quoted, and the time of the last. */
  count: number;
  lastTs?: string;
  replyCount?: number;
  latestReply?: string;
}

/** Subtypes of messages that people or programs wrote. Joins, new topics and deleted messages are not among them. */
const spokenSubtypes = new Set([undefined, 'file_share', 'thread_broadcast', 'bot_message', 'me_message']);

/** Reads messages as Slack returns them. The app's own cards are left out, because they do not quote the subject. */
export function readPage(raw: readonly unknown[], identity: Identity, threadTs: string): ThreadPage {
  const known = raw.flatMap((each) => {
    const parsed = placedMessage.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
  // The first message of a page need not be the first of the thread.
  const root = known.find(({ ts }) => ts === threadTs);
  const messages = known.flatMap((message) => {
    const content = spokenSubtypes.has(message.subtype) ? readContent(message, identity) : undefined;
    return content === undefined || isEmpty(content) ? [] : [{ ts: message.ts, ...content }];
  });
  const lastTs = known.at(-1)?.ts;
  return {
    messages,
    count: known.length,
    lastTs,
    ...(root?.reply_count === undefined ? {} : { replyCount: root.reply_count }),
    ...(root?.latest_reply === undefined ? {} : { latestReply: root.latest_reply }),
  };
}

function isEmpty({ text, forwards, files }: MessageContent): boolean {
  return text === '' && forwards.length === 0 && files.length === 0;
}
