import { isAppError } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import { recentUsageDays, usageFreshMs, usageShareOfTime } from '../settings.ts';
import { sharing } from '../timeout.ts';
import { createUsageCount, type UsageNumbers, type UsageRow, type VotedQuestion } from './usage.ts';

/** The use of the app in the last 30 days (UTC, today included). */
export interface RecentUsage {
  total: UsageNumbers;
  /** The busiest first. */
  channels: UsageRow[];
}

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Adds up the recent use in the background, when somebody looks and the numbers are old. Reads one page at a time and lets
 * other work run in between, so a big store makes a count slow and nothing else.
 */
export function createRecentUsage({
  askedSince,
  teamId,
  now,
  log,
}: {
  /** Pages of the stored questions that were accepted at or after this time. */
  askedSince: (fromMs: number) => AsyncIterable<{ found: VotedQuestion[] }>;
  /** Only the use in this workspace counts. */
  teamId: string;
  now: Clock;
  log: Pick<Log, 'warn'>;
}) {
  let latest: RecentUsage | undefined;
  let freshUntilMs = 0;
  const counting = sharing(recount);

  /**
   * The latest numbers, at once. Undefined before the first count. If they are old or missing, counts, and calls
   * `onCounted` when newer ones are there. Never throws.
   */
  return function read(onCounted: () => void): RecentUsage | undefined {
    if (latest !== undefined && now() < freshUntilMs) return latest;
    void counting().then((isNew) => isNew && onCounted());
    return latest;
  };

  async function recount(): Promise<boolean> {
    const fromMs = now();
    try {
      latest = await count(fromMs);
      // A count reads the whole store, so a big one is counted less often.
      freshUntilMs = now() + Math.max(usageFreshMs, (now() - fromMs) / usageShareOfTime);
      return true;
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'usage_not_counted', kind: error.kind }, error);
      return false;
    }
  }

  async function count(nowMs: number): Promise<RecentUsage> {
    const all = createUsageCount(['channel']);
    const firstDay = Math.floor(nowMs / dayMs) - recentUsageDays + 1;
    for await (const { found } of askedSince(firstDay * dayMs)) {
      found.filter(({ question }) => question.place.teamId === teamId).forEach(all.add);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return { total: all.total(), channels: all.rows('channel') };
  }
}
