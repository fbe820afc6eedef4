import { randomUUID } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import { joinOrBegin } from '../core/join-running.ts';
import { findElsewhere } from './home-mark.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** Prefix of the keys with which copies of the app show that they run. */
export const COPY_PREFIX = 'ds:running:';
/** Key that a migration holds while it runs. */
export const MIGRATING_KEY = 'ds:migrating';

/** How long a copy or a migration counts without a sign of life, and how often it gives one, in milliseconds. */
const LIFE_MS = 20_000;
const RENEWAL_MS = 5_000;

/**
 * What a copy's key holds. A migration sees both as a running copy. A copy works only while its key holds `HERE`: no
 * migration has begun since the copy checked where the records are.
 */
const CHECKING = 'checking';
const HERE = 'app';

/** Shows others on the same Redis that this process uses it, until `stop`. */
interface Presence {
  stop(): Promise<void>;
}

export interface RunningCopy extends Presence {
  /** This copy may work while `key` holds `value`. */
  mark: { key: string; value: string };
  /**
   * Resolves if this copy may work. Throws `AppError` of kind `storage` if the records are elsewhere, or if Redis does not
   * tell. Checks again if the copy's sign ended, because the copy was suspended or Redis was away.
   */
  prove(): Promise<void>;
}

/**
 * Shows that this copy runs. Throws `AppError` of kind `storage` while a migration runs, or if the records are elsewhere: of a
 * copy and a migration that begin together, at least one sees the other, because each writes before it reads. Calls
 * `onElsewhere` once if the records were moved while this copy was suspended.
 */
export async function announceCopy(kv: KeyValueStore, onElsewhere: (why: AppError) => void): Promise<RunningCopy> {
  const key = `${COPY_PREFIX}${randomUUID()}`;
  let refusal: AppError | undefined;
  let checking: Promise<void> | undefined;

  const announce = () => kv.set(key, CHECKING, LIFE_MS);
  // Fails if the sign ended while the copy checked.
  const confirm = () => kv.compareAndSet(key, CHECKING, HERE, LIFE_MS);

  async function findRefusal(): Promise<AppError | undefined> {
    if ((await kv.get(MIGRATING_KEY)) === undefined) return findElsewhere(kv);
    return new AppError('storage', 'A migration of this storage runs: start the app when it has ended');
  }

  async function renew(): Promise<void> {
    if (refusal !== undefined) throw refusal;
    const isHere = await kv.compareAndSet(key, HERE, HERE, LIFE_MS);
    if (!isHere) await announce();
    // A migration that begins beside a copy finds its sign and ends.
    refusal = isHere ? await findElsewhere(kv) : await findRefusal();
    if (refusal !== undefined) {
      await kv.delete(key).catch(() => {});
      onElsewhere(refusal);
      throw refusal;
    }
    if (!isHere && !(await confirm())) throw new AppError('storage', 'This copy of the app was suspended for too long');
  }

  function check(): Promise<void> {
    checking ??= renew().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  // A Redis that takes no writes now gets the sign later: the app starts all the same, so that people are told.
  await announce().catch(() => {});
  try {
    refusal = await findRefusal();
    if (refusal !== undefined) throw refusal;
  } catch (error) {
    await kv.delete(key).catch(() => {});
    throw error;
  }
  await confirm().catch(() => {});
  const presence = renewing(check, async () => {
    await checking?.catch(() => {});
    await kv.delete(key);
  });
  return {
    ...presence,
    mark: { key, value: HERE },
    async prove() {
      if ((await kv.get(key)) !== HERE) await joinOrBegin(() => checking, check);
    },
  };
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
