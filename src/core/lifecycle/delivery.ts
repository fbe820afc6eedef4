import { removeWaiting } from '../accounts/waiting.ts';
import type { Core } from '../context.ts';
import { type AppError, isAppError, isTransient } from '../errors.ts';
import { endEntries } from '../history/audit.ts';
import type { Messenger, PreparedOutcome, PrivateNotice } from '../ports.ts';
import { isOverCap, resetMs } from '../question/daily-caps.ts';
import { isBetweenTwo, isInThread, type Question } from '../question/question.ts';
import { shareUrlFor, showsCode } from '../question/readers.ts';
import { keepForButton, withoutRefusedText } from '../question/refused-text.ts';
import type { MessageFile } from '../question/thread-notes.ts';
import { deliveryPatienceMs, recheckAfterMs } from '../settings.ts';
import { confirming } from './admission.ts';
import { cancelAtService } from './asking.ts';
import { finishCard } from './card.ts';
import { finalCard, isSaidByCard } from './decide.ts';
import {
  changeQuestion,
  delist,
  ifReadable,
  isSameRound,
  leaveQueueAndSlot,
  type Once,
  once,
  searchOnce,
} from './steps.ts';
import { withCopiesExpected, withoutPending } from './unknown-outcome.ts';

/** How often the app tries to close a card before it closes the question without that. */
const cardEditTries = 8;

/** How often the app tries to attach the answer as a file before it continues without the file. */
const attachTries = 5;

export async function post(
  w: Core,
  question: Question,
  checkFirst: boolean,
  prepared: PreparedOutcome,
): Promise<Question> {
  const access = confirming(w, question);
  const confirm = showsCode(question) ? access.confirm : async () => {};
  // If the stored question chose the part, one that another process stored meanwhile would be followed by the next one twice.
  const part = question.delivery.posted.length;
  const call = async (intended: Question): Promise<string> => (await prepared.postPart(intended, part, confirm)).ts;
  return unlessRefused(access, once(w, question, partOf(w, question), checkFirst, call));
}

export function searchPart(w: Core, question: Question): Promise<Question> {
  return searchOnce(w, question, partOf(w, question));
}

/** The next part of the outcome. */
function partOf(w: Core, { delivery }: Question): Once<string> {
  const part = delivery.posted.length;
  return {
    effect: 'post',
    find: (question) => w.messenger.findPart(question, part),
    // Keeps a part that another process stored meanwhile, because this one is slow and was considered dead.
    took: (question, ts) =>
      changeQuestion(w, question, (stored) => {
        if (!isSameRound(stored, question)) return stored;
        const { posted } = stored.delivery;
        if (posted.length > part) return posted[part] === ts ? stored : withCopiesExpected(stored, w.now());
        return { ...stored, delivery: { ...withoutPending(stored.delivery), posted: [...posted, ts] } };
      }),
  };
}

/** Attaches the answer as a file. The messages hold the same text, so the app gives up if Slack refuses the file. */
export async function attach(w: Core, question: Question, checkFirst: boolean): Promise<Question> {
  // A file takes long to upload, so it has a check of its own.
  const access = confirming(w, question, { isAlone: true });
  const call = async (intended: Question): Promise<true> => {
    await w.messenger.attachAnswer(intended, access.confirm);
    return true;
  };
  return unlessRefused(access, once(w, question, fileOf(w), checkFirst, call));
}

export function searchFile(w: Core, question: Question): Promise<Question> {
  return searchOnce(w, question, fileOf(w));
}

function fileOf(w: Core): Once<true> {
  return {
    effect: 'attach',
    find: async (question) => ((await w.messenger.findAttachment(question)) ? true : undefined),
    took: (question) => filed(w, question, 'attached'),
  };
}

/** The result of a post, unless the check of those who read it refused it. */
async function unlessRefused(access: ReturnType<typeof confirming>, posting: Promise<Question>): Promise<Question> {
  try {
    return await posting;
  } catch (error) {
    const refused = await access.end();
    if (refused !== undefined) return refused;
    throw error;
  }
}

/**
 * Shows the outcome on the card again, because a late edit may have replaced it. Removes messages that were posted
 * twice.
 */
export async function recheck(w: Core, question: Question): Promise<Question> {
  // The edit comes first, because it needs fewer rights than the removal.
  const shown = question.card.shown === finalCard ? await finishCard(w, question) : question;
  const copies = question.mayHaveCopies === true ? await w.messenger.removeCopies(shown) : 0;
  if (copies > 0) w.log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });
  return rechecked(w, shown);
}

/** A failed check is repeated later. No other step waits for it. */
export async function recheckFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  const isTooLate = question.endedMs !== undefined && w.now() - question.endedMs > deliveryPatienceMs;
  if (!isTransient(error) || isTooLate) {
    w.log.error({ event: 'copies_not_checked', questionId: question.id, kind: error.kind }, error);
    return rechecked(w, question);
  }
  const waitMs = Math.max(recheckAfterMs, error.retryAfterMs ?? 0);
  return changeQuestion(w, question, (stored) => ({ ...stored, recheckMs: w.now() + waitMs }));
}

