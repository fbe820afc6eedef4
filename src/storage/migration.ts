import { existsSync } from 'node:fs';
import type { Database } from 'lmdb';
import { AppError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { CONTENTS_PAGE, isMoved, type Member, pagesOf, type StoreContents, type StoredText } from './contents.ts';
import { openEmbedded, settle, storeFile, translate } from './embedded-store.ts';
import type { KeyValueStore } from './key-value-store.ts';
import type { KeyedEntry } from './lmdb-adapter.ts';
import { countKind, type RecordCounts } from './record-kinds.ts';
import { CLOSED_KEY, refuseClosed, UNFINISHED, useAsMigration } from './store-use.ts';

interface MigrationOptions {
  dataDir: string;
  redisUrl: string;
  to: 'redis' | 'embedded';
  /** How long to wait for an app on Redis that ended, see {@link useEndsMs}. */
  patienceMs: number;
  clock: Clock;
  log: Log;
}

type Store = KeyValueStore & { contents: StoreContents };

/**
 * Moves every record from the embedded storage to Redis, or back, while no app runs on either. Compares each one in both
 * storages, and returns their numbers by kind. The records stay in the former storage too, which is closed. A run that was
 * interrupted is continued by the next one. Throws `AppError` of kind `storage`.
 */
export async function migrateStore(options: MigrationOptions): Promise<RecordCounts> {
  const { dataDir, redisUrl, to, patienceMs, clock, log } = options;
  if (to === 'redis' && !existsSync(storeFile(dataDir))) {
    throw new AppError('storage', `There is no store of this app in ${dataDir}`);
  }
  const { openRedisContents } = await import('./redis-contents.ts');
  const redis = await openRedisContents(redisUrl, log);
  try {
    const use = await useAsMigration(redis, patienceMs);
    try {
      const embedded: Store = openEmbeddedContents(dataDir, clock, log);
      try {
        const [source, target] = to === 'redis' ? [embedded, redis] : [redis, embedded];
        return await migrate(source, target, clock, use.prove);
      } finally {
        await embedded.close();
      }
    } finally {
      await use.stop();
    }
  } finally {
    await redis.close();
  }
}

async function migrate(
  source: Store,
  target: Store,
  clock: Clock,
  proveAlone: () => Promise<void>,
): Promise<RecordCounts> {
  await refuseClosed(source);
  if (!(await mayReplace(target, source, clock))) {
    throw new AppError('storage', 'The other storage holds records already, and none may be lost: empty it first');
  }
  await target.set(CLOSED_KEY, UNFINISHED);
  await target.contents.removePlans();
  await transferContents(source.contents, target.contents);
  const { counts, different } = await compareContents(source.contents, target.contents, { clock });
  if (different > 0) {
    throw new AppError('storage', `${different} records differ after the migration, so it has not ended: run it again`);
  }
  await proveAlone();
  // If this process is killed between the two, both hold all records, and the next run closes the source.
  await target.delete(CLOSED_KEY);
  await source.set(CLOSED_KEY, new Date(clock()).toISOString().slice(0, 10));
  return counts;
}

/** Whether all that a target holds is in the source too, or was left there by a migration. */
async function mayReplace(target: Store, source: Store, clock: Clock): Promise<boolean> {
  if ((await target.get(CLOSED_KEY)) !== undefined || (await isEmpty(target.contents))) return true;
  return (await compareContents(source.contents, target.contents, { clock })).different === 0;
}

/**
 * Ends that differ by less are the same, in milliseconds. Redis tells how long a text still lives, and its clock in a second step:
 * a busy machine may stop it between the two. No text lives so shortly that a second matters.
 */
const SAME_END_MS = 1_000;
/** A text that ends this soon may have ended in one of two stores already, in milliseconds. */
const ENDS_SOON_MS = 60_000;

/** What makes the target's records the source's: what is missing there or differs, and what is there too much. */
interface Differences {
  texts: StoredText[];
  extraTexts: StoredText[];
  members: Member[];
  extraMembers: Member[];
}

const none: Differences = { texts: [], extraTexts: [], members: [], extraMembers: [] };

/**
 * Makes the target hold exactly what the source holds, with the times at which it ends. Reads everything and writes what
 * differs, so it may be interrupted and begun again.
 */
async function transferContents(source: StoreContents, target: StoreContents): Promise<void> {
  for await (const { texts, extraTexts, members, extraMembers } of differences(source, target)) {
    if (texts.length > 0) await target.putTexts(texts);
    if (extraTexts.length > 0) await target.removeTexts(extraTexts.map(({ key }) => key));
    if (members.length > 0) await target.addMembers(members);
    if (extraMembers.length > 0) await target.removeMembers(extraMembers);
  }
}

/** Compares every record of two stores. Returns the source's records by kind, and how many differ or are missing. */
async function compareContents(
  source: StoreContents,
  target: StoreContents,
  { clock }: { clock: Clock },
): Promise<{ counts: RecordCounts; different: number }> {
  const counts: RecordCounts = {};
  let different = 0;
  const lasts = ({ expiresMs = Number.POSITIVE_INFINITY }: StoredText): boolean => expiresMs > clock() + ENDS_SOON_MS;
  const count = (key: string): void => countKind(counts, key);
  for await (const { texts, extraTexts, ...others } of differences(source, target, count)) {
    different += [...texts, ...extraTexts].filter(lasts).length;
    for (const found of Object.values(others)) different += found.length;
  }
  return { counts, different };
}

/** Whether a store holds nothing that would move. */
async function isEmpty({ texts, members }: StoreContents): Promise<boolean> {
  for (const pages of [texts(), members()]) {
    for await (const page of pages) if (page.length > 0) return false;
  }
  return true;
}

async function* differences(
  source: StoreContents,
  target: StoreContents,
  count: (key: string) => void = () => {},
): AsyncGenerator<Differences> {
  for await (const page of source.texts()) {
    const found = await target.findTexts(page.map(({ key }) => key));
    for (const { key } of page) count(key);
    yield { ...none, texts: page.filter((text, index) => !isSame(text, found[index])) };
  }
  for await (const page of target.texts()) {
    const found = await source.findTexts(page.map(({ key }) => key));
    yield { ...none, extraTexts: page.filter((_, index) => found[index] === undefined) };
  }
  for await (const page of source.members()) {
    for (const { set } of page) count(set);
    yield { ...none, members: await missingIn(target, page) };
  }
  for await (const page of target.members()) yield { ...none, extraMembers: await missingIn(source, page) };
}

async function missingIn(contents: StoreContents, members: Member[]): Promise<Member[]> {
  const areThere = await contents.areMembers(members);
  return members.filter((_, index) => areThere[index] === false);
}

function isSame(text: StoredText, other: StoredText | undefined): boolean {
  if (other?.value !== text.value) return false;
  if (text.expiresMs === undefined || other.expiresMs === undefined) return text.expiresMs === other.expiresMs;
  return Math.abs(text.expiresMs - other.expiresMs) <= SAME_END_MS;
}

/** Opens the embedded store with its contents, for the process that has its lock. */
function openEmbeddedContents(dataDir: string, clock: Clock, log: Log): KeyValueStore & { contents: StoreContents } {
  const { store, env, entries } = openEmbedded(dataDir, clock, log);
  const membership: Database<true, [string, string]> = env.openDB({ name: 'members' });

  const contents: StoreContents = {
    async *texts() {
      let after: string | undefined;
      for (;;) {
        const page: KeyedEntry[] = [];
        for (const entry of entries.living(after)) {
          page.push(entry);
          if (page.length === CONTENTS_PAGE) break;
        }
        const last = page.at(-1);
        if (last === undefined) return;
        after = last.key;
        yield page.filter(({ key }) => isMoved(key)).flatMap(asText);
      }
    },
    findTexts: async (keys) => keys.map((key) => asText(entries.find(key))[0]),
    async putTexts(texts) {
      await change(() => {
        for (const text of texts) entries.put(text);
      });
    },
    async removeTexts(keys) {
      await change(() => {
        for (const key of keys) entries.remove(key);
      });
    },
    async *members() {
      for (const page of pagesOf([...membership.getKeys()])) {
        yield page.map(([set, member]) => ({ set, member })).filter(({ set }) => isMoved(set));
      }
    },
    areMembers: async (members) => members.map(({ set, member }) => membership.doesExist([set, member])),
    addMembers: (members) => changeMembers(members, (key) => void membership.putSync(key, true)),
    removeMembers: (members) => changeMembers(members, (key) => void membership.removeSync(key)),
    // Timers are planned runs here, and end with their process.
    removePlans: async () => {},
  };
  return { ...store, contents };

  function changeMembers(members: readonly Member[], changeOne: (key: [string, string]) => void): Promise<void> {
    return change(() => {
      for (const { set, member } of members) changeOne([set, member]);
    });
  }

  /** One transaction. */
  async function change(action: () => void): Promise<void> {
    try {
      await settle(() => entries.transaction(action));
    } catch (error) {
      throw translate(error);
    }
  }
}

/** None for an entry that is no text: the app stores texts only. */
function asText(entry: KeyedEntry | undefined): { key: string; value: string; expiresMs?: number }[] {
  if (typeof entry?.value !== 'string') return [];
  const { key, value, expiresMs } = entry;
  return [{ key, value, expiresMs }];
}
