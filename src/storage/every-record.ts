import { isAppError } from '../core/errors.ts';
import { voteType } from '../core/history/votes.ts';
import { type KeyValueStore, lost, retryLost } from './key-value-store.ts';
import { type ChannelMove, claimLifeMs, claimPrefix, type RecordKind, recordKinds, VOTES_KEY } from './record-kinds.ts';

/**
 * Shortens the life of every stored record to what `RETENTION_DAYS` allows from now on, except records that an open
 * question needs, and drops the names of votes that have expired. For records of a time before the setting: a record
 * gets the bound by itself when it is written. Reads one record at a time, in pages, while `goesOn`. Returns how many
 * lives it shortened. Safe to repeat. Throws `AppError` of kind `storage`.
 */
export async function shortenLives(kv: KeyValueStore, retentionMs: number, goesOn = () => true): Promise<number> {
  await dropExpiredVotes(kv, goesOn);
  if (retentionMs === Number.POSITIVE_INFINITY) return 0;
  let count = 0;
  const claims = { prefix: claimPrefix, lifeMs: () => claimLifeMs(retentionMs), isAgain: undefined };
  for (const { prefix, lifeMs, isAgain } of [...recordKinds, claims]) {
    if (lifeMs === undefined || isAgain === true) continue;
    for await (const key of kv.keys(prefix)) {
      if (!goesOn()) return count;
      const text = await kv.get(key);
      if (text === undefined) continue;
      if (await kv.shortenLife(key, lifeMs(key, text, retentionMs))) count += 1;
    }
  }
  return count;
}

/** Votes expire, but their names in the list for the export don't. */
async function dropExpiredVotes(kv: KeyValueStore, goesOn: () => boolean): Promise<void> {
  for (const name of await kv.members(VOTES_KEY)) {
    if (!goesOn()) return;
    if ((await kv.get(voteType.key(name))) !== undefined) continue;
    await kv.removeMember(VOTES_KEY, name);
    // The person may have voted again between the two lines.
    if ((await kv.get(voteType.key(name))) !== undefined) await kv.addMember(VOTES_KEY, name);
  }
}

/**
 * Gives everything that is stored of a channel its new id. Safe beside a running app, and safe to interrupt and to
 * repeat. Returns how many records changed. Throws `AppError` of kind `storage`.
 */
export async function moveChannel(
  kv: Pick<KeyValueStore, 'get' | 'keys' | 'compareAndSet' | 'compareAndDelete'>,
  move: ChannelMove,
  retentionMs: number,
): Promise<number> {
  let count = 0;
  for (const kind of recordKinds) {
    if (kind.moved === undefined) continue;
    const begin = `${kind.prefix}${move.teamId}:`;
    const keys = kv.keys(kind.isNamedByChannel === true ? `${begin}${move.from}` : kind.prefix);
    for await (const key of keys) {
      const newKey = kind.isNamedByChannel === true ? renamed(key, begin) : key;
      if (newKey === undefined) continue;
      const moved = retryLost(
        key,
        () => moveOnce(kind, key, newKey),
        () => false,
      );
      if (await readable(moved)) count += 1;
    }
  }
  return count;

  /** Undefined for a channel whose id only begins with the old id. */
  function renamed(key: string, begin: string): string | undefined {
    const rest = key.slice(begin.length + move.from.length);
    return rest === '' || rest.startsWith(':') ? `${begin}${move.to}${rest}` : undefined;
  }

  async function moveOnce(kind: RecordKind, key: string, newKey: string): Promise<boolean | typeof lost> {
    const text = await kv.get(key);
    if (text === undefined) return false;
    const there = newKey === key ? text : await kv.get(newKey);
    const next = kind.moved?.(key, text, move, { newKey, there, retentionMs }) ?? 'same';
    if (next === 'same') return false;
    // Written first: a crash in between leaves both, and the next run removes the old one.
    if (!(await kv.compareAndSet(newKey, there, next.text, next.lifeMs))) return lost;
    return newKey === key || (await kv.compareAndDelete(key, text)) || lost;
  }
}

/** A record that can't be read stays where it is. */
async function readable(work: Promise<boolean>): Promise<boolean> {
  try {
    return await work;
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return false;
  }
}
