import type { ChannelSettings } from '../core/channels/channel-settings.ts';
import { isAppError } from '../core/errors.ts';
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
import { accountPrefix } from './accounts.ts';
import { accountWaitsType, dayCountType, messageLogType, refusedTextType, visitType } from './brief-records.ts';
import { channelSettingsType } from './channel-records.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { type Life, lifeOf, questionLife, threadLife } from './lives.ts';
import { readerChoicesType } from './reader-choices.ts';
import type { RecordFormat } from './record-format.ts';
import {
  askedQuestionsType,
  durationsType,
  questionFormat,
  questionPrefix,
  type RecordType,
  threadFormat,
  threadNotesType,
  threadPrefix,
  VOTE_TTL_MS,
  VOTES_KEY,
  voteFormat,
  votePrefix,
} from './records.ts';
import { changePart, watchPrefix } from './shared-watch.ts';
import { signInTicketType } from './sign-in-records.ts';

/** How often a record is read again because the app changed it meanwhile. */
const CHANGE_ATTEMPTS = 100;

/** A kind of records in which people have a part. */
interface Kind<T> {
  prefix: string;
  format: RecordFormat<T>;
  life: Life<T>;
  /** What the record says about the person, for the export. `name`: its key without the prefix. */
  part(record: T, subject: Subject, name: string): unknown;
  without(record: T, subject: Subject, name: string): Rest<T>;
  /** The list of names that also has the record's name. */
  listKey?: string;
}

/** A kind with its type hidden, so that all kinds fit into one list. */
interface AnyKind {
  name: string;
  prefix: string;
  listKey?: string;
  /** Throws `AppError` of kind `corrupt`. */
  part(key: string, text: string, subject: Subject): unknown;
  /** `same`: nothing to change. Throws `AppError` of kind `corrupt`. */
  without(key: string, text: string, subject: Subject): { text: string; lifeMs: number } | 'delete' | 'inUse' | 'same';
}

/** Of the records under a person's name the whole record goes. */
const whole = <T>(record: T, subject: Subject, name: string): T | undefined =>
  isNamed(name, subject) ? record : undefined;
const wholeGoes = <T>(record: T, subject: Subject, name: string): T | undefined =>
  isNamed(name, subject) ? undefined : record;

/** Of the records under a workspace's name only those of the person's workspace count. */
function inTeam<T>(
  part: (record: T, subject: Subject) => unknown,
  without: (record: T, subject: Subject) => Rest<T>,
): Pick<Kind<T>, 'part' | 'without'> {
  const isIn = (name: string, { teamId }: Subject): boolean => teamId === undefined || name.split(':')[0] === teamId;
  return {
    part: (record, subject, name) => (isIn(name, subject) ? part(record, subject) : undefined),
    without: (record, subject, name) => (isIn(name, subject) ? without(record, subject) : record),
  };
}

