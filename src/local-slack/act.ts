import { randomUUID } from 'node:crypto';
import { dmOf, type SlackChannel } from './channels.ts';
import type { Attempt, Kind } from './delivery.ts';
import type { Attached } from './files.ts';
import { actionOf, type Entered, elementsOf, FormError, filledIn } from './forms.ts';
import type { Manifest } from './manifest.ts';
import type { SlackBlock, SlackMessage } from './messages.ts';
import * as payloads from './payloads.ts';
import { type SlackPerson, slackbot, team } from './people.ts';
import type { State } from './state.ts';
import { typed, written } from './typed.ts';
import { linksIn } from './unfurls.ts';
import type { SlackView } from './views.ts';

/** What Slack's own client would not let a person do, as a sentence for them. */
export class ActError extends Error {}

export interface Outcome {
  /** What Slack shows when the app did not answer. */
  problem?: string;
  /** What was posted. */
  message?: SlackMessage;
}

type Body = payloads.Body;

interface In {
  person: string;
  channel: string;
}

interface At extends In {
  ts: string;
}

interface Posted extends In {
  text: string;
  threadTs?: string;
  /** Also shows a reply in the channel. */
  broadcast?: boolean;
  files?: Attached[];
}

interface Submitted {
  person: string;
  view: string;
  entered: Record<string, Entered>;
}

interface Used {
  person: string;
  place: { channel: string; ts: string } | { view: string };
  blockId: string;
  actionId: string;
  choice?: string | string[];
  entered?: Record<string, Entered>;
}

/**
 * What people do in a workspace. Each act changes the state at once and sends the app what Slack sends; it resolves when
 * the app acknowledged that, or did not in time.
 */
