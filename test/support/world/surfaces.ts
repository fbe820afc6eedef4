import { type Entered, filledIn } from '../../../src/local-slack/forms.ts';
import type { SlackBlock, SlackElement, SlackEphemeral, SlackMessage } from '../../../src/local-slack/messages.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import type { SlackView } from '../../../src/local-slack/views.ts';
import { eventually } from '../eventually.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import type { Delivery } from '../fake-slack/memory-receiver.ts';
import {
  appHomeOpenedOf,
  buttonOf,
  composerLinkOf,
  feedbackOf,
  globalShortcutOf,
  linkSharedOf,
  mentionOf,
  messageChangedOf,
  messageShortcutOf,
  overflowOf,
  type Place,
  type Spoken,
  selectOf,
  viewClosedOf,
  viewSubmissionOf,
} from '../local-slack/payloads.ts';

interface By {
  /** Default: ada. */
  user?: string;
}

interface On extends By {
  threadTs?: string;
}

/** Actions of people other than messages: menus, modals, the Home tab, shortcuts, edits, links. */
export function createSurfaces(deps: {
  slack: FakeSlack;
  deliver: (body: Record<string, unknown>) => Promise<Delivery>;
  responseUrl: (of: { user: string; channel: string; threadTs?: string | undefined }) => string;
}) {
  const { slack, deliver, responseUrl } = deps;

  return {
    /** Chooses the option with this label from an overflow menu, on the newest message that has it. */
    overflow: async (label: string, { user = people.ada, threadTs }: On = {}): Promise<Delivery> => {
      const { message, found, block } = await onMessage(threadTs, `option "${label}"`, (element) =>
        element.type === 'overflow' ? element.options?.find(({ text }) => textOf(text) === label) : undefined,
      );
      const { element, hit: option } = found;
      return deliver(overflowOf({ ...idsOf(element, block), user, place: messagePlace(message, user), option }));
    },
    /** Presses one of Slack's feedback buttons, on the newest message that has them. */
    feedback: async (which: 'positive' | 'negative', { user = people.ada, threadTs }: On = {}): Promise<Delivery> => {
      const { message, found, block } = await onMessage(threadTs, 'feedback buttons', (element) =>
        element.type === 'feedback_buttons' ? element[`${which}_button`] : undefined,
      );
      const { value, text } = found.hit;
      const place = messagePlace(message, user);
      return deliver(feedbackOf({ ...idsOf(found.element, block), user, place, value, label: textOf(text) ?? which }));
    },
    /** Presses a button on the newest private message to this person that has this button. */
    pressPrivately: async (label: string, { user = people.ada }: By = {}): Promise<Delivery> => {
      const { found, ephemeral } = await eventually(() => {
        for (const each of ephemeralsTo(user).toReversed()) {
          const hit = buttonIn(each.blocks ?? [], label);
          if (hit !== undefined) return { found: hit, ephemeral: each };
        }
        throw new Error(`no private button "${label}" for ${user}`);
      });
      const { channel, thread_ts: threadTs } = ephemeral;
      const place = { ephemeral, responseUrl: responseUrl({ user, channel, threadTs }) };
      return deliver(pressedOf(found, label, user, place));
    },
    /** Presses a button on a person's Home tab. */
    pressInHome: async (label: string, { user = people.ada }: By = {}): Promise<Delivery> => {
      const { found, home } = await eventually(() => {
        const view = slack.homes.get(user);
        const hit = view === undefined ? undefined : buttonIn(view.blocks, label);
        if (view === undefined || hit === undefined) throw new Error(`no button "${label}" on the Home tab of ${user}`);
        return { found: hit, home: view };
      });
      return deliver(pressedOf(found, label, user, { view: slack.viewState.payloadOf(home) }));
    },
    /** Presses a button in the topmost modal. */
    pressInModal: async (label: string, { user = people.ada }: By = {}): Promise<Delivery> => {
      const { found, view } = await eventually(() => {
        const top = slack.openViews.at(-1);
        const hit = top === undefined ? undefined : buttonIn(top.blocks, label);
        if (top === undefined || hit === undefined) throw new Error(`no button "${label}" in a modal`);
        return { found: hit, view: top };
      });
      return deliver(pressedOf(found, label, user, { view: slack.viewState.payloadOf(view) }));
    },
    /** Chooses a conversation from the menu with this action id in a modal; the app gets an action if the menu sends one. */
    choose: (view: SlackView, actionId: string, conversation: string, { user = people.ada }: By = {}) => {
      const block = view.blocks.find((each) => elementsOf(each).some(({ action_id: id }) => id === actionId));
      if (block === undefined) throw new Error(`the modal has no ${actionId}`);
      const values = { [block.block_id ?? '']: { [actionId]: { selected_conversation: conversation } } };
      const place = { view: slack.viewState.payloadOf(view, values) };
      return deliver(selectOf({ actionId, blockId: block.block_id ?? '', user, conversation, place }));
    },
    /** Uses a shortcut: from the menu of the message with this timestamp, or a global one. */
    shortcut: (
      callbackId: string,
      { message: ts, user = people.ada, triggerId }: By & { message?: string; triggerId?: string } = {},
    ): Promise<Delivery> => {
      const trigger = triggerId === undefined ? {} : { triggerId };
      if (ts === undefined) return deliver(globalShortcutOf({ callbackId, user, ...trigger }));
      const message = messageAt(ts);
      const url = responseUrl({ user, channel: message.channel, threadTs: message.thread_ts });
      return deliver(messageShortcutOf({ callbackId, message, user, responseUrl: url, ...trigger }));
    },
    /** Waits until a modal is open and loaded; returns the topmost one. */
    modal: (): Promise<SlackView> =>
      eventually(() => {
        const top = slack.openViews.at(-1);
        if (top === undefined) throw new Error('no modal is open');
        if (/One moment\.|Einen Moment\./.test(JSON.stringify(top.blocks)))
          throw new Error('the modal is being filled');
        return top;
      }),
    /**
     * Submits a modal with input by action id, block id or label. Then the modal closes or changes according to the
     * app's reply.
     */
    submit: async (
      view: SlackView,
      values: Record<string, Entered> = {},
      { user = people.ada }: By = {},
    ): Promise<Delivery> => {
      const delivery = await deliver(
        viewSubmissionOf({ view: slack.viewState.payloadOf(view, filledIn(view, values)), user }),
      );
      if (delivery.acknowledged) slack.viewState.afterSubmission(view, delivery.response);
      return delivery;
    },
    /** Closes a modal; the app gets `view_closed` if the view has `notify_on_close`. */
    closeModal: async (view: SlackView, { user = people.ada }: By = {}): Promise<Delivery | undefined> => {
      slack.viewState.close(view);
      return view.notify_on_close === true
        ? deliver(viewClosedOf({ view: slack.viewState.payloadOf(view), user }))
        : undefined;
    },
    openHome: (user: string = people.ada, tab: 'home' | 'messages' = 'home'): Promise<Delivery> => {
      const view = slack.homes.get(user);
      return deliver(
        appHomeOpenedOf({
          user,
          tab,
          ...(view === undefined || tab === 'messages' ? {} : { view: slack.viewState.payloadOf(view) }),
        }),
      );
    },
    /** The last published Home tab of a person. */
    home: (user: string = people.ada): SlackView | undefined => slack.homes.get(user),
    ephemeralsTo,
    /**
     * A person edits their message. A mention of the app at the beginning is kept, and Slack then delivers the message
     * as a mention again. Resolves with the delivery of the edit.
     */
    edit: async (ts: string, newText: string): Promise<Delivery> => {
      const mention = `<@${team.botUserId}> `;
      const mentions = messageAt(ts).text.startsWith(mention);
      const { before, after } = slack.edit(ts, mentions ? `${mention}${newText}` : newText);
      const edited = after.edited ?? { user: after.user, ts };
      const channelType = channelTypeOf(slack, after.channel);
      const delivery = await deliver(messageChangedOf({ before, after, channelType, ts: edited.ts }));
      if (mentions) {
        const { user, channel, thread_ts: threadTs } = after;
        const thread = threadTs === undefined ? {} : { threadTs };
        await deliver(mentionOf({ user, channel, ts, text: newText, ...thread, more: { edited } }));
      }
      return delivery;
    },
    /** A person posts a link, or only types it; returns the values that `chat.unfurl` needs for it. */
    shareLink: async (
      url: string,
      options: { user?: string; channel?: string; threadTs?: string; composer?: boolean } = {},
    ): Promise<{ ts: string | undefined; unfurlId: string; delivery: Delivery }> => {
      const { user = people.ada, channel = 'C0GENERAL', threadTs, composer = false } = options;
      const unfurlId = `${user}-909b5454-75f8-4ac4-b325-${String(slack.sharedLinks.length).padStart(12, '0')}`;
      if (composer) {
        slack.sharedLinks.push({ source: 'composer', unfurlId, urls: [url] });
        const delivery = await deliver(composerLinkOf({ user, urls: [url], unfurlId }));
        return { ts: undefined, unfurlId, delivery };
      }
      const ts = slack.say(channel, user, `<${url.replaceAll('&', '&amp;')}>`, threadTs);
      slack.sharedLinks.push({ source: 'conversations_history', unfurlId, urls: [url], channel, ts });
      const botIsMember = slack.channels.get(channel)?.botIsMember ?? false;
      const thread = threadTs === undefined ? {} : { threadTs };
      const delivery = await deliver(
        linkSharedOf({ user, channel, ts, urls: [url], unfurlId, botIsMember, ...thread }),
      );
      return { ts, unfurlId, delivery };
    },
  };

  /** What only this person sees: private messages in order, then private replies by response URL in order. */
  function ephemeralsTo(user: string): SlackEphemeral[] {
    const answered = slack.responses.flatMap(({ url, body }) => {
      const of = new URL(url).searchParams;
      if (of.get('user') !== user || body.response_type === 'in_channel' || body.delete_original === true) return [];
      const threadTs = of.get('thread_ts');
      return [
        {
          channel: of.get('channel') ?? '',
          user,
          text: String(body.text ?? ''),
          ...(threadTs === null ? {} : { thread_ts: threadTs }),
          ...(Array.isArray(body.blocks) ? { blocks: body.blocks as SlackBlock[] } : {}),
        },
      ];
    });
    return [...slack.ephemerals.filter((each) => each.user === user), ...answered];
  }

  function messageAt(ts: string): SlackMessage {
    const message = slack.messages.find((each) => each.ts === ts);
    if (message === undefined) throw new Error(`no message ${ts}`);
    return message;
  }

  function messagePlace(message: SlackMessage, user: string): Place {
    const { channel, thread_ts: threadTs } = message;
    return { message, responseUrl: responseUrl({ user, channel, threadTs }) };
  }

  /** Waits for the newest message with an element that `find` accepts. */
  function onMessage<Hit>(
    threadTs: string | undefined,
    what: string,
    find: (element: SlackElement) => Hit | undefined,
  ): Promise<{ message: SlackMessage; block: SlackBlock; found: { element: SlackElement; hit: Hit } }> {
    return eventually(() => {
      const messages = slack.messages.filter((each) => threadTs === undefined || each.thread_ts === threadTs);
      for (const message of messages.toReversed()) {
        for (const block of message.blocks ?? []) {
          for (const element of elementsOf(block)) {
            const hit = find(element);
            if (hit !== undefined) return { message, block, found: { element, hit } };
          }
        }
      }
      throw new Error(`no ${what} on any message`);
    });
  }
}

