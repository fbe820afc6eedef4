import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Requests } from '../../core/intake/requests.ts';
import type { ThreadPlace } from '../../core/question/question.ts';
import type { AgentSessions } from '../agent-sessions/agent-sessions.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { PrivateNotifier } from '../messages/private-notifier.ts';
import { type ActionCheckDeps, refusalOfAction } from './block-actions.ts';
import { noticeOfCancel } from './result-notices.ts';

/** What is read of `agent_session_stopped` events. */
const stoppedEvent = z.object({
  channel: z.string(),
  thread_ts: z.string(),
  user: z.string(),
  event_ts: z.string(),
});

export type AgentSessionDeps = ActionCheckDeps & {
  slack: Pick<SlackApi, 'identity'>;
  requests: Pick<Requests, 'cancelInThread'>;
  sessions: Pick<AgentSessions, 'settle'>;
  notify: PrivateNotifier['notify'];
};

/**
 * Slack's own stop button does what Cancel does. When the listener throws, the event is not acknowledged and Slack
 * sends it again; its timestamp makes sure that it cancels the same question.
 */
export function registerSessions(app: App, deps: AgentSessionDeps): void {
  app.event('agent_session_stopped', async ({ event, context }) => {
    const parsed = stoppedEvent.safeParse(event);
    if (!parsed.success) return deps.log.debug({ event: 'stop_ignored', reason: 'unreadable' });
    const { channel: channelId, thread_ts: threadTs, user: userId, event_ts: eventTs } = parsed.data;
    const place: ThreadPlace = { teamId: context.teamId ?? deps.slack.identity.teamId, channelId, threadTs };
    const recipient = { channelId, threadTs, userId };
    // People who may not ask here may still cancel their own question.
    const requester = { userId, teamId: place.teamId, channelId };
    const refusal = await refusalOfAction(deps, { requester, named: {} }, 'person');
    const ownOnly = refusal !== undefined;
    const key = `stop:${place.teamId}:${channelId}:${threadTs}:${eventTs}`;
    const result = await deps.requests.cancelInThread(place, userId, key, { ownOnly });
    const notice = noticeOfCancel(result);
    if (notice === undefined) return;
    if (ownOnly && result.kind === 'nothing') return deps.notify(recipient, refusal);
    deps.sessions.settle(place);
    deps.notify(recipient, notice);
  });
}
