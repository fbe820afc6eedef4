import type { App } from '@slack/bolt';
import { z } from 'zod';
import { type Person, personName } from '../../core/accounts/accounts.ts';
import { cancelInThread, cancelOwn } from '../../core/intake/cancel.ts';
import { noteWorkspaceEnd } from '../../core/intake/workspace-end.ts';
import { withoutChannel } from '../../core/question/reader-choices.ts';
import { ackConfirmMs } from '../../core/settings.ts';
import { ACTIONS, parseButtonValue } from '../../render/ids.ts';
import { slackId, timestamp } from '../content/incoming-text.ts';
import { logFailure } from '../failure-log.ts';
import { notify } from '../messages/private-messages.ts';
import { ackBudgetMs } from '../settings.ts';
import { inAckTime, isInDoubt, type ListenerContext, noticeOfCancel, refusalOfAction } from './frame.ts';

/** What is read of the envelope of any event (docs.slack.dev/apis/events-api). */
const envelope = z.object({
  team_id: slackId.nullish(),
  event_id: slackId.nullish(),
  is_ext_shared_channel: z.boolean().nullish(),
});

/** Old clients name no tab. */
const homeOpened = z.object({
  user: slackId,
  channel: slackId,
  tab: z.enum(['home', 'messages']).catch('home').default('home'),
});

const sessionStopped = z.object({
  channel: slackId,
  thread_ts: timestamp,
  user: slackId,
  event_ts: timestamp,
});

const linkShared = z.object({
  channel: slackId,
  /** Of links in a message that is not sent yet it is no timestamp. */
  message_ts: slackId,
  thread_ts: timestamp.optional(),
  user: slackId,
  links: z.array(z.object({ url: z.string() })),
  source: z.string().default('conversations_history'),
  is_bot_user_member: z.boolean().optional(),
});

/** Slack's name for the channel of links in a message that is not sent yet. Its readers are not known yet. */
const composer = 'COMPOSER';

/** The same user object as in `users.info`. */
const userChange = z.object({ user: z.unknown() });

const memberJoined = z.object({ channel: slackId });

const channelIdChanged = z.object({ old_channel_id: slackId.min(1), new_channel_id: slackId.min(1) });

const appUninstalled = z.object({ type: z.literal('app_uninstalled') });

/** About the bot's token. The lists have ids of the users whose tokens were revoked. Tokens of people are none of the app's. */
const botTokenRevoked = z.object({
  type: z.literal('tokens_revoked'),
  tokens: z.object({ bot: z.array(z.string()).min(1) }),
});

const workspaceEnded = z.object({ event_id: slackId, event: z.union([appUninstalled, botTokenRevoked]) });

/** The id of a delivery that says that the app's token in its workspace has ended. Undefined for every other delivery. */
export function endedBy(body: unknown): string | undefined {
  const parsed = workspaceEnded.safeParse(body);
  return parsed.success ? parsed.data.event_id : undefined;
}

interface Delivered {
  teamId: string;
  envelope: z.infer<typeof envelope>;
}

/**
 * The events that are no messages. When a handler throws, the event is not acknowledged and Slack sends it again. One
 * that can't be read is ignored.
 */
