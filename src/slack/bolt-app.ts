import { App } from '@slack/bolt';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import type { DeliveryPriority } from '../core/intake/delivery-priority.ts';
import type { Channels } from './access/channels.ts';
import { noteDoctorEvent } from './checks/events.ts';
import { type AccountDeps, registerAccounts } from './listeners/accounts.ts';
import { type AgentSessionDeps, registerSessions } from './listeners/agent-session-stopped.ts';
import { type AppHomeDeps, registerHome } from './listeners/app-home-opened.ts';
import { registerUninstall, type WorkspaceEndDeps } from './listeners/app-uninstalled.ts';
import { type AskMissedDeps, registerAskMissed } from './listeners/ask-missed.ts';
import { type ChannelIdDeps, registerChannelIds } from './listeners/channel-id-changed.ts';
import { type ChannelSettingsDeps, registerChannelSettings } from './listeners/channel-settings.ts';
import { type FeedbackDeps, registerFeedback } from './listeners/feedback.ts';
import { type FollowUpButtonDeps, registerFollowUps } from './listeners/follow-up-buttons.ts';
import { type LinkDeps, registerLinks } from './listeners/link-shared.ts';
import { type MemberJoinedDeps, registerJoins } from './listeners/member-joined-channel.ts';
import { type MessageDeps, registerMessages } from './listeners/message.ts';
import { type QuestionButtonDeps, registerActions } from './listeners/question-buttons.ts';
import { registerSharing, type SharingDeps } from './listeners/share-answer.ts';
import { registerShortcuts, type ShortcutDeps } from './listeners/shortcuts.ts';
import { type CommandDeps, registerCommand } from './listeners/slash-command.ts';
import { registerRevocation } from './listeners/tokens-revoked.ts';
import { registerPeople, type UserChangeDeps } from './listeners/user-change.ts';

/** What is read of the envelope of an event (docs.slack.dev/apis/events-api). */
const sharedEnvelope = z.object({ is_ext_shared_channel: z.literal(true), event: z.object({ channel: z.string() }) });

/** Each event says whether other organizations are in its channel. Only a yes is noted, because a no proves nothing. */
function noteSharedChannel(body: unknown, channels: Pick<Channels, 'noteShared'>): void {
  const parsed = sharedEnvelope.safeParse(body);
  if (parsed.success) channels.noteShared(parsed.data.event.channel);
}

/** What all listeners need. */
export type ListenerDeps = CommandDeps &
  MessageDeps &
  QuestionButtonDeps &
  AskMissedDeps &
  FeedbackDeps &
  FollowUpButtonDeps &
  ShortcutDeps &
  SharingDeps &
  AccountDeps &
  AppHomeDeps &
  AgentSessionDeps &
  LinkDeps &
  WorkspaceEndDeps &
  ChannelSettingsDeps &
  MemberJoinedDeps &
  ChannelIdDeps &
  UserChangeDeps & { channels: Pick<Channels, 'noteShared'>; deliveryPriority: Pick<DeliveryPriority, 'during'> };

/**
 * Builds the Bolt app of one workspace with every listener. Errors of listeners reach the receiver, which then does not
 * acknowledge.
 */
export function createBoltApp(options: {
  clientOptions: WebClientOptions;
  logger: SlackLogger;
  deps: ListenerDeps;
}): App {
  const { clientOptions, logger, deps } = options;
  const { teamId, botId, botUserId } = deps.slack.identity;
  const app = new App({
    // Deliveries come through `processEvent`: one receiver serves all workspaces.
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    clientOptions: { ...clientOptions },
    logger,
    // Messages are filtered in one place, in routing, because Bolt's own filter does not cover all cases.
    ignoreSelf: false,
    convoStore: false,
    // No token: listeners call Slack through `deps.slack`.
    authorize: async () => ({ botUserId, teamId, ...(botId === undefined ? {} : { botId }) }),
  });
  app.error(async (error) => {
    throw error.original ?? error;
  });
  app.use(({ next }) => deps.deliveryPriority.during(next));
  app.use(async ({ body, next }) => {
    noteSharedChannel(body, deps.channels);
    await noteDoctorEvent(body, { claims: deps.claims, identity: deps.slack.identity, log: deps.log });
    await next();
  });
  registerCommand(app, deps);
  registerMessages(app, deps);
  registerActions(app, deps);
  registerAskMissed(app, deps);
  registerFeedback(app, deps);
  registerFollowUps(app, deps);
  registerShortcuts(app, deps);
  registerSharing(app, deps);
  registerAccounts(app, deps);
  registerHome(app, deps);
  registerSessions(app, deps);
  registerLinks(app, deps);
  registerPeople(app, deps);
  registerJoins(app, deps);
  registerChannelIds(app, deps);
  registerUninstall(app, deps);
  registerRevocation(app, deps);
  registerChannelSettings(app, deps);
  return app;
}
