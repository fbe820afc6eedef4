import { dmOf } from '../../../src/local-slack/channels.ts';
import type { SlackEphemeral, SlackFile, SlackMessage, SlackOption } from '../../../src/local-slack/messages.ts';
import {
  type Body,
  type ChannelType,
  envelope,
  interaction,
  linkSharedOf,
  messageIn,
  rootIn,
  commandOf as slackCommandOf,
  teamOf,
  usedMessage,
} from '../../../src/local-slack/payloads.ts';
import { team } from '../../../src/local-slack/people.ts';

/** Payloads of Slack for tests that write them, in place of letting a person act in the local Slack. */
export { envelope, linkSharedOf, messageChangedOf, messageDeletedOf } from '../../../src/local-slack/payloads.ts';

let serial = 0;

/** A new trigger id. */
export function nextTrigger(): string {
  serial += 1;
  return `${serial}.${serial}.trigger`;
}

/** A person as in interactive payloads. */
export function userIn(id: string): Body {
  return { id, username: 'someone', name: 'someone', team_id: teamOf(id) };
}

export interface Spoken {
  channel?: string;
  user: string;
  text: string;
  ts: string;
  threadTs?: string;
  channelType?: ChannelType;
  /** Fields that overwrite those of the event, for unusual forms. */
  more?: Body;
}

function spoken(
  type: 'message' | 'app_mention',
  { channel = 'C0GENERAL', user, text, ts, threadTs, channelType, more }: Spoken,
) {
  return envelope({
    type,
    user,
    text,
    ts,
    client_msg_id: 'a-client-message',
    team: teamOf(user),
    channel,
    event_ts: ts,
    ...(type === 'message' ? { channel_type: channelType ?? 'channel' } : {}),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs, parent_user_id: 'U0ADA' }),
    ...more,
  });
}

/** `app_mention`; pass `text` without the mention, which is added at the beginning. */
export function mentionOf({ text, ...rest }: Spoken): Body {
  return spoken('app_mention', { ...rest, text: `<@${team.botUserId}> ${text}`.trim() });
}

export function messageOf(message: Spoken): Body {
  return spoken('message', message);
}

/** A reply that was also sent to the channel. */
export function threadBroadcastOf(message: Spoken & { threadTs: string; root: SlackMessage }): Body {
  const { root, ...rest } = message;
  return messageOf({ ...rest, more: { subtype: 'thread_broadcast', root: rootIn(root, rest), ...rest.more } });
}

/** A message with files. */
export function fileShareOf(message: Spoken & { files: SlackFile[] }): Body {
  const { files, ...rest } = message;
  const more = { subtype: 'file_share', files, upload: false, display_as_bot: false, ...rest.more };
  return messageOf({ ...rest, more });
}

/** A message of another app in the current form: with `bot_id` and a user, without a subtype. */
export function botPostOf(message: Spoken): Body {
  const profile = { id: 'B0ROBO', app_id: 'A0ROBO', name: 'robo', deleted: false, updated: 1, team_id: team.id };
  return messageOf({ ...message, more: { bot_id: 'B0ROBO', app_id: 'A0ROBO', bot_profile: profile, ...message.more } });
}

/** `link_shared` for a link in a message that is not sent yet: without channel and message. */
export function composerLinkOf(shared: { user: string; urls: string[]; unfurlId: string }): Body {
  return linkSharedOf({ ...shared, channel: 'COMPOSER', ts: shared.unfurlId });
}

/** `/deepsearch <text>`. */
export function commandOf(options: {
  text: string;
  command?: string;
  user: string;
  channel?: string;
  responseUrl: string;
  triggerId?: string;
}): Body {
  const { command = '/deepsearch', text, user, channel = 'C0GENERAL', triggerId = nextTrigger() } = options;
  return slackCommandOf({
    command,
    text,
    trigger_id: triggerId,
    response_url: options.responseUrl,
    user: { id: user, name: 'someone' },
    channel: { id: channel, name: 'general' },
  });
}

/** `app_home_opened`; a person who never opened the Home tab has no view. */
export function appHomeOpenedOf({ user, ...opened }: { user: string; tab: 'home' | 'messages'; view?: Body }): Body {
  return envelope({ type: 'app_home_opened', user, channel: dmOf(user), ...opened, event_ts: '1700000000.000000' });
}

