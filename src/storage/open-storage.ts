import {
  type AccountStore,
  type AccountWaitList,
  accountWaitsType,
  type EncryptionKey,
  type Locks,
  type SignInTicket,
  signInTicketType,
} from '../core/accounts/accounts.ts';
import { type Attendance, attendanceType } from '../core/attendance.ts';
import { type ChannelSettings, channelSettingsType } from '../core/channels/channel-settings.ts';
import {
  type AskedQuestionsRecord,
  askedQuestionsType,
  type DurationLog,
  durationsType,
  type MessageLogRecord,
  messageLogType,
  type Visit,
  visitType,
} from '../core/history/lists.ts';
import type { Vote, VoteStore } from '../core/history/votes.ts';
import type {
  Claims,
  Clock,
  Log,
  QuestionStore,
  Records,
  RunRequests,
  ThreadStore,
  WorkspaceEnds,
} from '../core/ports.ts';
import { type DayCount, dayCountType } from '../core/question/daily-caps.ts';
import { type ReaderChoices, readerChoicesType } from '../core/question/reader-choices.ts';
import { type RefusedText, refusedTextType } from '../core/question/refused-text.ts';
import { type ThreadNotes, threadNotesType } from '../core/question/thread-notes.ts';
import { type RunSlotBook, runSlotsType } from '../core/run-slots.ts';
import { type SessionMarks, sessionMarksType } from '../core/session-marks.ts';
import type { Installations } from '../core/workspaces/installations.ts';
import type { RedisClient } from '../redis-client.ts';
import { type AskedPage, readAskedSince } from './asked-since.ts';
import {
  type EmbeddedReader,
  openEmbeddedReader,
  openEmbeddedStore,
  openEmbeddedStoreBeside,
} from './embedded-store.ts';
import { createKeyRing } from './encryption.ts';
import { moveChannel, shortenLives } from './every-record.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createLocks } from './locks.ts';
import type { ChannelMove } from './record-kinds.ts';
import type { RedisStore } from './redis-store.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
  createVoteStore,
  readVotes,
} from './repositories.ts';
import { createRunRequests, createWorkspaceEnds } from './run-requests.ts';
import {
  createAccountStore,
  createInstallations,
  type Rotation,
  rotateAccountKeys,
  rotateInstallationKeys,
} from './sealed-records.ts';
import { refuseClosed, useAsApp } from './store-use.ts';

/** A local directory for one process, or a Redis for any number of processes. */
export type StorageLocation = { dataDir: string } | { redisUrl: string };

export interface Storage {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  runSlots: Records<RunSlotBook>;
  durations: Records<DurationLog>;
  askedQuestions: Records<AskedQuestionsRecord>;
  dayCounts: Records<DayCount>;
  messageLogs: Records<MessageLogRecord>;
  attendance: Records<Attendance>;
  sessionMarks: Records<SessionMarks>;
  threadNotes: Records<ThreadNotes>;
  readerChoices: Records<ReaderChoices>;
  refusedTexts: Records<RefusedText>;
  visits: Records<Visit>;
  signInTickets: Records<SignInTicket>;
  accountWaits: Records<AccountWaitList>;
  channelSettings: Records<ChannelSettings>;
  votes: VoteStore;
  /** The questions that a program beside the app wants to be run. */
  runRequests: RunRequests;
  /** The workspaces that removed the app, until that is carried out. */
  workspaceEnds: WorkspaceEnds;
  /** People's accounts, encrypted. Without keys none can be stored. They have no expiry. */
  accounts: AccountStore;
  /** The workspaces that installed the app by OAuth, encrypted. Without keys none can be stored. */
  installations: Installations;
  locks: Locks;
  /** As {@link readAskedSince}. */
  askedSince(fromMs: number): AsyncIterable<AskedPage>;
  /** Applies the bound on the lives of records to those that were stored before it was set. See {@link shortenLives}. */
  shortenLives(goesOn: () => boolean): Promise<number>;
  /** As {@link moveChannel}. */
  moveChannel(move: ChannelMove): Promise<number>;
  /** The connection to Redis, if there is one. It closes with the storage. */
  redis?: RedisClient;
  /** Throws `AppError` of kind `storage` when nothing can be stored now. Answers within about 2 s. */
  ping(): Promise<void>;
  /** Finishes pending writes, within a bounded time. */
  close(): Promise<void>;
}

export interface StorageOptions {
  clock: Clock;
  log: Log;
  /** The first one encrypts people's accounts, installations and services, all of them decrypt. */
  encryptionKeys?: readonly EncryptionKey[];
  retentionMs?: number;
}

/**
 * Opens the storage and checks that it works. `retentionMs` bounds the life of all records that no open question needs.
 * Throws `AppError` of kind `storage` that says what is wrong.
 */
export async function openStorage(location: StorageLocation, options: StorageOptions): Promise<Storage> {
  if ('redisUrl' in location) {
    const store = await openRedis(location.redisUrl, options.log);
    const use = await orClose(store, (kv) => useAsApp(kv, options.log));
    return {
      ...createStorage(store, options),
      redis: store.client,
      async close() {
        use.stop();
        await store.close();
      },
    };
  }
  const store = openEmbeddedStore(location.dataDir, options.clock, options.log);
  await orClose(store, refuseClosed);
  return createStorage(store, options);
}

