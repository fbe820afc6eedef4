import { eventually } from '../eventually.ts';
import { type LocalMessage, type LocalSlack, textOf } from './local-slack.ts';

/** Generous, because all tests share few processors. */
export const answerTimeoutMs = 30_000;

/** What the app posted about one question. */
export interface Posted {
  questionId: string;
  cards: LocalMessage[];
  /** All messages with a part of the outcome, in order. */
  parts: LocalMessage[];
}

/** The app's messages in a channel, grouped by question, in order of appearance. */
export async function postedIn(slack: LocalSlack, channel: string): Promise<Posted[]> {
  const byQuestion = new Map<string, Posted>();
  for (const message of await slack.messages(channel)) {
    const marker = markerOf(message);
    if (marker === undefined) continue;
    const { questionId, isCard } = marker;
    const posted = byQuestion.get(questionId) ?? { questionId, cards: [], parts: [] };
    byQuestion.set(questionId, posted);
    (isCard ? posted.cards : posted.parts).push(message);
  }
  return [...byQuestion.values()];
}

function markerOf({ blocks = [] }: Pick<LocalMessage, 'blocks'>): { questionId: string; isCard: boolean } | undefined {
  for (const { block_id: blockId } of blocks) {
    const [, questionId, what] = /^ds:(q[0-9a-f]{24}):(card|\d+:\d+)/.exec(blockId ?? '') ?? [];
    if (questionId !== undefined) return { questionId, isCard: what === 'card' };
  }
  return undefined;
}

/** Waits until the newest question of a thread is answered; `count` is the expected number of questions in the thread. */
export function answerIn(
  slack: LocalSlack,
  { channel, ts }: Pick<LocalMessage, 'channel' | 'ts'>,
  count = 1,
): Promise<{ card: LocalMessage; answer: LocalMessage; parts: LocalMessage[] }> {
  return eventually(
    async () => {
      const questions = await questionsOf(slack, { channel, ts });
      if (questions.length !== count)
        throw new Error(`${questions.length} questions in the thread instead of ${count}`);
      const { cards, parts } = questions.at(-1) ?? { cards: [], parts: [] };
      const [card] = cards;
      const [answer] = parts;
      if (card === undefined || !textOf(card).includes('Answered in')) throw new Error(`card: ${card && textOf(card)}`);
      if (answer === undefined) throw new Error('no answer');
      return { card, answer, parts };
    },
    { timeoutMs: answerTimeoutMs },
  );
}

/** The questions of one thread; the card of a command is the root of its thread. */
export async function questionsOf(
  slack: LocalSlack,
  { channel, ts }: Pick<LocalMessage, 'channel' | 'ts'>,
): Promise<Posted[]> {
  const belongs = (message: LocalMessage): boolean => message.ts === ts || message.thread_ts === ts;
  return (await postedIn(slack, channel)).filter(({ cards, parts }) => [...cards, ...parts].some(belongs));
}

/** Waits for the card of the command that asked `text`; the card is the root of a thread. */
export function cardOfCommand(slack: LocalSlack, channel: string, text: string): Promise<LocalMessage> {
  return eventually(
    async () => {
      const roots = (await slack.messages(channel)).filter((message) => message.bot_id && !message.thread_ts);
      const card = roots.find((message) => markerOf(message)?.isCard && textOf(message).includes(text));
      if (card === undefined) throw new Error(`no card for "${text}"`);
      return card;
    },
    { timeoutMs: answerTimeoutMs },
  );
}

/** Waits for a private message to `user` that contains `words`. */
export function privateMessageTo(
  slack: LocalSlack,
  channel: string,
  user: string,
  words: string,
): Promise<LocalMessage> {
  return eventually(async () => {
    const messages = await slack.messages(channel);
    const found = messages.findLast((message) => message.privateTo === user && textOf(message).includes(words));
    if (found === undefined) throw new Error(`no private message "${words}" to ${user}`);
    return found;
  });
}
