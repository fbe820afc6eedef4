import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEYS_PER_PAGE, type KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { eventually } from '../../support/eventually.ts';
import type { Engine } from './storage-contract.ts';

const FIFTY = Array.from({ length: 50 }, (_, index) => index);
const briefMs = 50;
const longMs = 60_000;

/** The contract of what programs beside the app need, for every engine. */
export function listingContract(engine: Engine): void {
  describe('for programs beside the app', () => {
    let kv: KeyValueStore;

    beforeEach(async () => {
      await engine.clear();
      kv = await engine.open();
    });

    afterEach(() => kv.close());

    it('deletes only the text that is expected', async () => {
      await kv.set('a', 'one');
      expect(await kv.compareAndDelete('a', 'two')).toBe(false);
      expect(await kv.get('a')).toBe('one');
      expect(await kv.compareAndDelete('a', 'one')).toBe(true);
      expect(await kv.get('a')).toBeUndefined();
      expect(await kv.compareAndDelete('a', 'one')).toBe(false);
    });

    it('lists every key that begins with a prefix, over many pages, and no other', async () => {
      const wanted = Array.from({ length: 3 * KEYS_PER_PAGE }, (_, index) => `p*:[${index}`);
      await Promise.all([...wanted, 'p', 'p*', 'pq:1', 'p+:[1', 'q*:[1'].map((key) => kv.set(key, 'x', longMs)));
      await kv.addMember('p*:[set', 'x');
      expect(await listed('p*:[')).toEqual(wanted.toSorted());
      expect(await listed('none')).toEqual([]);
    });

    it('lists the keys that stay while others are written and deleted', async () => {
      const wanted = Array.from({ length: 2 * KEYS_PER_PAGE }, (_, index) => `p:${index}`);
      await Promise.all(wanted.map((key) => kv.set(key, 'x')));
      await Promise.all(FIFTY.map((index) => kv.set(`p:gone ${index}`, 'x')));
      const found = new Set<string>();
      let index = 0;
      for await (const key of kv.keys('p:')) {
        found.add(key);
        if (index++ < FIFTY.length) await Promise.all([kv.delete(`p:gone ${index}`), kv.set(`p:new ${index}`, 'x')]);
      }
      for (const key of wanted) expect(found).toContain(key);
    });

    it('shortens a life, and never makes it longer', async () => {
      await kv.set('never over', 'x');
      await kv.set('long', 'x', longMs);
      await kv.set('brief', 'x', briefMs);
      expect(await kv.shortenLife('never over', longMs)).toBe(true);
      expect(await kv.shortenLife('long', briefMs)).toBe(true);
      await kv.shortenLife('brief', longMs);
      expect(await kv.shortenLife('none', longMs)).toBe(false);
      for (const key of ['long', 'brief']) await eventually(async () => expect(await kv.get(key)).toBeUndefined());
      expect(await kv.get('never over')).toBe('x');
      expect(await kv.shortenLife('never over', 2 * longMs)).toBe(false);
    });

    async function listed(prefix: string): Promise<string[]> {
      const keys = new Set<string>();
      for await (const key of kv.keys(prefix)) keys.add(key);
      return [...keys].toSorted();
    }
  });
}
