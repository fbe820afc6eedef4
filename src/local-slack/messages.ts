import { dmOf, type SlackChannels } from './channels.ts';
import { slackProblems } from './limits.ts';
import { type SlackPeople, slackbot, team } from './people.ts';
import { type Args, isTrue, type Methods, type Reply, refused } from './wire.ts';

export interface SlackMessage {
  ts: string;
  channel: string;
  user: string;
  bot_id?: string;
  client_msg_id?: string;
  text: string;
  blocks?: SlackBlock[];
  metadata?: unknown;
  thread_ts?: string | undefined;
  subtype?: string;
  files?: SlackFile[];
  /** Forwards, and link previews set by `chat.unfurl`. */
  attachments?: Record<string, unknown>[];
  edited?: { user: string; ts: string };
  /** Who added the person, in a message about that. */
  inviter?: string | undefined;
  upload?: boolean;
  display_as_bot?: boolean;
  hidden?: boolean;
  edits: number;
}

/** A file in a message (docs.slack.dev/reference/objects/file-object). */
export interface SlackFile {
  id: string;
  title: string;
  url_private: string;
  [more: string]: unknown;
}

export interface SlackBlock {
  type: string;
  block_id?: string;
  text?: unknown;
  elements?: SlackElement[];
  accessory?: SlackElement;
  element?: SlackElement;
  label?: unknown;
  optional?: boolean;
}

/** The fields that tests read of a button, a menu, an input or feedback buttons. */
export interface SlackElement {
  type: string;
  action_id?: string;
  value?: string;
  text?: unknown;
  options?: SlackOption[];
  initial_option?: SlackOption;
  initial_options?: SlackOption[];
  initial_value?: string;
  initial_conversation?: string;
  max_length?: number;
  min_length?: number;
  positive_button?: { text: unknown; value: string };
  negative_button?: { text: unknown; value: string };
}

export interface SlackOption {
  text: unknown;
  value: string;
}

export interface SlackEphemeral {
  ts?: string;
  /** Who wrote it, if not the app. */
  from?: string;
  channel: string;
  user: string;
  thread_ts?: string | undefined;
  text: string;
  blocks?: SlackBlock[];
}

/** What the app's own calls do, of which Slack tells it too. */
export interface OwnDeeds {
  posted: (message: SlackMessage) => unknown;
  changed: (before: SlackMessage, after: SlackMessage) => unknown;
  deleted: (message: SlackMessage) => unknown;
  joined: (channel: string) => unknown;
}

/** Where a message stands. */
type Place = Pick<SlackMessage, 'channel' | 'ts' | 'thread_ts'>;

/**
 * How many timestamps were given out, by all workspaces of this process: if two workspaces gave out the same one, an event
 * that one of them sends about the other's message would be about its own message.
 */
let timestamps = 0;

