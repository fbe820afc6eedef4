import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/ports.ts';

/** Recent data from Slack, by id. */
export interface BriefCache<Value> {
  /**
   * Returns the cached value, or loads it. Calls at the same time share one load. A failed load is not cached. `sinceMs`: what
   * was loaded before this time, or began to load, does not count.
   */
  get(id: string, sinceMs?: number): Promise<Value>;
  /** Replaces or removes a value, for example after an event. A load under way is older than that and is not cached. */
  change(id: string, change: (known: Value | undefined) => Value | undefined): void;
}

/**
 * Caches at most `most` values, each for `keepMs` after its load began or it was changed. `keeps` says which values are
 * cached. When there is no room, the value that was not used for the longest time is removed.
 */
export function createBriefCache<Value>(options: {
  keepMs: number;
  most: number;
  now: Clock;
  load: (id: string, sinceMs: number | undefined) => Promise<Value>;
  keeps?: (value: Value) => boolean;
}): BriefCache<Value> {
  const { keepMs, most, now, load, keeps = () => true } = options;
  const kept = new LRUCache<string, { value: Value; fromMs: number }>({ max: most });
  const underWay = new Map<string, { loading: Promise<Value>; fromMs: number }>();

  return {
    get(id, sinceMs) {
      const known = kept.get(id);
      if (known !== undefined && now() - known.fromMs < keepMs && isOf(known, sinceMs)) {
        return Promise.resolve(known.value);
      }
      const begun = underWay.get(id);
      return (begun !== undefined && isOf(begun, sinceMs) ? begun : begin(id, sinceMs)).loading;
    },
    change(id, change) {
      underWay.delete(id);
      const value = change(kept.get(id)?.value);
      kept.delete(id);
      if (value !== undefined) note(id, value, now());
    },
  };

  /** If the clock was set back, a value may have a time in the future. It does not count as a new one. */
  function isOf({ fromMs }: { fromMs: number }, sinceMs: number | undefined): boolean {
    return sinceMs === undefined || (fromMs >= sinceMs && fromMs <= now());
  }

  function begin(id: string, sinceMs: number | undefined): { loading: Promise<Value> } {
    const fromMs = now();
    const isNewest = (): boolean => underWay.get(id) === own;
    const own = {
      fromMs,
      loading: load(id, sinceMs)
        .then((value) => {
          if (isNewest()) note(id, value, fromMs);
          return value;
        })
        .finally(() => {
          if (isNewest()) underWay.delete(id);
        }),
    };
    underWay.set(id, own);
    return own;
  }

  function note(id: string, value: Value, fromMs: number): void {
    kept.delete(id);
    if (keeps(value)) kept.set(id, { value, fromMs });
  }
}
