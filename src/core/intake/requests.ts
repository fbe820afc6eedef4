import type { Core } from '../context.ts';
import { AppError } from '../errors.ts';
import { settle } from '../lifecycle/steps.ts';
import { conversationOf, findEarlier } from '../question/conversations.ts';
import { hasNoWords, isSuggested, readThreadAgain } from '../question/prompt.ts';
import {
  canAskCancelledAgain,
  type Followed,
  isInThread,
  newThread,
  type Place,
  type Question,
} from '../question/question.ts';
import type { ReadersChoice } from '../question/reader-choices.ts';
import { isChoiceAwaited, isChoiceNeeded, isKeptPrivate } from '../question/readers.ts';
import { isAboutPerson, keptText } from '../question/refused-text.ts';
import { chooseReadersMs, mostAttempts } from '../settings.ts';
import { type Acceptance, accept } from './accept.ts';
import {
  attemptKeys,
  attemptUnder,
  type ButtonResult,
  endedPrivately,
  findQuestion,
  hasEnded,
  keptByAttempt,
  type Requester,
  startedBy,
} from './find-question.ts';

/*
 * How people ask a question again or in other words, and decide who sees its answer.
 * Every function here throws `AppError` of kind `storage` if nothing was done.
 */

/**
 * Asks a question again in its place after it ended without an answer. `fresh` starts a new conversation. If an
 * earlier retry could not be shown either, asks the newest retry again.
 */
export async function askAgain(
  w: Core,
  questionId: string,
  requester: Requester,
  options: { fresh?: boolean; responseUrl?: string; byMs?: number } = {},
): Promise<ButtonResult> {
  const found = await findQuestion(w, questionId, requester);
  const question = found === undefined ? undefined : await newestAttempt(w, found);
  if (question === undefined) return { kind: 'expired' };
  if (question.id !== found?.id && !endedPrivately(question)) return { kind: 'duplicate', question };
  if (!hasEnded(question) || !canBeAsked(question)) return { kind: 'expired' };
  const { responseUrl, fresh = false, byMs } = options;
  const { key } = await attemptUnder(w, attemptKeys.again(question.id));
  const follows = (fresh ? await earlierOf(w, question) : undefined) ?? question.follows;
  return accept(
    w,
    {
      ...keptByAttempt(question),
      key,
      askerId: requester.userId,
      text: question.text,
      origin: isInThread(question.place) ? 'retry' : 'command',
      ...(isSuggested(question) ? { isSuggested: true } : {}),
      beginsThread: !isInThread(question.place),
      ...(question.readsFrom === undefined ? {} : { readsFrom: question.readsFrom }),
      ...(follows === undefined ? {} : { follows }),
      fresh: fresh || question.fresh,
      ...(responseUrl === undefined ? {} : { responseUrl }),
    },
    byMs,
  );
}

/** The earlier questions of this question's conversation. Before it is asked, that is the thread's conversation. */
async function earlierOf(w: Core, question: Question): Promise<Followed | undefined> {
  const { place, fresh, upstream } = question;
  if (!isInThread(place)) return undefined;
  const thread = await w.threads.get(place);
  const conversationId = upstream.conversationId ?? (fresh ? undefined : conversationOf(thread, question));
  return findEarlier(w.questions, question, thread, conversationId);
}

async function newestAttempt(w: Core, question: Question): Promise<Question> {
  let newest = question;
  for (let attempts = 0; attempts < mostAttempts && endedPrivately(newest); attempts += 1) {
    const { question: next } = await attemptUnder(w, attemptKeys.again(newest.id));
    if (next === undefined) break;
    newest = next;
  }
  return newest;
}

