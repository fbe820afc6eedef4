import type { ThreadMessage, ThreadPage } from '../content/thread-messages.ts';
import { mostThreadWindows, repliesPerPage } from '../settings.ts';

/** A part of a thread, by time. Slack returns its oldest messages first, and `hasMore` if they fill more than a page. */
export type FetchWindow = (window: {
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
export async function readNewestMessages(
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
