import type { NewQuestion } from '../core/intake/accept.ts';
import { asksNothing, isGreeting } from '../core/intake/courtesies.ts';
import { isCancel, type Nothing, readIntent, type Verb } from '../core/intake/intents.ts';
import { hasConversation } from '../core/question/conversations.ts';
import { fileQuestion, forwardQuestion, threadQuestion } from '../core/question/prompt.ts';
import type { Thread } from '../core/question/question.ts';
import { addressesAnother, mentions, textBesidePeople } from './content/incoming-text.ts';

/** The fields of a Slack message that decide its route, as Slack sends them. Any of them may be missing. */
export interface IncomingMessage {
  /** The message came as an `app_mention` event. */
  isMention: boolean;
  channelType?: string;
  subtype?: string;
  userId?: string;
  botId?: string;
  /** What its author wrote, as `readContent` reads it. */
  text: string;
  /** What the message has beside its text, and what it is about where it has no text. */
  brings?: 'forward' | 'file';
  ts: string;
  threadTs?: string;
  /** The message was edited after it was posted. */
  edited: boolean;
}

/** Why the app ignores a message. */
export type IgnoreReason =
  | 'from_bot'
  | 'edited'
  /** The same message also comes as an `app_mention` event, which is routed instead. */
  | 'arrives_as_app_mention'
  /** An `app_mention` whose text has the app's id only in code. Its `message` event is routed instead. */
  | 'no_mention'
  | 'not_in_thread'
  | 'thread_unknown'
  | 'thread_started_by_people'
  | 'addresses_another_person'
  | 'no_text'
  | 'thread_muted'
  /** The channel's settings take only mentions. */
  | 'only_mentions'
  /** For example thanks or an emoji. */
  | 'asks_nothing'
  | `subtype_${string}`;

/** What to do with a message. */
export type Route =
  | { to: 'ignore'; reason: IgnoreReason }
  /** `fresh` starts a new conversation in a thread that has one. */
  | { to: 'ask'; text: string; fresh: boolean }
  /** A mention without text in a thread of people. The question is what they said there. */
  | { to: 'askThread' }
  | { to: 'verb'; verb: Verb | Nothing };

/** The route of a message that asks a question. */
type AskRoute = Extract<Route, { to: 'ask' | 'askThread' }>;

/** The question that a message asks. */
export function askedBy(route: AskRoute): Pick<NewQuestion, 'text' | 'fresh'> {
  if (route.to === 'askThread') return { text: threadQuestion, fresh: false };
  const { text, fresh } = route;
  return { text, fresh };
}

/** Subtypes of messages that a person writes. All others are edits, deletions, notices or messages of bots. */
const spokenSubtypes = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message']);

const slackbotUserId = 'USLACKBOT';

/** Who a message is for: the app, or the thread it is in, which the app may follow. */
type Addressee = 'app' | 'thread';

/**
 * Tells from a `message` or `app_mention` event alone who it is for, without its thread. In direct messages, every
 * message is for the app. In channels and group direct messages, only mentions are. Slack sends a mention in a channel
 * also as an `app_mention` event. In a group, and for a message with a file (slackapi/bolt-python#925), it may send only a
 * plain message.
 */
export function addresseeOf(message: IncomingMessage, botUserId: string): Addressee | { ignored: IgnoreReason } {
  const notSpoken = notSpokenBecause(message, botUserId);
  if (notSpoken !== undefined) return { ignored: notSpoken };
  if (message.channelType === 'im') return 'app';
  if (mentions(message.text, botUserId)) {
    const mayComeAlone = message.channelType === 'mpim' || message.brings !== undefined;
    return message.isMention || mayComeAlone ? 'app' : { ignored: 'arrives_as_app_mention' };
  }
  if (message.isMention) return { ignored: 'no_mention' };
  // "/me waves" tells people something.
  if (message.subtype === 'me_message') return { ignored: 'subtype_me_message' };
  return message.threadTs === undefined ? { ignored: 'not_in_thread' } : 'thread';
}

/**
 * Routes a message whose addressee and thread are known. Plain replies are for the app in threads whose first message
 * asked it. `plainText` is the text without Slack's tokens and without the app's mention.
 */
