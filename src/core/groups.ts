import { mostAtOnce } from './settings.ts';

/** Splits ids into groups that a store or a scheduler on Redis takes at the same time. */
export function groups(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / mostAtOnce) }, (_, index) =>
    ids.slice(index * mostAtOnce, (index + 1) * mostAtOnce),
  );
}
