import type { Accounts } from '../accounts/accounts.ts';
import type { AuditLog } from '../history/audit.ts';
import type { Claims, Clock, Log, QuestionStore, Scheduler } from '../ports.ts';
import { withQuietEnd } from '../question/cancellation.ts';
import type { Question } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { quietEndMs } from '../settings.ts';

/** A workspace that removed the app or revoked its token. `eventId`: of Slack's event, the same for every delivery. */
export interface WorkspaceEnd {
  teamId: string;
  eventId: string;
  atMs: number;
}

/** The ends that were noted and not carried out yet. Throws the same errors as the other stores. */
export interface WorkspaceEnds {
  all(): Promise<WorkspaceEnd[]>;
  add(end: WorkspaceEnd): Promise<void>;
  remove(end: WorkspaceEnd): Promise<void>;
}

export interface WorkspaceEndPorts {
  workspaceEnds: WorkspaceEnds;
  claims: Claims;
  questions: QuestionStore;
  scheduler: Pick<Scheduler, 'schedule'>;
  accounts: Pick<Accounts, 'removeAll'>;
  audit: AuditLog;
  log: Log;
  now: Clock;
}

/**
 * Notes that a workspace removed the app, once for each event. The app carries it out within seconds, also after a
 * crash. Throws `AppError` of kind `storage` if nothing was noted.
 */
export function createNoteWorkspaceEnd({
  workspaceEnds,
  claims,
  now,
}: Pick<WorkspaceEndPorts, 'workspaceEnds' | 'claims' | 'now'>) {
  return async function noteWorkspaceEnd({ teamId, eventId }: Omit<WorkspaceEnd, 'atMs'>): Promise<void> {
    if ((await claims.ownerOf(claimOf(eventId))) !== undefined) return;
    await workspaceEnds.add({ teamId, eventId, atMs: now() });
  };
}

/**
 * Ends the questions of workspaces that removed the app, without a word in Slack, and erases their accounts. Questions
 * that were accepted later belong to a new installation and stay. Called again and again: questions that run with own
 * access get {@link quietEndMs} to be stopped at the service, then the accounts go. Safe to repeat after a crash at any
 * line. Throws `AppError` of kind `storage`.
 */
export function createCarryOutWorkspaceEnds(ports: WorkspaceEndPorts) {
  const { workspaceEnds, claims, questions, scheduler, accounts, audit, log, now } = ports;

  return async function carryOutWorkspaceEnds(): Promise<void> {
    for (const end of await workspaceEnds.all()) await carryOut(end);
  };

  async function carryOut(end: WorkspaceEnd): Promise<void> {
    const { teamId, eventId, atMs } = end;
    const open = await markOpen(end);
    if (open.some(({ access }) => access === 'own') && now() < atMs + quietEndMs) return;
    const removed = await accounts.removeAll(teamId);
    await audit.note({ id: `workspaceEnded:${eventId}`, atMs, action: 'workspaceEnded', teamId });
    await claims.claim(claimOf(eventId), teamId);
    await workspaceEnds.remove(end);
    log.info({ event: 'workspace_ended', outcome: 'ok', teamId, accounts: removed, stillOpen: open.length });
  }

  /** Marks the workspace's open questions and plans their last run. Returns those that are still open. */
  async function markOpen({ teamId, atMs }: WorkspaceEnd): Promise<Question[]> {
    const open: Question[] = [];
    for (const id of await questions.openIds()) {
      const question = await getReadable(questions, id);
      if (question?.place.teamId !== teamId || question.acceptedMs > atMs || question.phase === 'offered') continue;
      const marked = await questions.update(id, (stored) => withQuietEnd(stored, atMs));
      await scheduler.schedule(id, 0);
      if (marked !== undefined && marked.phase !== 'closed') open.push(marked);
    }
    return open;
  }
}

function claimOf(eventId: string): string {
  return `workspace-ended:${eventId}`;
}
