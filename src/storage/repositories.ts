import { AppError, isAppError } from '../core/errors.ts';
import type { Vote, VoteStore } from '../core/history/votes.ts';
import type { Claims, QuestionStore, Records, ThreadStore } from '../core/ports.ts';
import type { Question, Thread, ThreadPlace } from '../core/question/question.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { claimLifeMs, lifeOf, questionLife, threadLife } from './lives.ts';
import { createRecentRecords, type RecentRecords } from './recent-records.ts';
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
  const format = createRecentRecords(questionFormat);
  const stored = (id: string): StoredRecord<Question> => ({
    key: questionKey(id),
    format,
    lifeMs: (next) => lifeOf(questionLife, next, retentionMs),
  });
  return {
    async create(question) {
      const { key, lifeMs } = stored(question.id);
      const text = format.encode(key, question);
      const existing = await kv.createListed(key, text, lifeMs(question), OPEN_QUESTIONS_KEY, question.id);
      return existing === undefined
        ? { question, created: true }
        : { question: format.decode(key, existing), created: false };
    },
    get: (id) => readRecord(kv, stored(id)),
    update: (id, change) => updateRecord(kv, stored(id), (current) => current && change(current)),
    openIds: () => kv.members(OPEN_QUESTIONS_KEY),
    markOpen: (id) => kv.addMember(OPEN_QUESTIONS_KEY, id),
    markClosed: (id) => kv.removeMember(OPEN_QUESTIONS_KEY, id),
  };
}

/** Stores threads on either engine. `retentionMs` bounds the life of each one without open questions. */
export function createThreadStore(kv: KeyValueStore, retentionMs = unbounded): ThreadStore {
  const format = createRecentRecords(threadFormat);
  const stored = (place: ThreadPlace): StoredRecord<Thread> => ({
    key: threadKey(place),
    format,
    lifeMs: (next) => lifeOf(threadLife, next, retentionMs),
  });
  return {
    get: (place) => readRecord(kv, stored(place)),
    update: (place, change) => updateRecord(kv, stored(place), change),
  };
}

/** Stores records of one type on either engine. `retentionMs` bounds the life of each one that is not in use. */
export function createRecords<T>(kv: KeyValueStore, type: RecordType<T>, retentionMs = unbounded): Records<T> {
  const format = createRecentRecords(type.format);
  const stored = (name: string): StoredRecord<T> => ({
    key: type.key(name),
    format,
    lifeMs: (next) => lifeOf(type, next, retentionMs),
    ...(type.formerKey === undefined ? {} : { formerKey: type.formerKey(name) }),
  });
  return {
    get: (name) => readRecord(kv, stored(name)),
    update: (name, change, { replacesUnreadable = false } = {}) =>
      updateRecord(kv, { ...stored(name), replacesUnreadable }, change),
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
  /** Read when there is no record under `key`; never written. */
  formerKey?: string;
  format: RecentRecords<T>;
  lifeMs: (next: T) => number;
  /** A record that can't be read counts as absent. */
  replacesUnreadable?: boolean;
}

async function readRecord<T>(kv: KeyValueStore, { key, formerKey, format }: StoredRecord<T>): Promise<T | undefined> {
  const text = (await kv.get(key)) ?? (formerKey && (await kv.get(formerKey)));
  if (text !== undefined) return format.decode(key, text);
  format.noteAbsent(key);
  return undefined;
}

/**
 * Optimistic read-modify-write: starts again if the record changed since it was read. Stores nothing if `change`
 * returns its argument. The first attempt changes what this process knows of the record and reads nothing; it counts only
 * if the stored text is still the known one.
 */
async function updateRecord<T, Result extends T | undefined>(
  kv: KeyValueStore,
  record: StoredRecord<T>,
  change: (current: T | undefined) => Result,
): Promise<Result | T> {
  const { key, formerKey, format, lifeMs } = record;
  const unread = await changeLatest(kv, record, change);
  if (unread !== lost) return unread;
  return retryLost(key, async () => {
    const text = await kv.get(key);
    const known = text ?? (formerKey === undefined ? undefined : await kv.get(formerKey));
    const current = known === undefined ? undefined : decoded(record, known);
    const next = change(current);
    if (next === undefined || next === current) return next;
    return (await kv.compareAndSet(key, text, format.encode(key, next), lifeMs(next))) ? next : lost;
  });
}

/**
 * A change that stores nothing or throws counts only for what is really stored, so it is `lost` here. "Known" includes that
 * there was no record.
 */
async function changeLatest<T, Result extends T | undefined>(
  kv: KeyValueStore,
  { key, formerKey, format, lifeMs }: StoredRecord<T>,
  change: (current: T | undefined) => Result,
): Promise<Result | typeof lost> {
  const latest = format.latest(key);
  if (latest === undefined || (latest.text === undefined && formerKey !== undefined)) return lost;
  const tried = tryChange(latest.record, change, (next) => ({ next, text: format.encode(key, next) }));
  if (tried === undefined) return lost;
  const { next, text } = tried;
  return (await kv.compareAndSet(key, latest.text, text, lifeMs(next))) ? next : lost;
}

function tryChange<T, Result extends T | undefined, Encoded>(
  current: T | undefined,
  change: (current: T | undefined) => Result,
  encode: (next: Result & T) => Encoded,
): Encoded | undefined {
  try {
    const next = change(current);
    return next === undefined || next === current ? undefined : encode(next);
  } catch {
    return undefined;
  }
}

function decoded<T>({ key, format, replacesUnreadable = false }: StoredRecord<T>, text: string): T | undefined {
  try {
    return format.decode(key, text);
  } catch (error) {
    if (!replacesUnreadable || !isAppError(error, 'corrupt')) throw error;
    return undefined;
  }
}