export function registerEvents(app: App, w: ListenerContext): void {
  on('app_home_opened', homeOpened, ({ user: userId, channel: channelId, tab }, { teamId }) => {
    if (tab === 'home') w.home.show({ teamId, userId, channelId });
    else w.prompts.suggest({ teamId, userId, channelId });
  });

  // Slack's own stop button does what Cancel does. Its timestamp makes sure that a repeated event cancels the same question.
  on('agent_session_stopped', sessionStopped, async (stopped, { teamId }) => {
    const { channel: channelId, thread_ts: threadTs, user: userId, event_ts: eventTs } = stopped;
    const place = { teamId, channelId, threadTs };
    const recipient = { channelId, threadTs, userId };
    // People who may not ask here may still cancel their own question.
    const refusal = await refusalOfAction(w, { requester: { userId, teamId, channelId }, named: {} }, 'person');
    const ownOnly = refusal !== undefined;
    const key = `stop:${teamId}:${channelId}:${threadTs}:${eventTs}`;
    const result = await cancelInThread(w, place, userId, key, { ownOnly });
    const notice = noticeOfCancel(result);
    if (notice === undefined) return;
    if (ownOnly && result.kind === 'nothing') return notify(w, recipient, refusal);
    w.sessions.settle(place);
    notify(w, recipient, notice);
  });

  // Share links get a preview in the background, so Slack does not wait.
  on('link_shared', linkShared, (shared, { teamId, envelope: { is_ext_shared_channel: isShared } }) => {
    const { channel: channelId, message_ts: ts, thread_ts: threadTs, user: userId, links } = shared;
    if (channelId === composer || shared.source !== 'conversations_history') return ignored('link_shared', 'composer');
    if (isShared === true) return ignored('link_shared', 'sharedChannel');
    if (userId === w.slack.identity.botUserId) return ignored('link_shared', 'own');
    w.unfurls.take({
      place: { teamId, channelId, threadTs },
      ts,
      userId,
      urls: links.map(({ url }) => url),
      isMember: shared.is_bot_user_member === true,
    });
  });

  // A person who becomes a guest or leaves may not ask from that moment on.
  on('user_change', userChange, ({ user }) => w.noteChanged(user));

  // If the app went on with the members that it remembers, a guest who just joined would read an answer; so it asks again.
  on('member_joined_channel', memberJoined, ({ channel }) => w.forgetChannel(channel));

  // Slack changes a channel's id when people begin to share it with another organization. The event is acknowledged when
  // all is moved: if the app stops before that, Slack delivers it again.
  on('channel_id_changed', channelIdChanged, async ({ old_channel_id: from, new_channel_id: to }, { teamId }) => {
    if (from === to) return;
    for (const id of [from, to]) w.forgetChannel(id);
    const moved = await w.moveChannel({ teamId, from, to });
    w.log.info({ event: 'channel_id_changed', outcome: 'moved', teamId, from, channelId: to, records: moved });
    // The operator's settings name channels by id, and only the operator can change them.
    if (w.access.limitOf(from) !== w.access.limitOf(to)) {
      w.log.warn({ event: 'settings_name_old_channel_id', outcome: 'change_them', from, channelId: to });
    }
  });

  // Bolt runs no `authorize` for this event, so the envelope names the workspace.
  on('app_uninstalled', appUninstalled, noteEnd);
  // Without its bot token the app can do nothing more in the workspace.
  on('tokens_revoked', botTokenRevoked, noteEnd);

  function on<Event>(
    name: string,
    schema: z.ZodType<Event>,
    handle: (event: Event, delivered: Delivered) => void | Promise<void>,
  ): void {
    app.event(name, async ({ event, body, context }) => {
      const parsed = schema.safeParse(event);
      const wrapping = envelope.safeParse(body);
      if (!parsed.success || !wrapping.success) return ignored(name, 'unreadable');
      const teamId = context.teamId ?? w.slack.identity.teamId;
      await handle(parsed.data, { teamId, envelope: wrapping.data });
    });
  }

  /** Metrics count the previews of links by one name, whatever becomes of them. */
  function ignored(name: string, reason: string): void {
    w.log.debug({ event: name === 'link_shared' ? 'link_preview' : name, outcome: 'ignored', reason });
  }

  async function noteEnd(_: unknown, { envelope: { team_id: teamId, event_id: eventId } }: Delivered): Promise<void> {
    if (teamId != null && eventId != null) await noteWorkspaceEnd(w, { teamId, eventId });
  }
}

/** What is read of a button press on Home, which has no channel. */
const homeAction = z.object({
  user: z.object({ id: slackId }),
  actions: z.array(z.object({ value: z.string().optional() })).min(1),
});

/** Home's own buttons. It has no private messages, so Home itself or a direct message shows the result of a press. */
export function registerHomeButtons(app: App, w: ListenerContext): void {
  onHomeAction(ACTIONS.cancelOwn, 'button_not_taken', parseButtonValue, async (person, { questionId }, byMs) => {
    await cancelOwn(w, questionId, person, byMs);
  });
  onHomeAction(ACTIONS.undoAlwaysHere, 'choice_not_undone', readText, async (person, channelId) => {
    await w.readerChoices.update(personName(person), (choices) => withoutChannel(choices, channelId));
  });

  /** `run` throws when nothing was done, and has to end by `byMs`, in epoch milliseconds. */
  function onHomeAction<Value>(
    actionId: string,
    failed: string,
    read: (raw: string | undefined) => Value | undefined,
    run: (person: Person, value: Value, byMs: number) => Promise<void>,
  ): void {
    app.action(actionId, async ({ ack, body, context }) => {
      const byMs = Date.now() + ackBudgetMs;
      const parsed = homeAction.safeParse(body);
      const value = parsed.success ? read(parsed.data.actions[0]?.value) : undefined;
      if (!parsed.success || value === undefined) {
        w.log.warn({ event: 'button_unreadable' });
        return ack();
      }
      const userId = parsed.data.user.id;
      const person = { teamId: context.teamId ?? w.slack.identity.teamId, userId };
      let failure: { reference: string; isUnknown: boolean } | undefined;
      try {
        await inAckTime(run(person, value, byMs - ackConfirmMs), byMs);
      } catch (error) {
        const reference = logFailure(w.log, 'error', { event: failed, userId }, error);
        failure = { reference, isUnknown: isInDoubt(error) };
      }
      await ack();
      const told = failure;
      const kind = told?.isUnknown === true ? 'actionInDoubt' : 'actionNotTaken';
      const tell = (): void => {
        if (told !== undefined) notify(w, { channelId: userId, userId }, { kind, reference: told.reference });
      };
      if (told?.isUnknown !== true) return w.home.showAction(person, told?.reference, tell);
      // Home itself can say only that nothing was done.
      tell();
      w.home.showAction(person, undefined, () => {});
    });
  }
}

function readText(raw: string | undefined): string | undefined {
  return raw;
}