/** A message that was posted again during this check gets another check. */
function rechecked(w: Core, question: Question): Promise<Question> {
  return changeQuestion(w, question, (stored) => {
    if (stored.recheckMs !== question.recheckMs) return stored;
    const { recheckMs: _recheck, mayHaveCopies: _copies, card: checked, ...rest } = stored;
    // If the card is still in use, its next edit shows the current state.
    return { ...rest, card: checked.shown === finalCard ? checked : { ...checked, shown: '' } };
  });
}

export async function attachFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  if (isTransient(error) && (question.trouble?.failures ?? 0) + 1 < attachTries) return undefined;
  w.log.warn({ event: 'file_not_attached', questionId: question.id, kind: error.kind }, error);
  return filed(w, question, 'refused');
}

function filed(w: Core, question: Question, state: FileState): Promise<Question> {
  return changeQuestion(w, question, (stored) =>
    isSameRound(stored, question) ? { ...stored, delivery: { ...stored.delivery, file: { state } } } : stored,
  );
}

/** Ends the delivery if a retry cannot help. Retries after all other errors. */
export async function postFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  if (!isAppError(error, 'undeliverable', 'unrenderable', 'refused', 'notFound')) return undefined;
  w.log.error({ event: 'delivery_refused', questionId: question.id, kind: error.kind }, error);
  try {
    return await sayUndeliverable(w, question);
  } catch (failure) {
    if (!isAppError(failure) || failure.kind === 'storage' || failure.kind === 'corrupt') throw failure;
    return sayUndeliverableFailed(w, question, failure);
  }
}

/** Notifies the asker privately that the app could not show the outcome where the question was asked. */
export async function sayUndeliverable(w: Core, question: Question): Promise<Question> {
  await w.messenger.notifyPrivately(question, question.askerId, privateEnd(question));
  return giveUpThread(w, question);
}

/** Retries while Slack may still take the private notice, because it may be the only visible end. */
export async function sayUndeliverableFailed(
  w: Core,
  question: Question,
  error: AppError,
): Promise<Question | undefined> {
  if (error.kind === 'unavailable' || error.kind === 'rateLimited' || error.kind === 'badReply') return undefined;
  w.log.error({ event: 'end_not_notified', questionId: question.id, kind: error.kind }, error);
  return giveUpThread(w, question);
}

function giveUpThread(w: Core, question: Question): Promise<Question> {
  return changeQuestion(w, question, (stored) =>
    isSameRound(stored, question)
      ? { ...stored, delivery: { ...withoutPending(stored.delivery), refused: true } }
      : stored,
  );
}

export async function closeCard(w: Core, question: Question): Promise<Question> {
  // Slack may delay the card for minutes. The next question must not wait for that.
  await leaveQueueAndSlot(w, question);
  await w.observer.closing(question);
  return finishCard(w, question);
}

/**
 * Closes the question after some tries even if Slack refuses to edit the card. Retries until the delivery's patience
 * ends if only the card shows the outcome, or on a rate limit: if many questions end at once, the last card may wait
 * for minutes.
 */
export async function closeCardFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  if (isSaidByCard(question) || error.kind === 'rateLimited') return undefined;
  if ((question.trouble?.failures ?? 0) < cardEditTries) return undefined;
  w.log.error({ event: 'card_not_closed', questionId: question.id, kind: error.kind }, error);
  return changeQuestion(w, question, (stored) =>
    isSameRound(stored, question) ? { ...stored, card: { ...stored.card, shown: finalCard } } : stored,
  );
}

export async function closeQuestion(w: Core, question: Question): Promise<Question> {
  await leaveQueueAndSlot(w, question);
  await w.observer.closing(question);
  const { trouble } = question;
  if (trouble !== undefined && w.now() - trouble.sinceMs > deliveryPatienceMs) {
    w.log.error({ event: 'delivery_given_up', questionId: question.id, failures: trouble.failures });
  }
  if (question.outcome?.kind === 'answered' && question.origin !== 'shared') {
    const { durationMs } = question.outcome.answer;
    await ifReadable(w, question, w.durations.note(question.place.teamId, question.id, durationMs));
  }
  if (question.awaitsAccount !== undefined) {
    const asker = { teamId: question.place.teamId, userId: question.askerId };
    await ifReadable(w, question, removeWaiting(w, asker, question.id));
  }
  await keepForButton(w, question);
  await ifReadable(w, question, w.dailyCaps.giveBack(question));
  for (const entry of endEntries(question)) w.audit.note(entry);
  // "Check again" may have re-opened the question meanwhile. Then it stays open.
  const closed = await changeQuestion(w, question, (stored) =>
    isSameRound(stored, question) ? asClosed(stored) : stored,
  );
  if (closed.phase !== 'closed') return closed;
  if (closed.recheckMs === undefined) await delist(w.questions, question.id);
  w.log.info({
    event: 'question_closed',
    outcome: question.outcome?.kind ?? 'none',
    questionId: question.id,
    durationMs: w.now() - question.acceptedMs,
    parts: question.delivery.posted.length,
  });
  return closed;
}

