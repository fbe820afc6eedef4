import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { WorkspaceEnd } from '../../core/intake/workspace-end.ts';
import type { Log } from '../../core/ports.ts';

/** A `tokens_revoked` event about the bot's token. It has ids of the users whose tokens were revoked, by kind of token. */
const revokedBotToken = z.object({
  type: z.literal('tokens_revoked'),
  tokens: z.object({ bot: z.array(z.string()).min(1) }),
});

/** What is read of the envelope of an event (docs.slack.dev/apis/events-api). */
const envelope = z.object({ team_id: z.string(), event_id: z.string() });

const endEvent = z.object({
  event_id: z.string(),
  event: z.union([z.object({ type: z.literal('app_uninstalled') }), revokedBotToken]),
});

export interface WorkspaceEndDeps {
  /** When it throws, the event is not acknowledged and Slack sends it again. */
  noteWorkspaceEnd(end: Omit<WorkspaceEnd, 'atMs'>): Promise<void>;
  log: Pick<Log, 'debug'>;
}

/** The workspace removed the app. Bolt runs no `authorize` for this event, so there is no client to call Slack. */
export function registerUninstall(app: App, deps: WorkspaceEndDeps): void {
  app.event('app_uninstalled', ({ body }) => noteEnd(deps, body));
}

/** The id of a delivery that says that the app's token in its workspace has ended. Undefined for every other delivery. */
export function endedBy(body: unknown): string | undefined {
  const parsed = endEvent.safeParse(body);
  return parsed.success ? parsed.data.event_id : undefined;
}

/** Notes the end of the workspace that an event came from. */
export async function noteEnd({ noteWorkspaceEnd, log }: WorkspaceEndDeps, body: unknown): Promise<void> {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return log.debug({ event: 'workspace_end_ignored', reason: 'unreadable' });
  await noteWorkspaceEnd({ teamId: parsed.data.team_id, eventId: parsed.data.event_id });
}