export function routeTo(
  addressee: Addressee,
  message: IncomingMessage,
  plainText: string,
  thread: Thread | undefined,
  botUserId: string,
  onlyMentions = false,
): Route {
  if (addressee === 'app') return routeToApp(message, plainText, thread, botUserId);
  if (thread === undefined) return { to: 'ignore', reason: 'thread_unknown' };
  if (!thread.followsReplies) return { to: 'ignore', reason: 'thread_started_by_people' };
  if (addressesAnother(message.text, botUserId)) return { to: 'ignore', reason: 'addresses_another_person' };
  if (plainText === '') return { to: 'ignore', reason: 'no_text' };
  if (isCancel(plainText)) return { to: 'verb', verb: 'cancel' };
  if (onlyMentions) return { to: 'ignore', reason: 'only_mentions' };
  if (thread.muted === true) return { to: 'ignore', reason: 'thread_muted' };
  if (saidNothing(message) !== undefined) return { to: 'ignore', reason: 'asks_nothing' };
  return { to: 'ask', text: plainText, fresh: false };
}

/** Routes a message whose thread is known already: {@link addresseeOf} and {@link routeTo} in one. */
export function routeMessage(
  message: IncomingMessage,
  plainText: string,
  thread: Thread | undefined,
  botUserId: string,
): Route {
  const addressee = addresseeOf(message, botUserId);
  if (typeof addressee === 'object') return { to: 'ignore', reason: addressee.ignored };
  return routeTo(addressee, message, plainText, thread, botUserId);
}

/** Mentions of people do not count: "Thanks, @ada" is a courtesy, like "thanks". No words are a greeting. */
export function saidNothing({ text }: Pick<IncomingMessage, 'text'>): Nothing | undefined {
  const words = textBesidePeople(text);
  if (isGreeting(words)) return 'greeting';
  return asksNothing(words) ? 'thanks' : undefined;
}

/** Thanks, "ok" or only emoji. Greetings are none. */
function isCourtesy({ text }: IncomingMessage): boolean {
  const words = textBesidePeople(text);
  return words !== '' && asksNothing(words);
}

/** Words and marks that only point to what was said above: "^", "👆", "this", "cc". */
const pointer =
  /^(?:(?:[\s^]|[\u{261D}\u{1F446}\u{2B06}\u{1F53C}](?:\u{FE0F}|[\u{1F3FB}-\u{1F3FF}])?)+|this|cc|(?:see )?above|siehe oben)[.!:]?$/iu;

function notSpokenBecause(message: IncomingMessage, botUserId: string): IgnoreReason | undefined {
  if (message.botId !== undefined || message.userId === undefined) return 'from_bot';
  if (message.userId === botUserId || message.userId === slackbotUserId) return 'from_bot';
  if (!spokenSubtypes.has(message.subtype)) return `subtype_${message.subtype ?? ''}`;
  return message.edited ? 'edited' : undefined;
}

function routeToApp(message: IncomingMessage, plainText: string, thread: Thread | undefined, botUserId: string): Route {
  const intent = readIntent(plainText);
  if (
    isInPeoplesThread(message, thread) &&
    message.brings === undefined &&
    pointer.test(textBesidePeople(message.text))
  )
    return { to: 'askThread' };
  const about = message.brings === undefined ? '' : message.brings === 'forward' ? forwardQuestion : fileQuestion;
  switch (intent.kind) {
    case 'nothing':
      if (about !== '') return { to: 'ask', text: about, fresh: false };
      return isInPeoplesThread(message, thread) ? { to: 'askThread' } : { to: 'verb', verb: 'greeting' };
    case 'verb':
      return { to: 'verb', verb: intent.verb };
    case 'new':
      return { to: 'ask', text: about, fresh: true };
    case 'ask': {
      const nothing = saidNothing(message);
      if (nothing !== undefined && about !== '') return { to: 'ask', text: about, fresh: false };
      if (isCourtesy(message) && isPlainDirectReply(message, botUserId))
        return { to: 'ignore', reason: 'asks_nothing' };
      if (nothing !== undefined) return { to: 'verb', verb: nothing };
      const isUsed = hasConversation(thread) || (thread?.queue.length ?? 0) > 0;
      return intent.freshText !== undefined && isUsed
        ? { to: 'ask', text: intent.freshText, fresh: true }
        : { to: 'ask', text: intent.text, fresh: false };
    }
  }
}

/** A reply in a thread of direct messages, which is for the app without a mention. */
function isPlainDirectReply({ channelType, threadTs, ts, text }: IncomingMessage, botUserId: string): boolean {
  return channelType === 'im' && threadTs !== undefined && threadTs !== ts && !mentions(text, botUserId);
}

function isInPeoplesThread({ channelType, threadTs, ts }: IncomingMessage, thread: Thread | undefined): boolean {
  return channelType !== 'im' && threadTs !== undefined && threadTs !== ts && thread?.followsReplies !== true;
}
