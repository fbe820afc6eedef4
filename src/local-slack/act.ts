import { randomUUID } from 'node:crypto';
import { dmOf, type SlackChannel } from './channels.ts';
import type { Attempt, Kind } from './delivery.ts';
import type { Attached } from './files.ts';
import { actionOf, type Entered, elementsOf, FormError, filledIn } from './forms.ts';
import type { Manifest } from './manifest.ts';
import type { SlackBlock, SlackMessage } from './messages.ts';
import { commandOf } from './payloads.ts';
import {
  linkSharedOf,
  mentionEventOf,
  messageChangedOf,
  messageDeletedOf,
  messageEventOf,
} from './payloads-messages.ts';
import {
  agentSessionStoppedOf,
  appHomeOpenedOf,
  blockActionsOf,
  globalShortcutOf,
  memberJoinedOf,
  messageShortcutOf,
  type Place,
  viewClosedOf,
  viewSubmissionOf,
} from './payloads-surfaces.ts';
import { type SlackPerson, slackbot, team } from './people.ts';
import type { State } from './state.ts';
import { typed, written } from './typed.ts';
import type { SlackView } from './views.ts';

/** What Slack's own client would not let a person do, as a sentence for them. */
export class ActError extends Error {}

export interface Outcome {
  /** What Slack shows when the app did not answer. */
  problem?: string;
}

type Body = Record<string, unknown>;

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

interface Used {
  person: string;
  place: { channel: string; ts: string } | { view: string };
  blockId: string;
  actionId: string;
  choice?: string | string[];
  entered?: Record<string, Entered>;
}