/** Asks a question in another place, once per place, because it could not be shown where it was asked. */
export async function askIn(
  w: Core,
  questionId: string,
  place: Place,
  requester: Requester,
  byMs?: number,
): Promise<ButtonResult> {
  const question = await findQuestion(w, questionId, requester);
  // A person confirmed the readers of a shared answer only for its place.
  if (question === undefined || question.shares !== undefined) return { kind: 'expired' };
  // The other place has no thread to read.
  if (hasNoWords(question.text)) return { kind: 'expired' };
  const text = await keptText(w, question);
  if (text === '') return { kind: 'expired' };
  const { key } = await attemptUnder(w, attemptKeys.againIn(questionId, place.channelId));
  const suggested = isSuggested(question) ? { isSuggested: true as const } : {};
  return accept(
    w,
    { key, place, askerId: requester.userId, text, origin: 'command', ...suggested, beginsThread: true },
    byMs,
  );
}

/**
 * Whether the question can be asked again. Sharing an answer with others is not repeated here, because a person must
 * confirm its readers each time. A withheld answer is shown only to its asker, who may ask again, unless the question
 * is only about a thread.
 */
function canBeAsked(question: Question): boolean {
  const { outcome, shares, text } = question;
  if (outcome?.kind === 'cancelled') return canAskCancelledAgain(question);
  if (text === '') return false;
  return shares === undefined || (shares.withheld === true && !hasNoWords(text));
}

/** `noted`: the question continues, and a button can ask its new text. `ended`: it is too late for that. */
type EditResult = { kind: 'noted'; question: Question } | { kind: 'known' } | { kind: 'ended' } | { kind: 'nothing' };

/**
 * Stores the new text of a question that still runs and changes nothing else. `key` is the same as in `accept`.
 * `atMs` is the time of the edit, the same for every delivery. An edit back to the old text removes the stored edit.
 */
export async function noteEdit(w: Core, key: string, edit: NonNullable<Question['edited']>): Promise<EditResult> {
  const found = await startedBy(w, key);
  if (found === undefined) return { kind: 'nothing' };
  const became: { kind: EditResult['kind'] } = { kind: 'nothing' };
  const question = await w.questions.update(found.id, (stored) => {
    const { edited, ...rest } = stored;
    became.kind = 'ended';
    if (hasEnded(stored) || stored.cancel !== undefined) return stored;
    became.kind = 'known';
    if (edited !== undefined && edited.atMs >= edit.atMs) return stored;
    if (edit.text === stored.text) return edited === undefined ? stored : rest;
    if (edit.text === edited?.text) return stored;
    became.kind = 'noted';
    return { ...stored, edited: edit };
  });
  const { kind } = became;
  if (kind !== 'noted') return { kind };
  return question === undefined ? { kind: 'nothing' } : { kind, question };
}

/**
 * Asks the edited version of a question in its place. `cameLate`: the question was already answered, so the edited
 * version is a follow-up. Who calls this cancels the first one with `cancelForGood`, after the press is acknowledged.
 */
export async function askEdited(
  w: Core,
  questionId: string,
  requester: Requester,
  byMs?: number,
): Promise<{ result: ButtonResult; cameLate: boolean }> {
  const question = await findQuestion(w, questionId, requester);
  if (question?.edited === undefined) return { result: { kind: 'expired' }, cameLate: false };
  const cameLate = question.outcome?.kind === 'answered';
  const { key } = await attemptUnder(w, attemptKeys.instead(questionId));
  const result = await accept(
    w,
    {
      ...keptByAttempt(question),
      key,
      askerId: requester.userId,
      text: question.edited.text,
      origin: 'retry',
      beginsThread: question.beginsThread,
      fresh: question.fresh && !cameLate,
      ...(question.follows === undefined ? {} : { follows: question.follows }),
    },
    byMs,
  );
  return { result, cameLate };
}

/**
 * Asks a question of direct messages in the conversation of the previous thread. `ended`: it is too late for that. Who calls
 * this cancels the first one, as after {@link askEdited}.
 */