export function createAct({
  state,
  manifest,
  deliver,
  previews,
}: {
  state: State;
  manifest: Manifest;
  deliver: (kind: Kind, payload: Body) => Promise<Attempt>;
  /** Whether links to this host get previews by the app. */
  previews: (host: string) => boolean;
}) {
  const { people, channels, messages, files, views, agents, unfurls, responses } = state;
  const names = {
    personOf: (name: string) => [...people.map.values()].find((each) => each.name === name)?.id,
    channelOf: (name: string) => [...channels.map].find(([, each]) => each.name === name && each.isIm !== true)?.[0],
  };
  const nameOf = (id: string): string => people.find(id)?.name ?? channels.map.get(id)?.name ?? id;

  const act = {
    post: async ({ person, channel, text, threadTs, broadcast, files: attached = [] }: Posted): Promise<Outcome> => {
      const [, command = '', rest = ''] = /^(\/\w+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
      if (manifest.commands.some((each) => each.command === command)) {
        if (threadTs !== undefined) throw new ActError(`${command} can't be used in threads.`);
        return act.command({ person, channel, command, text: rest });
      }
      memberOf(person, channel);
      if (command === '/invite')
        return act.invite({ person, channel, added: names.personOf(rest.replace(/^@|\s+$/g, '')) ?? '' });
      const root = threadTs === undefined ? undefined : at({ channel, ts: threadTs });
      if (text.trim() === '' && attached.length === 0) throw new ActError('An empty message is not sent.');
      if (text.length > 40_000) throw new ActError('A message has at most 40,000 characters.');
      const made = attached.map((each) => files.create(person, each));
      return sent(person, channel, text, {
        thread_ts: root?.ts,
        ...(made.length === 0 ? {} : { files: made, subtype: 'file_share', upload: false, display_as_bot: false }),
        ...(root !== undefined && broadcast === true ? { subtype: 'thread_broadcast' } : {}),
      });
    },
    edit: async ({ person, channel, ts, text }: At & { text: string }): Promise<Outcome> => {
      ownMessage(person, channel, ts);
      const { before, after } = messages.edit(ts, written(text, names));
      state.changed();
      await Promise.all([changed(before, after), hears(channel) && mentioned(after)]);
      return {};
    },
    /** Deletes an own message, or dismisses a private one. */
    remove: async ({ person, channel, ts }: At): Promise<Outcome> => {
      const message = messages.dismiss(person, ts) ? undefined : ownMessage(person, channel, ts);
      const before = message && { ...message };
      if (message !== undefined && messages.repliesTo(message).length > 0) messages.bury(message);
      else messages.remove(ts);
      state.changed();
      if (before !== undefined) await (message?.subtype === 'tombstone' ? changed(before, message) : deleted(before));
      return {};
    },
    forward: async ({
      person,
      channel,
      ts,
      to,
      threadTs,
      text = '',
    }: At & { to: string; threadTs?: string; text?: string }) => {
      memberOf(person, channel);
      memberOf(person, to);
      return sent(person, to, text, { thread_ts: threadTs, attachments: [forwardOf(at({ channel, ts }))] });
    },
    /** What stands in the composer when a message is edited. */
    typed: ({ text }: SlackMessage): string => typed(text, nameOf),
    join: async ({ person, channel }: In): Promise<Outcome> => {
      if (channelAt(channel).isPrivate) throw new ActError('Private channels can only be joined by invitation.');
      return added(channel, person);
    },
    invite: async ({ person, channel, added: invited }: In & { added: string }): Promise<Outcome> => {
      memberOf(person, channel);
      return added(channel, invited, person);
    },
    read: ({ person, channel }: In): void => {
      state.read(person, channel);
      state.changed();
    },
    openHome: async ({ person }: { person: string }): Promise<Outcome> => {
      const view = views.homes.get(inside(person).id);
      await opened(person, 'home', view && views.payloadOf(view));
      return {};
    },
    openDirect: async ({ person }: { person: string }) => {
      await opened(inside(person).id, 'messages');
      return { channel: dmOf(person) };
    },
    command: async ({ person, channel, command, text }: In & { command: string; text: string }): Promise<Outcome> => {
      memberOf(person, channel);
      const payload = payloads.commandOf({
        command,
        text: written(text, names).text.replaceAll(/<(https?:[^<>]+)>/g, '$1'),
        user: inside(person),
        channel: named(channel),
        trigger_id: views.trigger(person),
        response_url: responses.issue({ person, channel }),
      });
      const attempt = await deliver('slash_commands', payload);
      if (!attempt.acknowledged) return { problem: `${command} failed with the error "operation_timeout"` };
      if (attempt.response !== undefined) responses.say({ person, channel }, attempt.response);
      state.changed();
      return {};
    },
    globalShortcut: ({ person, callbackId }: { person: string; callbackId: string }): Promise<Outcome> =>
      interact(person, 'shortcut', { callback_id: callbackId, action_ts: messages.nextTs() }),
    messageShortcut: ({ person, channel, ts, callbackId }: At & { callbackId: string }): Promise<Outcome> => {
      memberOf(person, channel);
      return interact(person, 'message_action', {
        callback_id: callbackId,
        response_url: responses.issue({ person, channel }),
        message_ts: ts,
        channel: named(channel),
        message: payloads.messageIn(at({ channel, ts })),
        action_ts: messages.nextTs(),
      });
    },
    use: async ({ person, place, blockId, actionId, choice, entered = {} }: Used): Promise<Outcome> => {
      const [blocks, where] = 'view' in place ? inView(person, place.view, blockId, entered) : onMessage(person, place);
      const block = blocks.find((each) => each.block_id === blockId);
      const element = block && elementsOf(block).find((each) => each.action_id === actionId);
      if (element === undefined) throw new ActError('That is no longer there.');
      const action = { block_id: blockId, ...actionOf(element, choice), action_ts: messages.nextTs() };
      return interact(person, 'block_actions', { ...where, actions: [action] });
    },
    submit: async ({
      person,
      view: id,
      entered,
    }: Submitted): Promise<Outcome & { errors?: Record<string, string> }> => {
      const view = modalAt(person, id);
      try {
        const submitted = { view: views.payloadOf(view, filledIn(view, entered)), response_urls: [] };
        const attempt = await deliver('interactive', interaction(person, 'view_submission', submitted));
        if (!attempt.acknowledged) return { problem: 'We had some trouble connecting. Try again?' };
        const errors = views.afterSubmission(view, attempt.response);
        state.changed();
        return errors === undefined ? {} : { errors };
      } catch (error) {
        if (error instanceof FormError) return { errors: { [error.blockId]: error.message } };
        throw error;
      }
    },
    closeView: async ({ person, view: id }: { person: string; view: string }): Promise<Outcome> => {
      const view = modalAt(person, id);
      views.close(view);
      state.changed();
      if (view.notify_on_close !== true) return {};
      return interact(person, 'view_closed', { view: views.payloadOf(view), is_cleared: false, trigger_id: undefined });
    },
    /** Slack's stop button. */
    stop: async ({ person, channel, threadTs }: In & { threadTs: string }): Promise<Outcome> => {
      memberOf(person, channel);
      if (agents.sessions.get(`${channel}:${threadTs}`)?.status !== 'processing')
        throw new ActError('Nothing runs there.');
      const place = { channel, thread_ts: threadTs, streaming_message_ts: [] };
      await event({ type: 'agent_session_stopped', user: person, ...place, event_ts: messages.nextTs() });
      return {};
    },
  };

  return {
    act,
    /** What Slack tells the app of its own calls. */
    told: { posted, changed, deleted, joined: (channel: string) => announced(channel, team.botUserId) },
  };

  function inside(id: string): SlackPerson {
    const found = people.find(id);
    if (found === undefined || found.deleted === true) throw new ActError('There is no such person.');
    return found;
  }

  function channelAt(id: string): SlackChannel {
    const found = channels.map.get(id);
    if (found === undefined) throw new ActError('There is no such conversation.');
    return found;
  }

  function memberOf(person: string, id: string): void {
    const channel = channelAt(id);
    if (!channels.membersOf(channel).includes(inside(person).id)) throw new ActError('You are not in this channel.');
    if (channel.isArchived) throw new ActError('This channel is archived.');
  }

  function at({ channel, ts }: { channel: string; ts: string }): SlackMessage {
    const found = messages.find(channel, ts);
    if (found === undefined || found.subtype === 'tombstone') throw new ActError('That message is gone.');
    return found;
  }

  function ownMessage(person: string, channel: string, ts: string): SlackMessage {
    const message = at({ channel, ts });
    if (message.user !== person || message.bot_id !== undefined) throw new ActError('Only its author can do that.');
    return message;
  }

  function modalAt(person: string, id: string): SlackView {
    const view = views.of(person).find((each) => each.id === id);
    if (view === undefined) throw new ActError('That form is gone.');
    return view;
  }

  /** A channel as payloads name it. */
  function named(id: string): { id: string; name: string } {
    const { isIm, isPrivate, name = id.toLowerCase() } = channelAt(id);
    return { id, name: isIm === true ? 'directmessage' : isPrivate ? 'privategroup' : name };
  }

  async function sent(person: string, channel: string, text: string, more: Partial<SlackMessage>): Promise<Outcome> {
    const message = said({ channel, user: person, client_msg_id: randomUUID(), ...written(text, names), ...more });
    await posted(message);
    return { message };
  }

  function said(message: Omit<SlackMessage, 'ts' | 'edits'>): SlackMessage {
    const added = messages.add(message);
    if (message.user !== team.botUserId) state.read(message.user, message.channel);
    state.changed();
    return added;
  }

  async function added(channel: string, person: string, inviter?: string): Promise<Outcome> {
    const place = channelAt(channel);
    if (channels.membersOf(place).includes(inside(person).id)) throw new ActError('Already in this channel.');
    if (person === team.botUserId) place.botIsMember = true;
    else place.members = [...channels.membersOf(place).filter((id) => id !== team.botUserId), person];
    await announced(channel, person, inviter);
    return {};
  }

  async function announced(channel: string, user: string, inviter?: string): Promise<void> {
    const text = `<@${user}> has joined the channel`;
    const message = said({ channel, user, subtype: 'channel_join', text, inviter });
    const joined = { user, channel, team: payloads.teamOf(user), inviter, event_ts: message.ts };
    const channelType = channelAt(channel).isPrivate ? 'G' : 'C';
    await Promise.all([
      posted(message),
      hears(channel) && event({ type: 'member_joined_channel', ...joined, channel_type: channelType }),
    ]);
  }

  /** Whether the app gets the messages of a channel. */
  function hears(channel: string): boolean {
    return channels.map.get(channel)?.botIsMember === true;
  }

  function about({ channel, thread_ts: threadTs, subtype }: SlackMessage) {
    const root = threadTs === undefined ? undefined : messages.find(channel, threadTs);
    return {
      channelType: channels.typeOf(channel),
      ...(root === undefined ? {} : { parentUserId: root.user }),
      ...(root !== undefined && subtype === 'thread_broadcast' ? { root } : {}),
    };
  }

  /** Tells the app of a new message. */
  async function posted(message: SlackMessage): Promise<void> {
    await Promise.all([
      messageEvent(message, payloads.messageEventOf(message, about(message))),
      mentioned(message),
      linked(message),
    ]);
  }

  /** Tells the app of a mention; in a channel without the app, Slackbot tells its author. */
  async function mentioned(message: SlackMessage): Promise<void> {
    const { channel, user, ts, text, thread_ts, bot_id: botId, subtype = '' } = message;
    if (!text.includes(`<@${team.botUserId}>`) || subtype.startsWith('channel_')) return;
    if (botId !== undefined || channelAt(channel).isIm === true) return;
    if (hears(channel)) return event(payloads.mentionEventOf(message, about(message)));
    const why = `You mentioned <@${team.botUserId}>, but they’re not in this channel. /invite @deepsearch adds them.`;
    messages.ephemerals.push({ ts: `${ts}9`, channel, user, from: slackbot, text: why, thread_ts });
    state.changed();
  }

  /** Tells the app of links that it shows previews of. */
  async function linked({ channel, user, ts, text, bot_id: botId, thread_ts: threadTs }: SlackMessage): Promise<void> {
    const urls = linksIn(text).filter((url) => previews(new URL(url).host));
    if (botId !== undefined || urls.length === 0) return;
    const unfurlId = `${user}-${randomUUID()}`;
    unfurls.shared.push({ source: 'conversations_history', unfurlId, urls, channel, ts });
    await event(payloads.linkSharedOf({ user, channel, ts, threadTs, urls, unfurlId, botIsMember: hears(channel) }));
  }

  function changed(before: SlackMessage, after: SlackMessage): Promise<void> {
    const at = { channelType: channels.typeOf(after.channel), ts: messages.nextTs() };
    return messageEvent(after, payloads.messageChangedOf({ before, after, ...at }));
  }

  function deleted(message: SlackMessage): Promise<void> {
    const at = { channelType: channels.typeOf(message.channel), ts: messages.nextTs() };
    return messageEvent(message, payloads.messageDeletedOf({ message, ...at }));
  }

  async function messageEvent({ channel }: SlackMessage, payload: Body): Promise<void> {
    const plural = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' };
    if (hears(channel)) await event(payload, `message.${plural[channels.typeOf(channel)]}`);
  }

  function opened(user: string, tab: 'home' | 'messages', view?: Body): Promise<void> {
    return event({ type: 'app_home_opened', user, channel: dmOf(user), tab, view, event_ts: messages.nextTs() });
  }

  /** Sends an event, with or without its outer object, if the app's manifest subscribes to it. */
  async function event(payload: Body, name?: string): Promise<void> {
    const outer = payload.type === 'event_callback' ? payload : payloads.envelope(payload);
    const { type, channel } = outer.event as { type: string; channel?: unknown };
    if (!manifest.events.includes(name ?? type)) return;
    const isShared = channels.map.get(String(channel))?.isExtShared ?? false;
    await deliver('events_api', { ...outer, is_ext_shared_channel: isShared });
  }

  function interaction(person: string, type: string, more: Body): Body {
    return payloads.interaction(inside(person), { type, trigger_id: views.trigger(person), ...more });
  }

  async function interact(person: string, type: string, more: Body): Promise<Outcome> {
    const attempt = await deliver('interactive', interaction(person, type, more));
    return attempt.acknowledged ? {} : { problem: 'The app did not respond. Try again?' };
  }

  function inView(person: string, id: string, blockId: string, entered: Record<string, Entered>): [SlackBlock[], Body] {
    const home = views.homes.get(inside(person).id);
    const shown = home?.id === id ? home : modalAt(person, id);
    // If the app changes the view just before a press, the block has another id by now; so the press is one at the
    // version that the person saw.
    const versions = [shown, views.earlier.get(id) ?? shown];
    const view = versions.find(({ blocks }) => blocks.some((each) => each.block_id === blockId)) ?? shown;
    const payload = views.payloadOf(view, filledIn(view, entered, { isComplete: false }));
    return [view.blocks, { container: { type: 'view', view_id: id }, view: payload }];
  }

  function onMessage(person: string, { channel, ts }: { channel: string; ts: string }): [SlackBlock[], Body] {
    memberOf(person, channel);
    const ephemeral = messages.ephemerals.find((each) => each.user === person && each.ts === ts);
    const message = ephemeral === undefined ? at({ channel, ts }) : undefined;
    const { blocks = [], thread_ts: threadTs } = message ?? ephemeral ?? {};
    const responseUrl = responses.issue({ person, channel, source: ts, threadTs });
    return [blocks, payloads.usedMessage({ ts, threadTs, channel: named(channel), responseUrl, message })];
  }

  /** See `slack-content`: all that a forward says of its original. */
  function forwardOf(original: SlackMessage): Body {
    const { channel, ts, user, text, blocks, files: shared } = original;
    const { isIm, isPrivate, name: ownName = channel.toLowerCase() } = channelAt(channel);
    const name = isIm === true ? 'Direct Message' : ownName;
    const author = people.find(user);
    return {
      is_share: true,
      is_msg_unfurl: true,
      ts,
      from_url: messages.permalinkOf(original),
      channel_id: channel,
      channel_team: team.id,
      channel_name: name,
      author_id: user,
      author_name: author?.real_name ?? author?.name ?? user,
      author_subname: author?.name ?? user,
      text,
      fallback: `[${new Date(Number(ts) * 1_000).toUTCString()}] ${author?.name ?? user}: ${text}`,
      mrkdwn_in: ['text'],
      private_channel_prompt: isPrivate || undefined,
      message_blocks: blocks && [{ team: team.id, channel, ts, message: { blocks } }],
      files: shared,
      footer: isIm === true ? name : `Posted in #${name}`,
    };
  }
}

export type Act = ReturnType<typeof createAct>['act'];
