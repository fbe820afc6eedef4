import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { AuditEntry, AuditRange } from '../../../src/core/history/audit.ts';
import { createRecentUsage, type RecentUsage } from '../../../src/core/history/recent-usage.ts';
import { recentUsageDays, usageFreshMs } from '../../../src/core/settings.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const noonMs = 20_000 * dayMs + dayMs / 2;

function asked(atMs: number, channelId = 'C1'): AuditEntry {
  return { id: `asked:${atMs}:${channelId}`, atMs, action: 'asked', teamId: 'T1', userId: 'U1', channelId };
}

/** A log with these entries, one on each page. `onPage` runs before each page. */
function createUsage(entries: AuditEntry[], onPage: () => Promise<void> = async () => {}) {
  const { log } = createRecordingLog();
  const ranges: AuditRange[] = [];
  let nowMs = noonMs;
  const store = {
    async *pages(range: AuditRange) {
      ranges.push(range);
      await onPage();
      for (const entry of entries) {
        if (entry.atMs >= range.fromMs && entry.atMs < range.toMs) yield [entry];
      }
    },
  };
  const read = createRecentUsage({ store, teamId: 'T1', now: () => nowMs, log });
  return {
    read,
    entries,
    /** The days that were read since the last call, counted from today. */
    daysRead: () => ranges.splice(0).map(({ fromMs }) => Math.floor(nowMs / dayMs) - fromMs / dayMs),
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Reads until the numbers that are being counted are there. */
    counted: () => new Promise<RecentUsage | undefined>((resolve) => read(() => resolve(read(() => {})))),
  };
}

describe('the recent usage', () => {
  it('has no numbers at first, and says when they are there', async () => {
    const usage = createUsage([asked(noonMs - dayMs), asked(noonMs, 'C2'), asked(noonMs - 1, 'C2')]);
    expect(usage.read(() => {})).toBeUndefined();
    const numbers = await usage.counted();
    expect(numbers?.total.questions).toBe(3);
    expect(numbers?.channels.map(({ name, questions }) => [name, questions])).toEqual([
      ['C2', 2],
      ['C1', 1],
    ]);
  });

  it('counts 30 days and no older ones', async () => {
    const first = (Math.floor(noonMs / dayMs) - recentUsageDays + 1) * dayMs;
    const usage = createUsage([asked(first - 1), asked(first)]);
    expect((await usage.counted())?.total.questions).toBe(1);
    expect(usage.daysRead()).toHaveLength(30);
  });

  it('is counted once for many who look, and again only when it is some minutes old', async () => {
    const usage = createUsage([asked(noonMs)]);
    await Promise.all([usage.counted(), usage.counted(), usage.counted()]);
    expect(usage.daysRead()).toHaveLength(30);
    usage.pass(usageFreshMs - 1);
    usage.entries.push(asked(noonMs + 1));
    expect(usage.read(() => {})?.total.questions).toBe(1);
    expect(usage.daysRead()).toEqual([]);
    usage.pass(1);
    expect((await usage.counted())?.total.questions).toBe(2);
    expect(usage.daysRead()).toEqual([0]);
  });

  it('reads a day again that is just over, because its last entries may be stored late', async () => {
    const usage = createUsage([]);
    await usage.counted();
    usage.daysRead();
    usage.pass(12 * hourMs + 1);
    await usage.counted();
    expect(usage.daysRead()).toEqual([1, 0]);
    usage.pass(2 * hourMs);
    await usage.counted();
    expect(usage.daysRead()).toEqual([1, 0]);
    usage.pass(usageFreshMs);
    await usage.counted();
    expect(usage.daysRead()).toEqual([0]);
  });

  it('makes no one wait for a log that takes long to read, and lets other work run between its pages', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const many = Array.from({ length: 200 }, (_, index) => asked(noonMs - index));
    const usage = createUsage(many, () => held);
    const counted = usage.counted();
    expect(usage.read(() => {})).toBeUndefined();
    let turns = 0;
    const other = setInterval(() => {
      turns += 1;
    });
    go();
    expect((await counted)?.total.questions).toBe(200);
    clearInterval(other);
    expect(turns).toBeGreaterThan(1);
  });

  it('has the old numbers while the storage fails, and tries again the next time', async () => {
    let failures = 0;
    const usage = createUsage([asked(noonMs)], async () => {
      if (failures === 0) return;
      failures -= 1;
      throw new AppError('storage', 'no reply');
    });
    expect((await usage.counted())?.total.questions).toBe(1);
    usage.entries.push(asked(noonMs + 1));
    usage.pass(usageFreshMs);
    failures = 1;
    let calls = 0;
    expect(usage.read(() => (calls += 1))?.total.questions).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(0);
    expect((await usage.counted())?.total.questions).toBe(2);
  });
});
