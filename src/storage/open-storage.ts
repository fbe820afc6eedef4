import type { Diary } from '../core/diary.ts';
import type { DurationLog } from '../core/durations.ts';
import type { Heard } from '../core/heard.ts';
import type { History } from '../core/histories.ts';
import type { Claims, Clock, Journal, QuestionStore, Records, ThreadStore } from '../core/ports.ts';
import type { RefusedText } from '../core/refused-text.ts';
import type { TurnStore } from '../core/turns.ts';
import type { Visit } from '../core/visits.ts';
import type { Vote, VoteStore } from '../core/votes.ts';
import { diaryShelf, refusedTextShelf } from './brief-records.ts';
import { openEmbeddedReader } from './embedded-reader.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { durationShelf, heardShelf, historyShelf, visitShelf } from './records.ts';
import type { Client } from './redis-connection.ts';
import { openRedisStore } from './redis-store.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
  createTurnStore,
  createVoteStore,
  readVotes,
} from './repositories.ts';

/** A directory of this machine for one process, or a Redis for any number of them. */
export type StorageLocation = { dataDir: string } | { redisUrl: string };

export interface Storage {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  turns: TurnStore;
  durations: Records<DurationLog>;
  histories: Records<History>;
  diaries: Records<Diary>;
  heard: Records<Heard>;
  refusedTexts: Records<RefusedText>;
  visits: Records<Visit>;
  votes: VoteStore;
  /** The connection to Redis, where there is one; closed with the storage. */
  redis?: Client;
  /** Throws `AppError` of kind `storage` when nothing can be stored at the moment; answers within about 2 s. */
  ping(): Promise<void>;
  /** Finishes pending writes, within a bounded time. */
  close(): Promise<void>;
}

/** Opens the storage and proves that it can be used; throws `AppError` of kind `storage` that says what is wrong. */
export async function openStorage(
  location: StorageLocation,
  { clock, journal }: { clock: Clock; journal: Journal },
): Promise<Storage> {
  if ('redisUrl' in location) {
    const store = await openRedisStore(location.redisUrl, journal);
    return { ...createStorage(store), redis: store.client };
  }
  return createStorage(openEmbeddedStore(location.dataDir, clock, journal));
}

function createStorage(kv: KeyValueStore): Storage {
  return {
    questions: createQuestionStore(kv),
    threads: createThreadStore(kv),
    claims: createClaims(kv),
    turns: createTurnStore(kv),
    durations: createRecords(kv, durationShelf),
    histories: createRecords(kv, historyShelf),
    diaries: createRecords(kv, diaryShelf),
    heard: createRecords(kv, heardShelf),
    refusedTexts: createRecords(kv, refusedTextShelf),
    visits: createRecords(kv, visitShelf),
    votes: createVoteStore(kv),
    ping: () => kv.ping(),
    close: () => kv.close(),
  };
}

/**
 * Every vote that is kept, in no particular order, and how many more could not be read. Changes nothing, and may be called
 * while the app runs on the same storage. Throws `AppError` of kind `storage`.
 */
export async function readAllVotes(
  location: StorageLocation,
  { clock, journal }: { clock: Clock; journal: Journal },
): Promise<{ votes: Vote[]; unreadable: number }> {
  const store =
    'redisUrl' in location
      ? await openRedisStore(location.redisUrl, journal)
      : openEmbeddedReader(location.dataDir, clock);
  try {
    return await readVotes(store);
  } finally {
    await store.close();
  }
}
