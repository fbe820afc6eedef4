import type { Clock } from '../ports.ts';
import { deliveryCountsMs, mostYieldMs } from '../settings.ts';

/**
 * Lets deliveries of Slack go before work on accepted questions. Slack waits 3 s for each acknowledgement, and an
 * acknowledgement waits for several replies of the storage. In a flood, each of these would wait for everything else
 * that the process has to do.
 */
export interface DeliveryPriority {
  /** Counts a delivery as under way while `handle` runs, but not for longer than `deliveryCountsMs`. */
  during(handle: () => Promise<void>): Promise<void>;
  /** Resolves at once when no delivery is under way. Else when none is, or after `mostYieldMs`. First come, first served. */
  yieldToDeliveries(): Promise<void>;
}

interface Waiting {
  untilMs: number;
  go: () => void;
}

/** `now` in milliseconds; it may start anywhere, but must not go back. */
export function createDeliveryPriority(now: Clock): DeliveryPriority {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isNextPlanned = false;

  async function during(handle: () => Promise<void>): Promise<void> {
    underWay += 1;
    let counts = true;
    const end = (): void => {
      if (!counts) return;
      counts = false;
      underWay -= 1;
      if (underWay === 0) planNext();
    };
    // A listener may wait for Slack for seconds.
    const longest = setTimeout(end, deliveryCountsMs);
    try {
      await handle();
    } finally {
      clearTimeout(longest);
      end();
    }
  }

  function planNext(): void {
    const [first] = waiting;
    if (first === undefined || isNextPlanned) return;
    const leftMs = underWay === 0 ? 0 : first.untilMs - now();
    clearTimeout(timer);
    if (leftMs > 0) {
      timer = setTimeout(planNext, leftMs);
      return;
    }
    isNextPlanned = true;
    // One at a time: deliveries that arrive while one goes on are counted before the next.
    setImmediate(() => {
      isNextPlanned = false;
      if (underWay === 0 || first.untilMs <= now()) waiting.shift()?.go();
      planNext();
    });
  }

  return {
    during,
    async yieldToDeliveries() {
      if (underWay === 0 && waiting.length === 0) return;
      await new Promise<void>((go) => {
        waiting.push({ untilMs: now() + mostYieldMs, go });
        planNext();
      });
    },
  };
}
