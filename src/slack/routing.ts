import { isCancel, readIntent } from '../core/intents.ts';
import type { Thread } from '../core/question.ts';
import { addressesAnother, mentions } from './incoming-text.ts';

/** What of a Slack message decides where it goes; as Slack sends it, so every field may be missing. */
export interface IncomingMessage {
  /** It came as an `app_mention` event. */
  isMention: boolean;
  channelType?: string | undefined;
  subtype?: string | undefined;
  userId?: string | undefined;
  botId?: string | undefined;
  text: string;
  ts: string;
  threadTs?: string | undefined;
  /** The message was edited after it was posted. */
  edited: boolean;
}

/** What to do with a message. `reason` is for the log. */
export type Route =
  | { to: 'ignore'; reason: string }
  /** `fresh` starts a new conversation in a thread that has one. */
  | { to: 'ask'; text: string; fresh: boolean }
  | { to: 'cancel' }
  | { to: 'help' };

/** Message subtypes a person's own words come in. Everything else is an edit, a deletion, a notice or a bot. */
const spokenSubtypes = new Set([undefined, 'file_share', 'thread_broadcast']);

const slackbotUserId = 'USLACKBOT';

/**
 * Routes a `message` or `app_mention` event. In a direct conversation everything is meant for the app; in channels and
 * group direct messages only mentions are, and plain replies in threads whose first message asked the app. A mention
 * there arrives as an `app_mention` of its own. `plainText` is the text without Slack's tokens and without the app's
 * mention.
 */
export function routeMessage(
  message: IncomingMessage,
  plainText: string,
  thread: Thread | undefined,
  botUserId: string,
): Route {
  const notSpoken = notSpokenBecause(message, botUserId);
  if (notSpoken !== undefined) return { to: 'ignore', reason: notSpoken };
  if (message.isMention || message.channelType === 'im') return routeAddressed(plainText, thread);
  if (mentions(message.text, botUserId)) return { to: 'ignore', reason: 'arrives_as_app_mention' };
  if (message.threadTs === undefined) return { to: 'ignore', reason: 'not_in_thread' };
  if (thread === undefined) return { to: 'ignore', reason: 'thread_unknown' };
  if (!thread.followsReplies) return { to: 'ignore', reason: 'thread_started_by_people' };
  if (addressesAnother(message.text, botUserId)) return { to: 'ignore', reason: 'addresses_another_person' };
  if (plainText === '') return { to: 'ignore', reason: 'no_text' };
  if (isCancel(plainText)) return { to: 'cancel' };
  return { to: 'ask', text: plainText, fresh: false };
}

function notSpokenBecause(message: IncomingMessage, botUserId: string): string | undefined {
  if (message.botId !== undefined || message.userId === undefined) return 'from_bot';
  if (message.userId === botUserId || message.userId === slackbotUserId) return 'from_bot';
  if (!spokenSubtypes.has(message.subtype)) return `subtype_${message.subtype ?? ''}`;
  return message.edited ? 'edited' : undefined;
}

function routeAddressed(plainText: string, thread: Thread | undefined): Route {
  const intent = readIntent(plainText);
  if (intent.kind === 'help') return { to: 'help' };
  if (intent.kind === 'cancel') return { to: 'cancel' };
  if (intent.kind === 'new') return { to: 'ask', text: '', fresh: true };
  const hasConversation = thread?.conversationId !== undefined || (thread?.line.length ?? 0) > 0;
  return intent.freshText !== undefined && hasConversation
    ? { to: 'ask', text: intent.freshText, fresh: true }
    : { to: 'ask', text: plainText, fresh: false };
}
