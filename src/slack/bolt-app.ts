import { App } from '@slack/bolt';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import { noteDoctorEvent } from './checks/slack-checks.ts';
import type { WorkspaceContext } from './context.ts';
import { registerAccounts } from './listeners/accounts.ts';
import { registerChannelSettings } from './listeners/channel-settings.ts';
import { registerEvents, registerHomeButtons } from './listeners/events.ts';
import { registerFeedback } from './listeners/feedback.ts';
import type { ListenerContext } from './listeners/frame.ts';
import { registerMessages } from './listeners/message.ts';
import { registerActions, registerAskMissed, registerFollowUps } from './listeners/question-buttons.ts';
import { registerSharing } from './listeners/share-answer.ts';
import { registerShortcuts } from './listeners/shortcuts.ts';
import { registerCommand } from './listeners/verbs.ts';

/** What is read of the envelope of an event (docs.slack.dev/apis/events-api). */
const sharedEnvelope = z.object({ is_ext_shared_channel: z.literal(true), event: z.object({ channel: z.string() }) });

/** Each event says whether other organizations are in its channel. Only a yes is noted, because a no proves nothing. */
function noteSharedChannel(body: unknown, { channels }: WorkspaceContext): void {
  const parsed = sharedEnvelope.safeParse(body);
  if (parsed.success) channels.noteShared(parsed.data.event.channel);
}

/**
 * Builds the Bolt app of one workspace with every listener. Errors of listeners reach the receiver, which then does not
 * acknowledge.
 */
export function createBoltApp(options: {
  clientOptions: WebClientOptions;
  logger: SlackLogger;
  w: ListenerContext;
}): App {
  const { clientOptions, logger, w } = options;
  const { teamId, botId, botUserId } = w.slack.identity;
  const app = new App({
    // Deliveries come through `processEvent`: one receiver serves all workspaces.
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    clientOptions: { ...clientOptions },
    logger,
    // Messages are filtered in one place, in routing, because Bolt's own filter does not cover all cases.
    ignoreSelf: false,
    convoStore: false,
    // No token: listeners call Slack through `w.slack`.
    authorize: async () => ({ botUserId, teamId, botId }),
  });
  app.error(async (error) => {
    throw error.original ?? error;
  });
  app.use(async ({ body, next }) => {
    noteSharedChannel(body, w);
    await noteDoctorEvent(body, w);
    await next();
  });
  registerEvents(app, w);
  registerHomeButtons(app, w);
  registerCommand(app, w);
  registerMessages(app, w);
  registerActions(app, w);
  registerAskMissed(app, w);
  registerFeedback(app, w);
  registerFollowUps(app, w);
  registerShortcuts(app, w);
  registerSharing(app, w);
  registerAccounts(app, w);
  registerChannelSettings(app, w);
  return app;
}
