import { AppError, isAppError } from '../core/errors.ts';
import type { Vote, VoteStore } from '../core/history/votes.ts';
import type { Claims, QuestionStore, Records, ThreadStore } from '../core/ports.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { claimLifeMs, lifeOf, questionLife, threadLife } from './lives.ts';
import type { RecordFormat } from './record-format.ts';
import {
  claimKey,
  OPEN_QUESTIONS_KEY,
  questionFormat,
  questionKey,
  type RecordType,
  threadFormat,
  threadKey,
  VOTE_TTL_MS,
  VOTES_KEY,
  voteFormat,
  voteKey,
} from './records.ts';
import { lost, retryLost } from './retry-lost.ts';

/**
 * A claim fails only if another claim exists, so a second attempt is needed only when that claim expires in between.
 */
const CLAIM_ATTEMPTS = 3;

/** No bound besides each record's own life. */
const unbounded = Number.POSITIVE_INFINITY;

/** Stores questions on either engine. `retentionMs` bounds the life of each one that is not open. */
export function createQuestionStore(kv: KeyValueStore, retentionMs = unbounded): QuestionStore {
  return {
    async create(question) {
      const key = questionKey(question.id);
      const text = questionFormat.encode(key, question);
      const existing = await kv.get(key);
      if (existing !== undefined) return { question: questionFormat.decode(key, existing), created: false };
      // Adds the id to the list first. A crash before the next line leaves an id without a record, which is harmless.
      // The other order could leave a question that is never advanced.
      await kv.addMember(OPEN_QUESTIONS_KEY, question.id);
      if (await kv.setIfAbsent(key, text, lifeOf(questionLife, question, retentionMs))) {
        // Adds the id again, because a process that starts may have found the id without its record and removed it from
        // the list.
        await kv.addMember(OPEN_QUESTIONS_KEY, question.id);
        return { question, created: true };
      }
      const first = await kv.get(key);
      if (first === undefined) throw new AppError('storage', `Record ${key} vanished while it was created`);
      return { question: questionFormat.decode(key, first), created: false };
    },

    async get(id) {
      const key = questionKey(id);
      const text = await kv.get(key);
      return text === undefined ? undefined : questionFormat.decode(key, text);
    },

    update: (id, change) =>
      updateRecord(
        kv,
        { key: questionKey(id), format: questionFormat, lifeMs: (next) => lifeOf(questionLife, next, retentionMs) },
        (current) => current && change(current),
      ),

    openIds: () => kv.members(OPEN_QUESTIONS_KEY),
    markOpen: (id) => kv.addMember(OPEN_QUESTIONS_KEY, id),
    markClosed: (id) => kv.removeMember(OPEN_QUESTIONS_KEY, id),
  };
}

/** Stores threads on either engine. `retentionMs` bounds the life of each one without open questions. */
export function createThreadStore(kv: KeyValueStore, retentionMs = unbounded): ThreadStore {
  return {
    async get(place) {
      const key = threadKey(place);
      const text = await kv.get(key);
      return text === undefined ? undefined : threadFormat.decode(key, text);
    },
    update: (place, change) =>
      updateRecord(
        kv,
        { key: threadKey(place), format: threadFormat, lifeMs: (next) => lifeOf(threadLife, next, retentionMs) },
        change,
      ),
  };
}

/** Stores records of one type on either engine. `retentionMs` bounds the life of each one that is not in use. */
export function createRecords<T>(kv: KeyValueStore, type: RecordType<T>, retentionMs = unbounded): Records<T> {
  const { key, formerKey, format } = type;
  return {
    async get(name) {
      const text = (await kv.get(key(name))) ?? (formerKey && (await kv.get(formerKey(name))));
      return text === undefined ? undefined : format.decode(key(name), text);
    },
    update: (name, change, { replacesUnreadable = false } = {}) =>
      updateRecord(
        kv,
        {
          key: key(name),
          format,
          replacesUnreadable,
          lifeMs: (next) => lifeOf(type, next, retentionMs),
          ...(formerKey === undefined ? {} : { formerKey: formerKey(name) }),
        },
        change,
      ),
  };
}

/** Stores votes on either engine, and lists them for the export. `retentionMs` bounds the life of each one. */
export function createVoteStore(kv: KeyValueStore, retentionMs = unbounded): VoteStore {
  return {
    async put(vote) {
      const name = `${vote.questionId}:${vote.userId}`;
      await kv.set(voteKey(name), voteFormat.encode(voteKey(name), vote), Math.min(VOTE_TTL_MS, retentionMs));
      await kv.addMember(VOTES_KEY, name);
    },
    get: (questionId, userId) => readVote(kv, `${questionId}:${userId}`),
  };
}

/** Reads every stored vote, in no particular order, and counts the votes that could not be read. Changes nothing. */
export async function readVotes(
  kv: Pick<KeyValueStore, 'get' | 'members'>,
): Promise<{ votes: Vote[]; unreadable: number }> {
  const votes: Vote[] = [];
  let unreadable = 0;
  for (const name of await kv.members(VOTES_KEY)) {
    try {
      const vote = await readVote(kv, name);
      if (vote !== undefined) votes.push(vote);
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      unreadable += 1;
    }
  }
  return { votes, unreadable };
}

async function readVote(kv: Pick<KeyValueStore, 'get'>, name: string): Promise<Vote | undefined> {
  const text = await kv.get(voteKey(name));
  return text === undefined ? undefined : voteFormat.decode(voteKey(name), text);
}

/** Stores claims on either engine. Each expires after {@link claimLifeMs}. */
export function createClaims(kv: KeyValueStore, retentionMs = unbounded): Claims {
  const ttlMs = claimLifeMs(retentionMs);
  return {
    async claim(name, owner) {
      const key = claimKey(name);
      for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt++) {
        if (await kv.setIfAbsent(key, owner, ttlMs)) return owner;
        const first = await kv.get(key);
        if (first !== undefined) return first;
      }
      throw new AppError('storage', `Claim ${key} could neither be made nor read`);
    },
    ownerOf: (name) => kv.get(claimKey(name)),
  };
}

interface StoredRecord<T> {
  key: string;
  formerKey?: string;
  format: RecordFormat<T>;
  lifeMs: (next: T) => number;
  /** A record that can't be read counts as absent. */
  replacesUnreadable?: boolean;
}

/**
 * Optimistic read-modify-write: starts again if the record changed since it was read. Stores nothing if `change`
 * returns its argument.
 */
async function updateRecord<T, Result extends T | undefined>(
  kv: KeyValueStore,
  record: StoredRecord<T>,
  change: (current: T | undefined) => Result,
): Promise<Result | T> {
  const { key, formerKey, format, lifeMs } = record;
  return retryLost(key, async () => {
    const text = await kv.get(key);
    const known = text ?? (formerKey === undefined ? undefined : await kv.get(formerKey));
    const current = known === undefined ? undefined : decoded(record, known);
    const next = change(current);
    if (next === undefined || next === current) return next;
    return (await kv.compareAndSet(key, text, format.encode(key, next), lifeMs(next))) ? next : lost;
  });
}

function decoded<T>({ key, format, replacesUnreadable = false }: StoredRecord<T>, text: string): T | undefined {
  try {
    return format.decode(key, text);
  } catch (error) {
    if (!replacesUnreadable || !isAppError(error, 'corrupt')) throw error;
    return undefined;
  }
}