/** The messages of a workspace, and the methods that post and edit them. */
export function createMessages(
  slackPeople: SlackPeople,
  channels: SlackChannels,
  violations: string[],
  pages: () => string,
  told: { of?: OwnDeeds } = {},
) {
  const messages: SlackMessage[] = [];
  const ephemerals: SlackEphemeral[] = [];

  const methods: Methods = {
    'chat.postMessage': (args) => {
      const channel = resolveChannel(args.channel);
      const refusal = refusedPost('chat.postMessage', args, channel);
      if (refusal !== undefined) return refusal;
      const { thread_ts: threadTs, ...content } = posted(args);
      // A reply to a deleted message that had no replies becomes a message of the channel: PostHog/posthog issue 83601.
      const isThere = messages.some(({ ts, thread_ts: root }) => ts === threadTs || root === threadTs);
      const message = add({
        channel: channel ?? '',
        user: team.botUserId,
        bot_id: team.botId,
        ...content,
        ...(threadTs === undefined || !isThere ? {} : { thread_ts: threadTs }),
      });
      told.of?.posted(message);
      return { ok: true, ts: message.ts, channel: message.channel, message };
    },
    'chat.update': (args) => {
      const message = find(args.channel, args.ts);
      if (message === undefined) return refused('message_not_found');
      if (message.bot_id !== team.botId) return refused('cant_update_message');
      const refusal = refusedForm('chat.update', args);
      if (refusal !== undefined) return refusal;
      const before = { ...message };
      // A text without blocks takes the blocks away.
      delete message.blocks;
      Object.assign(message, posted(args), { edits: message.edits + 1 });
      told.of?.changed(before, message);
      return { ok: true, ts: message.ts, channel: message.channel };
    },
    'chat.delete': (args) => {
      const message = find(args.channel, args.ts);
      if (message === undefined) return refused('message_not_found');
      if (message.bot_id !== team.botId) return refused('cant_delete_message');
      messages.splice(messages.indexOf(message), 1);
      told.of?.deleted(message);
      return { ok: true, ts: message.ts, channel: message.channel };
    },
    'chat.postEphemeral': (args) => {
      const channel = resolveChannel(args.channel);
      const refusal = refusedPost('chat.postEphemeral', args, channel);
      if (refusal !== undefined) return refusal;
      const user = slackPeople.find(args.user);
      const place = channels.map.get(channel ?? '');
      if (user === undefined || place === undefined || !channels.membersOf(place).includes(user.id))
        return refused('user_not_in_channel');
      const ts = nextTs();
      ephemerals.push({ ts, channel: channel ?? '', user: user.id, ...posted(args) });
      return { ok: true, message_ts: ts };
    },
    'chat.getPermalink': (args) => {
      const refusal = channels.refusedRead(args.channel);
      if (refusal !== undefined) return refused('channel_not_found');
      const message = find(args.channel, args.message_ts);
      if (message === undefined) return refused('message_not_found');
      return { ok: true, channel: message.channel, permalink: permalinkOf(message) };
    },
  };

  return {
    list: messages,
    ephemerals,
    methods,
    add,
    find,
    permalinkOf,
    nextTs,
    /** A person edits their message. Throws when the app wrote it. */
    edit: (
      ts: string,
      content: { text: string; blocks?: SlackBlock[] },
    ): { before: SlackMessage; after: SlackMessage } => {
      const message = messages.find((each) => each.ts === ts);
      if (message === undefined || message.bot_id !== undefined) throw new Error(`no person wrote ${ts}`);
      const before = { ...message };
      Object.assign(message, content, { edited: { user: message.user, ts: nextTs() }, edits: message.edits + 1 });
      return { before, after: { ...message } };
    },
    remove: (ts: string) => {
      const index = messages.findIndex((message) => message.ts === ts);
      if (index >= 0) messages.splice(index, 1);
    },
    repliesTo,
    told,
    /** What is left of a deleted root with replies. */
    bury: (message: SlackMessage) => {
      for (const field of ['blocks', 'files', 'attachments', 'bot_id'] as const) delete message[field];
      const text = 'This message was deleted.';
      Object.assign(message, { subtype: 'tombstone', user: slackbot, text, hidden: true });
    },
    /** A person closes a private message; false when there is none. */
    dismiss: (person: string, ts: string): boolean => {
      const index = ephemerals.findIndex((each) => each.user === person && each.ts === ts);
      if (index >= 0) ephemerals.splice(index, 1);
      return index >= 0;
    },
    /** Replaces a private message, or the app's message; false when it is gone. */
    replace: (person: string, ts: string, content: Pick<SlackMessage, 'text' | 'blocks'>): boolean => {
      const found =
        ephemerals.find((each) => each.user === person && each.ts === ts) ??
        messages.find((each) => each.ts === ts && each.bot_id === team.botId);
      delete found?.blocks;
      return found !== undefined && Object.assign(found, content) === found;
    },
  };

  function permalinkOf({ channel, ts, thread_ts: threadTs }: Place): string {
    const link = `${pages()}/archives/${channel}/p${ts.replace('.', '')}`;
    return threadTs === undefined ? link : `${link}?thread_ts=${threadTs}&cid=${channel}`;
  }

  function find(channel: unknown, ts: unknown): SlackMessage | undefined {
    return messages.find((message) => message.ts === ts && message.channel === channel);
  }

  function repliesTo(root: SlackMessage): SlackMessage[] {
    return messages.filter(({ channel, thread_ts: ts }) => channel === root.channel && ts === root.ts);
  }

  /** `ts`: of a message of an earlier time. */
  function add(message: Omit<SlackMessage, 'ts' | 'edits'> & { ts?: string }): SlackMessage {
    const added = { ...message, ts: message.ts ?? nextTs(), edits: 0 };
    messages.push(added);
    return added;
  }

  /** Like Slack's timestamps: unique, increasing and close to the real time. */
  function nextTs(): string {
    timestamps += 1;
    return `${Math.floor(Date.now() / 1000)}.${String(timestamps % 1_000_000).padStart(6, '0')}`;
  }

  function refusedPost(method: string, args: Args, channelId: string | undefined): Reply | undefined {
    const channel = channelId === undefined ? undefined : channels.map.get(channelId);
    if (channel === undefined) return refused('channel_not_found');
    if (channel.isArchived) return refused('is_archived');
    if (!channel.botIsMember) return refused(channel.isPrivate ? 'channel_not_found' : 'not_in_channel');
    if (
      method === 'chat.postEphemeral' &&
      args.thread_ts !== undefined &&
      !messages.some(({ ts }) => ts === args.thread_ts)
    )
      return refused('thread_not_found');
    const lets = args.unfurl_links !== 'false' || args.unfurl_media !== 'false';
    if (method === 'chat.postMessage' && lets && !isDirect(args)) violations.push(`${method} lets links unfurl`);
    return refusedForm(method, args);
  }

  function refusedForm(method: string, args: Args): Reply | undefined {
    const problems = slackProblems(method, args);
    if (problems.length === 0) return undefined;
    violations.push(...problems.map((problem) => `${method}: ${problem}`));
    return refused('invalid_blocks');
  }
}