/** Loads the client of Redis only if there is a Redis: it doubles what a program loads. */
async function openRedis(redisUrl: string, log: Log, use: 'writes' | 'reads' = 'writes'): Promise<RedisStore> {
  const { openRedisStore } = await import('./redis-store.ts');
  return openRedisStore(redisUrl, log, use);
}

/** Closes a store that can't be used. */
async function orClose<Store extends Pick<KeyValueStore, 'close'>, Result>(
  store: Store,
  check: (store: Store) => Promise<Result>,
): Promise<Result> {
  try {
    return await check(store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Encrypts every stored account and installation with the first of `encryptionKeys`, and counts those that no
 * key decrypts. May run while the app uses the same storage. Throws `AppError` of kind `storage`.
 */
export async function rotateStoredKeys(
  location: StorageLocation,
  { clock, log, encryptionKeys }: { clock: Clock; log: Log; encryptionKeys: readonly EncryptionKey[] },
): Promise<Rotation> {
  const store = await openStoreBeside(location, { clock, log });
  try {
    const keyRing = createKeyRing(encryptionKeys);
    const total: Rotation = { rotated: 0, current: 0, unreadable: 0 };
    for (const rotate of [rotateAccountKeys, rotateInstallationKeys]) {
      const { rotated, current, unreadable } = await rotate(store, keyRing);
      total.rotated += rotated;
      total.current += current;
      total.unreadable += unreadable;
    }
    return total;
  } finally {
    await store.close();
  }
}

/** Opens the texts under keys for a program that works beside the app. Throws `AppError` of kind `storage`. */
export async function openStoreBeside(
  location: StorageLocation,
  { clock, log }: { clock: Clock; log: Log },
): Promise<KeyValueStore> {
  const store =
    'redisUrl' in location
      ? await openRedis(location.redisUrl, log)
      : openEmbeddedStoreBeside(location.dataDir, clock, log);
  await orClose(store, refuseClosed);
  return store;
}

/** Opens the texts under keys for a program that only reads beside the app. Throws `AppError` of kind `storage`. */
async function openReader(
  location: StorageLocation,
  { clock, log }: { clock: Clock; log: Log },
): Promise<EmbeddedReader> {
  const store =
    'redisUrl' in location
      ? await openRedis(location.redisUrl, log, 'reads')
      : openEmbeddedReader(location.dataDir, clock);
  await orClose(store, refuseClosed);
  return store;
}

function createStorage(
  kv: KeyValueStore,
  { log, encryptionKeys = [], retentionMs = Number.POSITIVE_INFINITY }: StorageOptions,
): Storage {
  const keyRing = createKeyRing(encryptionKeys);
  return {
    questions: createQuestionStore(kv, retentionMs),
    threads: createThreadStore(kv, retentionMs),
    claims: createClaims(kv, retentionMs),
    runSlots: createRecords(kv, runSlotsType, retentionMs),
    durations: createRecords(kv, durationsType, retentionMs),
    askedQuestions: createRecords(kv, askedQuestionsType, retentionMs),
    dayCounts: createRecords(kv, dayCountType, retentionMs),
    sessionMarks: createRecords(kv, sessionMarksType, retentionMs),
    attendance: createRecords(kv, attendanceType, retentionMs),
    messageLogs: createRecords(kv, messageLogType, retentionMs),
    threadNotes: createRecords(kv, threadNotesType, retentionMs),
    readerChoices: createRecords(kv, readerChoicesType, retentionMs),
    refusedTexts: createRecords(kv, refusedTextType, retentionMs),
    visits: createRecords(kv, visitType, retentionMs),
    signInTickets: createRecords(kv, signInTicketType, retentionMs),
    accountWaits: createRecords(kv, accountWaitsType, retentionMs),
    channelSettings: createRecords(kv, channelSettingsType, retentionMs),
    votes: createVoteStore(kv, retentionMs),
    runRequests: createRunRequests(kv),
    workspaceEnds: createWorkspaceEnds(kv),
    accounts: createAccountStore(kv, keyRing),
    installations: createInstallations(kv, keyRing),
    locks: createLocks(kv, log),
    moveChannel: (move) => moveChannel(kv, move, retentionMs),
    shortenLives: (goesOn) => shortenLives(kv, retentionMs, goesOn),
    askedSince: (fromMs) => readAskedSince(kv, fromMs),
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
  const store = await openReader(location, { clock, log });
  try {
    return await readVotes(store);
  } finally {
    await store.close();
  }
}

/** As {@link readAskedSince}, for a program beside the app. */
export async function* readStoredQuestions(
  location: StorageLocation,
  fromMs: number,
  { clock, log }: { clock: Clock; log: Log },
): AsyncGenerator<AskedPage> {
  const store = await openReader(location, { clock, log });
  try {
    yield* readAskedSince(store, fromMs);
  } finally {
    await store.close();
  }
}
