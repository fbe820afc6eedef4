import { setImmediate as turn } from 'node:timers/promises';
import { openStorage, type StorageLocation } from '../../src/storage/open-storage.ts';
import { silentLog } from './silent-log.ts';
import { percentile, round } from './statistics.ts';

const count = 100_000;
const atOnce = 20;
const dayMs = 24 * 60 * 60 * 1_000;

export interface AuditLogRow {
  store: string;
  entries: number;
  appendedPerSecond: number;
  appendMedianMs: number;
  appendP99Ms: number;
  pagedSeconds: number;
  pageP99Ms: number;
  /** Longest time between two turns of the process while it read, which is what Home and Slack would wait. */
  longestTurnMs: number;
  removedSeconds: number;
}

/** Measures 100,000 entries of one day: appending them, 20 at once, reading them in pages, and removing them. */
export async function measureAuditLog(store: string, location: StorageLocation): Promise<AuditLogRow> {
  const storage = await openStorage(location, { clock: Date.now, log: silentLog });
  try {
    const fromMs = Math.floor(Date.now() / dayMs) * dayMs - dayMs;
    const appends: number[] = [];
    const appendedMs = await timed(async () => {
      for (let next = 0; next < count; next += atOnce) {
        await Promise.all(Array.from({ length: atOnce }, (_, index) => append(next + index)));
      }
    });

    async function append(number: number): Promise<void> {
      const questionId = `q${String(number).padStart(24, '0')}`;
      const entry = {
        ...{ id: `ended:${questionId}`, atMs: fromMs + Math.floor((number * dayMs) / count), action: 'ended' as const },
        ...{ teamId: 'T0123456789', userId: `U${number % 2_000}`, channelId: `C${number % 300}`, questionId },
        ...{ detail: 'answered', access: 'app' as const },
        usage: { durationMs: 41_000, credits: 2, repositories: ['github.com/acme/app', 'github.com/acme/web'] },
      };
      appends.push(await timed(() => storage.audit.append(entry)));
    }

    const pages: number[] = [];
    const turns: number[] = [];
    let isReading = true;
    const watching = (async () => {
      while (isReading) turns.push(await timed(() => turn()));
    })();
    let read = 0;
    const pagedMs = await timed(async () => {
      let beganMs = performance.now();
      for await (const page of storage.audit.pages({ fromMs, toMs: fromMs + dayMs })) {
        pages.push(performance.now() - beganMs);
        read += page.length;
        // As Home does it: the embedded store reads without a pause of its own.
        await turn();
        beganMs = performance.now();
      }
    });
    isReading = false;
    await watching;
    if (read !== count) throw new Error(`read ${read} entries of ${count}`);
    const removedMs = await timed(async () => {
      while ((await storage.audit.removeBefore(fromMs + dayMs)) > 0);
    });
    return {
      store,
      entries: count,
      appendedPerSecond: Math.round((count / appendedMs) * 1_000),
      appendMedianMs: round(percentile(appends, 0.5), 2),
      appendP99Ms: round(percentile(appends, 0.99)),
      pagedSeconds: round(pagedMs / 1_000, 2),
      pageP99Ms: round(percentile(pages, 0.99)),
      longestTurnMs: round(Math.max(...turns)),
      removedSeconds: round(removedMs / 1_000, 2),
    };
  } finally {
    await storage.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}
