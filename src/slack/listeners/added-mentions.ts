import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import type { AddedMention, MentionEdit } from '../../core/intake/added-mentions.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { ThreadStore } from '../../core/ports.ts';
import type { ThreadPlace } from '../../core/question/question.ts';
import type { MessageFile } from '../../core/question/thread-notes.ts';
import { maxQuestionLength } from '../../core/settings.ts';
import { ACTIONS } from '../../render/ids.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { mentions } from '../content/incoming-text.ts';
import type { PrivateNotifier } from '../messages/private-notifier.ts';
import type { MessageLog } from '../reports/message-log.ts';
import { type AskRoute, askedBy, routeMessage } from '../routing.ts';
import {
  type BlockAction,
  type BlockActionDeps,
  expired,
  type Handled,
  handledResult,
  onBlockAction,
} from './block-actions.ts';
import { messageKey } from './message-key.ts';

/** A message after an edit that changed its text; `before` is its earlier text. */
export interface EditedMessage {
  place: ThreadPlace;
  userId: string;
  ts: string;
  subtype: string | undefined;
  text: string;
  before: string;
  files: MessageFile[];
  /** The time of the edit, the same for every delivery. */
  atMs: number;
}

/** A deleted message. `userId` is undefined when Slack does not name its author. */
export interface DeletedMessage {
  place: ThreadPlace;
  userId: string | undefined;
  ts: string;
  /** The time of the deletion. */
  atMs: number;
}

export interface AddedMentionDeps {
  requests: Pick<Requests, 'noteMention' | 'changeMention' | 'takeMentionBack'>;
  slack: Pick<SlackApi, 'identity'>;
  threads: Pick<ThreadStore, 'get'>;
  notify: PrivateNotifier['notify'];
  /** Slack's text as people see it, without the app's mention. */
  read: (text: string) => Promise<string>;
}

export type AddedMentionButtonDeps = BlockActionDeps & {
  requests: Pick<Requests, 'findMention' | 'askMention'>;
  threads: Pick<ThreadStore, 'get'>;
  messageLog: Pick<MessageLog, 'note'>;
};

/** Offers to ask a message when an edit adds a mention of the app. */
export function createAddedMentions(deps: AddedMentionDeps) {
  const { requests, slack } = deps;

  return { edited, deleted };

  /**
   * For messages in channels that have asked nothing yet. Throws `AppError` of kind `storage` when nothing was done.
   */
  async function edited(message: EditedMessage): Promise<void> {
    const { place, userId, ts, files, atMs } = message;
    const did = mentions(message.before, slack.identity.botUserId);
    const does = mentions(message.text, slack.identity.botUserId);
    if (!did && !does) return;
    const key = messageKey(place.teamId, place.channelId, ts);
    if (!does) return requests.takeMentionBack(key, { place, userId, ts, atMs });
    const text = await deps.read(message.text);
    const mention: MentionEdit = { version: 1, place, userId, ts, text, files, atMs };
    if (did) return requests.changeMention(key, mention);
    const route = await routeOf(deps, mention, message.subtype);
    if (route === undefined) return;
    const questionId = await requests.noteMention(key, mention, randomUUID());
    if (questionId === undefined) return;
    deps.notify(
      { channelId: place.channelId, userId, ...(isReply(mention) ? { threadTs: place.threadTs } : {}) },
      { kind: 'mentionAdded', questionId, text: askedBy(route).text },
    );
  }

  async function deleted({ place, userId = '', ts, atMs }: DeletedMessage): Promise<void> {
    await requests.takeMentionBack(messageKey(place.teamId, place.channelId, ts), { place, userId, ts, atMs });
  }
}

/** The button of that offer. It asks the message in its present form, like a mention in the same place. */
export function registerAddedMentions(app: App, deps: AddedMentionButtonDeps): void {
  onBlockAction(app, deps, ACTIONS.askMention, async (action: BlockAction): Promise<Handled> => {
    const { value, requester, byMs } = action;
    const mention = await deps.requests.findMention(value.questionId, requester);
    const route = mention === undefined ? undefined : await routeOf(deps, mention);
    if (mention === undefined || route === undefined) return expired(deps, value);
    const { place, userId, ts, files } = mention;
    const result = await deps.requests.askMention(
      messageKey(place.teamId, place.channelId, ts),
      {
        ...askedBy(route),
        place,
        askerId: userId,
        origin: 'mention',
        beginsThread: !isReply(mention),
        messageTs: ts,
        files,
        readsThread: isReply(mention) || files.length > 0,
      },
      byMs,
    );
    if (result.kind === 'accepted') note(mention, result.question.id);
    return handledResult(deps, result, action);
  });

  function note(mention: AddedMention, questionId: string): void {
    const { place, userId, ts } = mention;
    const thread = isReply(mention) ? { threadTs: place.threadTs } : {};
    deps.messageLog.note(place, { ts, userId, atMs: Date.now(), disposition: 'asked', questionId, ...thread });
  }
}

/** The question in the message. Undefined for a verb, for no text, and for a text that is too long. */
async function routeOf(
  { threads, slack }: Pick<AddedMentionDeps, 'threads' | 'slack'>,
  { place, userId, ts, text }: AddedMention,
  subtype?: string,
): Promise<AskRoute | undefined> {
  const thread = await threads.get(place);
  const message = { isMention: true, userId, subtype, text, ts, threadTs: place.threadTs, edited: false };
  const route = routeMessage(message, text, thread, slack.identity.botUserId);
  if (route.to !== 'ask' && route.to !== 'askThread') return undefined;
  const { text: asked } = askedBy(route);
  return asked === '' || asked.length > maxQuestionLength ? undefined : route;
}

function isReply({ ts, place }: Pick<AddedMention, 'ts' | 'place'>): boolean {
  return ts !== place.threadTs;
}
