import type { AllWorkspaces } from '../context.ts';
import { isAppError } from '../errors.ts';
import type { Claims, Clock, WorkspaceEnd, WorkspaceEnds } from '../ports.ts';
import { type Question, withQuietEnd } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { quietEndMs } from '../settings.ts';

/**
 * Notes that a workspace removed the app, once for each event. The app carries it out within seconds, also after a
 * crash. Throws `AppError` of kind `storage` if nothing was noted; then the event must not be acknowledged, so that Slack
 * sends it again.
 */
export async function noteWorkspaceEnd(
  w: { workspaceEnds: WorkspaceEnds; claims: Claims; now: Clock },
  { teamId, eventId }: Omit<WorkspaceEnd, 'atMs'>,
): Promise<void> {
  if ((await w.claims.ownerOf(claimOf(eventId))) !== undefined) return;
  await w.workspaceEnds.add({ teamId, eventId, atMs: w.now() });
}

/**
 * Ends the questions of workspaces that removed the app, without a word in Slack, and erases their accounts and
 * installations. Questions that were accepted later belong to a new installation and stay. Called again and again: questions
 * that run with own access get {@link quietEndMs} to be stopped at the service, then accounts and tokens go. Safe to repeat
 * after a crash at any line. Throws `AppError` of kind `storage` if the ends can't be read. One that fails is tried again at
 * the next call.
 */
export async function carryOutWorkspaceEnds(w: AllWorkspaces): Promise<void> {
  const ends = await w.workspaceEnds.all();
  // At once: if Slack hangs, each waits for it, and what comes after this would wait for the sum.
  await Promise.all(
    ends.map(async (end) => {
      try {
        await carryOut(w, end);
      } catch (error) {
        if (!isAppError(error)) throw error;
        w.log.warn({ event: 'workspace_end_waits', outcome: error.kind, teamId: end.teamId }, error);
      }
    }),
  );
}

async function carryOut(w: AllWorkspaces, end: WorkspaceEnd): Promise<void> {
  const { teamId, eventId, atMs } = end;
  if (await w.isStillInstalled(teamId)) {
    await settle(w, end);
    return w.log.info({ event: 'workspace_ended', outcome: 'installedAgain', teamId });
  }
  const open = await markOpen(w, end);
  if (open.some(({ access }) => access === 'own') && w.now() < atMs + quietEndMs) return;
  const removed = await w.accounts.removeAll(teamId);
  w.audit.note({ id: `workspaceEnded:${eventId}`, atMs, action: 'workspaceEnded', teamId });
  await eraseInstallation(w, end);
  await settle(w, end);
  w.log.info({ event: 'workspace_ended', outcome: 'ok', teamId, accounts: removed, stillOpen: open.length });
}

async function settle({ claims, workspaceEnds }: AllWorkspaces, end: WorkspaceEnd): Promise<void> {
  await claims.claim(claimOf(end.eventId), end.teamId);
  await workspaceEnds.remove(end);
}

/** Leaves a later record, and one that can't be decrypted. */
async function eraseInstallation({ installations, log }: AllWorkspaces, { teamId, atMs }: WorkspaceEnd): Promise<void> {
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
async function markOpen({ questions, scheduler }: AllWorkspaces, { teamId, atMs }: WorkspaceEnd): Promise<Question[]> {
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

function claimOf(eventId: string): string {
  return `workspace-ended:${eventId}`;
}
