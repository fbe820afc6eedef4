import type { Log, LogFields } from '../ports.ts';

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
