import type { Accounts } from '../accounts/accounts.ts';
import { isAppError } from '../errors.ts';
import type { AuditLog } from '../history/audit.ts';
import type { Claims, Clock, Log, QuestionStore, Scheduler } from '../ports.ts';
import { type Question, withQuietEnd } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { quietEndMs } from '../settings.ts';
import type { Installations } from '../workspaces/installations.ts';

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
  installations: Pick<Installations, 'update'>;
  /**
   * Whether the app can call Slack in the workspace now: then it was installed again, and the event came late. Throws
   * `AppError` if Slack does not say.
   */
  isStillInstalled: (teamId: string) => Promise<boolean>;
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
 * Ends the questions of workspaces that removed the app, without a word in Slack, and erases their accounts and
 * installations. Questions
 * that were accepted later belong to a new installation and stay. Called again and again: questions that run with own
 * access get {@link quietEndMs} to be stopped at the service, then accounts and tokens go. Safe to repeat after a crash at any line. Throws `AppError` of kind `storage` if the ends can't be read. One that fails is
 * tried again at the next call.
 */
export function createCarryOutWorkspaceEnds(ports: WorkspaceEndPorts) {
  const { workspaceEnds, claims, questions, scheduler, accounts, installations } = ports;
  const { audit, log, now } = ports;

  return async function carryOutWorkspaceEnds(): Promise<void> {
    for (const end of await workspaceEnds.all()) {
      try {
        await carryOut(end);
      } catch (error) {
        // Tried again at the next call. The ends of other workspaces do not wait for it.
        if (!isAppError(error)) throw error;
        log.warn({ event: 'workspace_end_waits', outcome: error.kind, teamId: end.teamId }, error);
      }
    }
  };

  async function carryOut(end: WorkspaceEnd): Promise<void> {
    const { teamId, eventId, atMs } = end;
    if (await ports.isStillInstalled(teamId)) {
      await settle(end);
      return log.info({ event: 'workspace_ended', outcome: 'installedAgain', teamId });
    }
    const open = await markOpen(end);
    if (open.some(({ access }) => access === 'own') && now() < atMs + quietEndMs) return;
    const removed = await accounts.removeAll(teamId);
    audit.note({ id: `workspaceEnded:${eventId}`, atMs, action: 'workspaceEnded', teamId });
    await eraseInstallation(end);
    await settle(end);
    log.info({ event: 'workspace_ended', outcome: 'ok', teamId, accounts: removed, stillOpen: open.length });
  }

  async function settle(end: WorkspaceEnd): Promise<void> {
    await claims.claim(claimOf(end.eventId), end.teamId);
    await workspaceEnds.remove(end);
  }

  /** Leaves a later record, and one that can't be decrypted. */
  async function eraseInstallation({ teamId, atMs }: WorkspaceEnd): Promise<void> {
    try {
      await installations.update(teamId, (stored) =>
        stored !== undefined && stored.installedMs <= atMs ? undefined : stored,
      );
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      log.warn({ event: 'installation_not_removed', outcome: 'corrupt', teamId }, error);
    }
  }

  /** Marks the workspace's open questions and plans their last run. Returns those that are still open. */
  async function markOpen({ teamId, atMs }: WorkspaceEnd): Promise<Question[]> {
    const open: Question[] = [];
    for (const id of await questions.openIds()) {
      const question = await getReadable(questions, id);
      if (question?.place.teamId !== teamId || question.acceptedMs > atMs) continue;
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