/** In the order in which they are erased: own questions last, because the other kinds are recognized by them. */
function kindsOf(retentionMs: number): AnyKind[] {
  return [
    ...ofType('threadNotes', threadNotesType, retentionMs, inTeam(personInNotes, notesWithout)),
    ...ofType('messageLog', messageLogType, retentionMs, inTeam(personInMessageLog, messageLogWithout)),
    ...ofType('homeVisits', visitType, retentionMs, { part: whole, without: wholeGoes }),
    ...ofType('dayCounts', dayCountType, retentionMs, { part: whole, without: wholeGoes }),
    ...ofType('choicesOfReaders', readerChoicesType, retentionMs, { part: whole, without: wholeGoes }),
    ...ofType('questionsThatWait', accountWaitsType, retentionMs, { part: whole, without: wholeGoes }),
    ...ofType('history', askedQuestionsType, retentionMs, { part: whole, without: wholeGoes }),
    ...ofType('refusedTexts', refusedTextType, retentionMs, {
      part: (record, subject, name) => (subject.isOwnQuestion(name) ? record : undefined),
      without: (record, subject, name) => (subject.isOwnQuestion(name) ? undefined : record),
    }),
    ...ofType('channelSettings', channelSettingsType, retentionMs, {
      part: (settings, subject) =>
        isSubject(subject, { ...settings, userId: settings.changedBy }) ? settings : undefined,
      // The rules stay: they are the channel's, and they may forbid something.
      without: (settings, subject) =>
        isSubject(subject, { ...settings, userId: settings.changedBy }) ? withoutAdmin(settings) : settings,
    }),
    accountKind,
    ...ofType('signIns', signInTicketType, retentionMs, {
      part: ({ person, shownName, expiresMs }, subject) =>
        isSubject(subject, person) ? { person, shownName, expiresMs } : undefined,
      without: (ticket, subject) => (isSubject(subject, ticket.person) ? undefined : ticket),
    }),
    hide('votes', retentionMs, {
      prefix: votePrefix,
      format: voteFormat,
      life: { ttlMs: VOTE_TTL_MS },
      part: (vote, subject) => (isSubject(subject, vote) ? vote : undefined),
      without: (vote, subject) => (isSubject(subject, vote) ? undefined : vote),
      listKey: VOTES_KEY,
    }),
    ...ofType('durations', durationsType, retentionMs, inTeam(personInDurations, durationsWithout)),
    hide('threads', retentionMs, {
      prefix: threadPrefix,
      format: threadFormat,
      life: threadLife,
      part: personInThread,
      without: threadWithout,
    }),
    questionsOf('actsOnQuestions', retentionMs, false),
    questionsOf('questions', retentionMs, true),
    watchKind,
  ];
}

/** An entry that is not yet in the audit log stays without the person, as those in it do. */
function withoutAdmin({ pendingAudit, ...settings }: ChannelSettings): ChannelSettings {
  const rest = { ...settings, changedBy: '' };
  if (pendingAudit === undefined) return rest;
  const { userId: _userId, ...entry } = pendingAudit;
  return { ...rest, pendingAudit: entry };
}

/** The whole record is encrypted, so the export says only that there is one. */
const accountKind: AnyKind = {
  name: 'accounts',
  prefix: accountPrefix,
  part: (key, _text, subject) =>
    isNamed(key.slice(accountPrefix.length), subject) ? { isConnected: true } : undefined,
  without: (key, _text, subject) => (isNamed(key.slice(accountPrefix.length), subject) ? 'delete' : 'same'),
};

/**
 * What processes that watch questions hand to each other for less than a minute. A change has whole conversations, in
 * which it is not known who asked, and only spares a request. So all changes go. None is handed on for a question that
 * ended.
 */
const watchKind: AnyKind = {
  name: 'changesHandedOn',
  prefix: watchPrefix,
  part: () => undefined,
  without: (key, _text, subject) =>
    key.includes(changePart) || isNamed(key.slice(watchPrefix.length), subject) ? 'delete' : 'same',
};

/** The questions that the person asked, or those of other people. */
function questionsOf(name: string, retentionMs: number, own: boolean): AnyKind {
  return hide(name, retentionMs, {
    prefix: questionPrefix,
    format: questionFormat,
    life: questionLife,
    part: (question, subject) =>
      isAskedBy(subject, question) === own ? personInQuestion(question, subject) : undefined,
    without: (question, subject) =>
      isAskedBy(subject, question) === own ? questionWithout(question, subject) : question,
  });
}

/** What is stored about a person, by kind. `unreadable`: keys of records that can't be read. */
export interface PersonExport {
  parts: Record<string, unknown[]>;
  unreadable: string[];
}

/** Collects what is stored about a person. Changes nothing. Throws `AppError` of kind `storage`. */
export async function exportPerson(kv: Pick<KeyValueStore, 'get' | 'keys'>, subject: Subject): Promise<PersonExport> {
  const parts: Record<string, unknown[]> = {};
  const unreadable = new Set<string>();
  for (const { name, prefix, part } of kindsOf(Number.POSITIVE_INFINITY)) {
    const found = new Map<string, unknown>();
    for await (const key of kv.keys(prefix)) {
      const text = await kv.get(key);
      const own = text === undefined ? undefined : ifReadable(key, unreadable, () => part(key, text, subject));
      if (own !== undefined) found.set(key, own);
    }
    parts[name] = [...(parts[name] ?? []), ...[...found].map(([key, record]) => ({ key, record }))];
  }
  return { parts, unreadable: [...unreadable] };
}

