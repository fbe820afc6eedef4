import type { Records } from '../../src/core/ports.ts';

/** Records in memory. */
export function createMemoryRecords<T>(stored: [string, T][] = []): Records<T> & { all: Map<string, T> } {
  const all = new Map(stored);
  return {
    all,
    get: async (name) => all.get(name),
    update: async (name, change) => {
      const next = change(all.get(name));
      all.set(name, next);
      return next;
    },
  };
}
