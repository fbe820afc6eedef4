/** The percentile by nearest rank, with `share` from 0 to 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The slope of a line through points of a time in ms and a value, by least squares, per hour. */
function slopePerHour(points: Points): number {
  const meanMs = mean(points.map(([atMs]) => atMs));
  const meanValue = mean(points.map(([, value]) => value));
  let products = 0;
  let squares = 0;
  for (const [atMs, value] of points) {
    products += (atMs - meanMs) * (value - meanValue);
    squares += (atMs - meanMs) ** 2;
  }
  return (products / squares) * 3_600_000;
}

type Points = readonly (readonly [atMs: number, value: number])[];

export interface Trend {
  /** Medians of the first and of the last tenth of the time: one sample says little where values go up and down. */
  start: number;
  end: number;
  most: number;
  /** By least squares over all points, and over those of the second half of the time, which shows growth that goes on. */
  slopePerHour: number;
  lateSlopePerHour: number;
}

/** How a value changes over the time of its points, which are in order of time. */
export function trendOf(points: Points): Trend {
  const [fromMs = Number.NaN] = points[0] ?? [];
  const [toMs = Number.NaN] = points.at(-1) ?? [];
  const medianBetween = (from: number, to: number): number =>
    percentile(
      points
        .filter(([atMs]) => atMs >= fromMs + from * (toMs - fromMs) && atMs <= fromMs + to * (toMs - fromMs))
        .map(([, value]) => value),
      0.5,
    );
  return {
    start: medianBetween(0, 0.1),
    end: medianBetween(0.9, 1),
    most: Math.max(...points.map(([, value]) => value)),
    slopePerHour: slopePerHour(points),
    lateSlopePerHour: slopePerHour(points.filter(([atMs]) => atMs >= (fromMs + toMs) / 2)),
  };
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

/** Pseudorandom numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
