import type { Messenger } from '../../core/ports.ts';
import type { Question } from '../../core/question/question.ts';
import { answerFileName } from '../../render/answer-file.ts';
import { cardMarker, markerOf } from '../../render/ids.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type FoundMessage, type OwnMessages, unlessGone } from './own-messages.ts';

/**
 * Deletes messages that were posted twice. Slack may carry out a call long after the app gave it up and repeated it.
 * The copy of a card would keep its Cancel button forever.
 */
export function createRemoveCopies({
  slack,
  own,
}: {
  slack: Pick<SlackApi, 'call'>;
  own: OwnMessages;
}): Messenger['removeCopies'] {
  return async function removeCopies(question) {
    const messages = (await own.list(question)).toSorted(byTimestamp);
    const copies = copiesAmong(messages, question);
    for (const ts of copies) await deleteMessage(question.place.channelId, ts);
    const files = fileCopiesAmong(messages, question);
    for (const id of files) await deleteFile(id);
    return copies.length + files.length;
  };

  async function deleteMessage(channel: string, ts: string): Promise<void> {
    await unlessGone(slack.call('chat.delete', { channel, ts }, { priority: 'answer' }));
  }

  async function deleteFile(file: string): Promise<void> {
    await unlessGone(slack.call('files.delete', { file }, { priority: 'answer' }));
  }
}

/**
 * Of each card and part, the message that the question names is kept, because people saw it change. Otherwise the
 * oldest is kept. When the card was deleted, a copy of it only shows the first state, with a Cancel button. So does a card
 * that appears after the question ended without one.
 */
function copiesAmong(messages: FoundMessage[], question: Question): string[] {
  const { card } = question;
  const named = new Set([card.ts, ...question.delivery.posted]);
  const byMarker = new Map<string, string[]>();
  for (const message of messages) {
    const marker = markerOf(message, question);
    if (marker !== undefined && message.ts !== undefined) {
      byMarker.set(marker, [...(byMarker.get(marker) ?? []), message.ts]);
    }
  }
  return [...byMarker].flatMap(([marker, group]) => {
    const isCard = marker === cardMarker(question) && (card.ts !== undefined || card.gone === true);
    const kept = isCard ? card.ts : (group.find((ts) => named.has(ts)) ?? group[0]);
    return group.filter((ts) => ts !== kept);
  });
}

/** Keeps the oldest file of this name. */
function fileCopiesAmong(messages: FoundMessage[], question: Question): string[] {
  const name = answerFileName(question);
  const [, ...copies] = messages.flatMap(({ files = [] }) => files.filter((file) => file.name === name));
  return copies.flatMap(({ id }) => id ?? []);
}

function byTimestamp({ ts: one = '' }: FoundMessage, { ts: other = '' }: FoundMessage): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
