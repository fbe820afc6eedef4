import { appId, otherTeamId, people, team } from './people.ts';

let serial = 0;

/** A new trigger id. */
export function nextTrigger(): string {
  serial += 1;
  return `${serial}.${serial}.trigger`;
}

/** The team of a person: the app's team, except for olga. */
export function teamOf(user: string): string {
  return user === people.olga ? otherTeamId : team.id;
}

/** A person as in interactive payloads. */
export function userIn(id: string): Record<string, unknown> {
  return { id, username: 'someone', name: 'someone', team_id: teamOf(id) };
}

/** The outer object of every event (docs.slack.dev/apis/events-api). */
export function envelope(event: Record<string, unknown>): Record<string, unknown> {
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

export interface Spoken {
  channel?: string;
  user: string;
  text: string;
  ts: string;
  threadTs?: string;
  channelType?: 'channel' | 'group' | 'im' | 'mpim';
  /** Fields that overwrite those of the event, for unusual forms. */
  more?: Record<string, unknown>;
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
export function mentionOf({ text, ...rest }: Spoken): Record<string, unknown> {
  return spoken('app_mention', { ...rest, text: `<@${team.botUserId}> ${text}`.trim() });
}

export function messageOf(message: Spoken): Record<string, unknown> {
  return spoken('message', message);
}

/** `/deepsearch <text>`. */
export function commandOf(options: {
  text: string;
  command?: string;
  user: string;
  userName?: string;
  channel?: string;
  channelName?: string;
  responseUrl: string;
  triggerId?: string;
}): Record<string, unknown> {
  return {
    token: 'verification',
    team_id: team.id,
    team_domain: 'fake',
    channel_id: options.channel ?? 'C0GENERAL',
    channel_name: options.channelName ?? 'general',
    user_id: options.user,
    user_name: options.userName ?? 'someone',
    command: options.command ?? '/deepsearch',
    text: options.text,
    api_app_id: appId,
    is_enterprise_install: 'false',
    response_url: options.responseUrl,
    trigger_id: options.triggerId ?? nextTrigger(),
  };
}

/** A user presses a button on a message. */
export function pressOf(options: {
  actionId: string;
  value: string | undefined;
  user: string;
  channel: string;
  messageTs: string;
  threadTs?: string | undefined;
  triggerId?: string;
  responseUrl: string;
}): Record<string, unknown> {
  const { channel, messageTs, threadTs } = options;
  return {
    type: 'block_actions',
    user: userIn(options.user),
    api_app_id: appId,
    token: 'verification',
    container: { type: 'message', message_ts: messageTs, channel_id: channel, is_ephemeral: false },
    trigger_id: options.triggerId ?? nextTrigger(),
    team: { id: team.id, domain: 'fake' },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel, name: 'general' },
    message: { type: 'message', ts: messageTs, text: '', ...(threadTs === undefined ? {} : { thread_ts: threadTs }) },
    state: { values: {} },
    response_url: options.responseUrl,
    actions: [
      {
        action_id: options.actionId,
        block_id: 'block',
        text: { type: 'plain_text', text: 'Button' },
        value: options.value,
        type: 'button',
        action_ts: '1.0',
      },
    ],
  };
}
