import { LRUCache } from 'lru-cache';
import { AppError, isAppError } from '../core/errors.ts';
import { type Vote, type VoteStore, voteType } from '../core/history/votes.ts';
import type { Claims, QuestionStore, Records, ThreadStore } from '../core/ports.ts';
import {
  type Question,
  questionType,
  type Thread,
  type ThreadPlace,
  threadName,
  threadType,
} from '../core/question/question.ts';
import { checkedText, type RecordFormat, type RecordType } from '../core/record.ts';
import { type KeyValueStore, lost, retryLost } from './key-value-store.ts';
import { claimLifeMs, claimPrefix, lifeOf, OPEN_QUESTIONS_KEY, VOTES_KEY } from './record-kinds.ts';

/**
 * A claim fails only if another claim exists, so a second attempt is needed only when that claim expires in between.
 */
const CLAIM_ATTEMPTS = 3;

/** No bound besides each record's own life. */
const unbounded = Number.POSITIVE_INFINITY;

/** Stores questions on either engine. `retentionMs` bounds the life of each one that is not open. */
export function createQuestionStore(kv: KeyValueStore, retentionMs = unbounded): QuestionStore {
  const format = createRecentRecords(questionType.format);
  const stored = (id: string): StoredRecord<Question> => ({
    key: questionType.key(id),
    format,
    lifeMs: (next) => lifeOf(questionType, next, retentionMs),
  });
  return {
    async create(question, byMs) {
      const { key, lifeMs } = stored(question.id);
      const text = format.encode(key, question);
      const existing = await kv.createListed(key, text, lifeMs(question), OPEN_QUESTIONS_KEY, question.id, byMs);
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
  const format = createRecentRecords(threadType.format);
  const stored = (place: ThreadPlace): StoredRecord<Thread> => ({
    key: threadType.key(threadName(place)),
    format,
    lifeMs: (next) => lifeOf(threadType, next, retentionMs),
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
      await kv.set(
        voteType.key(name),
        voteType.format.encode(voteType.key(name), vote),
        Math.min(voteType.ttlMs, retentionMs),
      );
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

/** Reads the vote with this name, if it is stored. Throws `AppError` of kind `storage` or `corrupt`. */
export async function readVote(kv: Pick<KeyValueStore, 'get'>, name: string): Promise<Vote | undefined> {
  const text = await kv.get(voteType.key(name));
  return text === undefined ? undefined : voteType.format.decode(voteType.key(name), text);
}

/** Stores claims on either engine. Each expires after {@link claimLifeMs}. */
export function createClaims(kv: KeyValueStore, retentionMs = unbounded): Claims {
  const ttlMs = claimLifeMs(retentionMs);
  return {
    async claim(name, owner) {
      const key = `${claimPrefix}${name}`;
      for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt++) {
        if (await kv.setIfAbsent(key, owner, ttlMs)) return owner;
        const first = await kv.get(key);
        if (first !== undefined) return first;
      }
      throw new AppError('storage', `Claim ${key} could neither be made nor read`);
    },
    ownerOf: (name) => kv.get(`${claimPrefix}${name}`),
  };
}

interface StoredRecord<T> {
  key: string;
  format: RecentRecords<T>;
  lifeMs: (next: T) => number;
  /** A record that can't be read counts as absent. */
  replacesUnreadable?: boolean;
}

async function readRecord<T>(kv: KeyValueStore, { key, format }: StoredRecord<T>): Promise<T | undefined> {
  const text = await kv.get(key);
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
  const { key, format, lifeMs } = record;
  const unread = await changeLatest(kv, record, change);
  if (unread !== lost) return unread;
  return retryLost(key, async () => {
    const text = await kv.get(key);
    const current = text === undefined ? undefined : decoded(record, text);
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
  { key, format, lifeMs }: StoredRecord<T>,
  change: (current: T | undefined) => Result,
): Promise<Result | typeof lost> {
  const latest = format.latest(key);
  if (latest === undefined) return lost;
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

/** Length of all texts of one type that are kept at most, in characters. A question has about 2,000. */
const MOST_KEPT_CHARS = 8_000_000;
/** What the parsed record and the entry itself take, in characters. Measured for entries without a text. */
const CHARS_PER_ENTRY = 300;
/** How long a record is kept in memory at most, also one of a person who was forgotten. */
const KEPT_MS = 10 * 60_000;

/** A record and the text that was stored, or undefined for both if there was no record. */
interface RecentRecord<T> {
  text: string | undefined;
  record: T | undefined;
}

/**
 * The records of one type that this process read or wrote lately. Another process may have changed them since: compare the
 * text before trusting a record.
 */
interface RecentRecords<T> extends RecordFormat<T> {
  /** Undefined if nothing is known of this key. */
  latest(key: string): RecentRecord<T> | undefined;
  noteAbsent(key: string): void;
}

/**
 * Keeps what a format decoded, so that a text that did not change is not parsed and checked again. All readers share one
 * record, so records are frozen.
 */
export function createRecentRecords<T>(format: RecordFormat<T>): RecentRecords<T> {
  const kept = new LRUCache<string, RecentRecord<T>>({
    maxSize: MOST_KEPT_CHARS,
    sizeCalculation: ({ text = '' }, key) => text.length + key.length + CHARS_PER_ENTRY,
  });
  let isClearingPlanned = false;

  /** All records leave together, so that one timer is enough, which begins with a record and ends with it. */
  function keep(key: string, recent: RecentRecord<T>): void {
    kept.set(key, recent);
    if (isClearingPlanned) return;
    isClearingPlanned = true;
    setTimeout(() => {
      kept.clear();
      isClearingPlanned = false;
    }, KEPT_MS).unref();
  }

  function decode(key: string, text: string): T {
    const known = kept.get(key);
    if (known?.record !== undefined && known.text === text) return known.record;
    const record = deepFreeze(format.decode(key, text));
    keep(key, { text, record });
    return record;
  }

  return {
    encode: (key, record) => checkedText(key, record, decode),
    decode,
    latest: (key) => kept.get(key),
    noteAbsent: (key) => keep(key, { text: undefined, record: undefined }),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
