import { isAppError } from '../errors.ts';
import type { Question } from '../question/question.ts';
import { isChoiceAwaited } from '../question/readers.ts';
import { recheckAfterMs } from '../settings.ts';
import { cardView, digestOf } from './card-view.ts';
import { atOnce, finalCard, type Standing } from './decide.ts';
import { changeQuestion, isSameRound, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';
import {
  withCallGivenUp,
  withCallSearched,
  withCopiesExpected,
  withEarlierCall,
  withIntent,
  withoutPending,
} from './unknown-outcome.ts';

export interface CardUpdates {
  /** Posts the card, or finds it after a post with an unknown outcome. The card of a command begins a thread. */
  announce(question: Question, standing: Standing, checkFirst: boolean): Promise<Progress>;
  /**
   * Searches for a card after its post was given up. It may still appear, so a card that is not found is not posted
   * again yet.
   */
  search(question: Question): Promise<Progress>;
  /**
   * Edits the card if people would see a difference. If the last edit is too recent, returns the milliseconds until the
   * next one. Returns undefined if no edit is due. Never throws errors of Slack.
   */
  refresh(question: Question, standing: Standing): Promise<number | undefined>;
  /** Shows on the card how the question ended. Throws errors of Slack, except for a card that is gone. */
  finish(question: Question): Promise<Question>;
}

/** Keeps the card of a question up to date. */
export function createCardUpdates(ports: LifecyclePorts): CardUpdates {
  const { messenger, now, settings } = ports;

  return { announce, search, refresh, finish };

  async function announce(question: Question, standing: Standing, checkFirst: boolean): Promise<Progress> {
    const view = cardView(question, standing, now());
    if (checkFirst) {
      const found = await postedBefore(question);
      if (found !== undefined) return { question: found };
    }
    const intended = await store(question, (stored) => {
      const begun = withIntent(stored, 'announce', now());
      return checkFirst ? withCopiesExpected(begun, now()) : begun;
    });
    let ts: string;
    try {
      ({ ts } = await messenger.postCard(intended, view));
    } catch (error) {
      if (isAppError(error)) {
        await store(intended, (stored) => {
          if (error.outcomeUnknown) return withCallGivenUp(stored, 'announce', now());
          if (checkFirst) return withEarlierCall(stored, 'announce', question.card);
          return { ...stored, card: withoutPending(stored.card) };
        });
      }
      throw error;
    }
    // Outside the try: if this store fails, the card is in Slack, and the app needs the intent to find it.
    return { question: await posted(intended, ts, digestOf(view)) };
  }

  async function search(question: Question): Promise<Progress> {
    const found = await postedBefore(question);
    return { question: found ?? (await store(question, (stored) => withCallSearched(stored, 'announce', now()))) };
  }

  async function postedBefore(question: Question): Promise<Question | undefined> {
    const ts = await messenger.findCard(question);
    return ts === undefined ? undefined : posted(question, ts, '');
  }

  /**
   * Keeps a card that another process stored meanwhile. That happens if this process is slow and was considered dead.
   */
  function posted(question: Question, ts: string, shown: string): Promise<Question> {
    return store(question, (stored) => {
      const noted = stored.card.ts;
      if (noted !== undefined) return noted === ts ? stored : withCopiesExpected(stored, now());
      return {
        ...stored,
        place: { ...stored.place, threadTs: stored.place.threadTs ?? ts },
        card: { ...withoutPending(stored.card), ts, shown, editedMs: now() },
      };
    });
  }

  async function refresh(question: Question, standing: Standing): Promise<number | undefined> {
    const { card } = question;
    const nowMs = now();
    const isOver = (question.outcome !== undefined && !isChoiceAwaited(question)) || question.phase === 'closed';
    if (isOver || card.ts === undefined || card.gone === true) return undefined;
    const view = cardView(question, standing, nowMs);
    const shown = digestOf(view);
    if (shown === card.shown) return undefined;
    const tooSoonMs = (card.editedMs ?? 0) + settings.cardEditMs - nowMs;
    if (tooSoonMs > 0) return tooSoonMs;
    try {
      await messenger.updateCard(question, view);
      await store(question, (stored) => ({ ...stored, card: { ...stored.card, shown, editedMs: nowMs } }));
      return undefined;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
      if (error.kind === 'notFound' || error.kind === 'undeliverable') {
        await markGone(question);
        return undefined;
      }
      const dropped = { event: 'card_edit_dropped', questionId: question.id, kind: error.kind };
      if (error.kind === 'rateLimited') ports.log.debug(dropped);
      else ports.log.warn(dropped, error);
      await store(question, (stored) => ({
        ...stored,
        card: { ...stored.card, editedMs: nowMs },
        // If Slack carries out this edit late, it replaces a newer one and restores a button that no longer works.
        ...(error.outcomeUnknown ? { recheckMs: nowMs + recheckAfterMs } : {}),
      }));
      return Math.max(settings.cardEditMs, error.retryAfterMs ?? 0);
    }
  }

  async function finish(question: Question): Promise<Question> {
    try {
      await messenger.updateCard(question, cardView(question, atOnce, now()));
    } catch (error) {
      if (isAppError(error, 'notFound', 'undeliverable', 'refused', 'unrenderable')) return markGone(question);
      throw error;
    }
    return store(question, (stored) =>
      isSameRound(stored, question)
        ? { ...stored, card: { ...stored.card, shown: finalCard, editedMs: now() } }
        : stored,
    );
  }

  function markGone(question: Question): Promise<Question> {
    return store(question, (stored) => ({ ...stored, card: { ...stored.card, gone: true } }));
  }

  function store(question: Question, change: (stored: Question) => Question): Promise<Question> {
    return changeQuestion(ports, question, change);
  }
}
