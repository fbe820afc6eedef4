import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Subject } from '../../../src/core/personal-data/person-data.ts';
import type { Conversation, ListedChange, MarkList, SharedWatch } from '../../../src/core/ports.ts';
import { watchBackstopMs } from '../../../src/core/settings.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { erasePerson } from '../../../src/storage/person-records.ts';
import { createSharedWatch } from '../../../src/storage/shared-watch.ts';
import { eventually } from '../../support/eventually.ts';
import type { Engine } from './storage-contract.ts';

const leaseMs = 30_000;
const conversation: Conversation = {
  id: 7,
  createdMs: 1,
  mark: 'a',
  shareUrl: 'https://code.example/deepsearch/7',
  quota: { used: 1, limit: 2, resetAtMs: 3 },
  questions: [
    {
      id: 70,
      ordinal: 0,
      text: 'Where?',
      state: 'failed',
      steps: 3,
      lastStep: 'Reading',
      title: 'There',
      answer: 'In a file.',
      sources: [{ url: 'https://code.example/a', label: 'a', repository: 'r' }],
      followUps: ['Why?'],
      durationMs: 10,
      credits: 0.5,
      error: { cause: 'limited', title: 'Limit', message: 'Later', retryAtMs: 4 },
    },
    { text: 'Why?', state: 'processing', sources: [], followUps: [], citedOnly: true },
  ],
};

const change: ListedChange = { mark: 'a', listedMs: 5, updatedMs: 4, conversation };

async function keysOf(kv: KeyValueStore | undefined, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of kv?.keys(prefix) ?? []) keys.push(key);
  return keys;
}

/**
 * The contract of what processes share while they watch: `one` and `other` are two processes. Not for the embedded store,
 * which has one process that shares nothing.
 */
