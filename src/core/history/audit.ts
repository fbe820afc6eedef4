/** What was done. */
export type AuditAction =
  | 'asked'
  | 'refused'
  | 'ended'
  | 'cancelled'
  | 'shared'
  | 'unfurled'
  | 'voted'
  | 'connected'
  | 'disconnected'
  | 'accountRemoved'
  | 'settingsChanged'
  | 'dataExported'
  | 'dataForgotten'
  | 'workspaceEnded';

/** One line of the audit log. Contains ids, codes, numbers and times, never text of people or answers. */
export interface AuditEntry {
  /** Names the entry, so that a repeated step stores it once: `asked:q…`. Unique within the workspace. */
  id: string;
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
  /** For `ended`: what the usage report adds up. */
  usage?: { durationMs: number; credits?: number; repositories: string[] };
}

/** Takes note of what was done: a line in the operator's log and a stored entry. */
export interface AuditLog {
  /**
   * Stores an entry once per id. Never throws: a failure to store is logged, and the log line has the entry's fields.
   */
  note(entry: AuditEntry): Promise<void>;
}
