const more = process.env.MANY_RUNS === '1' ? 5 : 1;

/** The number of runs of a property: `count` in `npm test`, five times as many in `npm run test:storm`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: count * more };
}
