import { people, type SlackPeople, team } from './people.ts';
import { type Args, isTrue, listed, type Methods, type Reply, refused } from './wire.ts';

/** A conversation; `botIsMember` says whether the app is a member, `members` does not list it. */
export interface SlackChannel {
  isPrivate: boolean;
  botIsMember: boolean;
  isArchived: boolean;
  /** Default: ada and bob. */
  members?: string[];
  /** Default: the id in lower case. */
  name?: string;
  isExtShared?: boolean;
  topic?: string;
  purpose?: string;
  isIm?: boolean;
  isMpim?: boolean;
}

/** The conversations of a workspace, and the methods about them. */
export function createChannels(slackPeople: SlackPeople, told: { of?: { joined: (channel: string) => unknown } } = {}) {
  const { ada, bob, gerd, mia, olga } = people;
  const open: SlackChannel = { isPrivate: false, botIsMember: true, isArchived: false };
  const closed = { ...open, isPrivate: true };
  const channels = new Map<string, SlackChannel>([
    ['C0GENERAL', { ...open, name: 'general', members: [ada, bob, gerd] }],
    ['C0PUBLIC', { ...open, name: 'public', botIsMember: false }],
    ['C0PRIVATE', { ...closed, name: 'private', botIsMember: false }],
    ['C0SHARED', { ...open, name: 'shared', isExtShared: true, members: [ada, bob, olga] }],
    ['C0GUESTS', { ...closed, name: 'guests', members: [ada, bob, mia] }],
    ['G0GROUP', { ...closed, name: 'mpdm-ada--bob--deepsearch-1', isMpim: true }],
    ...Object.values(people).map((id): [string, SlackChannel] => [dmOf(id), { ...closed, isIm: true, members: [id] }]),
  ]);

  /** All members of a channel, with the app. */
  function membersOf(channel: SlackChannel): string[] {
    return [...(channel.members ?? [ada, bob]), ...(channel.botIsMember ? [team.botUserId] : [])];
  }

  /** The channel if the app can see it; private channels without the app seem not to exist. */
  function visible(id: unknown): SlackChannel | undefined {
    const channel = typeof id === 'string' ? channels.get(id) : undefined;
    return channel?.isPrivate && !channel.botIsMember ? undefined : channel;
  }

  const methods: Methods = {
    'conversations.info': (args) => {
      const channel = visible(args.channel);
      if (channel === undefined) return refused('channel_not_found');
      return { ok: true, channel: toApiChannel(String(args.channel), channel, isTrue(args.include_num_members)) };
    },
    'conversations.members': (args) => {
      const channel = visible(args.channel);
      if (channel === undefined) return refused('channel_not_found');
      return listed(membersOf(channel), args, { usual: 100, most: 999 }, (members) => ({ members }));
    },
    'conversations.list': listing(() => true),
    'users.conversations': listing(
      (channel, { user }) => channel.botIsMember && (user === undefined || membersOf(channel).includes(String(user))),
    ),
    'conversations.open': (args) => {
      const person = slackPeople.find(args.users);
      if (person === undefined) return refused('user_not_found');
      if (person.deleted === true) return refused('user_disabled');
      if (person.is_bot === true) return refused('cannot_dm_bot');
      return { ok: true, channel: { id: dmOf(person.id) } };
    },
    'conversations.join': ({ channel: id }) => {
      const channel = channels.get(String(id));
      if (channel === undefined) return refused('channel_not_found');
      if (channel.isPrivate) return refused('method_not_supported_for_channel_type');
      if (!channel.botIsMember) {
        channel.botIsMember = true;
        told.of?.joined(String(id));
      }
      return { ok: true, channel: { id } };
    },
  };

  /** The `channel_type` of a conversation in Slack's events. */
  function typeOf(id: string): 'channel' | 'group' | 'im' | 'mpim' {
    const { isIm, isMpim, isPrivate } = channels.get(id) ?? open;
    if (isIm === true) return 'im';
    if (isMpim === true) return 'mpim';
    return isPrivate ? 'group' : 'channel';
  }

  return {
    map: channels,
    typeOf,
    methods,
    membersOf,
    /** Why the app may not read a conversation; undefined when it may. */
    refusedRead: (id: unknown): Reply | undefined => {
      const channel = visible(id);
      if (channel === undefined) return refused('channel_not_found');
      return channel.botIsMember ? undefined : refused('not_in_channel');
    },
  };

  function listing(keep: (channel: SlackChannel, args: Args) => boolean): (args: Args) => Reply {
    return (args) => {
      const types = String(args.types ?? 'public_channel').split(',');
      const kept = [...channels]
        .filter(([id, channel]) => visible(id) !== undefined && keep(channel, args))
        .filter(([id]) => types.includes(listedTypes[typeOf(id)]))
        .filter(([, channel]) => !(isTrue(args.exclude_archived) && channel.isArchived));
      return listed(kept, args, { usual: 100, most: 999 }, (page) => ({
        channels: page.map(([id, channel]) => toApiChannel(id, channel, true)),
      }));
    };
  }

  /** See docs.slack.dev/reference/objects/conversation-object: a direct message has no name and no member count. */
  function toApiChannel(id: string, channel: SlackChannel, withCount: boolean): Record<string, unknown> {
    const { isArchived, isPrivate, isExtShared = false, isIm = false, isMpim = false } = channel;
    const always = { id, created: 1_700_000_000, is_archived: isArchived, is_im: isIm, is_org_shared: false };
    if (isIm) return { ...always, user: channel.members?.[0], is_user_deleted: false, priority: 0 };
    const name = channel.name ?? id.toLowerCase();
    return {
      ...always,
      name,
      name_normalized: name,
      is_channel: !isPrivate,
      is_group: isPrivate,
      is_mpim: isMpim,
      is_private: isPrivate,
      is_member: channel.botIsMember,
      is_general: id === 'C0GENERAL',
      is_shared: isExtShared,
      is_ext_shared: isExtShared,
      is_pending_ext_shared: false,
      context_team_id: team.id,
      ...(channel.topic === undefined ? {} : { topic: { value: channel.topic, creator: '', last_set: 0 } }),
      ...(channel.purpose === undefined ? {} : { purpose: { value: channel.purpose, creator: '', last_set: 0 } }),
      ...(withCount ? { num_members: membersOf(channel).length } : {}),
    };
  }
}

export type SlackChannels = ReturnType<typeof createChannels>;

/** The id of a person's direct messages with the app. */
export function dmOf(userId: string): string {
  return userId.replace(/^U/, 'D');
}

const listedTypes = { channel: 'public_channel', group: 'private_channel', im: 'im', mpim: 'mpim' };