export async function continuePrevious(
  w: Core,
  questionId: string,
  requester: Requester,
  byMs?: number,
): Promise<ButtonResult | { kind: 'ended' }> {
  const question = await findQuestion(w, questionId, requester);
  if (question?.previous === undefined) return { kind: 'expired' };
  const { key, question: earlier } = await attemptUnder(w, attemptKeys.instead(questionId));
  if (earlier === undefined && hasEnded(question)) return { kind: 'ended' };
  return accept(
    w,
    {
      ...keptByAttempt(question),
      key,
      askerId: question.askerId,
      text: question.text,
      origin: 'retry',
      beginsThread: question.beginsThread,
      previous: undefined,
      continues: {
        conversationId: question.previous,
        access: question.access,
      },
    },
    byMs,
  );
}

/**
 * Watches a question again after the app gave up while the service still worked. Throws `AppError` of kind `storage`
 * if that could not be stored by `byMs`.
 */
export async function checkAgain(
  w: Core,
  questionId: string,
  requester: Requester,
  byMs: number = Number.POSITIVE_INFINITY,
): Promise<ButtonResult> {
  const question = await findQuestion(w, questionId, requester);
  if (question === undefined) return { kind: 'expired' };
  if (question.outcome === undefined) return { kind: 'duplicate', question };
  if (question.outcome.kind !== 'gaveUp') return { kind: 'expired' };
  await w.questions.markOpen(questionId);
  let isByThisAction = false;
  const reopened = await w.questions.update(questionId, (stored) => {
    isByThisAction = isGivenUp(stored) && w.now() <= byMs;
    return isByThisAction ? reopen(stored, w.now()) : stored;
  });
  if (reopened !== undefined && isGivenUp(reopened)) throw new AppError('storage', 'too late to be watched again');
  if (reopened === undefined) return { kind: 'expired' };
  // The question is stored as open and listed, so a later failure must not report the opposite. The sweep continues
  // then.
  await settle(w, 'not_taken_up_again', questionId, () => takeUpAgain(w, reopened));
  w.observer.changed(reopened);
  return { kind: isByThisAction ? 'accepted' : 'duplicate', question: reopened };
}

async function takeUpAgain(w: Core, { id, place }: Question): Promise<void> {
  // Lists it a second time: the run that closed the question may have removed it from the list meanwhile.
  await w.questions.markOpen(id);
  if (isInThread(place)) {
    // First in the queue again: later questions of this thread wait for it.
    await w.threads.update(place, (thread = newThread(place, false)) =>
      thread.queue.includes(id) ? thread : { ...thread, queue: [id, ...thread.queue] },
    );
  }
  await w.scheduler.schedule(id, 0);
}

function isGivenUp(question: Question): boolean {
  return question.outcome?.kind === 'gaveUp';
}

function reopen(question: Question, nowMs: number): Question {
  const { outcome: _outcome, endedMs: _ended, cancel: _cancel, ...rest } = question;
  const { cancelSentMs: _sent, ...upstream } = question.upstream;
  // Its thread's text was removed when it was closed. If a limit makes the app ask it again, it reads the thread again.
  return readThreadAgain({
    ...rest,
    phase: 'running',
    upstream: { ...upstream, watchedFromMs: nowMs },
    card: { ...question.card, shown: '' },
    delivery: { round: question.delivery.round + 1, posted: [] },
  });
}

/** `tooLate`: the time for the choice was over, so the answer went to the asker's direct messages. */
type ChoiceResult =
  | { kind: 'chosen'; channelId: string }
  | { kind: 'alreadyChosen' }
  | { kind: 'tooLate' }
  | { kind: 'notAsker'; askerId: string }
  | { kind: 'expired' };

/**
 * Stores the asker's choice, once. The next run of the question carries it out. Throws `AppError` of kind `storage` if
 * it could not be stored by `byMs`.
 */
