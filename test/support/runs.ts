const isStorm = process.env.MANY_RUNS === '1';

/** The number of runs of a property: three fifths of `count` in `npm test`, five times `count` in `npm run test:storm`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: isStorm ? 5 * count : Math.ceil(0.6 * count) };
}