/** How many records were deleted or changed, by kind, and what could not be erased. */
export interface Erasure {
  erased: Record<string, number>;
  /** Keys of records that an open question needs. */
  inUse: string[];
  /** Keys of records that can't be read, so that it is not known whose they are. */
  unreadable: string[];
}

/**
 * Erases what is stored about a person, record by record, except the keys in `kept`. Safe beside a
 * running app: each record is replaced or deleted only if it is still the one that was read. Safe to interrupt and to
 * repeat. Throws `AppError` of kind `storage`.
 */
export async function erasePerson(
  kv: KeyValueStore,
  subject: Subject,
  { retentionMs, kept }: { retentionMs: number; kept: ReadonlySet<string> },
): Promise<Erasure> {
  const erased: Record<string, number> = {};
  const inUse: string[] = [];
  const unreadable = new Set<string>();
  for (const kind of kindsOf(retentionMs)) {
    for await (const key of kv.keys(kind.prefix)) {
      if (kept.has(key)) continue;
      const done = await eraseRecord(kv, kind, key, subject, unreadable);
      if (done === 'inUse') inUse.push(key);
      if (done === 'erased') erased[kind.name] = (erased[kind.name] ?? 0) + 1;
    }
  }
  return { erased, inUse, unreadable: [...unreadable] };
}

async function eraseRecord(
  kv: KeyValueStore,
  { prefix, listKey, without }: AnyKind,
  key: string,
  subject: Subject,
  unreadable: Set<string>,
): Promise<'erased' | 'inUse' | 'same'> {
  for (let attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
    const text = await kv.get(key);
    if (text === undefined) return 'same';
    const next = ifReadable(key, unreadable, () => without(key, text, subject)) ?? 'same';
    if (next === 'same' || next === 'inUse') return next;
    if (next === 'delete') {
      if (!(await kv.compareAndDelete(key, text))) continue;
      if (listKey !== undefined) await kv.removeMember(listKey, key.slice(prefix.length));
      return 'erased';
    }
    if (await kv.compareAndSet(key, text, next.text, next.lifeMs)) return 'erased';
  }
  return 'inUse';
}

/** Notes the key of a record that can't be read. Throws other errors. */
function ifReadable<Result>(key: string, unreadable: Set<string>, read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    unreadable.add(key);
    return undefined;
  }
}

function isNamed(name: string, subject: Subject): boolean {
  const [teamId = '', userId = ''] = name.split(':');
  return isSubject(subject, { teamId, userId });
}

/** A type's records, also those of an earlier version under their former keys. */
function ofType<T>(
  name: string,
  type: RecordType<T>,
  retentionMs: number,
  { part, without }: Pick<Kind<T>, 'part' | 'without'>,
): AnyKind[] {
  return [type.key, type.formerKey]
    .filter((key) => key !== undefined)
    .map((key) => hide(name, retentionMs, { prefix: key(''), format: type.format, life: type, part, without }));
}

function hide<T>(name: string, retentionMs: number, kind: Kind<T>): AnyKind {
  const { prefix, format, life, listKey } = kind;
  return {
    name,
    prefix,
    ...(listKey === undefined ? {} : { listKey }),
    part: (key, text, subject) => kind.part(format.decode(key, text), subject, key.slice(prefix.length)),
    without(key, text, subject) {
      const record = format.decode(key, text);
      const rest = kind.without(record, subject, key.slice(prefix.length));
      if (rest === undefined) return 'delete';
      if (rest === 'inUse') return 'inUse';
      return rest === record ? 'same' : { text: format.encode(key, rest), lifeMs: lifeOf(life, rest, retentionMs) };
    },
  };
}
