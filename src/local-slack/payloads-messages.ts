import type { SlackFile, SlackMessage } from './messages.ts';
import { envelope, messageOf, type Spoken, teamOf } from './payloads.ts';
import { appId, team } from './people.ts';

/** A message in the form nested in events. */
function nested(message: SlackMessage): Record<string, unknown> {
  const { edits: _, channel: __, metadata: ___, ...rest } = message;
  const isOurs = message.bot_id === team.botId;
  const profile = { id: team.botId, app_id: appId, name: 'deepsearch', deleted: false, updated: 1, team_id: team.id };
  return {
    type: 'message',
    ...(isOurs ? { app_id: appId, bot_profile: profile } : {}),
    ...(isOurs || (message.subtype ?? '').startsWith('channel_') ? {} : { client_msg_id: 'a-client-message' }),
    ...rest,
    team: teamOf(message.user),
    source_team: teamOf(message.user),
    user_team: teamOf(message.user),
    ...(message.thread_ts === undefined ? {} : { parent_user_id: 'U0ADA' }),
  };
}

interface About {
  channelType: NonNullable<Spoken['channelType']>;
  /** Of a reply: the author of its root. */
  parentUserId?: string;
  /** Of a reply that was also sent to the channel. */
  root?: SlackMessage;
}

/** `message` for a message of a person or of the app. */
export function messageEventOf(
  message: SlackMessage,
  { channelType, parentUserId, root }: About,
): Record<string, unknown> {
  const { channel, ts } = message;
  return envelope({
    ...nested(message),
    ...(parentUserId === undefined ? {} : { parent_user_id: parentUserId }),
    ...(root === undefined ? {} : { root: rootIn(root, message) }),
    channel,
    event_ts: ts,
    channel_type: channelType,
  });
}

/** `app_mention`, the twin of `message`: without a subtype and without the kind of channel. */
export function mentionEventOf(message: SlackMessage, about: About): Record<string, unknown> {
  const { subtype: _, ...unmarked } = message;
  const { event, ...outer } = messageEventOf(unmarked, about);
  const { channel_type: __, source_team: ___, user_team: ____, ...said } = event as Record<string, unknown>;
  return { ...outer, event: { ...said, type: 'app_mention' } };
}

function rootIn(root: SlackMessage, { user, ts }: { user: string; ts: string }): Record<string, unknown> {
  const replies = { reply_count: 1, reply_users_count: 1, latest_reply: ts, reply_users: [user] };
  return { ...nested(root), thread_ts: root.ts, ...replies };
}

/**
 * `message_changed`: an edit by the author, or, when only the attachments differ, a new link preview. Only the nested
 * messages contain the author.
 */
export function messageChangedOf(change: {
  before: SlackMessage;
  after: SlackMessage;
  channelType?: Spoken['channelType'];
  /** Time of the change. */
  ts: string;
}): Record<string, unknown> {
  return envelope({
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: nested(change.after),
    previous_message: nested(change.before),
    channel: change.after.channel,
    ts: change.ts,
    event_ts: change.ts,
    channel_type: change.channelType ?? 'channel',
  });
}

/** `message_deleted`. */
export function messageDeletedOf(deletion: {
  message: SlackMessage;
  channelType?: Spoken['channelType'];
  ts: string;
}): Record<string, unknown> {
  return envelope({
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: deletion.message.ts,
    previous_message: nested(deletion.message),
    channel: deletion.message.channel,
    ts: deletion.ts,
    event_ts: deletion.ts,
    channel_type: deletion.channelType ?? 'channel',
  });
}

/** A reply that was also sent to the channel. */
export function threadBroadcastOf(message: Spoken & { threadTs: string; root: SlackMessage }): Record<string, unknown> {
  const { root, ...spoken } = message;
  return messageOf({
    ...spoken,
    more: {
      subtype: 'thread_broadcast',
      root: rootIn(root, spoken),
      ...spoken.more,
    },
  });
}

/** A message with files. */
export function fileShareOf(message: Spoken & { files: SlackFile[] }): Record<string, unknown> {
  const { files, ...spoken } = message;
  const more = { subtype: 'file_share', files, upload: false, display_as_bot: false, ...spoken.more };
  return messageOf({ ...spoken, more });
}

/** A message of another app in the current form: with `bot_id` and a user, without a subtype. */
export function botPostOf(message: Spoken): Record<string, unknown> {
  const profile = { id: 'B0ROBO', app_id: 'A0ROBO', name: 'robo', deleted: false, updated: 1, team_id: team.id };
  return messageOf({ ...message, more: { bot_id: 'B0ROBO', app_id: 'A0ROBO', bot_profile: profile, ...message.more } });
}

/** `link_shared` for a sent message; `ts` is the timestamp of the message. */
export function linkSharedOf(shared: {
  user: string;
  channel: string;
  ts: string;
  threadTs?: string;
  urls: string[];
  unfurlId: string;
  botIsMember?: boolean;
}): Record<string, unknown> {
  return envelope({
    type: 'link_shared',
    user: shared.user,
    channel: shared.channel,
    message_ts: shared.ts,
    ...(shared.threadTs === undefined ? {} : { thread_ts: shared.threadTs }),
    links: shared.urls.map(linkOf),
    source: 'conversations_history',
    unfurl_id: shared.unfurlId,
    is_bot_user_member: shared.botIsMember ?? true,
    event_ts: shared.ts,
  });
}

/** `link_shared` for a link in a message that is not sent yet: without channel and message. */
export function composerLinkOf(shared: { user: string; urls: string[]; unfurlId: string }): Record<string, unknown> {
  return envelope({
    type: 'link_shared',
    user: shared.user,
    channel: 'COMPOSER',
    message_ts: shared.unfurlId,
    links: shared.urls.map(linkOf),
    source: 'composer',
    unfurl_id: shared.unfurlId,
    is_bot_user_member: true,
    event_ts: '1700000000.000000',
  });
}

function linkOf(url: string): { url: string; domain: string } {
  return { url, domain: new URL(url).hostname };
}
