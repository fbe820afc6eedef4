import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { createUsageCount, groupings, usageAsCsv, usageAsTable } from '../../../src/core/history/usage.ts';

const mondayMs = Date.parse('2026-11-16T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1_000;

function entry(overrides: Partial<AuditEntry>): AuditEntry {
  return {
    id: 'x',
    atMs: mondayMs,
    action: 'asked',
    teamId: 'T1',
    userId: 'U1',
    channelId: 'C1',
    questionId: 'q1',
    ...overrides,
  };
}

function answered(durationMs: number, overrides: Partial<AuditEntry> = {}): AuditEntry {
  return entry({
    action: 'ended',
    detail: 'answered',
    usage: { durationMs, credits: 1, repositories: ['r'] },
    ...overrides,
  });
}

function counted(entries: readonly AuditEntry[]) {
  const count = createUsageCount();
  entries.forEach(count.add);
  return count;
}

describe('usage', () => {
  it('counts questions, answers and failures, and neither cancelled nor refused questions as failures', () => {
    const ends = ['answered', 'failed:tooLong', 'gaveUp', 'undeliverable', 'cancelled', 'notAllowed'];
    const count = counted([
      ...ends.map(() => entry({})),
      ...ends.map((detail) => entry({ action: 'ended', detail })),
      entry({ action: 'refused', detail: 'guest' }),
      entry({ action: 'settingsChanged', detail: 'isOn' }),
    ]);
    expect(count.total()).toEqual({ questions: 6, answers: 1, failures: 3, votesUp: 0, votesDown: 0 });
  });

  it('says the median and the 95th percentile of the answers, and not the time of failures', () => {
    const count = counted([
      ...Array.from({ length: 100 }, (_, index) => answered((index + 1) * 1_000)),
      entry({ action: 'ended', detail: 'gaveUp', usage: { durationMs: 9_000_000, repositories: [] } }),
    ]);
    expect(count.total()).toMatchObject({ medianMs: 50_000, p95Ms: 95_000, credits: 100 });
  });

  it('counts an answer for each of its repositories, and everything for its channel, its person and its week', () => {
    const usage = { durationMs: 1, repositories: ['a', 'b'] };
    const count = counted([entry({}), answered(1, { usage, atMs: mondayMs + 7 * dayMs, channelId: 'C2' })]);
    expect(count.rows('repository').map(({ name, answers }) => [name, answers])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(count.rows('channel').map(({ name, questions, answers }) => [name, questions, answers])).toEqual([
      ['C1', 1, 0],
      ['C2', 0, 1],
    ]);
    expect(count.rows('person').map(({ name, answers }) => [name, answers])).toEqual([['U1', 1]]);
    expect(count.rows('week').map(({ name }) => name)).toEqual(['2026-11-16', '2026-11-23']);
  });

  it.each([
    ['2026-11-15T23:59:59Z', '2026-11-09'],
    ['2026-11-16T00:00:00Z', '2026-11-16'],
    ['2026-11-22T23:59:59Z', '2026-11-16'],
  ])('puts %s into the week that began on %s', (time, monday) => {
    expect(counted([entry({ atMs: Date.parse(time) })]).rows('week')[0]?.name).toBe(monday);
  });

  it('counts the last vote of a person on an answer, in whatever order the votes come', () => {
    const up = entry({ action: 'voted', detail: 'up', userId: 'U2', atMs: mondayMs });
    const down = { ...up, detail: 'down', atMs: mondayMs + 1 };
    const other = { ...up, userId: 'U3' };
    for (const votes of [
      [up, down, other],
      [other, down, up],
    ]) {
      expect(counted(votes).total()).toMatchObject({ votesUp: 1, votesDown: 1 });
    }
  });

  it('puts the busiest channel first', () => {
    const count = counted([entry({}), entry({ channelId: 'C2' }), entry({ channelId: 'C2' })]);
    expect(count.rows('channel').map(({ name }) => name)).toEqual(['C2', 'C1']);
  });
});

const entries = fc.array(
  fc
    .record({
      atMs: fc.integer({ min: mondayMs - 30 * dayMs, max: mondayMs + 30 * dayMs }),
      action: fc.constantFrom('asked' as const, 'ended' as const, 'voted' as const, 'cancelled' as const),
      userId: fc.constantFrom('U1', 'U2', 'U3'),
      channelId: fc.constantFrom('C1', 'C2'),
      questionId: fc.constantFrom('q1', 'q2', 'q3'),
      detail: fc.constantFrom('answered', 'up', 'down', 'gaveUp', 'failed:gone', 'cancelled'),
      durationMs: fc.nat(1_000_000),
      credits: fc.nat(50),
      repositories: fc.uniqueArray(fc.constantFrom('r1', 'r2', 'r3')),
    })
    .map(({ durationMs, credits, repositories, ...rest }) =>
      entry({ ...rest, usage: { durationMs, credits, repositories } }),
    ),
);

/** Votes of the same millisecond have no order. */
const inOneOrder = entries.map((all) => all.map((each, index) => ({ ...each, atMs: each.atMs + index / 1_000 })));

describe('for any entries', () => {
  it('the order does not matter', () => {
    fc.assert(
      fc.property(inOneOrder, fc.nat(), (all, seed) => {
        const shuffled = all
          .map((each, index) => ({ each, key: (index * 7_919 + seed) % 1_009 }))
          .toSorted((one, other) => one.key - other.key)
          .map(({ each }) => each);
        expect(counted(shuffled).total()).toEqual(counted(all).total());
        for (const by of groupings) expect(counted(shuffled).rows(by)).toEqual(counted(all).rows(by));
      }),
    );
  });

  it('two counts merge into the count of both', () => {
    fc.assert(
      fc.property(inOneOrder, fc.nat(50), (all, cut) => {
        const merged = counted(all.slice(0, cut));
        merged.merge(counted(all.slice(cut)));
        expect(merged.total()).toEqual(counted(all).total());
        for (const by of groupings) expect(merged.rows(by)).toEqual(counted(all).rows(by));
      }),
    );
  });

  it('channels, people and weeks each add up to the total', () => {
    fc.assert(
      fc.property(inOneOrder, (all) => {
        const count = counted(all);
        const total = count.total();
        for (const by of ['channel', 'person', 'week'] as const) {
          for (const key of ['questions', 'answers', 'failures', 'votesUp', 'votesDown'] as const) {
            expect(count.rows(by).reduce((sum, row) => sum + row[key], 0)).toBe(total[key]);
          }
        }
      }),
    );
  });

  it('the median is at most the 95th percentile, and both are times of answers', () => {
    fc.assert(
      fc.property(inOneOrder, (all) => {
        const { medianMs, p95Ms, answers } = counted(all).total();
        if (answers === 0) {
          expect(medianMs).toBeUndefined();
          return;
        }
        const times = all.filter(({ action, detail }) => action === 'ended' && detail === 'answered');
        expect(times.map(({ usage }) => usage?.durationMs)).toEqual(expect.arrayContaining([medianMs, p95Ms]));
        expect(medianMs ?? 0).toBeLessThanOrEqual(p95Ms ?? 0);
      }),
    );
  });
});

describe('the report', () => {
  const count = counted([
    entry({}),
    answered(41_250, { usage: { durationMs: 41_250, credits: 2.5, repositories: ['=cmd()', 'github.com/acme/one'] } }),
    entry({ action: 'voted', detail: 'up', usage: { repositories: ['github.com/acme/one'] } }),
  ]);

  it('is CSV with one line for each row, safe against formulas', () => {
    expect(usageAsCsv(count, ['channel', 'repository'])).toBe(
      [
        'by,name,questions,answers,failures,median_seconds,p95_seconds,credits,votes_up,votes_down',
        'channel,C1,1,1,0,41.3,41.3,2.5,1,0',
        "repository,'=cmd(),0,1,0,41.3,41.3,2.5,0,0",
        'repository,github.com/acme/one,0,1,0,41.3,41.3,2.5,1,0',
        '',
      ].join('\r\n'),
    );
  });

  it('is tables with aligned columns, and says how many rows it leaves out', () => {
    const lines = usageAsTable(count, ['repository'], 1).split('\n');
    expect(lines[1]).toMatch(/^all +1 +1 +0 +41\.3 +41\.3 +2\.5 +1 +0$/);
    expect(lines.find((line) => line.startsWith('repository'))?.length).toBe(
      lines.find((line) => line.startsWith('=cmd()'))?.length,
    );
    expect(lines).toContain('1 more; --csv has all of them');
  });

  it('is tables without control characters of the names of repositories, which are what the service says', () => {
    const usage = { durationMs: 1, repositories: ['a\u001b[2J\u202eb'] };
    expect(usageAsTable(counted([answered(1, { usage })]), ['repository'], 9)).toMatch(/^a\?\[2J\?b +0/m);
  });

  it('has empty cells where there is no answer', () => {
    expect(usageAsCsv(counted([entry({})]), ['person'])).toContain('person,U1,1,0,0,,,,0,0');
  });
});