export async function chooseReaders(
  w: Core,
  questionId: string,
  requester: Pick<Requester, 'userId' | 'teamId'>,
  choice: ReadersChoice,
  byMs: number = Number.POSITIVE_INFINITY,
): Promise<ChoiceResult> {
  const question = await w.questions.get(questionId);
  if (question?.place.teamId !== requester.teamId || !isChoiceNeeded(question)) return { kind: 'expired' };
  if (question.askerId !== requester.userId) return { kind: 'notAsker', askerId: question.askerId };
  let isByThisAction = false;
  let isTooLate = false;
  const chosen = await w.questions.update(questionId, (stored) => {
    const nowMs = w.now();
    isTooLate = isChoiceOver(stored, nowMs);
    isByThisAction = isChoiceAwaited(stored) && !isTooLate && nowMs <= byMs;
    return isByThisAction ? { ...stored, showing: { ...stored.showing, choice, by: 'asker' } } : stored;
  });
  // Also for a second press: the first one may have stopped before this.
  await settle(w, 'choice_not_taken_up', questionId, () => w.scheduler.schedule(questionId, 0));
  if (isByThisAction) return { kind: 'chosen', channelId: question.place.channelId };
  if (isTooLate) return { kind: 'tooLate' };
  if (chosen !== undefined && isChoiceAwaited(chosen)) throw new AppError('storage', 'too late to be chosen');
  return chosen?.showing?.by === 'asker' ? { kind: 'alreadyChosen' } : { kind: 'expired' };
}

/** Whether the asker can't choose any more, because they did not do so in time. */
function isChoiceOver(question: Question, nowMs: number): boolean {
  const { askedMs, by } = question.showing ?? {};
  if (by === 'time') return true;
  return isChoiceAwaited(question) && askedMs !== undefined && Math.abs(nowMs - askedMs) >= chooseReadersMs;
}

/** `notYours`: another person asked. `expired`: the question is gone or its answer was not withheld. */
type NotShown = { kind: 'expired' } | { kind: 'notYours' };

/** Whether the service was asked, and only the readers of the place or the asker prevent the app from showing the answer. */
export function isAnswerWithheld(question: Question): boolean {
  const { outcome, upstream, shares } = question;
  if (isKeptPrivate(question)) return true;
  if (outcome?.kind !== 'notAllowed' || isAboutPerson(outcome.reason)) return false;
  return shares === undefined && upstream.askedMs !== undefined;
}

/** Finds a question whose answer was withheld. `questionId` names it or a failed attempt to show its answer. */
export async function findWithheld(
  w: Core,
  questionId: string,
  requester: { userId: string; teamId: string },
): Promise<{ kind: 'found'; withheld: Question; attempt?: Question } | NotShown> {
  const action = await w.questions.get(questionId);
  if (action === undefined || action.place.teamId !== requester.teamId) return { kind: 'expired' };
  if (action.askerId !== requester.userId) return { kind: 'notYours' };
  const isAttempt = action.shares?.withheld === true;
  const withheld = isAttempt ? await w.questions.get(action.shares?.questionId ?? '') : action;
  if (withheld === undefined || !isAnswerWithheld(withheld)) return { kind: 'expired' };
  return { kind: 'found', withheld, ...(isAttempt ? { attempt: action } : {}) };
}

/** Shows the answer in `place` without asking the service again, once per button. After a failed attempt, uses the place of that attempt. */
export async function showWithheld(
  w: Core,
  questionId: string,
  place: Place,
  requester: { userId: string; teamId: string },
  byMs?: number,
): Promise<Acceptance | NotShown> {
  const found = await findWithheld(w, questionId, requester);
  if (found.kind !== 'found') return found;
  const { withheld, attempt } = found;
  const { key } = await attemptUnder(w, attemptKeys.show(questionId));
  return accept(
    w,
    {
      key,
      place: attempt?.place ?? place,
      askerId: requester.userId,
      text: withheld.text,
      origin: 'shared',
      beginsThread: attempt === undefined,
      access: withheld.access,
      shares: {
        questionId: withheld.id,
        withLink: true,
        confirmed: [],
        withheld: true,
        ...(isKeptPrivate(withheld) ? { isKept: true as const } : {}),
      },
    },
    byMs,
  );
}
