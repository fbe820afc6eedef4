import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import type { AccessControl } from '../access/access-control.ts';
import type { SlackAccessPolicy } from '../access/policy.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** What is read of `channel_id_changed` events. */
const changedEvent = z.object({ old_channel_id: z.string().min(1), new_channel_id: z.string().min(1) });

export interface ChannelIdDeps {
  slack: Pick<SlackApi, 'identity'>;
  access: Pick<SlackAccessPolicy, 'limitOf'>;
  forgetChannel: AccessControl['forgetChannel'];
  /** Gives what is stored of a channel its new id. Returns how many records changed. May be repeated. */
  moveChannel: (move: { teamId: string; from: string; to: string }) => Promise<number>;
  log: Log;
}

/**
 * Slack changes a channel's id when people begin to share it with another organization. The event is acknowledged when all is moved:
 * if the app stops before that, Slack delivers it again.
 */
export function registerChannelIds(app: App, deps: ChannelIdDeps): void {
  app.event('channel_id_changed', async ({ event, context }) => {
    const parsed = changedEvent.safeParse(event);
    if (!parsed.success || parsed.data.old_channel_id === parsed.data.new_channel_id) return;
    const { old_channel_id: from, new_channel_id: to } = parsed.data;
    const teamId = context.teamId ?? deps.slack.identity.teamId;
    for (const id of [from, to]) deps.forgetChannel(id);
    const moved = await deps.moveChannel({ teamId, from, to });
    deps.log.info({ event: 'channel_id_changed', outcome: 'moved', teamId, from, channelId: to, records: moved });
    // The operator's settings name channels by id, and only the operator can change them.
    if (deps.access.limitOf(from) !== deps.access.limitOf(to)) {
      deps.log.warn({ event: 'settings_name_old_channel_id', outcome: 'change_them', from, channelId: to });
    }
  });
}