const tooLate = 'The app did not respond. Try again?';

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
    post: async ({ person, channel, text, threadTs, broadcast, files: attached = [] }: Posted) => {
      const [, command = '', rest = ''] = /^(\/\w+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
      if (manifest.commands.some((each) => each.command === command)) {
        if (threadTs !== undefined) throw new ActError(`${command} can't be used in threads.`);
        return act.command({ person, channel, command, text: rest });
      }
      memberOf(person, channel);
      const root = threadTs === undefined ? undefined : at({ channel, ts: threadTs });
      if (text.trim() === '' && attached.length === 0) throw new ActError('An empty message is not sent.');
      if (text.length > 40_000) throw new ActError('A message has at most 40,000 characters.');
      const content = text.trim() === '' ? { text: '' } : written(text, names);
      const made = attached.map((each) => files.create(person, each));
      const message = said({
        channel,
        user: person,
        client_msg_id: randomUUID(),
        ...content,
        ...(root === undefined ? {} : { thread_ts: root.ts }),
        ...(made.length === 0 ? {} : { files: made, subtype: 'file_share', upload: false, display_as_bot: false }),
        ...(root !== undefined && broadcast === true ? { subtype: 'thread_broadcast' } : {}),
      });
      return { message, ...(await posted(message)) };
    },
    edit: async ({ person, channel, ts, text }: At & { text: string }): Promise<Outcome> => {
      ownMessage(person, channel, ts);
      const { before, after } = messages.edit(ts, written(text, names));
      state.changed();
      await Promise.all([
        changed(before, after),
        hears(channel) && mentionsApp(after) && event('app_mention', mentionEventOf(after, about(after))),
      ]);
      return {};
    },
    /** Deletes an own message, or dismisses a private one. */
    remove: async ({ person, channel, ts }: At): Promise<Outcome> => {
      if (messages.dismiss(person, ts)) {
        state.changed();
        return {};
      }
      const message = ownMessage(person, channel, ts);
      const before = { ...message };
      if (messages.repliesTo(message).length === 0) messages.remove(ts);
      else messages.bury(message);
      state.changed();
      if (message.subtype === 'tombstone') await changed(before, message);
      else await deleted(before);
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
      const original = at({ channel, ts });
      const content = text.trim() === '' ? { text: '' } : written(text, names);
      const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
      const message = said({
        channel: to,
        user: person,
        client_msg_id: randomUUID(),
        ...content,
        ...thread,
        attachments: [forwardOf(original)],
      });
      return { message, ...(await posted(message)) };
    },
    react: async ({ person, channel, ts, name }: At & { name: string }): Promise<Outcome> => {
      memberOf(person, channel);
      const message = at({ channel, ts });
      const others = (message.reactions ?? []).filter((each) => each.name !== name);
      const { users = [] } = (message.reactions ?? []).find((each) => each.name === name) ?? {};
      const now = users.includes(person) ? users.filter((each) => each !== person) : [...users, person];
      message.reactions = now.length === 0 ? others : [...others, { name, users: now, count: now.length }];
      state.changed();
      return {};
    },
    /** What stands in the composer when a message is edited. */
    typed: ({ text }: SlackMessage): string => typed(text, nameOf),
    join: async ({ person, channel }: In): Promise<Outcome> => {
      const place = channelAt(channel);
      if (place.isPrivate) throw new ActError('Private channels can only be joined by invitation.');
      return added(channel, person);
    },
    invite: async ({ person, channel, added: invited }: In & { added: string }): Promise<Outcome> => {
      memberOf(person, channel);
      return added(channel, invited, person);
    },
    leave: async ({ person, channel }: In): Promise<Outcome> => {
      const place = memberOf(person, channel);
      place.members = channels.membersOf(place).filter((id) => id !== person && id !== team.botUserId);
      return posted(
        said({ channel, user: person, subtype: 'channel_leave', text: `<@${person}> has left the channel` }),
      );
    },
    read: ({ person, channel }: In): void => {
      state.read(person, channel);
      state.changed();
    },
    openHome: async ({ person }: { person: string }): Promise<Outcome> => {
      const view = views.homes.get(inside(person).id);
      const shown = view === undefined ? {} : { view: views.payloadOf(view) };
      await event('app_home_opened', appHomeOpenedOf({ user: person, tab: 'home', ...shown }));
      return {};
    },
    openDirect: async ({ person }: { person: string }) => {
      await event('app_home_opened', appHomeOpenedOf({ user: inside(person).id, tab: 'messages' }));
      return { channel: dmOf(person) };
    },
    command: async ({ person, channel, command, text }: In & { command: string; text: string }): Promise<Outcome> => {
      memberOf(person, channel);
      const payload = commandOf({
        command,
        text: written(text, names).text.replaceAll(/<(https?:[^<>]+)>/g, '$1'),
        user: person,
        userName: inside(person).name,
        channel,
        channelName: channelName(channel),
        triggerId: views.trigger(person),
        responseUrl: responses.issue({ person, channel }),
      });
      const attempt = await deliver('slash_commands', payload);
      if (!attempt.acknowledged) return { problem: `${command} failed with the error "operation_timeout"` };
      if (attempt.response !== undefined) {
        responses.say({ person, channel }, attempt.response);
        state.changed();
      }
      return {};
    },
    globalShortcut: ({ person, callbackId }: { person: string; callbackId: string }): Promise<Outcome> =>
      interact(globalShortcutOf({ callbackId, user: inside(person).id, triggerId: views.trigger(person) })),
    messageShortcut: ({ person, channel, ts, callbackId }: At & { callbackId: string }): Promise<Outcome> => {
      memberOf(person, channel);
      const message = at({ channel, ts });
      const responseUrl = responses.issue({ person, channel });
      const triggerId = views.trigger(person);
      const payload = messageShortcutOf({ callbackId, message, user: person, triggerId, responseUrl });
      return interact({ ...payload, channel: { id: channel, name: channelName(channel) } });
    },
    use: async ({ person, place, blockId, actionId, choice, entered = {} }: Used): Promise<Outcome> => {
      const [blocks, where] = placeOf(person, place, entered);
      const block = blocks.find((each) => each.block_id === blockId);
      const element = block && elementsOf(block).find((each) => each.action_id === actionId);
      if (element === undefined) throw new ActError('That is no longer there.');
      const action = { block_id: blockId, ...actionOf(element, choice), action_ts: messages.nextTs() };
      const payload = blockActionsOf({ user: person, place: where, action, triggerId: views.trigger(person) });
      const named = 'view' in where ? {} : { channel: { id: channelOf(where), name: channelName(channelOf(where)) } };
      return interact({ ...payload, ...named });
    },
    submit: async ({
      person,
      view: id,
      entered,
    }: {
      person: string;
      view: string;
      entered: Record<string, Entered>;
    }) => {
      const view = modalAt(person, id);
      try {
        const payload = views.payloadOf(view, filledIn(view, entered));
        const attempt = await deliver(
          'interactive',
          asThemselves(viewSubmissionOf({ view: payload, user: person, triggerId: views.trigger(person) })),
        );
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
      return interact(viewClosedOf({ view: views.payloadOf(view), user: person }));
    },
    /** Slack's stop button. */
    stop: async ({ person, channel, threadTs }: In & { threadTs: string }): Promise<Outcome> => {
      memberOf(person, channel);
      if (agents.sessions.get(`${channel}:${threadTs}`)?.status !== 'processing')
        throw new ActError('Nothing runs there.');
      await event('agent_session_stopped', agentSessionStoppedOf({ user: person, channel, threadTs }));
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

  function memberOf(person: string, id: string): SlackChannel {
    const channel = channelAt(id);
    if (!channels.membersOf(channel).includes(inside(person).id)) throw new ActError('You are not in this channel.');
    if (channel.isArchived) throw new ActError('This channel is archived.');
    return channel;
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
    return announced(channel, person, inviter);
  }

  async function announced(channel: string, person: string, inviter?: string): Promise<Outcome> {
    const { isPrivate } = channelAt(channel);
    const by = inviter === undefined ? {} : { inviter };
    const message = said({
      channel,
      user: person,
      subtype: 'channel_join',
      text: `<@${person}> has joined the channel`,
      ...by,
    });
    const joined = memberJoinedOf({ user: person, channel, isPrivate, ts: message.ts, ...by });
    await Promise.all([posted(message), hears(channel) && event('member_joined_channel', joined)]);
    return {};
  }

  /** What Slackbot says privately of a mention in a channel without the app. */
  function sayNotInChannel({ channel, user, ts, thread_ts: threadTs }: SlackMessage): void {
    const text = `You mentioned <@${team.botUserId}>, but they’re not in this channel.`;
    const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
    messages.ephemerals.push({ ts: `${ts}9`, channel, user, from: slackbot, text, ...thread });
    state.changed();
  }

  /** Whether the app gets the messages of a channel. */
  function hears(channel: string): boolean {
    return channels.map.get(channel)?.botIsMember === true;
  }

  function mentionsApp({ text, channel, bot_id: botId, subtype = '' }: SlackMessage): boolean {
    if (subtype.startsWith('channel_')) return false;
    return botId === undefined && channelAt(channel).isIm !== true && text.includes(`<@${team.botUserId}>`);
  }

  function about(message: SlackMessage) {
    const root = message.thread_ts === undefined ? undefined : messages.find(message.channel, message.thread_ts);
    return {
      channelType: channels.typeOf(message.channel),
      ...(root === undefined ? {} : { parentUserId: root.user }),
    };
  }

  /** Tells the app of a new message. */
  async function posted(message: SlackMessage): Promise<Outcome> {
    const { channel, user, ts, thread_ts: threadTs } = message;
    const root = threadTs === undefined ? undefined : messages.find(channel, threadTs);
    const told = messageEventOf(message, {
      ...about(message),
      ...(message.subtype === 'thread_broadcast' && root ? { root } : {}),
    });
    const sent = hears(channel)
      ? [
          messageEvent(message, told),
          mentionsApp(message) && event('app_mention', mentionEventOf(message, about(message))),
        ]
      : [];
    if (mentionsApp(message) && !hears(channel)) sayNotInChannel(message);
    const urls = message.bot_id === undefined ? linksIn(message.text).filter((url) => previews(new URL(url).host)) : [];
    if (urls.length > 0) {
      const unfurlId = `${user}-${randomUUID()}`;
      unfurls.shared.push({ source: 'conversations_history', unfurlId, urls, channel, ts });
      const thread = threadTs === undefined ? {} : { threadTs };
      sent.push(
        event(
          'link_shared',
          linkSharedOf({ user, channel, ts, urls, unfurlId, botIsMember: hears(channel), ...thread }),
        ),
      );
    }
    await Promise.all(sent);
    return {};
  }

  async function changed(before: SlackMessage, after: SlackMessage): Promise<void> {
    const payload = messageChangedOf({
      before,
      after,
      channelType: channels.typeOf(after.channel),
      ts: messages.nextTs(),
    });
    if (hears(after.channel)) await messageEvent(after, payload);
  }

  async function deleted(message: SlackMessage): Promise<void> {
    const payload = messageDeletedOf({ message, channelType: channels.typeOf(message.channel), ts: messages.nextTs() });
    if (hears(message.channel)) await messageEvent(message, payload);
  }

  function messageEvent({ channel }: SlackMessage, payload: Body): Promise<unknown> {
    const plural = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' };
    return event(`message.${plural[channels.typeOf(channel)]}`, payload, channel);
  }

  /** Sends an event if the app's manifest subscribes to it. */
  async function event(name: string, payload: Body, channel?: string): Promise<void> {
    if (!manifest.events.includes(name)) return;
    const { event: inner } = payload as { event: { channel?: unknown } };
    const place = channels.map.get(channel ?? String(inner.channel));
    await deliver('events_api', { ...payload, is_ext_shared_channel: place?.isExtShared ?? false });
  }

  /** With the person's own name, in place of the builders' one. */
  function asThemselves(payload: Body): Body {
    const { user } = payload as { user: { id: string } };
    const { name } = inside(user.id);
    return { ...payload, user: { ...user, username: name, name } };
  }

  async function interact(payload: Body): Promise<Outcome> {
    const attempt = await deliver('interactive', asThemselves(payload));
    return attempt.acknowledged ? {} : { problem: tooLate };
  }

  function placeOf(person: string, place: Used['place'], entered: Record<string, Entered>): [SlackBlock[], Place] {
    if ('view' in place) {
      const home = views.homes.get(inside(person).id);
      const view = home?.id === place.view ? home : modalAt(person, place.view);
      return [view.blocks, { view: views.payloadOf(view, filledIn(view, entered, { isComplete: false })) }];
    }
    const { channel, ts } = place;
    memberOf(person, channel);
    const ephemeral = messages.ephemerals.find((each) => each.user === person && each.ts === ts);
    const shown = ephemeral ?? at({ channel, ts });
    const threadTs = shown.thread_ts === undefined ? {} : { threadTs: shown.thread_ts };
    const responseUrl = responses.issue({ person, channel, source: ts, ...threadTs });
    const content = ephemeral === undefined ? { message: at({ channel, ts }) } : { ephemeral };
    return [shown.blocks ?? [], { ...content, responseUrl } as Place];
  }

  function channelName(id: string): string {
    const { isIm, isPrivate, name } = channelAt(id);
    if (isIm === true) return 'directmessage';
    return isPrivate ? 'privategroup' : (name ?? id.toLowerCase());
  }

  /** See `slack-content`: all that a forward says of its original. */
  function forwardOf(original: SlackMessage): Body {
    const { channel, ts, user, text, blocks = [], files: shared = [] } = original;
    const place = channelAt(channel);
    const author = people.find(user);
    const name = place.isIm === true ? 'Direct Message' : (place.name ?? channel.toLowerCase());
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
      ...(place.isPrivate ? { private_channel_prompt: true } : {}),
      ...(blocks.length === 0 ? {} : { message_blocks: [{ team: team.id, channel, ts, message: { blocks } }] }),
      ...(shared.length === 0 ? {} : { files: shared }),
      footer: place.isIm === true ? 'Direct Message' : `Posted in #${name}`,
    };
  }
}

export type Act = ReturnType<typeof createAct>['act'];

function channelOf(place: Exclude<Place, { view: unknown }>): string {
  return 'message' in place ? place.message.channel : place.ephemeral.channel;
}

function linksIn(text: string): string[] {
  return [...text.matchAll(/<(https?:\/\/[^\s|>]+)/g)]
    .map(([, url = '']) => url.replaceAll('&amp;', '&'))
    .filter((url) => URL.canParse(url));
}
