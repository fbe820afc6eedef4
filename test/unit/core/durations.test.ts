import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDurations, type DurationLog, expectation } from '../../../src/core/history/lists.ts';
import type { Records } from '../../../src/core/ports.ts';

function memory(): Records<DurationLog> & { logs: Map<string, DurationLog> } {
  const logs = new Map<string, DurationLog>();
  return {
    logs,
    get: async (name) => logs.get(name),
    update: async (name, change) => {
      const next = change(logs.get(name));
      logs.set(name, next);
      return next;
    },
  };
}

const seconds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => (from + index) * 1000);

describe('the expected duration', () => {
  it.each([
    ['no answers', []],
    ['nine answers', seconds(1, 9)],
  ])('is unknown after %s', (_, durationsMs) => {
    expect(expectation(durationsMs)).toBeUndefined();
  });

  it.each([
    ['ten', seconds(1, 10), { fromMs: 3_000, toMs: 8_000, lateMs: 9_000 }],
    ['a hundred', seconds(1, 100), { fromMs: 25_000, toMs: 75_000, lateMs: 90_000 }],
    ['ten alike', Array.from({ length: 10 }, () => 5_000), { fromMs: 5_000, toMs: 5_000, lateMs: 5_000 }],
    [
      'nine quick ones and a slow one',
      [...Array.from({ length: 9 }, () => 1_000), 900_000],
      { fromMs: 1_000, toMs: 1_000, lateMs: 1_000 },
    ],
  ])('is the middle half of %s answers, and late means beyond nine in ten', (_, durationsMs, expected) => {
    expect(expectation(durationsMs)).toEqual(expected);
  });

  it('does not depend on the order, and lies within what was measured', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(900_000), { minLength: 10, maxLength: 200 }), (durationsMs) => {
        const expected = expectation(durationsMs);
        expect(expectation(durationsMs.toReversed())).toEqual(expected);
        const { fromMs, toMs, lateMs } = expected ?? { fromMs: -1, toMs: -1, lateMs: -1 };
        expect(Math.min(...durationsMs)).toBeLessThanOrEqual(fromMs);
        expect(fromMs).toBeLessThanOrEqual(toMs);
        expect(toMs).toBeLessThanOrEqual(lateMs);
        expect(lateMs).toBeLessThanOrEqual(Math.max(...durationsMs));
        const late = durationsMs.filter((durationMs) => durationMs > lateMs);
        expect(late.length).toBeLessThanOrEqual(durationsMs.length / 10);
      }),
    );
  });
});

describe('the log of a workspace', () => {
  it('expects nothing before anything was answered there', async () => {
    expect(await createDurations(memory()).expect('T1')).toBeUndefined();
  });

  it('counts each question once', async () => {
    const durations = createDurations(memory());
    for (let index = 0; index < 9; index += 1) await durations.note('T1', `q${index}`, 1_000);
    for (let times = 0; times < 5; times += 1) await durations.note('T1', 'q0', 9_000);
    expect(await durations.expect('T1')).toBeUndefined();
    await durations.note('T1', 'q9', 1_000);
    expect(await durations.expect('T1')).toEqual({ fromMs: 1_000, toMs: 1_000, lateMs: 1_000 });
  });

  it('is kept apart from that of another workspace', async () => {
    const durations = createDurations(memory());
    for (let index = 0; index < 20; index += 1) await durations.note('T1', `q${index}`, 1_000);
    for (let index = 0; index < 9; index += 1) await durations.note('T2', `p${index}`, 60_000);
    expect(await durations.expect('T2')).toBeUndefined();
    await durations.note('T2', 'p9', 60_000);
    expect((await durations.expect('T1'))?.lateMs).toBe(1_000);
    expect((await durations.expect('T2'))?.fromMs).toBe(60_000);
  });

  it('keeps the newest two hundred durations', async () => {
    const records = memory();
    const durations = createDurations(records);
    for (let index = 0; index < 200; index += 1) await durations.note('T1', `old${index}`, 60_000);
    for (let index = 0; index < 200; index += 1) await durations.note('T1', `new${index}`, 1_000);
    expect(records.logs.get('T1')?.entries).toHaveLength(200);
    expect((await durations.expect('T1'))?.lateMs).toBe(1_000);
  });
});
