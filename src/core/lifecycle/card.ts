import type { Core } from '../context.ts';
import { AppError, isAppError, isTransient, threadGone } from '../errors.ts';
import { undatedWaitMs } from '../pacing.ts';
import type { CardView, Confirm } from '../ports.ts';
import { isBetweenTwo, isInThread, type Question } from '../question/question.ts';
import { areStepsPrivate, isChoiceAwaited, isKeptPrivate } from '../question/readers.ts';
import { waitedFromMs, waitedMs } from '../question/upstream.ts';
import { cardRetryMs, elapsedGrainMs, freshAccessMs, recheckAfterMs } from '../settings.ts';
import { atOnce, finalCard, isStepCheckOld, type Standing } from './decide.ts';
import { changeQuestion, endWith, isSameRound, type Once, once, searchOnce } from './steps.ts';
import { withCopiesExpected, withoutPending } from './unknown-outcome.ts';

/** How many failures of a step in a row it takes until the card says that the service is unreachable. */
const failuresWorthTelling = 2;

/** What the card of a question shows now. */
export function cardView(question: Question, { positionInQueue, slot }: Standing, nowMs: number): CardView {
  const startedMs = waitedFromMs(question);
  const durationMs = waitedMs({ ...question, endedMs: question.endedMs ?? nowMs });
  const { outcome, upstream } = question;
  switch (outcome?.kind) {
    case 'answered':
      if (isChoiceAwaited(question)) return { kind: 'choosing' };
      if (isKeptPrivate(question)) return { kind: 'answeredPrivately' };
      if (question.origin === 'shared') return { kind: 'shared' };
      return {
        kind: 'answered',
        durationMs: waitedMs(question, outcome.answer.durationMs),
        steps: outcome.answer.steps,
        ...(outcome.answer.stopped === undefined ? {} : { isIncomplete: true }),
      };
    case 'cancelled':
      return question.cancel ? { kind: 'cancelled', byUserId: question.cancel.byUserId } : { kind: 'cancelled' };
    case 'gaveUp':
      return { kind: 'gaveUp', durationMs };
    case 'notAllowed':
      return { kind: 'notAllowed' };
    case 'failed':
    case 'undeliverable':
      return { kind: 'failed', durationMs };
  }
  if (question.cancel !== undefined) return { kind: 'cancelling' };
  if (question.phase === 'parked' && question.awaitsAccount !== undefined) return { kind: 'awaitingAccount' };
  if (question.phase === 'parked') return parkedView(question, nowMs);
  if (positionInQueue > 0) return { kind: 'queued', place: positionInQueue };
  if (question.trouble?.kind === 'silent') return { kind: 'noReply' };
  if (question.trouble !== undefined && question.trouble.failures >= failuresWorthTelling) {
    const { kind } = question.trouble;
    if (kind === 'limited') return { kind };
    return { kind: 'unreachable', ...(kind === 'signInPage' ? { isSignInPage: true } : {}) };
  }
  if (slot?.granted === false) return { kind: 'waitingForSlot', ahead: slot.ahead };
  if (question.phase !== 'running') return { kind: 'starting' };
  const { expected, card } = question;
  const areStepsHidden = card.stepsHiddenMs !== undefined || areStepsPrivate(question);
  const elapsedMs = nowMs - startedMs;
  return {
    kind: 'running',
    elapsedMs,
    steps: areStepsHidden ? 0 : upstream.steps,
    ...(expected === undefined ? {} : { expected: { fromMs: expected.fromMs, toMs: expected.toMs } }),
    ...(expected !== undefined && elapsedMs > expected.lateMs ? { isLate: true } : {}),
    ...(areStepsHidden || upstream.lastStep === undefined ? {} : { lastStep: upstream.lastStep }),
  };
}

function parkedView({ parkedUntilMs: untilMs, undatedLimits }: Question, nowMs: number): CardView {
  const afterMs = undatedLimits === undefined ? undefined : undatedWaitMs(undatedLimits.times);
  return { kind: 'parked', untilMs: untilMs ?? nowMs, afterMs };
}

/** The visible content of the card as a string. An edit is needed only if the string changes. */
export function digestOf(view: CardView): string {
  if (view.kind !== 'running') return JSON.stringify(view);
  return JSON.stringify({ ...view, elapsedMs: Math.floor(view.elapsedMs / elapsedGrainMs) });
}

