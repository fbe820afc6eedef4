import type { SlackChannels } from './channels.ts';
import { type SlackMessage, type SlackMessages, toApiMessage } from './messages.ts';
import { type Args, isTrue, listed, type Methods, refused } from './wire.ts';

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
      const inside = [root, ...replies].filter(within(args));
      return listed(inside, args, { usual: 1_000, most: 1_000 }, (page, hasMore) => ({
        messages: page.map((each) => toApiMessage(each, args, each === root ? replies : [])),
        has_more: hasMore,
        ...(hasMore ? {} : { response_metadata: undefined }),
      }));
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
      return listed(shown.toReversed(), args, { usual: 100, most: 999 }, (page, hasMore) => ({
        messages: page.map((each) => toApiMessage(each, args, messages.repliesTo(each))),
        has_more: hasMore,
        pin_count: 0,
        ...(hasMore ? {} : { response_metadata: undefined }),
      }));
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
