import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { announceCopy } from '../../../src/storage/running-copies.ts';

const away = new AppError('storage', 'Redis is away');
const renewalMs = 5_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A store in memory. From `leave` on, `compareAndSet` waits; `fail` lets it fail, what waits and what comes, until `comeBack`. */
function createStore() {
  const texts = new Map<string, string>();
  let held: Promise<never> | undefined;
  const kv = {
    get: async (key: string) => texts.get(key),
    set: async (key: string, value: string) => void texts.set(key, value),
    delete: async (key: string) => texts.delete(key),
    async compareAndSet(key: string, expected: string | undefined, next: string) {
      await held;
      if (texts.get(key) !== expected) return false;
      texts.set(key, next);
      return true;
    },
  };
  return {
    kv: kv as unknown as KeyValueStore,
    /** Everything is lost, as after a restart of a Redis without persistence. */
    lose: () => texts.clear(),
    leave(): { fail: () => void; comeBack: () => void } {
      let fail = () => {};
      held = new Promise((_, reject) => {
        fail = () => reject(away);
      });
      held.catch(() => {});
      return {
        fail,
        comeBack: () => {
          held = undefined;
        },
      };
    },
  };
}

describe('a copy whose sign was lost with its Redis', () => {
  it('may work once Redis is back, also if a renewal from before fails meanwhile', async () => {
    const store = createStore();
    const copy = await announceCopy(store.kv, () => {});
    const redis = store.leave();
    vi.advanceTimersByTime(renewalMs);
    store.lose();
    redis.comeBack();
    const proof = copy.prove();
    redis.fail();
    await proof;
    expect(await store.kv.get(copy.mark.key)).toBe(copy.mark.value);
    await copy.stop();
  });

  it('may not work while Redis takes no writes', async () => {
    const store = createStore();
    const copy = await announceCopy(store.kv, () => {});
    store.lose();
    store.leave().fail();
    await expect(copy.prove()).rejects.toBe(away);
    await copy.stop();
  });
});
