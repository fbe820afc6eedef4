import { isAppError } from '../core/errors.ts';
import { accountWaitsType, messageLogType, refusedTextType, visitType } from './brief-records.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { claimLifeMs, type Life, lifeOf, questionLife, threadLife } from './lives.ts';
import { readerChoicesType } from './reader-choices.ts';
import type { RecordFormat } from './record-format.ts';
import {
  askedQuestionsType,
  claimPrefix,
  durationsType,
  questionFormat,
  questionPrefix,
  type RecordType,
  runSlotsType,
  threadFormat,
  threadNotesType,
  threadPrefix,
  VOTE_TTL_MS,
  VOTES_KEY,
  voteFormat,
  voteKey,
  votePrefix,
} from './records.ts';

/** A kind of records as the pass over all of them needs it. */
interface Kind {
  prefix: string;
  /** The longest life from now that the stored text may have. */
  longestMs(key: string, text: string, retentionMs: number): number;
}

const kinds: Kind[] = [
  kind(questionPrefix, questionFormat, questionLife),
  kind(threadPrefix, threadFormat, threadLife),
  kind(votePrefix, voteFormat, { ttlMs: VOTE_TTL_MS }),
  { prefix: claimPrefix, longestMs: (_key, _text, retentionMs) => claimLifeMs(retentionMs) },
  ...ofType(runSlotsType),
  ...ofType(durationsType),
  ...ofType(askedQuestionsType),
  ...ofType(threadNotesType),
  ...ofType(visitType),
  ...ofType(refusedTextType),
  ...ofType(accountWaitsType),
  ...ofType(readerChoicesType),
  ...ofType(messageLogType),
  ...ofType(accountWaitsType),
];

/**
 * Shortens the life of every stored record to what `RETENTION_DAYS` allows from now on, except records that an open
 * question needs, and drops the names of votes that have expired. For records of a time before the setting: a record
 * gets the bound by itself when it is written. Reads one record at a time, in pages, while `goesOn`. Returns how many
 * lives it shortened. Safe to repeat. Throws `AppError` of kind `storage`.
 */
export async function shortenLives(kv: KeyValueStore, retentionMs: number, goesOn = () => true): Promise<number> {
  await dropExpiredVotes(kv, goesOn);
  if (retentionMs === Number.POSITIVE_INFINITY) return 0;
  let shortened = 0;
  for (const { prefix, longestMs } of kinds) {
    for await (const key of kv.keys(prefix)) {
      if (!goesOn()) return shortened;
      const text = await kv.get(key);
      if (text === undefined) continue;
      if (await kv.shortenLife(key, longestMs(key, text, retentionMs))) shortened += 1;
    }
  }
  return shortened;
}

/** Votes expire, but their names in the list for the export don't. */
async function dropExpiredVotes(kv: KeyValueStore, goesOn: () => boolean): Promise<void> {
  for (const name of await kv.members(VOTES_KEY)) {
    if (!goesOn()) return;
    if ((await kv.get(voteKey(name))) !== undefined) continue;
    await kv.removeMember(VOTES_KEY, name);
    // The person may have voted again between the two lines.
    if ((await kv.get(voteKey(name))) !== undefined) await kv.addMember(VOTES_KEY, name);
  }
}

function kind<T>(prefix: string, format: RecordFormat<T>, life: Life<T>): Kind {
  return {
    prefix,
    longestMs(key, text, retentionMs) {
      try {
        return lifeOf(life, format.decode(key, text), retentionMs);
      } catch (error) {
        if (!isAppError(error, 'corrupt')) throw error;
        return Math.min(life.ttlMs, retentionMs);
      }
    },
  };
}

/** Records of a type, also those of an earlier version under their former keys. */
function ofType<T>(type: RecordType<T>): Kind[] {
  return [type.key, type.formerKey].filter((key) => key !== undefined).map((key) => kind(key(''), type.format, type));
}
