import { App } from '@slack/bolt';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import type { Channels } from './access/channels.ts';
import { registerAddedMentions } from './listeners/added-mentions.ts';
import { registerSessions } from './listeners/agent-session-stopped.ts';
import { registerHome } from './listeners/app-home-opened.ts';
import type { Desk } from './listeners/desk.ts';
import { registerFeedback } from './listeners/feedback.ts';
import { registerFollowUps } from './listeners/follow-up-buttons.ts';
import { registerLinks } from './listeners/link-shared.ts';
import { registerMessages } from './listeners/message.ts';
import { registerActions } from './listeners/question-buttons.ts';
import { registerSharing } from './listeners/share-answer.ts';
import { registerShortcuts } from './listeners/shortcuts.ts';
import { registerCommand } from './listeners/slash-command.ts';
import { registerPeople } from './listeners/user-change.ts';
import type { SlackReceiver } from './receivers/socket-receiver.ts';

/** What is read of the wrapping of an event (docs.slack.dev/apis/events-api). */
const sharedEnvelope = z.object({ is_ext_shared_channel: z.literal(true), event: z.object({ channel: z.string() }) });

/** Slack says with every event whether other organizations are in its channel; a no proves nothing and is not noted. */
function noteSharedChannel(body: unknown, channels: Channels): void {
  const parsed = sharedEnvelope.safeParse(body);
  if (parsed.success) channels.noteShared(parsed.data.event.channel);
}

/** Builds the Bolt app with every listener. Errors of listeners reach the receiver, which then does not acknowledge. */
export function createBoltApp(options: {
  receiver: SlackReceiver;
  botToken: string;
  clientOptions: WebClientOptions;
  logger: SlackLogger;
  desk: Desk;
}): App {
  const { receiver, botToken, clientOptions, logger, desk } = options;
  const { teamId, botId, botUserId } = desk.slack.identity;
  const app = new App({
    receiver,
    clientOptions: { ...clientOptions },
    logger,
    // Filtering is done in one place, in routing, by rules that cover what Bolt's own filter lets through.
    ignoreSelf: false,
    convoStore: false,
    authorize: async () => ({ botToken, botUserId, teamId, ...(botId === undefined ? {} : { botId }) }),
  });
  app.error(async (error) => {
    throw error.original ?? error;
  });
  app.use(async ({ body, next }) => {
    noteSharedChannel(body, desk.channels);
    await next();
  });
  registerCommand(app, desk);
  registerMessages(app, desk);
  registerActions(app, desk);
  registerAddedMentions(app, desk);
  registerFeedback(app, desk);
  registerFollowUps(app, desk);
  registerShortcuts(app, desk);
  registerSharing(app, desk);
  registerHome(app, desk);
  registerSessions(app, desk);
  registerLinks(app, desk);
  registerPeople(app, desk);
  return app;
}
