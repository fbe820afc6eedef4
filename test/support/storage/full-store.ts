import { openStoreBeside, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { createRecordingLog } from '../recording-log.ts';

const dayMs = 24 * 3_600_000;

/** Records of kinds that are stored as text, with their lives: one without an end, one that ends soon, some for long. */
export const someTexts: [key: string, value: string, ttlMs: number | undefined][] = [
  ['ds:account:T1:U1', '{"version":1,"keyId":"first","data":"sealed"}', undefined],
  ['ds:channel-settings:T1:C1', '{"version":1,"isOn":false}', undefined],
  ['ds:durations:T1', '{"version":1,"entries":[]}', 90 * dayMs],
  ['ds:run-slots:T1', '{"version":1,"running":[],"waiting":[],"parked":[]}', 90 * dayMs],
  ['ds:thread-notes:T1:C1:1.2', 'ümläut ✓ \n and a line', 7 * dayMs],
  ['ds:sign-in:ticket', 'short', 10 * 60_000],
  ['ds:kind-of-a-later-version:x', 'kept too', 30 * dayMs],
];

/** Fills a store with records of every form: more than a page of each, sets, and locks. */
export async function fillStore(location: StorageLocation, count: number): Promise<void> {
  const { log } = createRecordingLog();
  const store = await openStoreBeside(location, { clock: Date.now, log });
  try {
    for (const [key, value, ttlMs] of someTexts) await store.set(key, value, ttlMs);
    for (let from = 0; from < count; from += 100) {
      const numbers = Array.from({ length: Math.min(100, count - from) }, (_, index) => from + index);
      await Promise.all(
        numbers.flatMap((n) => [
          store.set(`ds:claim:event-${n}`, `q${n}`, 90 * dayMs + n),
          store.set(`ds:vote:q${n}:U1`, `{"n":${n}}`, 400 * dayMs),
          store.addMember('ds:votes', `q${n}:U1`),
        ]),
      );
    }
    await store.addMember('ds:run-requests', 'q1');
    await store.set('ds:lock:of-a-process-that-died', 'holder', 10_000);
  } finally {
    await store.close();
  }
}

/** Everything that moves with a store, in order: texts with the seconds in which they end, and members. */
export async function readStore(location: StorageLocation): Promise<string[]> {
  const { log } = createRecordingLog();
  const store = await openStoreBeside(location, { clock: Date.now, log });
  const lines = new Set<string>();
  try {
    for await (const key of store.keys('ds:')) {
      if (/^ds:(closed|ping|lock|limit|watch|bull)/.test(key)) continue;
      const value = await store.get(key);
      if (value !== undefined) lines.add(`${key} = ${value}`);
    }
    for (const set of ['ds:votes', 'ds:open-questions', 'ds:run-requests', 'ds:workspace-ends']) {
      for (const member of await store.members(set)) lines.add(`${set} has ${member}`);
    }
  } finally {
    await store.close();
  }
  return [...lines].sort();
}
