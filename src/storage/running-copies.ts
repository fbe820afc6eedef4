import { randomUUID } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** Prefix of the keys with which copies of the app show that they run. */
export const COPY_PREFIX = 'ds:running:';
/** Key that a migration holds while it runs. */
export const MIGRATING_KEY = 'ds:migrating';

/** How long a copy or a migration counts without a sign of life, and how often it gives one, in milliseconds. */
const LIFE_MS = 20_000;
const RENEWAL_MS = 5_000;

/** Shows others on the same Redis that this process uses it, until `stop`. */
export interface Presence {
  stop(): Promise<void>;
}

/**
 * Shows that this copy runs. Throws `AppError` of kind `storage` while a migration runs: of a copy and a migration that
 * begin together, at least one sees the other, because each writes before it reads.
 */
export async function announceCopy(kv: KeyValueStore): Promise<Presence> {
  const key = `${COPY_PREFIX}${randomUUID()}`;
  const announce = () => kv.set(key, 'app', LIFE_MS);
  // A Redis that takes no writes now gets the sign later: the app starts all the same, so that people are told.
  await announce().catch(() => {});
  const presence = renewing(announce, async () => void (await kv.delete(key)));
  if ((await kv.get(MIGRATING_KEY)) === undefined) return presence;
  await presence.stop();
  throw new AppError('storage', 'A migration of this storage runs: start the app when it has ended');
}

/** What a migration holds on a store that several processes share. */
export interface MigrationLease extends Presence {
  /** Throws `AppError` of kind `storage` if the lease ended meanwhile, so that a copy of the app may have started. */
  prove(): Promise<void>;
}

/** Throws `AppError` of kind `storage` while a copy of the app or another migration runs. */
export async function leaseMigration(kv: KeyValueStore): Promise<MigrationLease> {
  const holder = randomUUID();
  if (!(await kv.setIfAbsent(MIGRATING_KEY, holder, LIFE_MS))) {
    throw new AppError('storage', `Another migration of Redis runs, or was killed less than ${LIFE_MS / 1_000} s ago`);
  }
  const renew = () => kv.compareAndSet(MIGRATING_KEY, holder, holder, LIFE_MS);
  const presence = renewing(renew, async () => void (await kv.compareAndDelete(MIGRATING_KEY, holder)));
  for await (const _copy of kv.keys(COPY_PREFIX)) {
    await presence.stop();
    throw new AppError(
      'storage',
      `A copy of the app runs on Redis, or was killed less than ${LIFE_MS / 1_000} s ago: stop all copies first`,
    );
  }
  return {
    ...presence,
    async prove() {
      if (await renew()) return;
      throw new AppError('storage', 'The migration was suspended for too long: run it again');
    },
  };
}

function renewing(renew: () => Promise<unknown>, end: () => Promise<void>): Presence {
  // The store's connection logs its failures. A sign that is late ends with its life.
  const timer = setInterval(() => void renew().catch(() => {}), RENEWAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await end().catch(() => {});
    },
  };
}
