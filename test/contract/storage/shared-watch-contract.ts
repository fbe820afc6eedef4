import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Conversation, SharedWatch } from '../../../src/core/ports.ts';
import { watchBackstopMs } from '../../../src/core/settings.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
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

    it('gives the lead to another process once the first gave it up, or its lease ended', async () => {
      await one.lead('app', 50);
      await eventually(async () => expect(await other.lead('app', leaseMs)).toBe(true));
      await one.resign('app');
      expect(await one.lead('app', leaseMs)).toBe(false);
      await other.resign('app');
      expect(await one.lead('app', leaseMs)).toBe(true);
    });

    it('hands a whole conversation on, once, and the newest version of it', async () => {
      await one.put('app', conversation);
      await one.put('app', { ...conversation, mark: 'b' });
      expect(await other.take('app', 7)).toEqual({ ...conversation, mark: 'b' });
      expect(await other.take('app', 7)).toBeUndefined();
      await one.put('app', { ...conversation, id: 'abc' });
      expect(await other.take('app', 'abc')).toEqual({ ...conversation, id: 'abc' });
    });

    it('keeps the conversations of accounts apart', async () => {
      await one.put('T1:U1', conversation);
      expect(await other.take('app', 7)).toBeUndefined();
      expect(await other.take('T1:U2', 7)).toBeUndefined();
      expect(await other.take('T1:U1', 7)).toEqual(conversation);
    });

    it('tells what the newest list showed, a few seconds late at most', async () => {
      expect(await other.listedMark('app', 7)).toBeUndefined();
      await one.noteListed(
        'app',
        new Map<number | string, string>([
          [7, 'a'],
          ['x', 'b'],
        ]),
      );
      nowMs += watchBackstopMs / 2;
      expect(await other.listedMark('app', 7)).toBe('a');
      expect(await other.listedMark('app', 'x')).toBe('b');
      expect(await other.listedMark('app', 8)).toBeUndefined();
      expect(await other.listedMark('T1:U1', 7)).toBeUndefined();
      await one.noteListed('app', new Map([[7, 'c']]));
      nowMs += watchBackstopMs / 2;
      expect(await other.listedMark('app', 7)).toBe('c');
      expect(await other.listedMark('app', 'x')).toBeUndefined();
    });
  });
}
