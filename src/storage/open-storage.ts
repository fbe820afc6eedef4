import type { AccountWaitList } from '../core/accounts/waiting.ts';
import type { AskedQuestionsRecord } from '../core/history/asked-questions.ts';
import type { DurationLog } from '../core/history/durations.ts';
import type { Visit } from '../core/history/home-visits.ts';
import type { MessageLogRecord } from '../core/history/message-log.ts';
import type { Vote, VoteStore } from '../core/history/votes.ts';
import type { AddedMention } from '../core/intake/added-mentions.ts';
import type { Claims, Clock, Log, QuestionStore, Records, ThreadStore } from '../core/ports.ts';
import type { RefusedText } from '../core/question/refused-text.ts';
import type { ThreadNotes } from '../core/question/thread-notes.ts';
import type { RunSlotBook } from '../core/run-slots.ts';
import { accountWaitsType, addedMentionType, messageLogType, refusedTextType } from './brief-records.ts';
import { openEmbeddedReader } from './embedded-reader.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { askedQuestionsType, durationsType, runSlotsType, threadNotesType, visitType } from './records.ts';
import type { Client } from './redis-connection.ts';
import { openRedisStore } from './redis-store.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
  createVoteStore,
  readVotes,
} from './repositories.ts';

/** A local directory for one process, or a Redis for any number of processes. */
export type StorageLocation = { dataDir: string } | { redisUrl: string };

export interface Storage {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  runSlots: Records<RunSlotBook>;
  durations: Records<DurationLog>;
  askedQuestions: Records<AskedQuestionsRecord>;
  messageLogs: Records<MessageLogRecord>;
  threadNotes: Records<ThreadNotes>;
  addedMentions: Records<AddedMention>;
  refusedTexts: Records<RefusedText>;
  visits: Records<Visit>;
  accountWaits: Records<AccountWaitList>;
  votes: VoteStore;
  /** The connection to Redis, if there is one. It closes with the storage. */
  redis?: Client;
  /** Throws `AppError` of kind `storage` when nothing can be stored now. Answers within about 2 s. */
  ping(): Promise<void>;
  /** Finishes pending writes, within a bounded time. */
  close(): Promise<void>;
}

/** Opens the storage and checks that it works. Throws `AppError` of kind `storage` that says what is wrong. */
export async function openStorage(
  location: StorageLocation,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Storage> {
  if ('redisUrl' in location) {
    const store = await openRedisStore(location.redisUrl, log);
    return { ...createStorage(store), redis: store.client };
  }
  return createStorage(openEmbeddedStore(location.dataDir, clock, log));
}

function createStorage(kv: KeyValueStore): Storage {
  return {
    questions: createQuestionStore(kv),
    threads: createThreadStore(kv),
    claims: createClaims(kv),
    runSlots: createRecords(kv, runSlotsType),
    durations: createRecords(kv, durationsType),
    askedQuestions: createRecords(kv, askedQuestionsType),
    messageLogs: createRecords(kv, messageLogType),
    threadNotes: createRecords(kv, threadNotesType),
    addedMentions: createRecords(kv, addedMentionType),
    refusedTexts: createRecords(kv, refusedTextType),
    visits: createRecords(kv, visitType),
    accountWaits: createRecords(kv, accountWaitsType),
    votes: createVoteStore(kv),
    ping: () => kv.ping(),
    close: () => kv.close(),
  };
}

/**
 * Reads every stored vote, in no particular order, and counts the votes that could not be read. Changes nothing, and
 * may run while the app uses the same storage. Throws `AppError` of kind `storage`.
 */
export async function readAllVotes(
  location: StorageLocation,
  { clock, log }: { clock: Clock; log: Log },
): Promise<{ votes: Vote[]; unreadable: number }> {
  const store =
    'redisUrl' in location ? await openRedisStore(location.redisUrl, log) : openEmbeddedReader(location.dataDir, clock);
  try {
    return await readVotes(store);
  } finally {
    await store.close();
  }
}
