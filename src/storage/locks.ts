import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Locks } from '../core/accounts/accounts.ts';
import { AppError } from '../core/errors.ts';
import { exponentialMs } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** Waits between two attempts to take a lock, in ms. The first is short, because most holders are quick. */
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 250;

export function lockKey(name: string): string {
  return `ds:lock:${name}`;
}

/**
 * Creates locks on either engine. Each holder has its own id, so that a holder whose lease ended can't release the lock
 * of the next one. A failure to release is logged only: the lease ends the lock.
 */
export function createLocks(kv: Pick<KeyValueStore, 'setIfAbsent' | 'compareAndDelete'>, log: Log): Locks {
  return {
    async withLock(name, { leaseMs, patienceMs }, work) {
      const key = lockKey(name);
      const holder = randomUUID();
      await take(key, holder, leaseMs, patienceMs);
      try {
        return await work();
      } finally {
        await release(key, holder);
      }
    },
  };

  async function take(key: string, holder: string, leaseMs: number, patienceMs: number): Promise<void> {
    const untilMs = performance.now() + patienceMs;
    for (let tries = 1; !(await tryToTake(key, holder, leaseMs)); tries += 1) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) {
        throw new AppError('unavailable', `Lock ${key} was not free within ${patienceMs} ms`, { code: 'locked' });
      }
      await wait(Math.min(exponentialMs(tries, Math.random(), LONGEST_WAIT_MS, FIRST_WAIT_MS), leftMs));
    }
  }

  /** A storage that gave no reply may have given the lock. It is given back at once, or ends with its lease. */
  async function tryToTake(key: string, holder: string, leaseMs: number): Promise<boolean> {
    try {
      return await kv.setIfAbsent(key, holder, leaseMs);
    } catch (error) {
      // Not awaited: the caller learns of the failure without another wait for the storage.
      void kv.compareAndDelete(key, holder).catch(() => {});
      throw error;
    }
  }

  async function release(key: string, holder: string): Promise<void> {
    try {
      const isReleased = await kv.compareAndDelete(key, holder);
      if (!isReleased) log.warn({ event: 'storage.lock', outcome: 'overlong', key });
    } catch (error) {
      log.warn({ event: 'storage.lock', outcome: 'notReleased', key }, error);
    }
  }
}
