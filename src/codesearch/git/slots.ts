/** More work waits than the limits allow, or it waited too long; the caller should try again later. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Bounds of {@link createSlots}. */
export interface SlotLimits {
  /** Work that runs at once, for all users and for one. */
  running: number;
  runningPerUser: number;
  /** Work that waits, for all users and for one; more is refused. */
  waiting: number;
  waitingPerUser: number;
  /** Work that waits longer is refused. */
  waitMs: number;
}

interface Waiter {
  start: () => void;
}

/**
 * Limits how much work runs at once. Work waits in one queue per user, and the users are served in turn, so that one user
 * with much work does not hold up the others.
 */
export function createSlots(limits: SlotLimits) {
  const running = new Map<string, number>();
  const queues = new Map<string, Waiter[]>();
  let runningCount = 0;
  let waitingCount = 0;

  const mayRun = (user: string): boolean =>
    runningCount < limits.running && (running.get(user) ?? 0) < limits.runningPerUser;

  function occupy(user: string): void {
    runningCount += 1;
    running.set(user, (running.get(user) ?? 0) + 1);
  }

  function release(user: string): void {
    runningCount -= 1;
    const left = (running.get(user) ?? 1) - 1;
    if (left > 0) running.set(user, left);
    else running.delete(user);
    startWaiting();
  }

  function startWaiting(): void {
    for (const [user, queue] of [...queues]) {
      if (runningCount >= limits.running) return;
      if (!mayRun(user)) continue;
      const waiter = queue[0];
      if (waiter === undefined) continue;
      leave(user, waiter);
      const rest = queues.get(user);
      if (rest !== undefined) {
        // The user goes to the end of the map: the others come first next time.
        queues.delete(user);
        queues.set(user, rest);
      }
      occupy(user);
      waiter.start();
    }
  }

  function leave(user: string, waiter: Waiter): void {
    const queue = queues.get(user);
    const index = queue?.indexOf(waiter) ?? -1;
    if (queue === undefined || index < 0) return;
    queue.splice(index, 1);
    waitingCount -= 1;
    if (queue.length === 0) queues.delete(user);
  }

  function wait(user: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const waiter: Waiter = { start: () => finish(resolve) };
      const refuse = (error: unknown): void => {
        leave(user, waiter);
        finish(() => reject(error));
      };
      const onAbort = (): void => refuse(signal?.reason);
      const timer = setTimeout(() => refuse(new BusyError('The service is busy. Try again later.')), limits.waitMs);
      signal?.addEventListener('abort', onAbort);
      queues.set(user, [...(queues.get(user) ?? []), waiter]);
      waitingCount += 1;
    });
  }

  return {
    /** Runs the work when there is a slot. Throws {@link BusyError}, or the reason of the signal when it ends the wait. */
    async run<T>(user: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      if (mayRun(user)) occupy(user);
      else {
        const own = queues.get(user)?.length ?? 0;
        if (waitingCount >= limits.waiting || own >= limits.waitingPerUser) {
          throw new BusyError('Too many requests wait. Try again later.');
        }
        await wait(user, signal);
      }
      try {
        return await work();
      } finally {
        release(user);
      }
    },
  };
}
