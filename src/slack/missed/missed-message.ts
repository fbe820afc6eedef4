import { z } from 'zod';
import type { Identity } from '../api/identity.ts';
import { slackId, timestamp } from '../content/fields.ts';
import { mentions } from '../content/incoming-text.ts';
import { readContent } from '../content/message-content.ts';

/** What is read of a message of `conversations.history` and `.replies`. The rest of it goes along. */
const historyMessage = z.looseObject({
  ts: timestamp,
  user: slackId.optional(),
  subtype: z.string().optional(),
  thread_ts: timestamp.optional(),
  latest_reply: timestamp.optional(),
  edited: z.looseObject({ ts: timestamp }).optional().catch(undefined),
});

export type HistoryMessage = z.infer<typeof historyMessage>;

/** The messages of one page. Those that can't be read are left out. */
export function readPage(messages: unknown): HistoryMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    const parsed = historyMessage.safeParse(message);
    return parsed.success ? [parsed.data] : [];
  });
}

/**
 * The event that Slack would have sent for a message. Only events have a channel. An edit of a message that was never
 * asked is read like the first version. A mention in a channel is an `app_mention`, as the app ignores its `message` twin.
 */
export function toEvent(message: HistoryMessage, channelId: string, identity: Identity): Record<string, unknown> {
  const { edited: _edited, latest_reply: _latest, ...rest } = message;
  const isDirect = channelId.startsWith('D');
  const isMention = !isDirect && mentionsApp(message, identity);
  return {
    ...rest,
    type: isMention ? 'app_mention' : 'message',
    channel: channelId,
    channel_type: isDirect ? 'im' : 'channel',
  };
}

/** The event that Slack would have sent for the deletion of a message of a person. */
export function toDeletion(channelId: string, ts: string, threadTs: string, userId: string): Record<string, unknown> {
  const previous = { user: userId, ts, ...(threadTs === ts ? {} : { thread_ts: threadTs }) };
  return {
    type: 'message',
    subtype: 'message_deleted',
    channel: channelId,
    deleted_ts: ts,
    ts,
    previous_message: previous,
  };
}

/** The event that Slack would have sent for the edit of a message. */
export function toChange(message: HistoryMessage, channelId: string): Record<string, unknown> {
  const ts = message.edited?.ts ?? message.ts;
  const channelType = channelId.startsWith('D') ? 'im' : 'channel';
  return { type: 'message', subtype: 'message_changed', channel: channelId, channel_type: channelType, ts, message };
}

/** Whether a message is worth a look: a person wrote it to the app, or in a thread. */
export function mayConcernApp(message: HistoryMessage, channelId: string, identity: Identity): boolean {
  const content = readContent(message, identity);
  if (typeof content?.author !== 'object' || !('userId' in content.author)) return false;
  const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts;
  return channelId.startsWith('D') || isReply || mentions(content.text, identity.botUserId);
}

/** Reads mentions like a live message. */
function mentionsApp(message: HistoryMessage, identity: Identity): boolean {
  return mentions(readContent(message, identity)?.text ?? '', identity.botUserId);
}

/** Slack's timestamp of a time in milliseconds. */
export function toTs(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(6);
}

export function toMs(ts: string): number {
  return Number(ts) * 1000;
}

/** The threads to read: those with a reply after `sinceTs`. */
export function repliedSince(messages: readonly HistoryMessage[], sinceTs: string): HistoryMessage[] {
  return messages.filter(({ latest_reply: latest }) => latest !== undefined && Number(latest) >= Number(sinceTs));
}

/** The channels in the order in which they are read: first those where people last asked, newest first. */
export function inReadingOrder(
  channelIds: readonly string[],
  threads: readonly { channelId: string; atMs: number }[],
): string[] {
  const newest = new Map<string, number>();
  for (const { channelId, atMs } of threads) newest.set(channelId, Math.max(atMs, newest.get(channelId) ?? 0));
  const all = [...new Set([...channelIds, ...newest.keys()])];
  const direct = (id: string): number => Number(id.startsWith('D'));
  // Direct messages where no one asked lately are many and rarely have any, so they come last.
  return all.toSorted((one, other) => (newest.get(other) ?? 0) - (newest.get(one) ?? 0) || direct(one) - direct(other));
}
