import { describe, expect, it } from 'vitest';
import { trendOf } from './statistics.ts';

const minuteMs = 60_000;

/** One point a minute for an hour. */
const hourOf = (value: (minute: number) => number) =>
  Array.from({ length: 61 }, (_, minute) => [minute * minuteMs, value(minute)] as const);

describe('the trend of an hour', () => {
  it('says where a value that grows evenly begins and ends, and how fast it grows', () => {
    const trend = trendOf(hourOf((minute) => 100 + minute));
    expect(trend).toEqual({ start: 103, end: 157, most: 160, slopePerHour: 60, lateSlopePerHour: 60 });
  });

  it('takes no single low or high sample at the ends for growth', () => {
    const trend = trendOf(hourOf((minute) => (minute === 0 ? 50 : minute === 60 ? 200 : 100)));
    expect(trend).toMatchObject({ start: 100, end: 100, most: 200 });
    expect(Math.abs(trend.slopePerHour)).toBeLessThan(20);
  });

  it('shows growth that ended, by the slope of the second half', () => {
    const trend = trendOf(hourOf((minute) => Math.min(minute, 30)));
    expect(trend.slopePerHour).toBeGreaterThan(20);
    expect(trend.lateSlopePerHour).toBe(0);
  });
});
