import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { lockKey } from './locks.ts';

/** The lock of a Redis: all copies of the app hold it together, or one migration does. */
const USE_KEY = lockKey('store');
const APP = 'app';

/** How long a user counts without a renewal, and how often it renews, in milliseconds. */
const LIFE_MS = 20_000;
const RENEWAL_MS = 5_000;
/** How often a migration looks whether the lock ended, in milliseconds. */
const RETRY_MS = 250;

/** A copy of the app may still hold the lock for this long after it ended, in milliseconds. */
export const useEndsMs = LIFE_MS + RENEWAL_MS;

type LockedStore = Pick<KeyValueStore, 'get' | 'setIfAbsent' | 'compareAndSet' | 'compareAndDelete'>;

/**
 * Holds the lock of a Redis for this copy of the app, together with the others, until `stop`. Throws `AppError` of kind
 * `storage` while a migration runs, or if nothing may run on this store.
 */
export async function useAsApp(kv: LockedStore, log: Log): Promise<{ stop(): void }> {
  const hold = async () =>
    (await kv.setIfAbsent(USE_KEY, APP, LIFE_MS)) || (await kv.compareAndSet(USE_KEY, APP, APP, LIFE_MS));

  async function renew(): Promise<void> {
    const isHeld = await hold();
    // If this copy was suspended during a whole migration, it goes on with records that were moved; so it says so.
    const isClosed = isHeld && (await kv.get(CLOSED_KEY)) !== undefined;
    if (!isHeld || isClosed) log.error({ event: 'storage.lock', outcome: isClosed ? 'moved' : 'lost', key: USE_KEY });
  }

  if (!(await hold())) {
    throw new AppError('storage', 'A migration of this storage runs: start the app when it has ended');
  }
  try {
    await refuseClosed(kv);
  } catch (error) {
    // No copy runs on a closed store, so the lock is not another one's. A copy that starts again and again would hold it.
    await kv.compareAndDelete(USE_KEY, APP).catch(() => {});
    throw error;
  }
  // `stop` leaves the lock, which may be another copy's too. It ends by itself.
  return renewing(renew);
}

/** The lock of a Redis while a migration holds it. */
interface MigrationUse {
  /** Throws `AppError` of kind `storage` if the lock ended meanwhile, so that a copy of the app may have started. */
  prove(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Holds the lock of a Redis for a migration, and waits `patienceMs` for it, because a copy that ended leaves it. Throws
 * `AppError` of kind `storage` while a copy of the app or another migration runs.
 */
export async function useAsMigration(kv: LockedStore, patienceMs: number): Promise<MigrationUse> {
  const holder = randomUUID();
  const untilMs = performance.now() + patienceMs;
  while (!(await kv.setIfAbsent(USE_KEY, holder, LIFE_MS))) {
    if (performance.now() >= untilMs) {
      const isApp = (await kv.get(USE_KEY)) === APP;
      throw new AppError('storage', isApp ? 'The app runs on Redis: stop all copies first' : 'Another migration runs');
    }
    await wait(RETRY_MS);
  }
  const renew = () => kv.compareAndSet(USE_KEY, holder, holder, LIFE_MS);
  const renewal = renewing(renew);
  return {
    async prove() {
      if (await renew()) return;
      throw new AppError('storage', 'The migration was suspended for too long: run it again');
    },
    async stop() {
      renewal.stop();
      await kv.compareAndDelete(USE_KEY, holder).catch(() => {});
    },
  };
}

function renewing(renew: () => Promise<unknown>): { stop(): void } {
  // The store's connection logs its failures. If renewals fail for too long, the lock ends.
  const timer = setInterval(() => void renew().catch(() => {}), RENEWAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Key of the reason why nothing may run on a store, which holds only copies of records: {@link UNFINISHED}, or the day on
 * which its records were moved.
 */
export const CLOSED_KEY = 'ds:closed';
/** A migration fills this store. */
export const UNFINISHED = 'unfinished';

/** Throws `AppError` of kind `storage` for a store on which nothing may run, because its records are not all here. */
export async function refuseClosed(kv: Pick<KeyValueStore, 'get'>): Promise<void> {
  const why = await kv.get(CLOSED_KEY);
  if (why === undefined) return;
  throw new AppError(
    'storage',
    why === UNFINISHED
      ? 'A migration into this storage has not ended, so that records are missing here: run `npm run admin -- migrate` again'
      : `The records of this storage were moved to the other storage on ${why}: use that one (REDIS_URL or DATA_DIR), or move them back with \`npm run admin -- migrate\``,
  );
}