/**
 * Posts the card, or finds it after a post with an unknown outcome. The card of a command begins a thread. If Slack's
 * limits leave no room for the card of a question in a thread, stores when to try again: the question goes on.
 */
export async function announce(
  w: Core,
  question: Question,
  standing: Standing,
  checkFirst: boolean,
): Promise<Question> {
  // Those who read it are not checked, so it shows no steps. The next edit does.
  const view = cardView(withStepsHidden(question, w.now()), standing, w.now());
  const shown = isOver(question) ? finalCard : digestOf(view);
  const call = async (intended: Question) => ({ ts: (await w.messenger.postCard(intended, view)).ts, shown });
  return once(w, question, cardOf(w), checkFirst, call);
}

export function searchCard(w: Core, question: Question): Promise<Question> {
  return searchOnce(w, question, cardOf(w));
}

function cardOf(w: Core): Once<{ ts: string; shown: string }> {
  return {
    effect: 'announce',
    find: async (question) => {
      const ts = await w.messenger.findCard(question);
      return ts === undefined ? undefined : { ts, shown: '' };
    },
    // Keeps a card that another process stored meanwhile, because this one is slow and was considered dead.
    took: (question, { ts, shown }) =>
      changeQuestion(w, question, (stored) => {
        const { notBeforeMs: _, ...card } = stored.card;
        if (card.ts !== undefined) return card.ts === ts ? stored : withCopiesExpected(stored, w.now());
        // The question ended without a card meanwhile, so the check deletes this one.
        if (card.gone === true) return withCopiesExpected(stored, w.now());
        return {
          ...stored,
          place: { ...stored.place, threadTs: stored.place.threadTs ?? ts },
          card: { ...withoutPending(card), ts, shown, editedMs: w.now() },
        };
      }),
  };
}

/**
 * Searches for the card of a question whose answer is posted. If it is not there, the question ends without one, and
 * a check removes a card that still appears.
 */
export async function dropCard(w: Core, question: Question): Promise<Question> {
  const { find, took } = cardOf(w);
  const found = await find(question);
  if (found !== undefined) return took(question, found);
  return changeQuestion(w, question, (stored) =>
    stored.card.ts === undefined
      ? withCopiesExpected({ ...stored, card: { ...withoutPending(stored.card), gone: true } }, w.now())
      : stored,
  );
}

/**
 * Ends a question, or goes on without a card, if a retry cannot help. Returns undefined if it can.
 */
export async function announceFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  const isThere = isInThread(question.place);
  if (isTransient(error) && isThere && mayGoOn(question, error)) return hold(w, question, error);
  if (isTransient(error)) return undefined;
  if (error.kind === 'undeliverable' && question.phase === 'waiting') {
    const canInvite = error.invitationHelps && !isBetweenTwo(question.place);
    const gone = error.code === threadGone ? ({ threadGone: true } as const) : {};
    return endWith(w, question, { kind: 'undeliverable', canInvite, ...gone });
  }
  if (error.kind === 'undeliverable' || error.kind === 'unrenderable' || error.kind === 'refused') {
    w.log.error({ event: 'card_refused', questionId: question.id, kind: error.kind }, error);
    if (isThere) return markGone(w, question);
    return endWith(w, question, { kind: 'undeliverable', canInvite: false });
  }
  // A question that is under way is still read: only its end has a bound where Slack refuses the app.
  return mayGoOn(question, error) ? hold(w, question, error) : undefined;
}

/**
 * Whether a question goes on although its card failed. Before it is asked, only a limit of Slack lets it go on: another
 * failure may mean that nothing can be shown there. A question that has ended waits for a card that it still needs.
 */
function mayGoOn({ phase }: Question, { kind }: AppError): boolean {
  return kind === 'rateLimited' || phase === 'running' || phase === 'parked';
}

function hold(w: Core, question: Question, { retryAfterMs = cardRetryMs }: AppError): Promise<Question> {
  const waitMs = Math.max(1, retryAfterMs);
  return changeQuestion(w, question, (stored) => ({
    ...stored,
    card: { ...stored.card, notBeforeMs: w.now() + waitMs },
  }));
}

/**
 * Edits the card if people would see a difference. If the last edit is too recent, returns the milliseconds until the
 * next one. Returns undefined if no edit is due. Never throws errors of Slack. Steps may name what only some people may
 * see, so those who read the card are checked before an edit with steps. Not before there is room for the edit: in a crowd the
 * checks would take the room of those for answers.
 */