export function sharedWatchContract(engine: Engine): void {
  let stores: KeyValueStore[];
  let one: SharedWatch;
  let other: SharedWatch;
  let nowMs: number;

  beforeEach(async () => {
    await engine.clear();
    stores = [await engine.open(), await engine.open()];
    nowMs = 1_800_000_000_000;
    const [first, second] = stores.map((kv) => createSharedWatch(kv, () => nowMs));
    if (first === undefined || second === undefined) throw new Error('there are two stores');
    one = first;
    other = second;
  });

  afterEach(async () => {
    for (const kv of stores) await kv.close();
  });

  describe('with processes that watch together', () => {
    it('gives the lead for an account to one process, which keeps it', async () => {
      expect(await one.lead('app', leaseMs)).toBe(true);
      expect(await other.lead('app', leaseMs)).toBe(false);
      expect(await one.lead('app', leaseMs)).toBe(true);
      expect(await other.lead('T1:U1', leaseMs)).toBe(true);
    });

    it('gives the lead to a process that takes it over, and no longer to the one that had it', async () => {
      await one.lead('app', leaseMs);
      expect(await other.lead('app', leaseMs, { takesOver: true })).toBe(true);
      expect(await one.lead('app', leaseMs)).toBe(false);
      expect(await other.lead('app', leaseMs)).toBe(true);
    });

    it('says whether a run gets the conversation of a change', async () => {
      const { conversation: _, ...withoutConversation } = change;
      expect(await one.put('T1:U1', 7, withoutConversation)).toBe(false);
      expect(await one.put('app', 7, change)).toBe(true);
      expect(await one.put('app', 7, { ...change, mark: 'older', updatedMs: 3 })).toBe(true);
      expect(await other.take('app', 7)).toEqual(change);
    });

    it('gives the lead to another process once the first gave it up, or its lease ended', async () => {
      await one.lead('app', 50);
      await eventually(async () => expect(await other.lead('app', leaseMs)).toBe(true));
      await one.resign('app');
      expect(await one.lead('app', leaseMs)).toBe(false);
      await other.resign('app');
      expect(await one.lead('app', leaseMs)).toBe(true);
    });

    it('hands a change on with its conversation once, and with its mark as long as it is the newest', async () => {
      const { conversation: _, ...markOnly } = change;
      await one.put('app', 7, change);
      expect(await other.take('app', 7)).toEqual(change);
      expect(await one.take('app', 7)).toEqual(markOnly);
      expect(await other.take('app', 7)).toEqual(markOnly);
      await one.put('app', 7, { ...change, mark: 'b' });
      expect(await other.take('app', 7)).toEqual({ ...change, mark: 'b' });
      await one.put('app', 'abc', markOnly);
      expect(await other.take('app', 'abc')).toEqual(markOnly);
    });

    it('does not replace a change by an older one', async () => {
      await one.put('app', 7, { ...change, mark: 'new', updatedMs: 20 });
      await other.put('app', 7, { ...change, mark: 'old', updatedMs: 10 });
      expect(await other.take('app', 7)).toMatchObject({ mark: 'new' });
      await other.put('app', 7, { ...change, mark: 'old', updatedMs: 10 });
      expect(await other.take('app', 7)).toMatchObject({ mark: 'new' });
      await other.put('app', 7, { ...change, mark: 'newer', updatedMs: 20 });
      expect(await other.take('app', 7)).toMatchObject({ mark: 'newer' });
    });

    it('keeps one of two changes that are handed on at the same moment: the newer one', async () => {
      const times = [30, 10, 20];
      await Promise.all(times.map((updatedMs) => one.put('app', 7, { ...change, mark: `${updatedMs}`, updatedMs })));
      expect(await other.take('app', 7)).toMatchObject({ mark: '30' });
    });

    it('keeps the changes of accounts apart', async () => {
      await one.put('T1:U1', 7, change);
      expect(await other.take('app', 7)).toBeUndefined();
      expect(await other.take('T1:U2', 7)).toBeUndefined();
      expect(await other.take('T1:U1', 7)).toEqual(change);
    });

    it('forgets with a person what is handed on, and what is noted of their account', async () => {
      await one.put('app', 7, change);
      await one.put('T1:U1', 8, change);
      for (const account of ['app', 'T1:U1', 'T1:U2']) {
        await one.noteListed(account, { atMs: nowMs, marks: new Map([[7, 'a']]) });
        await one.lead(account, leaseMs);
      }
      const [kv] = stores;
      if (kv === undefined) throw new Error('there is a store');
      const subject: Subject = { teamId: 'T1', userId: 'U1', isOwnQuestion: () => false, isOwnText: () => false };
      const { inUse, unreadable } = await erasePerson(kv, subject, { retentionMs: 1, kept: new Set() });
      expect([inUse, unreadable]).toEqual([[], []]);
      const accounts = ['app', 'T1:U2'];
      const left = accounts.flatMap((account) => [`ds:watch:${account}:leader`, `ds:watch:${account}:listed`]);
      expect((await keysOf(kv, 'ds:watch:')).toSorted()).toEqual(left.toSorted());
    });

    it('keeps a change for less than a minute', async () => {
      await one.put('app', 7, change);
      await other.take('app', 7);
      const [kv] = stores;
      const [key = ''] = await keysOf(kv, 'ds:watch:app:change:');
      expect(await kv?.shortenLife(key, 60_000)).toBe(false);
      expect(await kv?.shortenLife(key, 1_000)).toBe(true);
    });

    it('tells what the newest list showed and when, a few seconds late at most', async () => {
      expect((await other.listed('app')).marks.size).toBe(0);
      const first: MarkList = {
        atMs: nowMs,
        marks: new Map<number | string, string>([
          [7, 'a'],
          ['x', 'b'],
        ]),
      };
      await one.noteListed('app', first);
      nowMs += watchBackstopMs / 2;
      expect(await other.listed('app')).toEqual(first);
      expect((await other.listed('T1:U1')).marks.size).toBe(0);
      const next: MarkList = { atMs: nowMs, marks: new Map([[7, 'c']]) };
      await one.noteListed('app', next);
      nowMs += watchBackstopMs / 2;
      expect(await other.listed('app')).toEqual(next);
    });
  });
}
