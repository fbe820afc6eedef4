import type { Clock, Log, LogFields } from '../ports.ts';
import { mostTrimSteps } from '../settings.ts';

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
  'serviceChanged',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One line of the audit log. Contains ids, codes, numbers and times, never text of people or answers. */
export interface AuditEntry {
  /**
   * Names the entry, so that a repeated step stores it once: `asked:q…`. Unique within the workspace. ASCII without
   * control characters.
   */
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
  /** What the usage report adds up. For `ended`; for `voted` the repositories only. */
  usage?: { durationMs?: number; credits?: number; repositories: string[] };
}

/** Times in epoch milliseconds: `fromMs` is part of the range, `toMs` is not. */
export interface AuditRange {
  fromMs: number;
  toMs: number;
}

/**
 * Stored entries, in order of time. Throws `AppError` of kind `storage`, or `corrupt` when an entry to append does not
 * have the form of one.
 */
export interface AuditStore {
  /** Stores an entry, once for its id and time. Returns whether it was new. */
  append(entry: AuditEntry): Promise<boolean>;
  /** Pages of entries. Leaves out entries that can't be read, and logs how many. May run while others append. */
  pages(range: AuditRange): AsyncIterable<AuditEntry[]>;
  /** Removes the oldest entries from before `beforeMs`, in one bounded step. Returns how many. 0: none is left. */
  removeBefore(beforeMs: number): Promise<number>;
  /** Replaces a stored entry by one with the same id and time, or removes it. Returns whether it was stored. */
  replace(entry: Pick<AuditEntry, 'id' | 'atMs'>, next: AuditEntry | undefined): Promise<boolean>;
}

/** Takes note of what was done: a line in the operator's log and a stored entry. */
export interface AuditLog {
  /**
   * Stores an entry once per id and writes its line. Never throws: a failure to store is logged, and the log line has
   * the entry's fields.
   */
  note(entry: AuditEntry): Promise<void>;
}

/** Creates the audit log. A repeated entry writes no second line. */
export function createAuditLog({ store, log }: { store: Pick<AuditStore, 'append'>; log: Log }): AuditLog {
  return {
    async note(entry) {
      let isNew = true;
      try {
        isNew = await store.append(entry);
      } catch (error) {
        log.error({ event: 'audit_not_stored', action: entry.action, id: entry.id }, error);
      }
      if (isNew) log.info(lineOf(entry));
    },
  };
}

/** Removes entries older than `keepMs`, in bounded steps, while `goesOn`. The rest waits for the next call. */
export async function trimAudit(
  { store, now, keepMs }: { store: Pick<AuditStore, 'removeBefore'>; now: Clock; keepMs: number },
  goesOn: () => boolean,
): Promise<void> {
  for (let steps = 0; steps < mostTrimSteps && goesOn(); steps += 1) {
    if ((await store.removeBefore(now() - keepMs)) === 0) return;
  }
}

function lineOf({ usage, ...entry }: AuditEntry): LogFields {
  const numbers =
    usage === undefined
      ? {}
      : {
          ...(usage.durationMs === undefined ? {} : { durationMs: usage.durationMs }),
          ...(usage.credits === undefined ? {} : { credits: usage.credits }),
          repositories: usage.repositories.join(' '),
        };
  return { event: 'audit', outcome: entry.action, audit: true, ...entry, ...numbers };
}
