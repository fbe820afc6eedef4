import { setTimeout as wait } from 'node:timers/promises';
import { AppError, isAppError } from '../core/errors.ts';
import type { Vote, VoteStore } from '../core/history/votes.ts';
import type { Claims, QuestionStore, Records, ThreadStore } from '../core/ports.ts';
import type { KeyValueStore } from './key-value-store.ts';
import type { RecordFormat } from './record-format.ts';
import {
  CLAIM_TTL_MS,
  claimKey,
  OPEN_QUESTIONS_KEY,
  QUESTION_TTL_MS,
  questionFormat,
  questionKey,
  type RecordType,
  THREAD_TTL_MS,
  threadFormat,
  threadKey,
  VOTE_TTL_MS,
  VOTES_KEY,
  voteFormat,
  voteKey,
} from './records.ts';

/** With the waits in between, an update loses against other writers for at most about two seconds. */
const UPDATE_ATTEMPTS = 100;
const LONGEST_UPDATE_WAIT_MS = 40;

/**
 * A claim fails only if another claim exists, so a second attempt is needed only when that claim expires in between.
 */
const CLAIM_ATTEMPTS = 3;

/** Stores questions on either engine. */
export function createQuestionStore(kv: KeyValueStore): QuestionStore {
  return {
    async create(question) {
      const key = questionKey(question.id);
      const text = questionFormat.encode(key, question);
      const existing = await kv.get(key);
      if (existing !== undefined) return { question: questionFormat.decode(key, existing), created: false };
      // Adds the id to the list first. A crash before the next line leaves an id without a record, which is harmless.
      // The other order could leave a question that is never advanced.
      await kv.addMember(OPEN_QUESTIONS_KEY, question.id);
      if (await kv.setIfAbsent(key, text, QUESTION_TTL_MS)) {
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
      updateRecord(kv, questionKey(id), questionFormat, QUESTION_TTL_MS, (current) => current && change(current)),

    openIds: () => kv.members(OPEN_QUESTIONS_KEY),
    markOpen: (id) => kv.addMember(OPEN_QUESTIONS_KEY, id),
    markClosed: (id) => kv.removeMember(OPEN_QUESTIONS_KEY, id),
  };
}

/** Stores threads on either engine. */
export function createThreadStore(kv: KeyValueStore): ThreadStore {
  return {
    async get(place) {
      const key = threadKey(place);
      const text = await kv.get(key);
      return text === undefined ? undefined : threadFormat.decode(key, text);
    },
    update: (place, change) => updateRecord(kv, threadKey(place), threadFormat, THREAD_TTL_MS, change),
  };
}

/** Stores records of one type on either engine. */
export function createRecords<T>(kv: KeyValueStore, { key, formerKey, ttlMs, format }: RecordType<T>): Records<T> {
  return {
    async get(name) {
      const text = (await kv.get(key(name))) ?? (formerKey && (await kv.get(formerKey(name))));
      return text === undefined ? undefined : format.decode(key(name), text);
    },
    update: (name, change) => updateRecord(kv, key(name), format, ttlMs, change, formerKey?.(name)),
  };
}

/** Stores votes on either engine, and lists them for the export. */
export function createVoteStore(kv: KeyValueStore): VoteStore {
  return {
    async put(vote) {
      const name = `${vote.questionId}:${vote.userId}`;
      await kv.set(voteKey(name), voteFormat.encode(voteKey(name), vote), VOTE_TTL_MS);
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

/** Stores claims on either engine. Each claim expires after {@link CLAIM_TTL_MS}. */
export function createClaims(kv: KeyValueStore): Claims {
  return {
    async claim(name, owner) {
      const key = claimKey(name);
      for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt++) {
        if (await kv.setIfAbsent(key, owner, CLAIM_TTL_MS)) return owner;
        const first = await kv.get(key);
        if (first !== undefined) return first;
      }
      throw new AppError('storage', `Claim ${key} could neither be made nor read`);
    },
    ownerOf: (name) => kv.get(claimKey(name)),
  };
}

/**
 * Optimistic read-modify-write: starts again if the record changed since it was read. Stores nothing if `change`
 * returns its argument.
 */
async function updateRecord<T, Result extends T | undefined>(
  kv: KeyValueStore,
  key: string,
  format: RecordFormat<T>,
  ttlMs: number,
  change: (current: T | undefined) => Result,
  formerKey?: string,
): Promise<Result | T> {
  for (let attempt = 1; attempt <= UPDATE_ATTEMPTS; attempt++) {
    const text = await kv.get(key);
    const known = text ?? (formerKey === undefined ? undefined : await kv.get(formerKey));
    const current = known === undefined ? undefined : format.decode(key, known);
    const next = change(current);
    if (next === undefined || next === current) return next;
    if (await kv.compareAndSet(key, text, format.encode(key, next), ttlMs)) return next;
    await wait(Math.random() * Math.min(attempt, LONGEST_UPDATE_WAIT_MS));
  }
  throw new AppError(
    'storage',
    `Record ${key} could not be updated: ${UPDATE_ATTEMPTS} attempts lost to other writers`,
  );
}
