import type { CardSync } from './card-sync.ts';
import { type AppError, isAppError, isTransient } from './errors.ts';
import {
  beside,
  changeQuestion,
  delist,
  giveTurnBack,
  isSameRound,
  type LifePorts,
  type Progress,
  wake,
} from './life-ports.ts';
import { finalCard, isSaidByCard } from './lifecycle.ts';
import { leaveLine } from './line.ts';
import type { PrivateNotice } from './ports.ts';
import { isBetweenTwo, isInThread, type Question } from './question.ts';
import { forgetRefused, keepForButton } from './refused-text.ts';

/** How often closing a card is tried before the question closes without it. */
const cardEditTries = 8;

/** How often attaching the whole answer as a file is tried before the answer goes without it. */
const attachTries = 5;

/** The last part of a question's life: its end is posted part by part, its card closed, its place in line given up. */
export function createDelivering(ports: LifePorts, card: CardSync) {
  const { messenger, threads, journal, now } = ports;

  return {
    post,
    failed,
    attach,
    attachFailed,
    sayUndeliverable,
    sayUndeliverableFailed,
    closeCard,
    closeCardFailed,
    close,
  };

  async function post(question: Question, part: number, lookFirst: boolean): Promise<Progress> {
    if (lookFirst) {
      const ts = await messenger.findPart(question, part);
      if (ts !== undefined) return { question: await posted(question, ts) };
    }
    const intended = await store(question, (stored) => ({
      ...stored,
      delivery: { ...stored.delivery, intentMs: now() },
    }));
    let ts: string;
    try {
      ({ ts } = await messenger.postPart(intended, part));
    } catch (error) {
      if (isAppError(error) && !error.outcomeUnknown) {
        await store(intended, (stored) => ({ ...stored, delivery: withoutIntent(stored.delivery) }));
      }
      throw error;
    }
    // Outside the try: when storing this fails the message stands in Slack, and the intent must stay to find it by.
    return { question: await posted(intended, ts) };
  }

  function posted(question: Question, ts: string): Promise<Question> {
    return store(question, (stored) =>
      isSameRound(stored, question)
        ? { ...stored, delivery: { ...withoutIntent(stored.delivery), posted: [...stored.delivery.posted, ts] } }
        : stored,
    );
  }

  /** The file is a convenience: every word of it stands in the messages, so Slack's refusal ends the tries. */
  async function attach(question: Question, lookFirst: boolean): Promise<Progress> {
    if (lookFirst && (await messenger.findAttachment(question))) {
      return { question: await filed(question, 'attached') };
    }
    const intended = await filed(question, 'intended');
    await messenger.attachAnswer(intended);
    return { question: await filed(intended, 'attached') };
  }

  async function attachFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (isTransient(error) && (question.trouble?.failures ?? 0) + 1 < attachTries) return undefined;
    journal.warn({ event: 'file_not_attached', questionId: question.id, kind: error.kind }, error);
    return { question: await filed(question, 'refused') };
  }

  function filed(question: Question, state: NonNullable<Question['delivery']['file']>['state']): Promise<Question> {
    return store(question, (stored) =>
      isSameRound(stored, question)
        ? { ...stored, delivery: { ...stored.delivery, file: { intentMs: now(), state } } }
        : stored,
    );
  }

  /** A refusal that no repetition can change ends the delivery; everything else is tried again. */
  async function failed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (!isAppError(error, 'undeliverable', 'unrenderable', 'refused', 'notFound')) return undefined;
    journal.error({ event: 'delivery_refused', questionId: question.id, kind: error.kind }, error);
    try {
      return await sayUndeliverable(question);
    } catch (notTold) {
      if (!isAppError(notTold) || notTold.kind === 'storage' || notTold.kind === 'corrupt') throw notTold;
      return sayUndeliverableFailed(question, notTold);
    }
  }

  /** Tells the asker privately that the end could not be shown where the question was asked. */
  async function sayUndeliverable(question: Question): Promise<Progress> {
    await messenger.tellPrivately(question, question.askerId, privateEnd(question));
    return { question: await giveUpThread(question) };
  }

  /** The private word may be the only visible end: it is tried again as long as Slack may still take it. */
  async function sayUndeliverableFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (error.kind === 'unavailable' || error.kind === 'rateLimited' || error.kind === 'badReply') return undefined;
    journal.error({ event: 'end_not_told', questionId: question.id, kind: error.kind }, error);
    return { question: await giveUpThread(question) };
  }

  function giveUpThread(question: Question): Promise<Question> {
    return store(question, (stored) =>
      isSameRound(stored, question)
        ? { ...stored, delivery: { ...withoutIntent(stored.delivery), refused: true } }
        : stored,
    );
  }

  async function closeCard(question: Question): Promise<Progress> {
    // Slack may let the card wait for minutes; the next question does not.
    await leave(question);
    await ports.witness.closing(question);
    return { question: await card.finish(question) };
  }

  /**
   * The card is the smaller half of an end: when Slack goes on refusing to edit it, the question closes all the same.
   * Where it is the whole end, only the patience of every delivery ends the tries, and so it is where Slack, or our own
   * budget of calls, only asks to wait: with many questions ending at once the last card's turn comes after minutes.
   */
  async function closeCardFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (isSaidByCard(question) || error.kind === 'rateLimited') return undefined;
    if ((question.trouble?.failures ?? 0) < cardEditTries) return undefined;
    journal.error({ event: 'card_not_closed', questionId: question.id, kind: error.kind }, error);
    return {
      question: await store(question, (stored) =>
        isSameRound(stored, question) ? { ...stored, card: { ...stored.card, shown: finalCard } } : stored,
      ),
    };
  }

  /** Gives up the question's place in line and its turn: its end is posted, and what is left is its card. */
  async function leave(question: Question): Promise<void> {
    if (isInThread(question.place)) {
      await wake(ports, await leaveLine(threads, question.id, question.place));
    }
    await giveTurnBack(ports, question);
  }

  async function close(question: Question): Promise<Question> {
    await leave(question);
    await ports.witness.closing(question);
    if (question.outcome?.kind === 'answered' && question.origin !== 'shared') {
      const { durationMs } = question.outcome.answer;
      await beside(ports, question, ports.durations.note(question.place.teamId, question.id, durationMs));
    }
    await keepForButton(ports, question);
    // "Check again" may have re-opened the question in the meantime; then it lives on.
    const closed = await store(question, (stored) => (isSameRound(stored, question) ? asClosed(stored) : stored));
    if (closed.phase !== 'closed') return closed;
    await delist(ports, question.id);
    journal.info({
      event: 'question_closed',
      outcome: question.outcome?.kind ?? 'none',
      questionId: question.id,
      durationMs: now() - question.acceptedMs,
      parts: question.delivery.posted.length,
    });
    return closed;
  }

  function store(question: Question, change: (stored: Question) => Question): Promise<Question> {
    return changeQuestion(ports, question, change);
  }
}

