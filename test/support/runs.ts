const more = process.env.MANY_RUNS === '1' ? 5 : 1;

/** How often a property is tried: so often in `npm test`, and five times as often in `npm run test:storm`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: count * more };
}
