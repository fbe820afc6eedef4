import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { AccessControl } from '../access/access-control.ts';

/** What is read of `member_joined_channel` events. */
const joinedEvent = z.object({ channel: z.string() });

export interface MemberJoinedDeps {
  forgetChannel: AccessControl['forgetChannel'];
}

/**
 * Someone joined a channel that the app is in, or the app itself did. If the app went on with the members that it
 * remembers, a guest who just joined would read an answer; so it asks Slack again.
 */
export function registerJoins(app: App, deps: MemberJoinedDeps): void {
  app.event('member_joined_channel', async ({ event }) => {
    const parsed = joinedEvent.safeParse(event);
    if (parsed.success) deps.forgetChannel(parsed.data.channel);
  });
}
