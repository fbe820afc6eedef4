import { accountWaitsType, signInTicketType } from '../core/accounts/accounts.ts';
import { attendanceType } from '../core/attendance.ts';
import { channelSettingsType } from '../core/channels/channel-settings.ts';
import { isAppError } from '../core/errors.ts';
import { askedQuestionsType, durationsType, messageLogType, visitType } from '../core/history/lists.ts';
import { voteType } from '../core/history/votes.ts';
import {
  durationsWithout,
  isAskedBy,
  isSubject,
  messageLogWithout,
  notesWithout,
  personInDurations,
  personInMessageLog,
  personInNotes,
  personInQuestion,
  personInThread,
  questionWithout,
  type Rest,
  type Subject,
  threadWithout,
} from '../core/personal-data/person-data.ts';
import { dayCountType } from '../core/question/daily-caps.ts';
import { questionType, type Thread, threadType } from '../core/question/question.ts';
import { readerChoicesType } from '../core/question/reader-choices.ts';
import { refusedTextType } from '../core/question/refused-text.ts';
import { threadNotesType } from '../core/question/thread-notes.ts';
import { dayMs, type RecordType } from '../core/record.ts';
import { runSlotsType } from '../core/run-slots.ts';
import { sessionMarksType } from '../core/session-marks.ts';
import { accountPrefix } from './sealed-records.ts';

/** Key of the set with the ids of all questions that are not closed. */
export const OPEN_QUESTIONS_KEY = 'ds:open-questions';

/** Key of the set with the names of all votes. */
export const VOTES_KEY = 'ds:votes';

export const claimPrefix = 'ds:claim:';

/** How long a claim lasts. The thing it guards (a delivery, a button) must not come again later than this. */
const claimTtlMs = 90 * dayMs;
/**
 * How long a claim lasts at least, if `RETENTION_DAYS` is shorter. Slack repeats a delivery for at most 24 hours (its
 * "delayed events"), and a question searches its conversation at the service for at most as long (`PATIENCE_SECONDS`).
 */
const claimLeastTtlMs = 2 * dayMs;

/** How long a claim lasts if nothing is stored longer than `retentionMs`. */
export function claimLifeMs(retentionMs: number): number {
  return Math.max(Math.min(claimTtlMs, retentionMs), claimLeastTtlMs);
}

/** The life of a record that is written now: its type's, shortened to `retentionMs` unless it is in use. */
export function lifeOf<T>({ ttlMs, isInUse = () => false }: RecordType<T>, record: T, retentionMs: number): number {
  return isInUse(record) ? ttlMs : Math.min(ttlMs, retentionMs);
}

/** Counts of records by kind: the word after `ds:` in their keys. */
export type RecordCounts = Record<string, number>;

