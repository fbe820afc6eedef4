import type { SlackMessage } from './messages.ts';
import { appId, otherTeamId, people, team } from './people.ts';

/** What Slack sends an app. */
export type Body = Record<string, unknown>;

let serial = 0;

/** The team of a person: the app's team, except for olga. */
export function teamOf(user: string): string {
  return user === people.olga ? otherTeamId : team.id;
}

/** The outer object of every event (docs.slack.dev/apis/events-api). */
export function envelope(event: Body): Body {
  serial += 1;
  return {
    token: 'verification',
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: null,
    api_app_id: appId,
    event,
    type: 'event_callback',
    event_id: `Ev${serial}`,
    event_time: Math.floor(Date.now() / 1_000),
    event_context: `4-${serial}`,
    authorizations: [
      { enterprise_id: null, team_id: team.id, user_id: team.botUserId, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
  };
}

/** A message in the form nested in events. */
function nested(message: SlackMessage): Body {
  const { edits: _, channel: __, metadata: ___, ...rest } = message;
  const isOurs = message.bot_id === team.botId;
  const profile = { id: team.botId, app_id: appId, name: 'deepsearch', deleted: false, updated: 1, team_id: team.id };
  const from = teamOf(message.user);
  return {
    type: 'message',
    ...(isOurs ? { app_id: appId, bot_profile: profile } : {}),
    ...(isOurs || (message.subtype ?? '').startsWith('channel_') ? {} : { client_msg_id: 'a-client-message' }),
    ...rest,
    ...{ team: from, source_team: from, user_team: from },
    ...(message.thread_ts === undefined ? {} : { parent_user_id: 'U0ADA' }),
  };
}

export type ChannelType = 'channel' | 'group' | 'im' | 'mpim';

interface About {
  channelType: ChannelType;
  /** Of a reply: the author of its root. */
  parentUserId?: string;
  /** Of a reply that was also sent to the channel. */
  root?: SlackMessage;
}

/** `message` for a message of a person or of the app. */
export function messageEventOf(message: SlackMessage, { channelType, parentUserId, root }: About): Body {
  const { channel, ts } = message;
  return envelope({
    ...nested(message),
    ...(parentUserId === undefined ? {} : { parent_user_id: parentUserId }),
    ...(root === undefined ? {} : { root: rootIn(root, message) }),
    ...{ channel, event_ts: ts, channel_type: channelType },
  });
}

/** `app_mention`, the twin of `message`: without a subtype and without the kind of channel. */
export function mentionEventOf(message: SlackMessage, about: About): Body {
  const { subtype: _, ...unmarked } = message;
  const { event, ...outer } = messageEventOf(unmarked, about);
  const { channel_type: __, source_team: ___, user_team: ____, root: _____, ...said } = event as Body;
  return { ...outer, event: { ...said, type: 'app_mention' } };
}

/** The root in a reply that was also sent to the channel. */
export function rootIn(root: SlackMessage, { user, ts }: { user: string; ts: string }): Body {
  const replies = { reply_count: 1, reply_users_count: 1, latest_reply: ts, reply_users: [user] };
  return { ...nested(root), thread_ts: root.ts, ...replies };
}

/** `ts`: the time of the change. */
interface Change {
  channelType?: ChannelType;
  ts: string;
}

/**
 * `message_changed`: an edit by the author, or, when only the attachments differ, a new link preview. Only the nested
 * messages contain the author.
 */
export function messageChangedOf(change: Change & { before: SlackMessage; after: SlackMessage }): Body {
  const { before, after } = change;
  return hidden('message_changed', after.channel, change, { message: nested(after), previous_message: nested(before) });
}

export function messageDeletedOf(change: Change & { message: SlackMessage }): Body {
  const { channel, ts } = change.message;
  return hidden('message_deleted', channel, change, { deleted_ts: ts, previous_message: nested(change.message) });
}

function hidden(subtype: string, channel: string, { channelType = 'channel', ts }: Change, more: Body): Body {
  return envelope({
    type: 'message',
    subtype,
    hidden: true,
    channel,
    ts,
    event_ts: ts,
    channel_type: channelType,
    ...more,
  });
}

/** `link_shared` for a message, or, in the channel `COMPOSER`, for one that is not sent yet. */
export function linkSharedOf(shared: {
  user: string;
  channel: string;
  ts: string;
  threadTs?: string | undefined;
  urls: string[];
  unfurlId: string;
  botIsMember?: boolean;
}): Body {
  const { user, channel, ts, threadTs, urls, unfurlId, botIsMember = true } = shared;
  return envelope({
    type: 'link_shared',
    user,
    channel,
    message_ts: ts,
    thread_ts: threadTs,
    links: urls.map((url) => ({ url, domain: new URL(url).hostname })),
    source: channel === 'COMPOSER' ? 'composer' : 'conversations_history',
    unfurl_id: unfurlId,
    is_bot_user_member: botIsMember,
    event_ts: ts,
  });
}

/** A person or channel as payloads name it. */
interface Named {
  id: string;
  name: string;
}

/** What a person does with what the app shows; `trigger_id` for modals. */
export function interaction({ id, name }: Named, more: Body): Body {
  return {
    user: { id, username: name, name, team_id: teamOf(id) },
    api_app_id: appId,
    token: 'verification',
    team: { id: team.id, domain: 'fake' },
    enterprise: null,
    is_enterprise_install: false,
    ...more,
  };
}

export function commandOf({
  user,
  channel,
  ...command
}: {
  command: string;
  text: string;
  user: Named;
  channel: Named;
  trigger_id: string;
  response_url: string;
}): Body {
  return {
    token: 'verification',
    team_id: team.id,
    team_domain: 'fake',
    channel_id: channel.id,
    channel_name: channel.name,
    user_id: user.id,
    user_name: user.name,
    api_app_id: appId,
    is_enterprise_install: 'false',
    ...command,
  };
}

/** Where a person uses an element of a message, whose content is absent when it is private. */
export function usedMessage(used: {
  ts: string;
  threadTs: string | undefined;
  channel: Named;
  responseUrl: string;
  message?: SlackMessage | undefined;
}): Body {
  const { ts, threadTs, channel, responseUrl, message } = used;
  const place = { message_ts: ts, channel_id: channel.id, thread_ts: threadTs };
  return {
    container: { type: 'message', ...place, is_ephemeral: message === undefined },
    channel,
    message: message && messageIn(message),
    state: { values: {} },
    response_url: responseUrl,
  };
}

/** A message in an interaction. */
export function messageIn({ edits: _, channel: __, ...message }: SlackMessage): Body {
  const own = message.bot_id === undefined ? {} : { app_id: appId };
  return { type: 'message', ...message, ...own, team: team.id };
}
