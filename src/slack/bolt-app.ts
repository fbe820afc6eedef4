import { App } from '@slack/bolt';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import { registerActions } from './listeners/actions.ts';
import { registerCommand } from './listeners/command.ts';
import type { Desk } from './listeners/desk.ts';
import { registerMessages } from './listeners/messages.ts';
import type { SlackReceiver } from './socket-receiver.ts';

/** Builds the Bolt app with every listener. Errors of listeners reach the receiver, which then does not acknowledge. */
export function createBoltApp(options: {
  receiver: SlackReceiver;
  botToken: string;
  clientOptions: WebClientOptions;
  logger: SlackLogger;
  desk: Desk;
}): App {
  const { receiver, botToken, clientOptions, logger, desk } = options;
  const { teamId, botId, botUserId } = desk.identity;
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
  registerCommand(app, desk);
  registerMessages(app, desk);
  registerActions(app, desk);
  return app;
}
