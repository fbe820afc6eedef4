import type { Confirm } from '../access-policy.ts';
import { AppError, isAppError, isTransient, threadGone } from '../errors.ts';
import type { CardView } from '../ports.ts';
import { isBetweenTwo, isInThread, type Question } from '../question/question.ts';
import { isChoiceAwaited } from '../question/readers.ts';
import { cardRetryMs, freshAccessMs, recheckAfterMs } from '../settings.ts';
import { isStepCheckOld } from './card-steps.ts';
import { cardView, digestOf } from './card-view.ts';
import { atOnce, finalCard, type Standing } from './decide.ts';
import { changeQuestion, endWith, isSameRound, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';
import {
  withCallGivenUp,
  withCallSearched,
  withCopiesExpected,
  withEarlierCall,
  withIntent,
  withoutPending,
} from './unknown-outcome.ts';

/**
 * Posts the card, or finds it after a post with an unknown outcome. The card of a command begins a thread. If Slack's
 * limits leave no room for the card of a question in a thread, stores when to try again: the question goes on.
 */
export async function announce(
  ports: LifecyclePorts,
  question: Question,
  standing: Standing,
  checkFirst: boolean,
): Promise<Progress> {
  if (checkFirst) {
    const found = await postedBefore(ports, question);
    if (found !== undefined) return { question: found };
  }
  // Those who read it are not checked, so it shows no steps. The next edit does.
  const view = cardView(withStepsHidden(question, ports.now()), standing, ports.now());
  const intended = await changeQuestion(ports, question, (stored) => {
    const begun = withIntent(stored, 'announce', ports.now());
    return checkFirst ? withCopiesExpected(begun, ports.now()) : begun;
  });
  let ts: string;
  try {
    ({ ts } = await ports.messenger.postCard(intended, view));
  } catch (error) {
    if (isAppError(error)) {
      await changeQuestion(ports, intended, (stored) => {
        if (error.outcomeUnknown) return withCallGivenUp(stored, 'announce', ports.now());
        if (checkFirst) return withEarlierCall(stored, 'announce', question.card);
        return { ...stored, card: withoutPending(stored.card) };
      });
    }
    throw error;
  }
  // Outside the try: if this store fails, the card is in Slack, and the app needs the intent to find it.
  return { question: await posted(ports, intended, ts, isOver(question) ? finalCard : digestOf(view)) };
}

/**
 * Searches for the card of a question whose answer is posted. If it is not there, the question ends without one, and
 * a check removes a card that still appears.
 */
export async function dropCard(ports: LifecyclePorts, question: Question): Promise<Progress> {
  const found = await postedBefore(ports, question);
  if (found !== undefined) return { question: found };
  return {
    question: await changeQuestion(ports, question, (stored) =>
      stored.card.ts === undefined
        ? withCopiesExpected({ ...stored, card: { ...withoutPending(stored.card), gone: true } }, ports.now())
        : stored,
    ),
  };
}

/**
 * Ends a question, or goes on without a card, if a retry cannot help. Returns undefined if it can.
 */
export async function announceFailed(
  ports: LifecyclePorts,
  question: Question,
  error: AppError,
): Promise<Progress | undefined> {
  const isThere = isInThread(question.place);
  if (isTransient(error) && isThere && mayGoOn(question, error))
    return { question: await hold(ports, question, error) };
  if (isTransient(error)) return undefined;
  if (error.kind === 'undeliverable' && question.phase === 'waiting') {
    const canInvite = error.invitationHelps && !isBetweenTwo(question.place);
    const gone = error.code === threadGone ? ({ threadGone: true } as const) : {};
    return { question: await endWith(ports, question, { kind: 'undeliverable', canInvite, ...gone }) };
  }
  if (error.kind === 'undeliverable' || error.kind === 'unrenderable' || error.kind === 'refused') {
    ports.log.error({ event: 'card_refused', questionId: question.id, kind: error.kind }, error);
    if (isThere) return { question: await markGone(ports, question) };
    return { question: await endWith(ports, question, { kind: 'undeliverable', canInvite: false }) };
  }
  // A question that is under way is still read: only its end has a bound where Slack refuses the app.
  return mayGoOn(question, error) ? { question: await hold(ports, question, error) } : undefined;
}

/**
 * Whether a question goes on although its card failed. Before it is asked, only a limit of Slack lets it go on: another
 * failure may mean that nothing can be shown there. A question that has ended waits for a card that it still needs.
 */
function mayGoOn({ phase }: Question, { kind }: AppError): boolean {
  return kind === 'rateLimited' || phase === 'running' || phase === 'parked';
}

function hold(ports: LifecyclePorts, question: Question, { retryAfterMs = cardRetryMs }: AppError): Promise<Question> {
  const waitMs = Math.max(1, retryAfterMs);
  return changeQuestion(ports, question, (stored) => ({
    ...stored,
    card: { ...stored.card, notBeforeMs: ports.now() + waitMs },
  }));
}

/**
 * Searches for a card after its post was given up. It may still appear, so a card that is not found is not posted
 * again yet.
 */
export async function searchCard(ports: LifecyclePorts, question: Question): Promise<Progress> {
  const found = await postedBefore(ports, question);
  return {
    question:
      found ?? (await changeQuestion(ports, question, (stored) => withCallSearched(stored, 'announce', ports.now()))),
  };
}

async function postedBefore(ports: LifecyclePorts, question: Question): Promise<Question | undefined> {
  const ts = await ports.messenger.findCard(question);
  return ts === undefined ? undefined : posted(ports, question, ts, '');
}

/**
 * Keeps a card that another process stored meanwhile. That happens if this process is slow and was considered dead.
 */
function posted(ports: LifecyclePorts, question: Question, ts: string, shown: string): Promise<Question> {
  return changeQuestion(ports, question, (stored) => {
    const { notBeforeMs: _, ...card } = stored.card;
    if (card.ts !== undefined) return card.ts === ts ? stored : withCopiesExpected(stored, ports.now());
    // The question ended without a card meanwhile, so the check deletes this one.
    if (card.gone === true) return withCopiesExpected(stored, ports.now());
    return {
      ...stored,
      place: { ...stored.place, threadTs: stored.place.threadTs ?? ts },
      card: { ...withoutPending(card), ts, shown, editedMs: ports.now() },
    };
  });
}

/**
 * Edits the card if people would see a difference. If the last edit is too recent, returns the milliseconds until the
 * next one. Returns undefined if no edit is due. Never throws errors of Slack. Steps may name what only some people may
 * see, so those who read the card are checked before an edit with steps. Not before there is room for the edit: in a crowd the
 * checks would take the room of those for answers.
 */
export async function refreshCard(
  ports: LifecyclePorts,
  question: Question,
  standing: Standing,
): Promise<number | undefined> {
  const { card } = question;
  if (isOver(question) || card.ts === undefined || card.gone === true) return undefined;
  const nowMs = ports.now();
  const isCheckDue = question.phase === 'running' && isStepCheckOld(question, nowMs);
  const { stepsHiddenMs: _, ...unhidden } = card;
  const view = cardView(isCheckDue ? { ...question, card: unhidden } : question, standing, nowMs);
  const shown = digestOf(view);
  if (shown === card.shown) return undefined;
  const tooSoonMs = (card.editedMs ?? 0) + ports.settings.cardEditMs - nowMs;
  if (tooSoonMs > 0) return tooSoonMs;
  let hidden = undefined as Question | undefined;
  const confirm: Confirm = async () => {
    const mayBeShown = await mayRead(ports, question);
    const checked = await changeQuestion(ports, question, (stored) => {
      const { stepsHiddenMs: _, ...card } = stored.card;
      return mayBeShown ? { ...stored, admittedMs: ports.now(), card } : withStepsHidden(stored, ports.now());
    });
    if (mayBeShown) return;
    hidden = checked;
    throw new AppError('refused', 'the steps may not be shown to those who read there now');
  };
  try {
    await ports.messenger.updateCard(question, view, isCheckDue && showsSteps(view) ? confirm : undefined);
    await changeQuestion(ports, question, (stored) => ({
      ...stored,
      card: { ...stored.card, shown, editedMs: nowMs },
    }));
    return undefined;
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
    if (hidden !== undefined) return refreshCard(ports, hidden, standing);
    if (error.kind === 'notFound' || error.kind === 'undeliverable') {
      await markGone(ports, question);
      return undefined;
    }
    const dropped = { event: 'card_edit_dropped', questionId: question.id, kind: error.kind };
    if (error.kind === 'rateLimited') ports.log.debug(dropped);
    else ports.log.warn(dropped, error);
    // Nothing was sent. A running question has another run soon, and shows its newest state then.
    if (error.isHeldBack && question.phase === 'running') return undefined;
    await changeQuestion(ports, question, (stored) => ({
      ...stored,
      card: { ...stored.card, editedMs: nowMs },
      // If Slack carries out this edit late, it replaces a newer one and restores a button that no longer works.
      ...(error.outcomeUnknown ? { recheckMs: nowMs + recheckAfterMs } : {}),
    }));
    return Math.max(ports.settings.cardEditMs, error.retryAfterMs ?? 0);
  }
}

function withStepsHidden(question: Question, nowMs: number): Question {
  return { ...question, card: { ...question.card, stepsHiddenMs: nowMs } };
}

function showsSteps(view: CardView): boolean {
  return view.kind === 'running' && (view.steps > 0 || view.lastStep !== undefined);
}

/** Whether those who read the card now may see what its asker sees. */
async function mayRead({ accessPolicy, now, log }: LifecyclePorts, { id, askerId, place }: Question): Promise<boolean> {
  try {
    return (await accessPolicy.admit(askerId, place, { sinceMs: now() - freshAccessMs })).may;
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
    log.warn({ event: 'access_not_checked', questionId: id, kind: error.kind }, error);
    return false;
  }
}

/** Shows on the card how the question ended. Throws errors of Slack, except for a card that is gone. */
export async function finishCard(ports: LifecyclePorts, question: Question): Promise<Question> {
  try {
    await ports.messenger.updateCard(question, cardView(question, atOnce, ports.now()));
  } catch (error) {
    if (isAppError(error, 'notFound', 'undeliverable', 'refused', 'unrenderable')) return markGone(ports, question);
    throw error;
  }
  return changeQuestion(ports, question, (stored) =>
    isSameRound(stored, question)
      ? { ...stored, card: { ...stored.card, shown: finalCard, editedMs: ports.now() } }
      : stored,
  );
}

function markGone(ports: LifecyclePorts, question: Question): Promise<Question> {
  return changeQuestion(ports, question, (stored) => ({ ...stored, card: { ...stored.card, gone: true } }));
}

/** Whether the card shows how the question ended, and does not change any more. */
function isOver(question: Question): boolean {
  return (question.outcome !== undefined && !isChoiceAwaited(question)) || question.phase === 'closed';
}
