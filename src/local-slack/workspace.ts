import type { SlackChannel } from './channels.ts';
import type { Manifest } from './manifest.ts';
import type { SlackMessage } from './messages.ts';
import { team } from './people.ts';
import type { State } from './state.ts';

/** A conversation in a person's side bar. */
export interface Conversation {
  id: string;
  /** Of a direct conversation: the other's name. */
  name: string;
  kind: 'channel' | 'private' | 'group' | 'direct';
  isMember: boolean;
  isShared: boolean;
  isArchived: boolean;
  topic?: string;
  /** Ids of its people, with the app's. */
  members: string[];
  /** Since the person read it. In direct conversations each message counts as a mention. */
  unread: number;
  mentions: number;
}

/** A message as one person sees it. */
export interface Shown {
  message: SlackMessage;
  /** Only this person sees it. */
  isPrivate: boolean;
  replies?: { count: number; people: string[]; latestTs: string };
}

/** What people see of a workspace, to be read only. */
export function createWorkspace(state: State, manifest: Manifest, isConnected: () => boolean) {
  const { people, channels, messages, files, views, agents } = state;

  return {
    team,
    people: people.map as ReadonlyMap<string, NonNullable<ReturnType<typeof people.find>>>,
    channels: channels.map as ReadonlyMap<string, SlackChannel>,
    app: {
      commands: manifest.commands,
      shortcuts: manifest.shortcuts,
      get isConnected(): boolean {
        return isConnected();
      },
    },
    /** The conversations that a person is in, and the public channels. */
    conversationsOf: (person: string): Conversation[] =>
      [...channels.map].flatMap(([id, channel]) => {
        const members = channels.membersOf(channel).concat(channel.isIm === true ? team.botUserId : []);
        const isMember = members.includes(person);
        if (!isMember && channel.isPrivate) return [];
        const { name = id.toLowerCase(), topic } = channel;
        const seen = isMember ? unreadOf(person, id, channel.isIm === true) : { unread: 0, mentions: 0 };
        const other = members.find((each) => each !== person) ?? person;
        return {
          id,
          name: channel.isIm === true ? (people.find(other)?.name ?? other) : name,
          kind: kinds[channels.typeOf(id)],
          isMember,
          isShared: channel.isExtShared ?? false,
          isArchived: channel.isArchived,
          ...(topic === undefined ? {} : { topic }),
          members: [...new Set(members)],
          ...seen,
        };
      }),
    /** What a person sees in a channel, oldest first. */
    timeline: (person: string, channel: string): Shown[] =>
      maySee(person, channel)
        ? shown(
            person,
            channel,
            ({ thread_ts: root, subtype, ts }) => (root ?? ts) === ts || subtype === 'thread_broadcast',
          )
        : [],
    /** A root, its replies and a person's private messages there, oldest first. */
    thread: (person: string, channel: string, rootTs: string): Shown[] =>
      maySee(person, channel) && messages.find(channel, rootTs) !== undefined
        ? shown(person, channel, ({ thread_ts: root, ts }) => ts === rootTs || root === rootTs)
        : [],
    /** All messages of a conversation with those in threads and everyone's private ones, oldest first: for programs. */
    everything: (channel: string): (SlackMessage & { privateTo?: string })[] =>
      [
        ...messages.list.filter((each) => each.channel === channel),
        ...[...people.map.keys()].flatMap((person) =>
          privateTo(person, channel).map((each) => ({ ...each, privateTo: person })),
        ),
      ].toSorted((one, other) => Number(one.ts) - Number(other.ts)),
    message: messages.find,
    /** A person's open modals, the topmost last. */
    modalsOf: views.of,
    homeOf: (person: string) => views.homes.get(person),
    agentSession: (channel: string, threadTs: string) => agents.sessions.get(`${channel}:${threadTs}`),
    promptsOf: (channel: string) => agents.prompts.get(channel),
    file: files.download,
    permalinkOf: messages.permalinkOf,
    violations: state.violations as readonly string[],
    /** Grows with each change. */
    get version(): number {
      return state.version();
    },
    subscribe: state.subscribe,
  };

  function maySee(person: string, id: string): boolean {
    const channel = channels.map.get(id);
    return channel !== undefined && (!channel.isPrivate || channels.membersOf(channel).includes(person));
  }

  function shown(person: string, channel: string, belongs: (message: SlackMessage) => boolean): Shown[] {
    const posted = messages.list.filter((each) => each.channel === channel && belongs(each));
    const own = privateTo(person, channel).filter(belongs);
    return [
      ...posted.map((message) => ({ message, isPrivate: false })),
      ...own.map((message) => ({ message, isPrivate: true })),
    ]
      .map((each) => withReplies(each))
      .toSorted((one, other) => Number(one.message.ts) - Number(other.message.ts));
  }

  function privateTo(person: string, channel: string): SlackMessage[] {
    return messages.ephemerals.flatMap(({ user, from = team.botUserId, ts = '0', ...each }) => {
      const message = { ...each, ts, user: from, edits: 0, ...(from === team.botUserId ? { bot_id: team.botId } : {}) };
      return user === person && each.channel === channel ? message : [];
    });
  }

  function withReplies(each: Shown): Shown {
    const replies = each.isPrivate ? [] : messages.repliesTo(each.message);
    const latestTs = replies.at(-1)?.ts;
    if (latestTs === undefined) return each;
    return {
      ...each,
      replies: { count: replies.length, people: [...new Set(replies.map(({ user }) => user))], latestTs },
    };
  }

  /** Whether a message makes a channel unread: those in threads do so for people who took part there. */
  function concerns(person: string, { channel, ts, thread_ts: rootTs = ts, subtype, text }: SlackMessage): boolean {
    const root = rootTs === ts ? undefined : messages.find(channel, rootTs);
    if (root === undefined || subtype === 'thread_broadcast' || text.includes(`<@${person}>`)) return true;
    return [root, ...messages.repliesTo(root)].some(({ user }) => user === person);
  }

  function unreadOf(person: string, channel: string, isDirect: boolean): { unread: number; mentions: number } {
    const from = Number(state.readUpTo(person, channel));
    const fresh = messages.list.filter(
      (each) => each.channel === channel && each.user !== person && Number(each.ts) > from && concerns(person, each),
    );
    const mentions = fresh.filter(
      ({ text }) => isDirect || /<!(?:here|channel|everyone)>/.test(text) || text.includes(`<@${person}>`),
    );
    return { unread: fresh.length, mentions: mentions.length };
  }
}

export type Workspace = ReturnType<typeof createWorkspace>;

const kinds = { channel: 'channel', group: 'private', im: 'direct', mpim: 'group' } as const;