export type SlackMessages = ReturnType<typeof createMessages>;

/** A message as the Web API returns it: without our own fields, and with metadata only on request. */
export function toApiMessage(message: SlackMessage, args: Args, replies: SlackMessage[] = []): Record<string, unknown> {
  const { edits: _, channel: __, metadata, ...rest } = message;
  return {
    type: 'message',
    ...rest,
    team: team.id,
    ...(metadata !== undefined && isTrue(args.include_all_metadata) ? { metadata } : {}),
    ...(replies.length === 0
      ? {}
      : { thread_ts: message.ts, reply_count: replies.length, latest_reply: replies.at(-1)?.ts }),
  };
}

/** Gives ids to blocks without one, as Slack does. */
export function withIds(blocks: SlackBlock[]): SlackBlock[] {
  return blocks.map((block, index) => ({ ...block, block_id: block.block_id ?? `b${index}` }));
}

function isDirect(args: Args): boolean {
  return typeof args.channel === 'string' && args.channel.startsWith('U');
}

function resolveChannel(channel: unknown): string | undefined {
  if (typeof channel !== 'string') return undefined;
  return channel.startsWith('U') ? dmOf(channel) : channel;
}

function posted(args: Args): Pick<SlackMessage, 'text' | 'blocks' | 'metadata' | 'thread_ts'> {
  return {
    text: String(args.text ?? ''),
    ...(args.blocks === undefined ? {} : { blocks: withIds(args.blocks as SlackBlock[]) }),
    ...(args.metadata === undefined ? {} : { metadata: args.metadata }),
    ...(args.thread_ts === undefined ? {} : { thread_ts: String(args.thread_ts) }),
  };
}