/** The `channel_type` of a conversation in Slack's events. */
export function channelTypeOf(slack: FakeSlack, id: string): NonNullable<Spoken['channelType']> {
  const channel = slack.channels.get(id);
  if (channel?.isIm === true) return 'im';
  if (channel?.isMpim === true) return 'mpim';
  return channel?.isPrivate === true ? 'group' : 'channel';
}

interface FoundButton {
  element: SlackElement;
  block: SlackBlock;
}

function buttonIn(blocks: SlackBlock[], label: string): FoundButton | undefined {
  return blocks
    .flatMap((block) => elementsOf(block).map((element) => ({ element, block })))
    .find(({ element }) => element.type === 'button' && textOf(element.text) === label);
}

function pressedOf({ element, block }: FoundButton, label: string, user: string, place: Place) {
  const value = element.value === undefined ? {} : { value: element.value };
  return buttonOf({ ...idsOf(element, block), user, place, label, ...value });
}

function idsOf(element: SlackElement, block: SlackBlock): { actionId: string; blockId: string } {
  return { actionId: element.action_id ?? '', blockId: block.block_id ?? 'block' };
}

function elementsOf({ elements = [], accessory, element }: SlackBlock): SlackElement[] {
  return [...elements, accessory, element].filter((each) => each !== undefined);
}

function textOf(node: unknown): string | undefined {
  return typeof node === 'object' && node !== null && 'text' in node && typeof node.text === 'string'
    ? node.text
    : undefined;
}
