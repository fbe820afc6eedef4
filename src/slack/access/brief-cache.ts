import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/ports.ts';

/** Recent data from Slack, by id. */
export interface BriefCache<Value> {
  /** Returns the cached value, or loads it. Calls at the same time share one load. A failed load is not cached. */
  get(id: string): Promise<Value>;
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
  load: (id: string) => Promise<Value>;
  keeps?: (value: Value) => boolean;
}): BriefCache<Value> {
  const { keepMs, most, now, load, keeps = () => true } = options;
  const kept = new LRUCache<string, { value: Value; untilMs: number }>({ max: most });
  const underWay = new Map<string, { loading: Promise<Value> }>();

  return {
    get(id) {
      const known = kept.get(id);
      if (known !== undefined && known.untilMs > now()) return Promise.resolve(known.value);
      return (underWay.get(id) ?? begin(id)).loading;
    },
    change(id, change) {
      underWay.delete(id);
      const value = change(kept.get(id)?.value);
      kept.delete(id);
      if (value !== undefined) note(id, value, now() + keepMs);
    },
  };

  function begin(id: string): { loading: Promise<Value> } {
    const untilMs = now() + keepMs;
    const isNewest = (): boolean => underWay.get(id) === own;
    const own = {
      loading: load(id)
        .then((value) => {
          if (isNewest()) note(id, value, untilMs);
          return value;
        })
        .finally(() => {
          if (isNewest()) underWay.delete(id);
        }),
    };
    underWay.set(id, own);
    return own;
  }

  function note(id: string, value: Value, untilMs: number): void {
    kept.delete(id);
    if (keeps(value)) kept.set(id, { value, untilMs });
  }
}
