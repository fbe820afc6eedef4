import type { Log, LogFields } from '../ports.ts';
import type { Outcome, Question } from '../question/question.ts';
import { mostRepositoriesNoted } from '../settings.ts';
import type { Vote } from './votes.ts';

/** What can be done. */
export const auditActions = [
  'asked',
  'refused',
  'ended',
  'cancelled',
  'shared',
  'unfurled',
  'voted',
  'connected',
  'disconnected',
  'accountRemoved',
  'settingsChanged',
  'dataExported',
  'dataForgotten',
  'workspaceEnded',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One line of the audit log. Contains ids, codes, numbers and times, never text of people or answers. */
export interface AuditEntry {
  /** Names the entry, so that who reads the lines can drop the second one of a repeated step: `asked:q…`. */
  id: string;
  /** When it happened: a time that a repeated step takes from a stored record, so that it stays the same. */
  atMs: number;
  action: AuditAction;
  teamId: string;
  /** Who did it. Absent for the app itself. */
  userId?: string;
  channelId?: string;
  questionId?: string;
  /** A code of this app: a refusal, an outcome, the names of changed settings. */
  detail?: string;
  /** Whose access the question used. */
  access?: 'app' | 'own';
  /** Of the answer. For `ended`; for `voted` the repositories only. */
  usage?: { durationMs?: number; credits?: number; repositories: string[] };
}

/** Takes note of what was done. */
export interface AuditLog {
  /** Writes the entry's line. A step that is repeated after a crash writes it again, with the same id. */
  note(entry: AuditEntry): void;
}

export function createAuditLog(log: Pick<Log, 'info'>): AuditLog {
  return { note: (entry) => log.info(lineOf(entry)) };
}

function lineOf({ usage, ...entry }: AuditEntry): LogFields {
  const numbers =
    usage === undefined
      ? {}
      : {
          durationMs: usage.durationMs,
          credits: usage.credits,
          repositories: usage.repositories.join(' '),
        };
  return { event: 'audit', outcome: entry.action, audit: true, ...entry, ...numbers };
}

/** The entry of a question that its asker may ask. Its detail is the question's origin. */
export function askedEntry(question: Question): AuditEntry {
  return entryOf(question, 'asked', { atMs: question.acceptedMs, detail: question.origin });
}

/**
 * The entries of a question that has ended: how it ended, and who was refused or cancelled it. A question that is watched
 * again ends again, under another id.
 */
export function endEntries(question: Question): AuditEntry[] {
  const { outcome, cancel, origin, acceptedMs, endedMs = acceptedMs, delivery, shares } = question;
  if (outcome === undefined) return [];
  const entries: AuditEntry[] = [];
  if (outcome.kind === 'notAllowed') {
    entries.push(entryOf(question, 'refused', { atMs: endedMs, detail: outcome.reason }));
  }
  if (cancel !== undefined) {
    const tooLate = outcome.kind === 'cancelled' ? {} : { detail: 'tooLate' };
    entries.push(entryOf(question, 'cancelled', { atMs: cancel.atMs, userId: cancel.byUserId, ...tooLate }));
  }
  if (origin === 'shared') {
    if (outcome.kind !== 'answered' || delivery.posted.length === 0) return entries;
    const detail = shares?.withheld === true ? 'privately' : 'channel';
    const about = shares === undefined ? {} : { questionId: shares.questionId };
    return [...entries, entryOf(question, 'shared', { atMs: endedMs, detail, ...about })];
  }
  if (!isAsked(question)) return entries;
  return [...entries, entryOf(question, 'ended', { atMs: endedMs, detail: codeOf(outcome), usage: usageOf(question) })];
}

/** The entry of a vote on the answer of a question. Its detail is the verdict. */
export function voteEntry(question: Question, { userId, verdict, atMs }: Vote): AuditEntry {
  const usage = { repositories: repositoriesOf(question) };
  const { id: _, ...entry } = entryOf(question, 'voted', { atMs, userId, detail: verdict, usage });
  return { id: `voted:${question.id}:${userId}:${atMs}`, ...entry };
}

/** The repositories of an answer's sources, each once. Leaves out what does not have the form of a name. */
export function repositoriesOf({ outcome }: Question): string[] {
  if (outcome?.kind !== 'answered') return [];
  const named = outcome.answer.sources.flatMap(({ repository }) => (repository === undefined ? [] : [repository]));
  return [...new Set(named)].filter((name) => repositoryName.test(name)).slice(0, mostRepositoriesNoted);
}

const repositoryName = /^[!-~]{1,300}$/;

/** Whether the question counts as asked: nothing says that its asker was not admitted. */
export function isAsked({ origin, outcome, admittedMs, card }: Question): boolean {
  if (origin === 'shared') return false;
  if (admittedMs !== undefined || card.ts !== undefined) return true;
  return outcome !== undefined && outcome.kind !== 'notAllowed';
}

/** The answer's own time, as its footer says it. Without an answer, the time until the end. */
function usageOf(question: Question): NonNullable<AuditEntry['usage']> {
  const { outcome, acceptedMs, endedMs = acceptedMs } = question;
  const answer = outcome?.kind === 'answered' ? outcome.answer : undefined;
  return {
    durationMs: Math.max(0, answer?.durationMs ?? endedMs - acceptedMs),
    ...(answer?.credits === undefined ? {} : { credits: answer.credits }),
    repositories: repositoriesOf(question),
  };
}

function codeOf(outcome: Outcome): string {
  return outcome.kind === 'failed' ? `failed:${outcome.failure.cause}` : outcome.kind;
}

function entryOf(
  { id, place, askerId, access, delivery: { round } }: Question,
  action: AuditAction,
  more: Partial<AuditEntry> & Pick<AuditEntry, 'atMs'>,
): AuditEntry {
  return {
    id: `${action}:${id}${action === 'asked' || round === 0 ? '' : `:${round}`}`,
    action,
    teamId: place.teamId,
    userId: askerId,
    channelId: place.channelId,
    questionId: id,
    access,
    ...more,
  };
}
