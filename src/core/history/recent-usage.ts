import { isAppError } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import { recentUsageDays, usageFreshMs } from '../settings.ts';
import type { AuditStore } from './audit.ts';
import { createUsageCount, type UsageCount, type UsageNumbers, type UsageRow } from './usage.ts';

/** The use of the app in the last 30 days (UTC, today included). */
export interface RecentUsage {
  total: UsageNumbers;
  /** The busiest first. */
  channels: UsageRow[];
  countedMs: number;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Entries of a day can be stored this much later, because their time comes from an earlier step. */
const settledAfterMs = 60 * 60 * 1_000;

/**
 * Adds up the recent use in the background: days that are over once, today again when the numbers are some minutes old.
 * Reads one page at a time and lets other work run in between, so a big log makes the first count slow and nothing else.
 */
export function createRecentUsage({
  store,
  teamId,
  now,
  log,
}: {
  store: Pick<AuditStore, 'pages'>;
  /** Only the use in this workspace counts. */
  teamId: string;
  now: Clock;
  log: Pick<Log, 'warn'>;
}) {
  const settled = new Map<number, UsageCount>();
  let latest: RecentUsage | undefined;
  let counting: Promise<boolean> | undefined;

  /**
   * The latest numbers, at once. Undefined before the first count. If they are old or missing, counts, and calls
   * `onCounted` when newer ones are there. Never throws.
   */
  return function read(onCounted: () => void): RecentUsage | undefined {
    if (latest !== undefined && now() - latest.countedMs < usageFreshMs) return latest;
    counting ??= recount().finally(() => {
      counting = undefined;
    });
    void counting.then((isNew) => isNew && onCounted());
    return latest;
  };

  async function recount(): Promise<boolean> {
    try {
      latest = await countDays(now());
      return true;
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'usage_not_counted', kind: error.kind }, error);
      return false;
    }
  }

  async function countDays(nowMs: number): Promise<RecentUsage> {
    const today = Math.floor(nowMs / dayMs);
    const all = createUsageCount(['channel']);
    for (let day = today - recentUsageDays + 1; day <= today; day += 1) {
      const count = settled.get(day) ?? (await countDay(day));
      if (nowMs > (day + 1) * dayMs + settledAfterMs) settled.set(day, count);
      all.merge(count);
    }
    for (const day of settled.keys()) if (day <= today - recentUsageDays) settled.delete(day);
    return { total: all.total(), channels: all.rows('channel'), countedMs: nowMs };
  }

  async function countDay(day: number): Promise<UsageCount> {
    const count = createUsageCount(['channel']);
    for await (const page of store.pages({ fromMs: day * dayMs, toMs: (day + 1) * dayMs })) {
      page.filter((entry) => entry.teamId === teamId).forEach(count.add);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return count;
  }
}
