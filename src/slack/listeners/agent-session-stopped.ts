import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { ThreadPlace } from '../../core/question/question.ts';
import { refusalOfAction } from './block-actions.ts';
import { type Desk, notCancelledOf } from './desk.ts';

/** What is read of `agent_session_stopped` events. */
const stoppedEvent = z.object({
  channel: z.string(),
  thread_ts: z.string(),
  user: z.string(),
  event_ts: z.string(),
});

/**
 * Slack's own stop button, which does what Cancel does. A listener that throws leaves the event unacknowledged, so Slack
 * repeats it, and the time of the event keeps it aimed at the same question.
 */
export function registerSessions(app: App, desk: Desk): void {
  app.event('agent_session_stopped', async ({ event, context }) => {
    const parsed = stoppedEvent.safeParse(event);
    if (!parsed.success) return desk.log.debug({ event: 'stop_ignored', reason: 'unreadable' });
    const { channel: channelId, thread_ts: threadTs, user: userId, event_ts: eventTs } = parsed.data;
    const place: ThreadPlace = { teamId: context.teamId ?? desk.slack.identity.teamId, channelId, threadTs };
    const recipient = { channelId, threadTs, userId };
    // Who may not ask here may still take back what they asked themselves.
    const requester = { userId, teamId: place.teamId, channelId };
    const refusal = await refusalOfAction(desk, { requester, named: {} }, 'person');
    const ownOnly = refusal !== undefined;
    const key = `stop:${place.teamId}:${channelId}:${threadTs}:${eventTs}`;
    const result = await desk.requests.cancelInThread(place, userId, key, { ownOnly });
    const notice = notCancelledOf(result);
    if (notice === undefined) return;
    if (ownOnly && result.kind === 'nothing') return desk.notify(recipient, refusal);
    desk.sessions.settle(place);
    desk.notify(recipient, notice);
  });
}
