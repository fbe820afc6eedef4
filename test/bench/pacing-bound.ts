/** A log-normal part of a distribution of durations, with its share of all durations. */
export interface DurationPart {
  share: number;
  medianMs: number;
  /** The standard deviation of the logarithms. */
  deviation: number;
}

/** How durations are distributed, in cells of `cellMs`. */
export interface DurationGrid {
  /** The probability of each cell. */
  cells: Float64Array;
  /** The probability of all cells before this one. */
  before: Float64Array;
}

const cellMs = 100;
const priceSteps = 16;

/** Divides a distribution that is cut at `longestMs` into cells. */
export function durationGrid(parts: readonly DurationPart[], longestMs: number): DurationGrid {
  const cells = Float64Array.from({ length: longestMs / cellMs }, (_, cell) => {
    const ms = (cell + 0.5) * cellMs;
    return parts.reduce((sum, { share, medianMs, deviation }) => {
      const at = Math.log(ms / medianMs) / deviation;
      return sum + (share * Math.exp((-at * at) / 2)) / (deviation * ms);
    }, 0);
  });
  const total = cells.reduce((sum, cell) => sum + cell, 0);
  const before = new Float64Array(cells.length + 1);
  for (const [cell, weight] of cells.entries()) {
    cells[cell] = weight / total;
    before[cell + 1] = at(before, cell) + weight / total;
  }
  return { cells, before };
}

/**
 * The least product of mean delay, in seconds, and mean number of reads: (∫ √(f · S) dt)² / 2, with the density f and
 * the share S that is not ready. Holds for schedules that know only the distribution.
 */
export function leastProduct({ cells, before }: DurationGrid): number {
  const integral = cells.reduce((sum, cell, index) => {
    const notReady = 1 - at(before, index) - cell / 2;
    return sum + Math.sqrt(Math.max(0, cell * notReady * (cellMs / 1_000)));
  }, 0);
  return integral ** 2 / 2;
}

/** The times of the reads of the schedule with the least mean delay, by a dynamic program: `reads` reads on average. */
export function bestScheduleFor(grid: DurationGrid, reads: number): number[] {
  let cheapMs = 1;
  let dearMs = 60_000;
  for (let step = 0; step < priceSteps; step += 1) {
    const priceMs = Math.sqrt(cheapMs * dearMs);
    if (meanReads(grid, bestSchedule(grid, priceMs)) > reads) cheapMs = priceMs;
    else dearMs = priceMs;
  }
  return bestSchedule(grid, dearMs).map((cell) => cell * cellMs);
}

/** The cells at whose beginnings to read, if a read is worth `priceMs` of delay. */
function bestSchedule({ cells, before }: DurationGrid, priceMs: number): number[] {
  const end = cells.length;
  const meanBefore = new Float64Array(end + 1);
  for (const [cell, weight] of cells.entries()) {
    meanBefore[cell + 1] = at(meanBefore, cell) + weight * (cell + 0.5) * cellMs;
  }
  const cost = new Float64Array(end + 1);
  const next = new Int32Array(end + 1);
  for (let from = end - 1; from >= 0; from -= 1) {
    const readyBefore = at(before, from);
    const readMs = priceMs * (1 - readyBefore) + at(meanBefore, from);
    let least = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= end; to += 1) {
      const sum = readMs + to * cellMs * (at(before, to) - readyBefore) - at(meanBefore, to) + at(cost, to);
      if (sum < least) {
        least = sum;
        next[from] = to;
      }
    }
    cost[from] = least;
  }
  const schedule: number[] = [];
  for (let cell = at(next, 0); schedule.at(-1) !== end; cell = at(next, cell)) schedule.push(cell);
  return schedule;
}

function meanReads({ before }: DurationGrid, schedule: readonly number[]): number {
  return [0, ...schedule.slice(0, -1)].reduce((sum, cell) => sum + 1 - at(before, cell), 0);
}

function at(values: Float64Array | Int32Array, index: number): number {
  return values[index] ?? 0;
}
