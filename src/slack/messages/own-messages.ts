import type { WebClient } from '@slack/web-api';
import { isAppError } from '../../core/errors.ts';
import type { Clock, Journal } from '../../core/ports.ts';
import { isInThread, type Question } from '../../core/question.ts';
import type { MarkedMessage } from '../../render/ids.ts';
import type { Through } from '../calls/through.ts';
import type { Identity } from '../calls/web-client.ts';

/** Messages read per call and calls made when a message is looked for. */
const pageSize = 200;
const pagesRead = 5;

/** How long a message whose posting had an unknown outcome is waited for where the app may not look for it. */
const blindWaitMs = 60_000;

/** A message as Slack tells it, so every field may be missing. */
export interface FoundMessage extends MarkedMessage {
  ts?: string;
  user?: string;
  bot_id?: string;
  files?: { name?: string | null }[];
}

/** Finds a message of the app where a question lives. `intentMs`: when it was about to be posted. Throws `AppError`. */
export type FindOwn = (
  question: Question,
  isIt: (message: FoundMessage) => boolean,
  urgency: 'answer' | 'card',
  intentMs?: number,
) => Promise<string | undefined>;

/**
 * Looks for messages of ours. Where the app was not granted the scope to read, nobody can tell whether the message
 * stands: after a minute of waiting for the grant it is taken for not posted, because a question that stays silent is
 * worse than the rare answer that comes twice.
 */
export function createFindOwn(deps: {
  client: WebClient;
  through: Through;
  identity: Identity;
  journal: Journal;
  now: Clock;
}): FindOwn {
  const { client, through, identity, journal, now } = deps;

  return async function find(question, isIt, urgency, intentMs = 0) {
    try {
      return await look(question, isIt, urgency);
    } catch (error) {
      if (!isAppError(error, 'unauthorized') || error.code !== 'missing_scope') throw error;
      journal.error({ event: 'look_not_allowed', questionId: question.id, channelId: question.place.channelId }, error);
      if (now() - intentMs <= blindWaitMs) throw error;
      return undefined;
    }
  };

  async function look(
    question: Question,
    isIt: (message: FoundMessage) => boolean,
    urgency: 'answer' | 'card',
  ): Promise<string | undefined> {
    const { place } = question;
    // A minute of grace for clocks that differ: messages older than the question cannot be about it.
    const oldest = String(Math.floor(question.acceptedMs / 1000) - 60);
    let cursor: string | undefined;
    for (let page = 0; page < pagesRead; page += 1) {
      const window = {
        channel: place.channelId,
        oldest,
        limit: pageSize,
        include_all_metadata: true,
        ...(cursor ? { cursor } : {}),
      };
      const found = isInThread(place)
        ? await through('conversations.replies', urgency, () =>
            client.conversations.replies({ ...window, ts: place.threadTs }),
          )
        : await through('conversations.history', urgency, () => client.conversations.history(window));
      const messages: FoundMessage[] = found.messages ?? [];
      const match = messages.find((message) => isOurs(message) && isIt(message));
      if (match?.ts !== undefined) return match.ts;
      cursor = found.response_metadata?.next_cursor;
      if (!cursor) return undefined;
    }
    return undefined;
  }

  /** Others may copy our markers; a server that names neither author nor app leaves only the marker to go by. */
  function isOurs({ user, bot_id }: FoundMessage): boolean {
    const { botUserId, botId } = identity;
    if (user === undefined && (bot_id === undefined || botId === undefined)) return true;
    return user === botUserId || (botId !== undefined && bot_id === botId);
  }
}
