import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { createLocks, lockKey } from '../../../src/storage/locks.ts';
import { eventually } from '../../support/eventually.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import type { Engine } from './storage-contract.ts';

const TWENTY = Array.from({ length: 20 }, (_, index) => index);
const patient = { leaseMs: 30_000, patienceMs: 30_000 };
const locked = expect.objectContaining({ name: 'AppError', kind: 'unavailable', code: 'locked' });
const { log } = createRecordingLog();

/** A promise and the function that resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** The contract of locks, for every engine: `one` and `other` are the locks of two processes. */
export function locksContract(engine: Engine): void {
  let stores: KeyValueStore[];
  let one: ReturnType<typeof createLocks>;
  let other: ReturnType<typeof createLocks>;

  beforeEach(async () => {
    await engine.clear();
    stores = [await engine.open(), await engine.open()];
    const [first, second] = stores.map((kv) => createLocks(kv, log));
    if (first === undefined || second === undefined) throw new Error('there are two stores');
    one = first;
    other = second;
  });

  afterEach(async () => {
    for (const kv of stores) await kv.close();
  });

  describe('with locks', () => {
    it('runs one work at a time, whichever process it is in, and returns each result', async () => {
      let running = 0;
      let most = 0;
      const results = await Promise.all(
        TWENTY.map((index) =>
          (index % 2 === 0 ? one : other).withLock('a', patient, async () => {
            running += 1;
            most = Math.max(most, running);
            await stores[index % 2]?.ping();
            running -= 1;
            return index;
          }),
        ),
      );
      expect(most).toBe(1);
      expect(results).toEqual(TWENTY);
    });

    it('does not wait for a lock of another name', async () => {
      const { opened, open } = gate();
      const long = one.withLock('a', patient, () => opened);
      expect(await other.withLock('b', { ...patient, patienceMs: 0 }, async () => 'done')).toBe('done');
      open();
      await long;
    });

    it('gives up when its patience ends, and does not run the work', async () => {
      const { opened, open } = gate();
      const started = gate();
      const long = one.withLock('a', patient, () => {
        started.open();
        return opened;
      });
      await started.opened;
      let hasRun = false;
      for (const patienceMs of [0, 50]) {
        const short = other.withLock('a', { leaseMs: 1_000, patienceMs }, async () => {
          hasRun = true;
        });
        await expect(short).rejects.toEqual(locked);
      }
      expect(hasRun).toBe(false);
      open();
      await long;
    });

    it('is free again after a work that failed, and throws its failure', async () => {
      const failure = new AppError('unavailable', 'the work failed');
      await expect(one.withLock('a', patient, () => Promise.reject(failure))).rejects.toBe(failure);
      expect(await other.withLock('a', { ...patient, patienceMs: 0 }, async () => 'done')).toBe('done');
    });

    it('ends when the lease of a holder that died is over', async () => {
      // Try again if the lease ended before the other process asked.
      await eventually(async () => {
        await stores[0]?.setIfAbsent(lockKey('a'), 'a process that was killed', 200);
        await expect(other.withLock('a', { leaseMs: 1_000, patienceMs: 0 }, async () => 'too early')).rejects.toEqual(
          locked,
        );
      });
      expect(await other.withLock('a', patient, async () => 'done')).toBe('done');
    });

    it('goes to the next one without a wait for the lease when the reply to its holder is lost', async () => {
      const [kv] = stores;
      if (kv === undefined) throw new Error('there are two stores');
      const failure = new AppError('storage', 'planned', { outcomeUnknown: true });
      const setIfAbsent: KeyValueStore['setIfAbsent'] = async (...lock) => {
        await kv.setIfAbsent(...lock);
        throw failure;
      };
      const compareAndDelete: KeyValueStore['compareAndDelete'] = (...lock) => kv.compareAndDelete(...lock);
      const deaf = createLocks({ setIfAbsent, compareAndDelete }, log);
      const long = { leaseMs: 600_000, patienceMs: 0 };
      await expect(deaf.withLock('a', long, async () => 'done')).rejects.toBe(failure);
      await eventually(() => other.withLock('a', { ...patient, patienceMs: 0 }, async () => {}));
    });

    it('throws why it could not be taken, although its key could not be removed either', async () => {
      const failure = new AppError('storage', 'planned', { outcomeUnknown: true });
      const failing = (error: AppError) => () => Promise.reject(error);
      const away = { setIfAbsent: failing(failure), compareAndDelete: failing(new AppError('storage', 'away')) };
      await expect(createLocks(away, log).withLock('a', patient, async () => 'done')).rejects.toBe(failure);
    });

    it('goes to the next one when the work takes longer than its lease, and that one keeps it', async () => {
      const { opened, open } = gate();
      const begun = gate();
      const overlong = one.withLock('a', { leaseMs: 50, patienceMs: 0 }, () => {
        begun.open();
        return opened.then(() => 'late');
      });
      // The two processes write on their own, so the first one to ask is not always the first one to get the lock.
      await begun.opened;
      const next = gate();
      const started = gate();
      const second = other.withLock('a', patient, () => {
        started.open();
        return next.opened;
      });
      await started.opened;
      open();
      expect(await overlong).toBe('late');
      await expect(one.withLock('a', { leaseMs: 50, patienceMs: 0 }, async () => {})).rejects.toEqual(locked);
      next.open();
      await second;
      await eventually(() => one.withLock('a', { leaseMs: 1_000, patienceMs: 0 }, async () => {}));
    });
  });
}
