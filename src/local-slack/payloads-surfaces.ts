import { dmOf } from './channels.ts';
import type { SlackEphemeral, SlackMessage, SlackOption } from './messages.ts';
import { envelope, nextTrigger, teamOf, userIn } from './payloads.ts';
import { appId, team } from './people.ts';

type Body = Record<string, unknown>;

/** `app_home_opened`; a person who never opened the Home tab has no view. */
export function appHomeOpenedOf(opened: { user: string; tab: 'home' | 'messages'; view?: Body }): Body {
  return envelope({
    type: 'app_home_opened',
    user: opened.user,
    channel: dmOf(opened.user),
    tab: opened.tab,
    ...(opened.view === undefined ? {} : { view: opened.view }),
    event_ts: '1700000000.000000',
  });
}

/** `member_joined_channel`, of the app too. */
export function memberJoinedOf(joined: {
  user: string;
  channel: string;
  isPrivate: boolean;
  ts: string;
  inviter?: string;
}): Body {
  const { user, channel, isPrivate, ts, inviter } = joined;
  return envelope({
    type: 'member_joined_channel',
    user,
    channel,
    channel_type: isPrivate ? 'G' : 'C',
    team: teamOf(user),
    ...(inviter === undefined ? {} : { inviter }),
    event_ts: ts,
  });
}

/** `agent_session_stopped`: a user pressed Slack's stop button. */
export function agentSessionStoppedOf(stopped: { user: string; channel: string; threadTs: string }): Body {
  return envelope({
    type: 'agent_session_stopped',
    user: stopped.user,
    channel: stopped.channel,
    thread_ts: stopped.threadTs,
    streaming_message_ts: [],
    event_ts: '1700000000.000000',
  });
}

function interaction(user: string): Body {
  return {
    user: userIn(user),
    api_app_id: appId,
    token: 'verification',
    team: { id: team.id, domain: 'fake' },
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** A shortcut from the menu of a message. */
export function messageShortcutOf(chosen: {
  callbackId: string;
  message: SlackMessage;
  user: string;
  triggerId?: string;
  responseUrl: string;
}): Body {
  return {
    ...interaction(chosen.user),
    type: 'message_action',
    callback_id: chosen.callbackId,
    trigger_id: chosen.triggerId ?? nextTrigger(),
    response_url: chosen.responseUrl,
    message_ts: chosen.message.ts,
    channel: channelIn(chosen.message.channel),
    message: seen(chosen.message),
    action_ts: '1700000000.000000',
  };
}

/** A shortcut from anywhere in Slack: no channel, no message, no response URL. */
export function globalShortcutOf(chosen: { callbackId: string; user: string; triggerId?: string }): Body {
  return {
    ...interaction(chosen.user),
    type: 'shortcut',
    callback_id: chosen.callbackId,
    trigger_id: chosen.triggerId ?? nextTrigger(),
    action_ts: '1700000000.000000',
  };
}

/** A submitted modal; `view` with its input values, as `payloadOf` in views.ts returns it. */
export function viewSubmissionOf(submitted: { view: Body; user: string; triggerId?: string }): Body {
  return {
    ...interaction(submitted.user),
    type: 'view_submission',
    trigger_id: submitted.triggerId ?? nextTrigger(),
    view: submitted.view,
    response_urls: [],
  };
}

/** A closed modal; Slack sends this only for views with `notify_on_close`. */
export function viewClosedOf(closed: { view: Body; user: string }): Body {
  return { ...interaction(closed.user), type: 'view_closed', view: closed.view, is_cleared: false };
}

/** The place of an element that a user clicks; the payload depends on it. */
export type Place =
  | { message: SlackMessage; responseUrl: string }
  | { ephemeral: SlackEphemeral; responseUrl: string }
  | { view: Body };

/** A use of any element: `block_actions` with one action. */
export function blockActionsOf(used: { user: string; place: Place; action: Body; triggerId?: string }): Body {
  return {
    ...interaction(used.user),
    type: 'block_actions',
    trigger_id: used.triggerId ?? nextTrigger(),
    ...placed(used.place),
    actions: [{ block_id: 'block', action_ts: '1700000000.000000', ...used.action }],
  };
}

interface Used {
  actionId: string;
  blockId?: string;
  user: string;
  place: Place;
  triggerId?: string;
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

function acted({ user, place, triggerId, actionId, blockId }: Used, action: Body): Body {
  return blockActionsOf({
    user,
    place,
    action: { action_id: actionId, ...(blockId === undefined ? {} : { block_id: blockId }), ...action },
    ...(triggerId === undefined ? {} : { triggerId }),
  });
}

function placed(place: Place): Body {
  if ('view' in place) {
    const { view } = place;
    return { container: { type: 'view', view_id: view.id }, view };
  }
  const state = { values: {} };
  if ('message' in place) {
    const { message, responseUrl } = place;
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const { ts, channel } = message;
    return {
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false, ...thread },
      channel: channelIn(channel),
      message: seen(message),
      state,
      response_url: responseUrl,
    };
  }
  const { ephemeral, responseUrl } = place;
  const thread = ephemeral.thread_ts === undefined ? {} : { thread_ts: ephemeral.thread_ts };
  return {
    container: {
      type: 'message',
      message_ts: ephemeral.ts ?? '1700000000.000001',
      channel_id: ephemeral.channel,
      is_ephemeral: true,
      ...thread,
    },
    channel: channelIn(ephemeral.channel),
    state,
    response_url: responseUrl,
  };
}

function channelIn(id: string): Body {
  return { id, name: id.startsWith('D') ? 'directmessage' : 'general' };
}

function seen(message: SlackMessage): Body {
  const { edits: _, channel: __, ...rest } = message;
  const own = message.bot_id === undefined ? {} : { app_id: appId };
  return { type: 'message', ...rest, ...own, team: team.id };
}
