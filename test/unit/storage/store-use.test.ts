import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { useAsApp, useAsMigration } from '../../../src/storage/store-use.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const key = 'ds:lock:store';
const renewalMs = 5_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A store in memory that does not answer while `isAway`. */
function createStore() {
  const texts = new Map<string, string>();
  const store = {
    texts,
    isAway: false,
    async get(name: string) {
      return texts.get(name);
    },
    async setIfAbsent(name: string, value: string) {
      if (store.isAway) throw new AppError('storage', 'Redis is away');
      if (texts.has(name)) return false;
      texts.set(name, value);
      return true;
    },
    compareAndSet: async (name: string, expected: string | undefined) => texts.get(name) === expected,
    compareAndDelete: async (name: string, expected: string) => texts.get(name) === expected && texts.delete(name),
  };
  return store;
}

it('a copy of the app takes the lock of Redis again that ended while Redis was away, until it stops', async () => {
  const store = createStore();
  const use = await useAsApp(store, createRecordingLog().log);
  store.texts.clear();
  store.isAway = true;
  await vi.advanceTimersByTimeAsync(renewalMs);
  store.isAway = false;
  await vi.advanceTimersByTimeAsync(renewalMs);
  expect([...store.texts]).toEqual([[key, 'app']]);
  use.stop();
  store.texts.clear();
  await vi.advanceTimersByTimeAsync(2 * renewalMs);
  expect([...store.texts]).toEqual([]);
});

it('a copy that was suspended during a whole migration says that its records were moved', async () => {
  const store = createStore();
  const { log, lines } = createRecordingLog();
  const use = await useAsApp(store, log);
  store.texts.clear();
  store.texts.set('ds:closed', '2026-11-27');
  await vi.advanceTimersByTimeAsync(renewalMs);
  expect(lines).toMatchObject([{ event: 'storage.lock', outcome: 'moved' }]);
  use.stop();
});

it('a migration whose lock ended meanwhile does not end as if it had been alone', async () => {
  const store = createStore();
  const use = await useAsMigration(store, 0);
  await vi.advanceTimersByTimeAsync(renewalMs);
  await use.prove();
  store.texts.clear();
  await vi.advanceTimersByTimeAsync(renewalMs);
  await expect(use.prove()).rejects.toMatchObject({ kind: 'storage', message: expect.stringContaining('suspended') });
  await useAsApp(store, createRecordingLog().log);
  await use.stop();
  expect([...store.texts]).toEqual([[key, 'app']]);
});