export async function refreshCard(w: Core, question: Question, standing: Standing): Promise<number | undefined> {
  const { card } = question;
  if (isOver(question) || card.ts === undefined || card.gone === true) return undefined;
  const nowMs = w.now();
  const isCheckDue = question.phase === 'running' && isStepCheckOld(question, nowMs);
  const { stepsHiddenMs: _, ...unhidden } = card;
  const view = cardView(isCheckDue ? { ...question, card: unhidden } : question, standing, nowMs);
  const shown = digestOf(view);
  if (shown === card.shown) return undefined;
  const tooSoonMs = (card.editedMs ?? 0) + w.settings.cardEditMs - nowMs;
  if (tooSoonMs > 0) return tooSoonMs;
  let hidden = undefined as Question | undefined;
  const confirm: Confirm = async () => {
    const mayBeShown = await mayRead(w, question);
    const checked = await changeQuestion(w, question, (stored) => {
      const { stepsHiddenMs: _, ...card } = stored.card;
      return mayBeShown ? { ...stored, admittedMs: w.now(), card } : withStepsHidden(stored, w.now());
    });
    if (mayBeShown) return;
    hidden = checked;
    throw new AppError('refused', 'the steps may not be shown to those who read there now');
  };
  try {
    await w.messenger.updateCard(question, view, isCheckDue && showsSteps(view) ? confirm : undefined);
    await changeQuestion(w, question, (stored) => ({
      ...stored,
      card: { ...stored.card, shown, editedMs: nowMs },
    }));
    return undefined;
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
    if (hidden !== undefined) return refreshCard(w, hidden, standing);
    if (error.kind === 'notFound' || error.kind === 'undeliverable') {
      await markGone(w, question);
      return undefined;
    }
    const dropped = { event: 'card_edit_dropped', questionId: question.id, kind: error.kind };
    if (error.kind === 'rateLimited') w.log.debug(dropped);
    else w.log.warn(dropped, error);
    // Nothing was sent. A running question has another run soon, and shows its newest state then.
    if (error.isHeldBack && question.phase === 'running') return undefined;
    await changeQuestion(w, question, (stored) => ({
      ...stored,
      card: { ...stored.card, editedMs: nowMs },
      // If Slack carries out this edit late, it replaces a newer one and restores a button that no longer works.
      ...(error.outcomeUnknown ? { recheckMs: nowMs + recheckAfterMs } : {}),
    }));
    return Math.max(w.settings.cardEditMs, error.retryAfterMs ?? 0);
  }
}

function withStepsHidden(question: Question, nowMs: number): Question {
  return { ...question, card: { ...question.card, stepsHiddenMs: nowMs } };
}

function showsSteps(view: CardView): boolean {
  return view.kind === 'running' && (view.steps > 0 || view.lastStep !== undefined);
}

/** Whether those who read the card now may see what its asker sees. */
async function mayRead({ accessPolicy, now, log }: Core, { id, askerId, place }: Question): Promise<boolean> {
  try {
    return (await accessPolicy.admit(askerId, place, { sinceMs: now() - freshAccessMs })).may;
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
    log.warn({ event: 'access_not_checked', questionId: id, kind: error.kind }, error);
    return false;
  }
}

/** Shows on the card how the question ended. Throws errors of Slack, except for a card that is gone. */
export async function finishCard(w: Core, question: Question): Promise<Question> {
  try {
    await w.messenger.updateCard(question, cardView(question, atOnce, w.now()));
  } catch (error) {
    if (isAppError(error, 'notFound', 'undeliverable', 'refused', 'unrenderable')) return markGone(w, question);
    throw error;
  }
  return changeQuestion(w, question, (stored) =>
    isSameRound(stored, question)
      ? { ...stored, card: { ...stored.card, shown: finalCard, editedMs: w.now() } }
      : stored,
  );
}

function markGone(w: Core, question: Question): Promise<Question> {
  return changeQuestion(w, question, (stored) => ({ ...stored, card: { ...stored.card, gone: true } }));
}

/** Whether the card shows how the question ended, and does not change any more. */
function isOver(question: Question): boolean {
  return (question.outcome !== undefined && !isChoiceAwaited(question)) || question.phase === 'closed';
}
