/** The only element of a list; throws when there is not exactly one. */
export function one<T>(found: readonly T[]): T {
  const [only, ...more] = found;
  if (only === undefined || more.length > 0) throw new Error(`expected one, found ${found.length}`);
  return only;
}