/** `agent_session_stopped`: a user pressed Slack's stop button. */
export function agentSessionStoppedOf(stopped: { user: string; channel: string; threadTs: string }): Body {
  const { user, channel, threadTs } = stopped;
  const place = { channel, thread_ts: threadTs, streaming_message_ts: [], event_ts: '1700000000.000000' };
  return envelope({ type: 'agent_session_stopped', user, ...place });
}

interface Acted {
  user: string;
  triggerId?: string;
}

function done(type: string, { user, triggerId = nextTrigger() }: Acted, more: Body): Body {
  return interaction({ id: user, name: 'someone' }, { type, trigger_id: triggerId, ...more });
}

/** A shortcut from the menu of a message. */
export function messageShortcutOf(
  chosen: Acted & { callbackId: string; message: SlackMessage; responseUrl: string },
): Body {
  const { callbackId, message, responseUrl } = chosen;
  return done('message_action', chosen, {
    callback_id: callbackId,
    response_url: responseUrl,
    message_ts: message.ts,
    channel: channelIn(message.channel),
    message: messageIn(message),
    action_ts: '1700000000.000000',
  });
}

/** A shortcut from anywhere in Slack: no channel, no message, no response URL. */
export function globalShortcutOf(chosen: Acted & { callbackId: string }): Body {
  return done('shortcut', chosen, { callback_id: chosen.callbackId, action_ts: '1700000000.000000' });
}

/** A submitted modal; `view` with its input values, as `payloadOf` in views.ts returns it. */
export function viewSubmissionOf(submitted: Acted & { view: Body }): Body {
  return done('view_submission', submitted, { view: submitted.view, response_urls: [] });
}

/** A closed modal; Slack sends this only for views with `notify_on_close`. */
export function viewClosedOf({ view, user }: { view: Body; user: string }): Body {
  return interaction({ id: user, name: 'someone' }, { type: 'view_closed', view, is_cleared: false });
}

/** The place of an element that a user clicks; the payload depends on it. */
export type Place =
  | { message: SlackMessage; responseUrl: string }
  | { ephemeral: SlackEphemeral; responseUrl: string }
  | { view: Body };

interface Used extends Acted {
  actionId: string;
  blockId?: string;
  place: Place;
}

/** A user presses a button: on a message, on a private message, in a modal or on the Home tab. */
export function buttonOf(used: Used & { value?: string; label?: string }): Body {
  const text = { type: 'plain_text', text: used.label ?? 'Button', emoji: true };
  const value = used.value === undefined ? {} : { value: used.value };
  return acted(used, { type: 'button', text, ...value });
}

/** A user chooses an option from an overflow menu. */
export function overflowOf(used: Used & { option: SlackOption }): Body {
  return acted(used, { type: 'overflow', selected_option: used.option });
}

/** A user chooses a conversation from a menu, for example in a modal. */
export function selectOf(used: Used & { conversation: string }): Body {
  return acted(used, { type: 'conversations_select', selected_conversation: used.conversation });
}

/** A user presses one of Slack's feedback buttons. */
export function feedbackOf(used: Used & { value: string; label?: string }): Body {
  const text = { type: 'plain_text', text: used.label ?? 'Good', emoji: true };
  return acted(used, { type: 'feedback_buttons', value: used.value, text });
}

/** A user presses a button on a message, of which only the place is known. */
export function pressOf(
  pressed: Acted & {
    actionId: string;
    value: string | undefined;
    channel: string;
    messageTs: string;
    threadTs?: string | undefined;
    responseUrl: string;
  },
): Body {
  const { channel, messageTs, threadTs, responseUrl, value, ...used } = pressed;
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
  const message = { ts: messageTs, channel, user: '', text: '', edits: 0, ...thread };
  return buttonOf({ ...used, ...(value === undefined ? {} : { value }), place: { message, responseUrl } });
}

function acted({ place, actionId, blockId = 'block', ...by }: Used, action: Body): Body {
  const used = { action_id: actionId, block_id: blockId, action_ts: '1700000000.000000', ...action };
  return done('block_actions', by, { ...placed(place), actions: [used] });
}

function placed(place: Place): Body {
  if ('view' in place) return { container: { type: 'view', view_id: place.view.id }, view: place.view };
  const { responseUrl, ...of } = place;
  const message = 'message' in of ? of.message : undefined;
  const { ts = '1700000000.000001', thread_ts: threadTs, channel } = 'message' in of ? of.message : of.ephemeral;
  return usedMessage({ ts, threadTs, channel: channelIn(channel), responseUrl, message });
}

function channelIn(id: string): { id: string; name: string } {
  return { id, name: id.startsWith('D') ? 'directmessage' : 'general' };
}
