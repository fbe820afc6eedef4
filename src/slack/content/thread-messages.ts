import { z } from 'zod';
import type { Identity } from '../api/identity.ts';
import { maybeText } from './fields.ts';
import { type MessageContent, readContent } from './message-content.ts';

/** What places a message in its thread. */
const placedMessage = z.looseObject({
  ts: z.string().regex(/^\d{1,12}\.\d{1,6}$/),
  subtype: maybeText,
  reply_count: z.number().optional().catch(undefined),
});

/** One message of a thread that can be quoted. */
export interface ThreadMessage extends MessageContent {
  ts: string;
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
    const parsed = placedMessage.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
  const replyCount = known[0]?.reply_count;
  const messages = known.flatMap((message) => {
    const content = spokenSubtypes.has(message.subtype) ? readContent(message, identity) : undefined;
    return content === undefined || isEmpty(content) ? [] : [{ ts: message.ts, ...content }];
  });
  return { messages, ...(replyCount === undefined ? {} : { replyCount }) };
}

function isEmpty({ text, forwards, files }: MessageContent): boolean {
  return text === '' && forwards.length === 0 && files.length === 0;
}
