import { join } from 'node:path';
import { Keyv } from 'keyv';
import { open, type RootDatabase } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLmdbAdapter, createLmdbEntries, type LmdbEntries } from '../../../src/storage/lmdb-adapter.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

let directory: Awaited<ReturnType<typeof createTempDir>>;
let env: RootDatabase;
let entries: LmdbEntries;
let nowMs: number;

beforeEach(async () => {
  directory = await createTempDir();
  nowMs = 1_000_000;
  env = open({ path: join(directory.path, 'store.mdb'), maxDbs: 4 });
  entries = createLmdbEntries(env, () => nowMs);
});

afterEach(async () => {
  await env.close();
  await directory.remove();
});

/** How many entries the index by expiry names. */
const indexed = () => env.openDB({ name: 'expiries' }).getCount();

describe('an entry', () => {
  it('that is removed leaves nothing to sweep', async () => {
    await entries.transaction(() => {
      entries.write('a', 'x', 1_000);
      entries.write('b', 'x', undefined);
    });
    expect(await entries.transaction(() => [entries.remove('a'), entries.remove('b'), entries.remove('c')])).toEqual([
      true,
      true,
      false,
    ]);
    expect([entries.read('a'), entries.read('b'), indexed()]).toEqual([undefined, undefined, 0]);
  });

  it('that is written again is swept at its new time, once', async () => {
    await entries.transaction(() => {
      entries.write('a', 'x', 1_000);
      entries.write('a', 'y', 5_000);
    });
    expect(indexed()).toBe(1);
    nowMs += 1_001;
    expect(await entries.sweep(10)).toBe(0);
    expect(entries.read('a')).toBe('y');
    nowMs += 4_000;
    expect([await entries.sweep(10), await entries.sweep(10)]).toEqual([1, 0]);
    expect(indexed()).toBe(0);
  });

  it('whose time is over is not there to be removed, and is gone afterwards', async () => {
    await entries.transaction(() => entries.write('a', 'x', 1_000));
    nowMs += 1_000;
    expect(await entries.transaction(() => entries.remove('a'))).toBe(false);
    nowMs -= 1_000;
    expect(entries.read('a')).toBeUndefined();
    expect(indexed()).toBe(0);
  });
});

describe('the adapter of Keyv', () => {
  it('clears one namespace, and no neighbor of it', async () => {
    const [before, cleared, longer, after] = ['a', 'b', 'bb', 'c'].map(
      (namespace) => new Keyv<string>({ store: createLmdbAdapter(entries), namespace }),
    );
    for (const keyv of [before, cleared, longer, after]) {
      await keyv?.set('one', '1');
      await keyv?.set('two', '2', 1_000);
    }
    await cleared?.clear();
    const values = async (keyv: Keyv<string> | undefined) => [await keyv?.get('one'), await keyv?.get('two')];
    expect(await values(cleared)).toEqual([undefined, undefined]);
    for (const keyv of [before, longer, after]) expect(await values(keyv)).toEqual(['1', '2']);
    expect(indexed()).toBe(3);
  });

  it('clears everything where there is no namespace', async () => {
    const adapter = createLmdbAdapter(entries);
    for (const key of ['!', 'a', '漢']) await adapter.set(key, 'x');
    await adapter.clear();
    for (const key of ['!', 'a', '漢']) expect(await adapter.get(key)).toBeUndefined();
  });
});
