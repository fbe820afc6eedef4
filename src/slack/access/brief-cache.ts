import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/ports.ts';

/** Recent data from Slack, by id. */
interface BriefCache<Value> {
  /**
   * Returns the cached value, or loads it. Calls at the same time share one load. A failed load is not cached. `sinceMs`: what
   * was loaded before this time, or began to load, does not count: then one load after the one under way serves all
   * that wait. If each began a load of its own, many answers at once would use up what Slack allows.
   */
  get(id: string, sinceMs?: number): Promise<Value>;
  /** The cached value. Loads nothing. */
  known(id: string): Value | undefined;
  /** Replaces or removes a value, for example after an event. A load under way is older than that and is not cached. */
  change(id: string, change: (known: Value | undefined) => Value | undefined): void;
}

interface Load<Value> {
  loading: Promise<Value>;
  fromMs: number;
  /** The load that begins when this one ends, for calls that want a newer value. */
  after?: { loading: Promise<Value>; sinceMs: number };
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
  const underWay = new Map<string, Load<Value>>();

  return {
    get,
    known: (id) => cached(id)?.value,
    change(id, change) {
      underWay.delete(id);
      const value = change(kept.get(id)?.value);
      kept.delete(id);
      if (value !== undefined) note(id, value, now());
    },
  };

  function get(id: string, sinceMs?: number): Promise<Value> {
    const known = cached(id);
    if (known !== undefined && isOf(known, sinceMs)) return Promise.resolve(known.value);
    const begun = underWay.get(id);
    if (begun === undefined) return begin(id, sinceMs);
    return isOf(begun, sinceMs) ? begun.loading : loadAfter(begun, id, sinceMs);
  }

  function cached(id: string): { value: Value; fromMs: number } | undefined {
    const known = kept.get(id);
    return known !== undefined && now() - known.fromMs < keepMs ? known : undefined;
  }

  function loadAfter(begun: Load<Value>, id: string, sinceMs = 0): Promise<Value> {
    const after = begun.after ?? { sinceMs, loading: begun.loading.then(again, again) };
    after.sinceMs = Math.max(after.sinceMs, sinceMs);
    begun.after = after;
    return after.loading;

    function again(): Promise<Value> {
      // If the clock was set back, the time to load from would be in the future, and no load would ever count.
      return get(id, Math.min(after.sinceMs, now()));
    }
  }

  /** If the clock was set back, a value may have a time in the future. It does not count as a new one. */
  function isOf({ fromMs }: { fromMs: number }, sinceMs: number | undefined): boolean {
    return sinceMs === undefined || (fromMs >= sinceMs && fromMs <= now());
  }

  function begin(id: string, sinceMs: number | undefined): Promise<Value> {
    const fromMs = now();
    const isNewest = (): boolean => underWay.get(id) === own;
    const own: Load<Value> = {
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
    return own.loading;
  }

  function note(id: string, value: Value, fromMs: number): void {
    kept.delete(id);
    if (keeps(value)) kept.set(id, { value, fromMs });
  }
}
