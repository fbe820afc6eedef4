import { voteType } from '../core/history/votes.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { recordKinds } from './record-kinds.ts';
import { claimLifeMs, claimPrefix, VOTES_KEY } from './records.ts';

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
