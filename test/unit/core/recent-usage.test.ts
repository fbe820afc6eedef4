import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createRecentUsage, type RecentUsage, type VotedQuestion } from '../../../src/core/history/usage.ts';
import { recentUsageDays, usageFreshMs } from '../../../src/core/settings.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const dayMs = 24 * 3_600_000;
const noonMs = 20_000 * dayMs + dayMs / 2;

function asked(acceptedMs: number, channelId = 'C1', teamId = 'T1'): VotedQuestion {
  return { question: questionWith({ acceptedMs, admittedMs: acceptedMs, place: { teamId, channelId } }), votes: [] };
}

/** A store with these questions, one on each page. `onPage` runs before the first page, and a count takes `tookMs`. */
function createUsage(questions: VotedQuestion[], onPage: () => Promise<void> = async () => {}, tookMs = 0) {
  const { log } = createRecordingLog();
  let counts = 0;
  let nowMs = noonMs;
  async function* askedSince(fromMs: number) {
    counts += 1;
    nowMs += tookMs;
    await onPage();
    for (const each of questions) if (each.question.acceptedMs >= fromMs) yield { found: [each] };
  }
  const read = createRecentUsage({ askedSince, teamId: 'T1', now: () => nowMs, log });
  return {
    read,
    questions,
    counts: () => counts,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Reads until the numbers that are being counted are there. */
    counted: () => new Promise<RecentUsage | undefined>((resolve) => read(() => resolve(read(() => {})))),
  };
}

describe('the recent usage', () => {
  it('has no numbers at first, and says when they are there, of its own workspace only', async () => {
    const usage = createUsage([
      ...[asked(noonMs - dayMs), asked(noonMs, 'C2'), asked(noonMs - 1, 'C2')],
      asked(noonMs, 'C2', 'T2'),
    ]);
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
    expect((await createUsage([asked(first - 1), asked(first)]).counted())?.total.questions).toBe(1);
  });

  it('is counted once for many who look, and again only when it is some minutes old', async () => {
    const usage = createUsage([asked(noonMs)]);
    await Promise.all([usage.counted(), usage.counted(), usage.counted()]);
    usage.pass(usageFreshMs - 1);
    usage.questions.push(asked(noonMs + 1));
    expect(usage.read(() => {})?.total.questions).toBe(1);
    expect(usage.counts()).toBe(1);
    usage.pass(1);
    expect((await usage.counted())?.total.questions).toBe(2);
  });

  it('is counted less often if that takes long', async () => {
    const usage = createUsage([asked(noonMs)], undefined, 60_000);
    await usage.counted();
    usage.pass(99 * 60_000);
    usage.read(() => {});
    expect(usage.counts()).toBe(1);
    usage.pass(60_000);
    usage.read(() => {});
    expect(usage.counts()).toBe(2);
  });

  it('makes no one wait for a store that takes long to read, and lets other work run between its pages', async () => {
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
    usage.questions.push(asked(noonMs + 1));
    usage.pass(usageFreshMs);
    failures = 1;
    let calls = 0;
    expect(usage.read(() => (calls += 1))?.total.questions).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(0);
    expect((await usage.counted())?.total.questions).toBe(2);
  });
});