export function countKind(counts: RecordCounts, key: string): void {
  const [, kind = key] = key.split(':');
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** A channel whose id Slack changed. */
export interface ChannelMove {
  teamId: string;
  from: string;
  to: string;
}

/** What the programs that walk over the storage have to know of one type of records. `name`: the key without the prefix. */
interface Row<T> {
  /** What the export and the counts call it. */
  kind: string;
  /** Absent where the record says nothing about people. */
  ofPerson?: Personal<T>;
  /** The list of names that also has the record's name. */
  listKey?: string;
  /** Its name begins with the workspace and the channel. */
  isNamedByChannel?: true;
  /** The record with the channel's new id. The same object if it does not name the channel. */
  moved?: (record: T, move: ChannelMove, name: string) => T;
  /** Joins the records of both ids of a channel. Default: the one under the new id stays. */
  merged?: (moved: T, there: T) => T;
  /** Another row has the same records, for another part of them. */
  isAgain?: true;
}

interface Personal<T> {
  /** What the record says about the person, for the export. */
  part: (record: T, subject: Subject, name: string) => unknown;
  /** What is left of it without the person. */
  without: (record: T, subject: Subject, name: string) => Rest<T>;
}

/** A row with its type hidden, so that all kinds fit into one table. The methods throw `AppError` of kind `corrupt`. */
export interface RecordKind {
  kind: string;
  prefix: string;
  listKey?: string;
  isNamedByChannel?: true;
  isAgain?: true;
  /** The longest life from now that a stored text may have. Absent: it is never shortened. Never throws. */
  lifeMs?(key: string, text: string, retentionMs: number): number;
  /** As in {@link Personal}. */
  part?(key: string, text: string, subject: Subject): unknown;
  without?(key: string, text: string, subject: Subject, retentionMs: number): Written | 'delete' | 'inUse' | 'same';
  /** `there`: the text that is stored under `newKey`. */
  moved?(key: string, text: string, move: ChannelMove, to: Destination): Written | 'same';
}

interface Written {
  text: string;
  lifeMs: number;
}

interface Destination {
  newKey: string;
  there: string | undefined;
  retentionMs: number;
}

/** Of the records under a person's name the whole record goes. */
const whole = {
  part: <T>(record: T, subject: Subject, name: string): T | undefined => (isNamed(name, subject) ? record : undefined),
  without: <T>(record: T, subject: Subject, name: string): T | undefined =>
    isNamed(name, subject) ? undefined : record,
};

/** Of the records under a workspace's name only those of the person's workspace count. */
function inTeam<T>(
  part: (record: T, subject: Subject) => unknown,
  without: (record: T, subject: Subject) => Rest<T>,
): Personal<T> {
  const isIn = (name: string, { teamId }: Subject): boolean => teamId === undefined || name.split(':')[0] === teamId;
  return {
    part: (record, subject, name) => (isIn(name, subject) ? part(record, subject) : undefined),
    without: (record, subject, name) => (isIn(name, subject) ? without(record, subject) : record),
  };
}

/**
 * Every kind of records. Retention, export, forgetting and the change of a channel's id walk it. In the order in which a
 * person is forgotten: own questions last, because the other kinds are recognized by them.
 */
export const recordKinds: readonly RecordKind[] = [
  row(threadNotesType, {
    kind: 'threadNotes',
    ofPerson: inTeam(personInNotes, notesWithout),
    isNamedByChannel: true,
  }),
  row(messageLogType, {
    kind: 'messageLog',
    ofPerson: inTeam(personInMessageLog, messageLogWithout),
    isNamedByChannel: true,
  }),
  row(visitType, { kind: 'homeVisits', ofPerson: whole }),
  row(dayCountType, { kind: 'dayCounts', ofPerson: whole, isNamedByChannel: true }),
  row(readerChoicesType, {
    kind: 'choicesOfReaders',
    ofPerson: whole,
    moved: (choices, move, name) =>
      isOfTeam(name, move) && (choices.channels.includes(move.from) || hasThreadIn(choices.threads, move))
        ? {
            ...choices,
            channels: [...new Set(choices.channels.map((id) => movedId(id, move)))],
            threads: movedThreads(choices.threads, move),
          }
        : choices,
  }),
  row(accountWaitsType, { kind: 'questionsThatWait', ofPerson: whole }),
  row(askedQuestionsType, { kind: 'history', ofPerson: whole }),
  row(refusedTextType, {
    kind: 'refusedTexts',
    ofPerson: {
      part: (record, subject, name) => (subject.isOwnQuestion(name) ? record : undefined),
      without: (record, subject, name) => (subject.isOwnQuestion(name) ? undefined : record),
    },
  }),
  row(channelSettingsType, {
    kind: 'channelSettings',
    ofPerson: {
      part: (settings, subject) =>
        isSubject(subject, { ...settings, userId: settings.changedBy }) ? settings : undefined,
      // The rules stay: they are the channel's, and they may forbid something.
      without: (settings, subject) =>
        isSubject(subject, { ...settings, userId: settings.changedBy }) ? { ...settings, changedBy: '' } : settings,
    },
    isNamedByChannel: true,
    moved: (settings, { to }) => ({ ...settings, channelId: to }),
  }),
  // The whole record is encrypted, so the export says only that there is one. It has no expiry.
  {
    kind: 'accounts',
    prefix: accountPrefix,
    part: (key, _text, subject) =>
      isNamed(key.slice(accountPrefix.length), subject) ? { isConnected: true } : undefined,
    without: (key, _text, subject) => (isNamed(key.slice(accountPrefix.length), subject) ? 'delete' : 'same'),
  },
  row(signInTicketType, {
    kind: 'signIns',
    ofPerson: {
      part: ({ person, shownName, expiresMs }, subject) =>
        isSubject(subject, person) ? { person, shownName, expiresMs } : undefined,
      without: (ticket, subject) => (isSubject(subject, ticket.person) ? undefined : ticket),
    },
  }),
  row(voteType, {
    kind: 'votes',
    ofPerson: {
      part: (vote, subject) => (isSubject(subject, vote) ? vote : undefined),
      without: (vote, subject) => (isSubject(subject, vote) ? undefined : vote),
    },
    listKey: VOTES_KEY,
  }),
  row(durationsType, { kind: 'durations', ofPerson: inTeam(personInDurations, durationsWithout) }),
  row(runSlotsType, { kind: 'runSlots' }),
  row(sessionMarksType, { kind: 'sessionMarks' }),
  row(attendanceType, {
    kind: 'attendance',
    moved: (attendance, move, name) =>
      isOfTeam(name, move) && hasThreadIn(attendance.threads, move)
        ? { ...attendance, threads: movedThreads(attendance.threads, move) }
        : attendance,
  }),
  row(threadType, {
    kind: 'threads',
    ofPerson: { part: personInThread, without: threadWithout },
    isNamedByChannel: true,
    moved: (thread, { to }) => ({ ...thread, channelId: to }),
    merged: mergedThread,
  }),
  row(questionType, {
    kind: 'actsOnQuestions',
    ofPerson: {
      part: (question, subject) => (isAskedBy(subject, question) ? undefined : personInQuestion(question, subject)),
      without: (question, subject) => (isAskedBy(subject, question) ? question : questionWithout(question, subject)),
    },
    moved(question, move) {
      const { place, readsFrom } = question;
      if (place.teamId !== move.teamId) return question;
      if (place.channelId !== move.from && readsFrom?.channelId !== move.from) return question;
      const moved = { ...question, place: { ...place, channelId: movedId(place.channelId, move) } };
      return readsFrom === undefined
        ? moved
        : { ...moved, readsFrom: { ...readsFrom, channelId: movedId(readsFrom.channelId, move) } };
    },
  }),
  row(questionType, {
    kind: 'questions',
    ofPerson: {
      part: (question, subject) => (isAskedBy(subject, question) ? personInQuestion(question, subject) : undefined),
      without: (question, subject) => (isAskedBy(subject, question) ? questionWithout(question, subject) : question),
    },
    isAgain: true,
  }),
];

function row<T>(
  type: RecordType<T>,
  { kind, ofPerson, listKey, isNamedByChannel, isAgain, moved, merged }: Row<NoInfer<T>>,
): RecordKind {
  const prefix = type.key('');
  const { format } = type;
  const written = (key: string, record: T, retentionMs: number): Written => ({
    text: format.encode(key, record),
    lifeMs: lifeOf(type, record, retentionMs),
  });
  return {
    kind,
    prefix,
    listKey,
    isNamedByChannel,
    isAgain,
    lifeMs(key, text, retentionMs) {
      try {
        return lifeOf(type, format.decode(key, text), retentionMs);
      } catch (error) {
        if (!isAppError(error, 'corrupt')) throw error;
        return Math.min(type.ttlMs, retentionMs);
      }
    },
    ...(ofPerson === undefined
      ? {}
      : {
          part: (key, text, subject) => ofPerson.part(format.decode(key, text), subject, key.slice(prefix.length)),
          without(key, text, subject, retentionMs) {
            const record = format.decode(key, text);
            const rest = ofPerson.without(record, subject, key.slice(prefix.length));
            if (rest === undefined) return 'delete';
            if (rest === 'inUse') return 'inUse';
            return rest === record ? 'same' : written(key, rest, retentionMs);
          },
        }),
    ...(moved === undefined && isNamedByChannel === undefined
      ? {}
      : {
          moved(key, text, move, { newKey, there, retentionMs }) {
            const record = format.decode(key, text);
            const next = moved === undefined ? record : moved(record, move, key.slice(prefix.length));
            if (next === record && newKey === key) return 'same';
            const known = newKey === key || there === undefined ? undefined : format.decode(newKey, there);
            return written(newKey, known === undefined ? next : (merged?.(next, known) ?? known), retentionMs);
          },
        }),
  };
}

function isNamed(name: string, subject: Subject): boolean {
  const [teamId = '', userId = ''] = name.split(':');
  return isSubject(subject, { teamId, userId });
}

/** Another workspace may have the same channel, and keeps its id until Slack tells it too. */
function isOfTeam(name: string, { teamId }: ChannelMove): boolean {
  return name.split(':')[0] === teamId;
}

function movedId(channelId: string, { from, to }: ChannelMove): string {
  return channelId === from ? to : channelId;
}

function hasThreadIn(threads: readonly { channelId: string }[], { from }: ChannelMove): boolean {
  return threads.some(({ channelId }) => channelId === from);
}

function movedThreads<T extends { channelId: string }>(threads: readonly T[], move: ChannelMove): T[] {
  return threads.map((thread) => ({ ...thread, channelId: movedId(thread.channelId, move) }));
}

/** Someone wrote in the thread under its new id before it was moved. */
function mergedThread(moved: Thread, there: Thread): Thread {
  return {
    ...moved,
    ...there,
    followsReplies: moved.followsReplies || there.followsReplies,
    asked: [...new Set([...(moved.asked ?? []), ...(there.asked ?? [])])],
    queue: [...new Set([...moved.queue, ...there.queue])],
  };
}
