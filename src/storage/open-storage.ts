import type { AccountStore, EncryptionKey, Locks } from '../core/accounts/accounts.ts';
import type { SignInTicket } from '../core/accounts/sign-in-ticket.ts';
import type { AccountWaitList } from '../core/accounts/waiting.ts';
import type { Attendance } from '../core/attendance.ts';
import type { ChannelSettings } from '../core/channels/channel-settings.ts';
import type { AppError } from '../core/errors.ts';
import type { AskedQuestionsRecord } from '../core/history/asked-questions.ts';
import type { AuditEntry, AuditRange, AuditStore } from '../core/history/audit.ts';
import type { DurationLog } from '../core/history/durations.ts';
import type { Visit } from '../core/history/home-visits.ts';
import type { MessageLogRecord } from '../core/history/message-log.ts';
import type { Vote, VoteStore } from '../core/history/votes.ts';
import type { WorkspaceEnds } from '../core/intake/workspace-end.ts';
import type { Claims, Clock, Log, QuestionStore, Records, SharedWatch, ThreadStore } from '../core/ports.ts';
import type { DayCount } from '../core/question/daily-caps.ts';
import type { ReaderChoices } from '../core/question/reader-choices.ts';
import type { RefusedText } from '../core/question/refused-text.ts';
import type { ThreadNotes } from '../core/question/thread-notes.ts';
import type { RunSlotBook } from '../core/run-slots.ts';
import type { SessionMarks } from '../core/session-marks.ts';
import type { Installations } from '../core/workspaces/installations.ts';
import type { WorkspaceServices } from '../core/workspaces/own-service.ts';
import type { RedisClient } from '../redis-client.ts';
import { createAccountStore, rotateAccountKeys } from './accounts.ts';
import { createAuditStore, readAuditPages } from './audit-store.ts';
import {
  accountWaitsType,
  attendanceType,
  dayCountType,
  messageLogType,
  refusedTextType,
  sessionMarksType,
  visitType,
} from './brief-records.ts';
import { channelSettingsType } from './channel-records.ts';
import { type EmbeddedReader, openEmbeddedReader } from './embedded-reader.ts';
import { openEmbeddedStore, openEmbeddedStoreBeside } from './embedded-store.ts';
import { createKeyRing } from './encryption.ts';
import { refuseElsewhere } from './home-mark.ts';
import { createInstallations, rotateInstallationKeys } from './installations.ts';
import type { EngineStore } from './key-value-store.ts';
import { createLocks } from './locks.ts';
import { type ChannelMove, moveChannel } from './move-channel.ts';
import { readerChoicesType } from './reader-choices.ts';
import { askedQuestionsType, DAY_MS, durationsType, runSlotsType, threadNotesType } from './records.ts';
import type { RedisStore } from './redis-store.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
  createVoteStore,
  readVotes,
} from './repositories.ts';
import { shortenLives } from './retention.ts';
import { createRunRequests, type RunRequests } from './run-requests.ts';
import { announceCopy } from './running-copies.ts';
import type { Rotation } from './sealed-records.ts';
import { createSharedWatch, watchAlone } from './shared-watch.ts';
import { signInTicketType } from './sign-in-records.ts';
import { createWorkspaceEnds } from './workspace-ends.ts';
import { createWorkspaceServices, rotateServiceKeys } from './workspace-services.ts';

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
  /** Workspaces' own services, encrypted. Without keys none can be stored. */
  workspaceServices: WorkspaceServices;
  locks: Locks;
  /** What the processes share that watch questions of the same account. */
  sharedWatch: SharedWatch;
  /** Entries are stored for `auditKeepMs` at least. */
  audit: AuditStore;
  /** How old an entry of the audit log may become: `auditDays` or `retentionMs`, the shorter of both. */
  auditKeepMs: number;
  /** Applies the bound on the lives of records to those that were stored before it was set. See {@link shortenLives}. */
  shortenLives(goesOn: () => boolean): Promise<number>;
  /** As {@link moveChannel}. */
  moveChannel(move: ChannelMove): Promise<number>;
  /** The connection to Redis, if there is one. It closes with the storage. */
  redis?: RedisClient;
  /**
   * Resolves if the records are here, so that this process may run questions. Throws `AppError` of kind `storage` if they
   * were moved while it was suspended. Of stored questions, a process that was suspended changes and adds none before this.
   */
  proveHome(): Promise<void>;
  /** Throws `AppError` of kind `storage` when nothing can be stored now. Answers within about 2 s. */
  ping(): Promise<void>;
  /** Finishes pending writes, within a bounded time. */
  close(): Promise<void>;
}

