import type { InputBlock, KnownBlock, ModalView, Option, PlainTextElement } from '@slack/types';
import { context, section } from './blocks.ts';
import { ACTIONS, type ButtonValue, buttonValue, FORMS } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Say, sayIn } from './say.ts';
import { graphemeEnd } from './text.ts';

/** The fields of the forms. Each name is both block id and action id. */
export const FIELDS = { question: 'question', where: 'where', channel: 'channel', withLink: 'with_link' } as const;

/** Where to post the answer to a form's question. */
export const PLACES = { thread: 'thread', channel: 'channel', privately: 'privately' } as const;

/** The product's name, the same in every language. */
const PRODUCT = 'Deep Search';

/** Who would read a message in a channel. The counts are incomplete if the audience is not known. */
export interface ShownAudience {
  members: number;
  guests: number;
  outsiders: number;
  organizations: number;
  isKnown: boolean;
  /** Different for any two audiences, even if they have the same size. */
  fingerprint: string;
}

/** A modal that only shows a text, while a form loads or in its place. `reference` belongs to a failure. */
export function renderWords(words: (say: Say) => string, locale: string | undefined, reference?: string): ModalView {
  const say = sayIn(locale);
  return {
    type: 'modal',
    title: plain(PRODUCT),
    close: plain(say.buttons.close()),
    blocks: [section(words(say)), ...(reference === undefined ? [] : [context(say.failures.reference(reference))])],
  };
}

/**
 * Renders the form that asks a question. `about` is the thread of the message it is about, stored in the form; without
 * it the person chooses a channel. `text` fills the form, as far as it fits.
 */
export function renderAskForm(
  form: { text?: string; about?: string; startsPrivately?: boolean },
  locale: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const { text = '', about, startsPrivately = false } = form;
  const filled = fitted(text);
  const there =
    about === undefined ? option(say.modals.inChannel(), PLACES.channel) : option(say.modals.inThread(), PLACES.thread);
  return {
    type: 'modal',
    callback_id: FORMS.ask,
    private_metadata: about,
    title: plain(say.modals.askTitle()),
    submit: plain(say.modals.ask()),
    close: plain(say.buttons.cancel()),
    blocks: [
      questionInput(say.modals.question(), filled),
      ...(filled.length < text.length ? [context(say.modals.cut(filled.length))] : []),
      whereInput(say, there, say.modals.privately(), startsPrivately),
      ...(about === undefined ? [channelInput(say)] : []),
    ],
  };
}

/**
 * Renders the form that asks a follow-up in other words or elsewhere. `isDirect` is for direct messages, where every
 * answer is private.
 */
export function renderEditForm(
  form: { value: ButtonValue; text: string; isDirect: boolean },
  locale: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const { value, text, isDirect } = form;
  const here = option(say.modals.inThisThread(), PLACES.thread);
  const elsewhere = isDirect ? say.modals.inNewConversation() : say.modals.privately();
  return {
    type: 'modal',
    callback_id: FORMS.editFollowUp,
    private_metadata: buttonValue(value),
    title: plain(say.modals.editTitle()),
    submit: plain(say.modals.ask()),
    close: plain(say.buttons.cancel()),
    blocks: [questionInput(say.modals.followUp(), fitted(text)), whereInput(say, here, elsewhere)],
  };
}

/**
 * Renders the form that shares an answer. After a channel is chosen, it shows who would read the answer there, and asks
 * for a confirmation if some of them are not full members. `problem` says why the answer can't be shared there.
 * `private_metadata` names the question and the channel whose audience was shown.
 */
export function renderShareForm(
  form: {
    questionId: string;
    chosen?: { channelId: string; audience: ShownAudience };
    problem?: string;
    withLink?: boolean;
    /** The answer was asked with its asker's own access: the link is included only if others can open it. */
    isOwnAccess?: boolean;
    /** Whether the menu includes channels with other organizations. */
    withOthers?: boolean;
  },
  locale: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const { questionId, chosen, problem, withLink = false, withOthers = false, isOwnAccess = false } = form;
  const link = option(say.sharing.withLink(), FIELDS.withLink);
  return {
    type: 'modal',
    callback_id: FORMS.share,
    private_metadata: shareMetadata({
      questionId,
      ...(chosen === undefined ? {} : { shownChannelId: chosen.channelId }),
    }),
    title: plain(say.sharing.shareTitle()),
    submit: plain(say.sharing.share()),
    close: plain(say.buttons.cancel()),
    blocks: [
      {
        ...input(FIELDS.channel, say.sharing.channel(), {
          type: 'conversations_select',
          action_id: ACTIONS.shareChannel,
          filter: { include: ['public', 'private'], ...(withOthers ? {} : { exclude_external_shared_channels: true }) },
          ...(chosen === undefined ? {} : { initial_conversation: chosen.channelId }),
        }),
        dispatch_action: true,
      },
      ...(chosen === undefined ? [section(problem ?? say.sharing.choose())] : audienceBlocks(chosen, say)),
      context(say.sharing.sources()),
      {
        ...input(FIELDS.withLink, say.sharing.conversation(), {
          type: 'checkboxes',
          action_id: FIELDS.withLink,
          options: [link],
          ...(withLink ? { initial_options: [link] } : {}),
        }),
        optional: true,
        hint: plain(isOwnAccess ? say.sharing.withOwnLinkHint() : say.sharing.withLinkHint()),
      },
    ],
  };
}

