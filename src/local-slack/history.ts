import type { SlackChannels } from './channels.ts';
import { type SlackMessage, type SlackMessages, toApiMessage } from './messages.ts';
import { type Args, isTrue, type Methods, pageOf, refused } from './wire.ts';

/** The methods that read conversations and threads. */
export function createHistory(channels: SlackChannels, messages: SlackMessages): Methods {
  return {
    /**
     * The root and its replies from oldest to newest, also inside a window: a small `limit` gives the oldest of it. `limit`
     * counts the root too, which is missing on later pages and where the window begins after it. `ts` may be a reply's.
     */
    'conversations.replies': (args) => {
      const refusal = channels.refusedRead(args.channel);
      if (refusal !== undefined) return refusal;
      const named = messages.find(args.channel, args.ts);
      const root = named?.thread_ts === undefined ? named : (messages.find(args.channel, named.thread_ts) ?? named);
      if (root === undefined) return refused('thread_not_found');
      const replies = messages.repliesTo(root);
      const page = pageOf([root, ...replies].filter(within(args)), args, { usual: 1_000, most: 1_000 });
      if ('error' in page) return refused(page.error);
      return {
        ok: true,
        messages: page.items.map((each) => toApiMessage(each, args, each === root ? replies : [])),
        has_more: page.hasMore,
        ...(page.hasMore ? { response_metadata: { next_cursor: page.nextCursor } } : {}),
      };
    },
    /** From newest to oldest; replies only if they were also sent to the channel. */
    'conversations.history': (args) => {
      const refusal = channels.refusedRead(args.channel);
      if (refusal !== undefined) return refusal;
      const shown = messages.list.filter(
        (message) =>
          message.channel === args.channel &&
          (message.thread_ts === undefined || message.subtype === 'thread_broadcast') &&
          within(args)(message),
      );
      const page = pageOf(shown.toReversed(), args, { usual: 100, most: 999 });
      if ('error' in page) return refused(page.error);
      return {
        ok: true,
        messages: page.items.map((each) => toApiMessage(each, args, messages.repliesTo(each))),
        has_more: page.hasMore,
        pin_count: 0,
        ...(page.hasMore ? { response_metadata: { next_cursor: page.nextCursor } } : {}),
      };
    },
  };
}

function within(args: Args): (message: SlackMessage) => boolean {
  const oldest = Number(args.oldest ?? 0);
  const latest = args.latest === undefined ? Number.POSITIVE_INFINITY : Number(args.latest);
  const inclusive = isTrue(args.inclusive);
  return ({ ts }) => {
    const at = Number(ts);
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  };
}