export interface StorageOptions {
  clock: Clock;
  log: Log;
  /** The first one encrypts people's accounts, installations and services, all of them decrypt. */
  encryptionKeys?: readonly EncryptionKey[] | undefined;
  retentionMs?: number | undefined;
  auditDays?: number;
  /** Called once if the records were moved while this process was suspended: it has to end. */
  onElsewhere?: (why: AppError) => void;
}

/**
 * Opens the storage and checks that it works. `retentionMs` bounds the life of all records that no open question needs,
 * and of the audit log.
 * Throws `AppError` of kind `storage` that says what is wrong.
 */
export async function openStorage(location: StorageLocation, options: StorageOptions): Promise<Storage> {
  if ('redisUrl' in location) {
    const store = await openRedis(location.redisUrl, options.log);
    const copy = await orClose(store, (kv) => announceCopy(kv, options.onElsewhere ?? (() => {})));
    return {
      ...createStorage({ ...store, ...store.guardedBy(copy) }, options),
      proveHome: copy.prove,
      sharedWatch: createSharedWatch(store, options.clock),
      redis: store.client,
      async close() {
        await copy.stop();
        await store.close();
      },
    };
  }
  const store = openEmbeddedStore(location.dataDir, options.clock, options.log);
  await orClose(store, refuseElsewhere);
  return createStorage(store, options);
}

/** Loads the client of Redis only if there is a Redis: it doubles what a program loads. */
async function openRedis(redisUrl: string, log: Log, use: 'writes' | 'reads' = 'writes'): Promise<RedisStore> {
  const { openRedisStore } = await import('./redis-store.ts');
  return openRedisStore(redisUrl, log, use);
}

/** Closes a store that can't be used. */
async function orClose<Store extends Pick<EngineStore, 'close'>, Result>(
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
 * Encrypts every stored account, installation and service with the first of `encryptionKeys`, and counts those that no
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
    for (const rotate of [rotateAccountKeys, rotateInstallationKeys, rotateServiceKeys]) {
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
): Promise<EngineStore> {
  const store =
    'redisUrl' in location
      ? await openRedis(location.redisUrl, log)
      : openEmbeddedStoreBeside(location.dataDir, clock, log);
  await orClose(store, refuseElsewhere);
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
  await orClose(store, refuseElsewhere);
  return store;
}

function createStorage(
  kv: EngineStore,
  { log, encryptionKeys = [], retentionMs = Number.POSITIVE_INFINITY, auditDays = 90 }: StorageOptions,
): Storage {
  const auditKeepMs = Math.min(auditDays * DAY_MS, retentionMs);
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
    workspaceServices: createWorkspaceServices(kv, keyRing),
    locks: createLocks(kv, log),
    sharedWatch: watchAlone,
    moveChannel: (move) => moveChannel(kv, move, retentionMs),
    shortenLives: (goesOn) => shortenLives(kv, retentionMs, goesOn),
    audit: createAuditStore(kv, auditKeepMs, log),
    auditKeepMs,
    // The lock of the data directory holds as long as this process exists.
    proveHome: async () => {},
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

/**
 * Reads entries of the audit log in pages. Changes nothing, and may run while the app uses the same storage. Throws
 * `AppError` of kind `storage`.
 */
export async function* readAuditLog(
  location: StorageLocation,
  range: AuditRange,
  { clock, log }: { clock: Clock; log: Log },
): AsyncGenerator<AuditEntry[]> {
  const store = await openReader(location, { clock, log });
  try {
    yield* readAuditPages(store.timed, range, log);
  } finally {
    await store.close();
  }
}
