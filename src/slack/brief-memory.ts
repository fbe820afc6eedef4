import type { Clock } from '../core/ports.ts';

/** What Slack told lately, by id. */
export interface BriefMemory<Value> {
  /** The remembered value, or what `load` brings; calls at the same time share one load. A failed load is not remembered. */
  get(id: string): Promise<Value>;
}

/**
 * Remembers at most `most` values, each for `keepMs` after it was asked for; `keeps` says which are worth it. The oldest
 * make room.
 */
export function createBriefMemory<Value>(options: {
  keepMs: number;
  most: number;
  now: Clock;
  load: (id: string) => Promise<Value>;
  keeps?: (value: Value) => boolean;
}): BriefMemory<Value> {
  const { keepMs, most, now, load, keeps = () => true } = options;
  const kept = new Map<string, { value: Value; untilMs: number }>();
  const underWay = new Map<string, Promise<Value>>();

  return {
    get(id) {
      const known = kept.get(id);
      if (known !== undefined && known.untilMs > now()) return Promise.resolve(known.value);
      const loading = underWay.get(id) ?? begin(id);
      underWay.set(id, loading);
      return loading;
    },
  };

  async function begin(id: string): Promise<Value> {
    const untilMs = now() + keepMs;
    try {
      const value = await load(id);
      kept.delete(id);
      if (keeps(value)) remember(id, value, untilMs);
      return value;
    } finally {
      underWay.delete(id);
    }
  }

  function remember(id: string, value: Value, untilMs: number): void {
    const [oldest] = kept.keys();
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
    kept.set(id, { value, untilMs });
  }
}