type FileState = NonNullable<Question['delivery']['file']>['state'];

/** The private notice to the asker, if the app cannot or may not show anything where the question was asked. */
function privateEnd(question: Question): PrivateNotice {
  const { id, text, place, upstream, outcome, shares, scope, askerId, acceptedMs } = question;
  if (outcome?.kind === 'notAllowed') {
    const withheld = shares !== undefined ? 'share' : upstream.askedMs === undefined ? undefined : 'answer';
    const notice = { kind: 'notAllowed', reason: outcome.reason, questionId: id, text } as const;
    if (isOverCap(outcome.reason)) return { ...notice, resetMs: resetMs(acceptedMs) };
    if (outcome.reason === 'repositoryRefused') return { ...notice, repositories: scope?.repositories ?? [] };
    if (outcome.unknown !== undefined) {
      return { ...notice, repositories: scope?.repositories ?? [], unknown: outcome.unknown };
    }
    return withheld === undefined ? notice : { ...notice, withheld };
  }
  if (shares !== undefined) return { kind: 'shareUndeliverable', questionId: id, channelId: place.channelId };
  if (outcome?.kind === 'undeliverable' || !isInThread(place)) {
    const canInvite = outcome?.kind === 'undeliverable' && outcome.canInvite;
    const isThreadGone = outcome?.kind === 'undeliverable' && outcome.threadGone === true;
    return {
      kind: 'notInChannel',
      questionId: id,
      text,
      canInvite,
      ...(isBetweenTwo(place) ? { isBetweenTwo: true } : {}),
      ...(isThreadGone ? { isThreadGone } : {}),
    };
  }
  const shareUrl = shareUrlFor(question, { userId: askerId });
  return {
    kind: 'undeliverable',
    questionId: id,
    place,
    shareUrl,
  };
}

/** Prepares the messages of an outcome once per run, and again only if the outcome changes. */
export function preparingOnce({ messenger }: Core): Messenger['prepare'] {
  let last: { key: string; prepared: PreparedOutcome } | undefined;
  return function prepare(question) {
    const { outcome, endedMs, delivery, upstream } = question;
    const key = `${outcome?.kind} ${endedMs} ${delivery.round} ${upstream.isLinkOpen}`;
    if (last?.key !== key) last = { key, prepared: messenger.prepare(question) };
    return last.prepared;
  };
}

/**
 * Ends a question whose workspace removed the app: stops it at the service if it runs there, tells no one, and closes
 * it. Never calls Slack. One try, because the service ends the question by itself too. Safe to repeat after a crash at
 * any line.
 */
export async function endQuietly(w: Core, question: Question): Promise<Question> {
  await stopAtService(w, question);
  await leaveQueueAndSlot(w, question);
  const closed = await changeQuestion(w, question, (stored) => {
    const { endsQuietlyMs: _ends, recheckMs: _recheck, mayHaveCopies: _copies, ...rest } = stored;
    const endedMs = rest.endedMs ?? w.now();
    return asClosed({ ...rest, outcome: rest.outcome ?? { kind: 'cancelled' }, endedMs });
  });
  await delist(w.questions, question.id);
  w.log.info({ event: 'question_ended_with_workspace', outcome: 'ok', questionId: question.id });
  return closed;
}

async function stopAtService(w: Core, question: Question): Promise<void> {
  if (question.upstream.askedMs === undefined || question.outcome !== undefined) return;
  try {
    await cancelAtService(w, question);
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage') throw error;
    w.log.warn({ event: 'not_cancelled_with_workspace', questionId: question.id, kind: error.kind }, error);
  }
}

/** A question that is over, without what was needed only to ask and to show it. */
function asClosed({
  responseUrl: _url,
  trouble: _trouble,
  awaitsAccount: _awaits,
  restored: _restored,
  upstream: { lastStep: _lastStep, seenMark: _seenMark, ...upstream },
  ...question
}: Question): Question {
  const { outcome, context, forwarded, files } = question;
  return withoutRefusedText({
    ...question,
    phase: 'closed',
    upstream,
    ...(outcome === undefined ? {} : { outcome: lightened(outcome) }),
    // Other people's words were needed only to ask. A later attempt reads them again.
    ...(context === undefined ? {} : { context: { ...context, text: '' } }),
    ...(forwarded === undefined ? {} : { forwarded: { ...forwarded, text: '' } }),
    ...(files === undefined ? {} : { files: files.map(withoutText) }),
  });
}

function withoutText({ text, ...file }: MessageFile): MessageFile {
  return text === undefined ? file : { ...file, isUnknown: true };
}

/**
 * Keeps only what buttons need. After delivery, Slack and the service hold an answer's text. The words of a failure stay: its
 * message is rendered again when its button was used.
 */
function lightened(outcome: NonNullable<Question['outcome']>): NonNullable<Question['outcome']> {
  if (outcome.kind !== 'answered') return outcome;
  const { stopped, ...answer } = outcome.answer;
  const reason = stopped === undefined ? {} : { stopped: { cause: stopped.cause } };
  return { ...outcome, answer: { ...answer, markdown: '', ...reason } };
}