function withoutIntent(delivery: Question['delivery']): Question['delivery'] {
  const { intentMs: _, ...rest } = delivery;
  return rest;
}

function asClosed({ responseUrl: _url, trouble: _trouble, ...question }: Question): Question {
  const { outcome, context } = question;
  return forgetRefused({
    ...question,
    phase: 'closed',
    ...(outcome === undefined ? {} : { outcome: lightened(outcome) }),
    // What people said in the thread was needed for asking only.
    ...(context === undefined ? {} : { context: { ...context, text: '' } }),
  });
}

/** What the asker is told when nothing can or may be shown where the question was asked. */
function privateEnd({ id, text, place, upstream, outcome, shares }: Question): PrivateNotice {
  if (outcome?.kind === 'notAllowed') {
    const withheld = shares !== undefined ? 'share' : upstream.askedMs === undefined ? undefined : 'answer';
    const notice = { kind: 'notAllowed', reason: outcome.reason, questionId: id, text } as const;
    return withheld === undefined ? notice : { ...notice, withheld };
  }
  if (shares !== undefined) return { kind: 'shareUndeliverable', channelId: place.channelId };
  if (outcome?.kind === 'undeliverable' || !isInThread(place)) {
    const canInvite = outcome?.kind === 'undeliverable' && outcome.canInvite;
    const notice = { kind: 'notInChannel', questionId: id, text, canInvite } as const;
    return isBetweenTwo(place) ? { ...notice, isBetweenTwo: true } : notice;
  }
  return {
    kind: 'undeliverable',
    place,
    ...(upstream.shareUrl === undefined ? {} : { shareUrl: upstream.shareUrl }),
  };
}

/** Once delivered, the text stands in Slack and at the service; only what buttons need is kept. */
function lightened(outcome: NonNullable<Question['outcome']>): NonNullable<Question['outcome']> {
  return outcome.kind === 'answered' ? { ...outcome, answer: { ...outcome.answer, markdown: '' } } : outcome;
}
