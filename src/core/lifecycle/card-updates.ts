import { type AppError, isAppError, isTransient, threadGone } from '../errors.ts';
import type { CardView } from '../ports.ts';
import { isBetweenTwo, isInThread, type Question } from '../question/question.ts';
import { isChoiceAwaited } from '../question/readers.ts';
import { cardRetryMs, recheckAfterMs } from '../settings.ts';
import { cardView, digestOf } from './card-view.ts';
import { createCrowd } from './crowd.ts';
import { atOnce, finalCard, type Standing } from './decide.ts';
import { changeQuestion, endWith, isSameRound, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';
import { isStepCheckOld, saysWorking } from './shown-steps.ts';
import {
  withCallGivenUp,
  withCallSearched,
  withCopiesExpected,
  withEarlierCall,
  withIntent,
  withoutPending,
} from './unknown-outcome.ts';

export interface CardUpdates {
  /** Whether so many questions of the workspace run, counted at most a second ago, that no card may begin to show steps. */
  isCrowded(question: Question): Promise<boolean>;
  /**
   * Posts the card, or finds it after a post with an unknown outcome. The card of a command begins a thread. If Slack's
   * limits leave no room for the card of a question in a thread, stores when to try again: the question goes on.
   */
  announce(question: Question, standing: Standing, checkFirst: boolean): Promise<Progress>;
  /**
   * Searches for a card after its post was given up. It may still appear, so a card that is not found is not posted
   * again yet.
   */
  search(question: Question): Promise<Progress>;
  /**
   * Searches for the card of a question whose answer is posted. If it is not there, the question ends without one, and
   * a check removes a card that still appears.
   */
  drop(question: Question): Promise<Progress>;
  /**
   * Ends a question, or goes on without a card, if a retry cannot help. Returns undefined if it can.
   */
  announceFailed(question: Question, error: AppError): Promise<Progress | undefined>;
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
  const crowd = createCrowd(ports);

  return {
    isCrowded: (question) => crowd.isCrowded(question, false),
    announce,
    search,
    drop,
    announceFailed,
    refresh,
    finish,
  };

  async function announce(question: Question, standing: Standing, checkFirst: boolean): Promise<Progress> {
    if (checkFirst) {
      const found = await postedBefore(question);
      if (found !== undefined) return { question: found };
    }
    const view = await viewOf(question, standing, true);
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
    return { question: await posted(intended, ts, isOver(question) ? finalCard : digestOf(view)) };
  }

  async function drop(question: Question): Promise<Progress> {
    const found = await postedBefore(question);
    if (found !== undefined) return { question: found };
    return {
      question: await store(question, (stored) =>
        stored.card.ts === undefined
          ? withCopiesExpected({ ...stored, card: { ...withoutPending(stored.card), gone: true } }, now())
          : stored,
      ),
    };
  }

  async function announceFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    const isThere = isInThread(question.place);
    if (isTransient(error) && isThere && mayGoOn(question, error)) return { question: await hold(question, error) };
    if (isTransient(error)) return undefined;
    if (error.kind === 'undeliverable' && question.phase === 'waiting') {
      const canInvite = error.invitationHelps && !isBetweenTwo(question.place);
      const gone = error.code === threadGone ? ({ threadGone: true } as const) : {};
      return { question: await endWith(ports, question, { kind: 'undeliverable', canInvite, ...gone }) };
    }
    if (error.kind === 'undeliverable' || error.kind === 'unrenderable' || error.kind === 'refused') {
      ports.log.error({ event: 'card_refused', questionId: question.id, kind: error.kind }, error);
      if (isThere) return { question: await markGone(question) };
      return { question: await endWith(ports, question, { kind: 'undeliverable', canInvite: false }) };
    }
    // A question that is under way is still read: only its end has a bound where Slack refuses the app.
    return mayGoOn(question, error) ? { question: await hold(question, error) } : undefined;
  }

  /**
   * Whether a question goes on although its card failed. Before it is asked, only a limit of Slack lets it go on: another
   * failure may mean that nothing can be shown there. A question that has ended waits for a card that it still needs.
   */
  function mayGoOn({ phase }: Question, { kind }: AppError): boolean {
    return kind === 'rateLimited' || phase === 'running' || phase === 'parked';
  }

  function hold(question: Question, { retryAfterMs = cardRetryMs }: AppError): Promise<Question> {
    const waitMs = Math.max(1, retryAfterMs);
    return store(question, (stored) => ({ ...stored, card: { ...stored.card, notBeforeMs: now() + waitMs } }));
  }

  async function viewOf(question: Question, standing: Standing, isNew: boolean): Promise<CardView> {
    const mayBegin = question.outcome === undefined && !saysWorking(question);
    const isCrowded = mayBegin && (standing.isCrowded ?? (await crowd.isCrowded(question, isNew)));
    // Who reads the card is not checked while it shows no steps, so it begins to show them only after a check.
    const isUnchecked = mayBegin && question.phase === 'running' && isStepCheckOld(question, now());
    return cardView(question, standing, now(), isCrowded || isUnchecked);
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
      const { notBeforeMs: _, ...card } = stored.card;
      if (card.ts !== undefined) return card.ts === ts ? stored : withCopiesExpected(stored, now());
      // The question ended without a card meanwhile, so the check deletes this one.
      if (card.gone === true) return withCopiesExpected(stored, now());
      return {
        ...stored,
        place: { ...stored.place, threadTs: stored.place.threadTs ?? ts },
        card: { ...withoutPending(card), ts, shown, editedMs: now() },
      };
    });
  }

  async function refresh(question: Question, standing: Standing): Promise<number | undefined> {
    const { card } = question;
    if (isOver(question) || card.ts === undefined || card.gone === true) return undefined;
    const view = await viewOf(question, standing, false);
    const nowMs = now();
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
      if (isAppError(error, 'rateLimited')) crowd.closingWaits(question, error.retryAfterMs ?? 0);
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

/** Whether the card shows how the question ended, and does not change any more. */
function isOver(question: Question): boolean {
  return (question.outcome !== undefined && !isChoiceAwaited(question)) || question.phase === 'closed';
}
