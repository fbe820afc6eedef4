import { z } from 'zod';
import type { Identity } from '../api/identity.ts';
import { maybeText, timestamp } from './fields.ts';
import { type MessageContent, readContent } from './message-content.ts';

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
export interface ThreadPage {
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