function audienceBlocks(chosen: { channelId: string; audience: ShownAudience }, say: Say): KnownBlock[] {
  const { channelId, audience } = chosen;
  const { members, guests, outsiders, organizations, isKnown } = audience;
  const channel = `<#${channelId}>`;
  const line = isKnown
    ? say.sharing.audience(channel, { people: members + guests + outsiders, guests, organizations })
    : say.sharing.audienceUnknown(channel);
  const field = confirmField(channelId, audience);
  return [
    section(line),
    ...(field === undefined
      ? []
      : [
          input(field, say.sharing.beyond(), {
            type: 'checkboxes',
            action_id: field,
            options: [option(say.sharing.confirm(), 'confirm')],
          }),
        ]),
  ];
}

/**
 * The field that confirms this audience, or undefined if all are full members. The name identifies the audience, so
 * that a confirmation for other people or another channel does not count.
 */
export function confirmField(channelId: string, audience: ShownAudience): string | undefined {
  const { guests, outsiders, organizations, isKnown, fingerprint } = audience;
  if (isKnown && guests === 0 && outsiders === 0 && organizations === 0) return undefined;
  return `confirm:${channelId}:${isKnown ? fingerprint : 'unknown'}`;
}

/** The metadata of the form that shares an answer. */
export interface ShareMetadata {
  questionId: string;
  shownChannelId?: string;
}

const SHARE_METADATA = /^(q[0-9a-f]{24})(?: ([A-Z0-9]{2,30}))?$/;

function shareMetadata({ questionId, shownChannelId }: ShareMetadata): string {
  return shownChannelId === undefined ? questionId : `${questionId} ${shownChannelId}`;
}

/** Parses the metadata of a form. Undefined for metadata that this app did not write. */
export function parseShareMetadata(raw: string): ShareMetadata | undefined {
  const [, questionId, shownChannelId] = SHARE_METADATA.exec(raw) ?? [];
  if (questionId === undefined) return undefined;
  return { questionId, shownChannelId };
}

function questionInput(label: string, text: string): InputBlock {
  return input(FIELDS.question, label, {
    type: 'plain_text_input',
    action_id: FIELDS.question,
    multiline: true,
    max_length: LIMITS.inputText,
    ...(text === '' ? {} : { initial_value: text }),
  });
}

function whereInput(
  say: Say,
  there: Option & { value: string },
  privately: string,
  startsPrivately = false,
): InputBlock {
  const other = option(privately, PLACES.privately);
  return input(FIELDS.where, say.modals.where(), {
    type: 'radio_buttons',
    action_id: FIELDS.where,
    options: [there, other],
    initial_option: startsPrivately ? other : there,
  });
}

/** The field is optional, because an answer in direct messages needs no channel. */
function channelInput(say: Say): InputBlock {
  return {
    ...input(FIELDS.channel, say.modals.channel(), {
      type: 'conversations_select',
      action_id: FIELDS.channel,
      default_to_current_conversation: true,
      filter: { include: ['public', 'private'], exclude_external_shared_channels: true },
    }),
    optional: true,
    hint: plain(say.modals.channelHint()),
  };
}

/** Cuts a person's text to the length of an input. */
function fitted(text: string): string {
  return text.slice(0, graphemeEnd(text, LIMITS.inputText));
}

/** A field of a form. Its id is both block id and action id. */
export function input(id: string, label: string, element: InputBlock['element']): InputBlock {
  return { type: 'input', block_id: id, label: plain(label), element };
}

export function option(label: string, value: string): Option & { value: string } {
  return { text: plain(label), value };
}

export function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: false };
}
