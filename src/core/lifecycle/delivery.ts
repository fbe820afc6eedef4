import { type AppError, isAppError, isTransient } from '../errors.ts';
import { endEntries } from '../history/question-entries.ts';
import type { Messenger, PreparedOutcome, PrivateNotice } from '../ports.ts';
import { isOverCap, resetMs } from '../question/daily-caps.ts';
import { isBetweenTwo, isInThread, type PendingCall, type Question } from '../question/question.ts';
import { shareUrlFor, showsCode } from '../question/readers.ts';
import { keepForButton } from '../question/refused-text.ts';
import { deliveryPatienceMs, recheckAfterMs } from '../settings.ts';
import type { createAdmission } from './admission.ts';
import { asClosed } from './as-closed.ts';
import { finishCard } from './card-updates.ts';
import { finalCard, isSaidByCard } from './decide.ts';
import {
  changeQuestion,
  delist,
  ifReadable,
  isSameRound,
  type LifecyclePorts,
  type Progress,
  releaseSlot,
  wake,
} from './lifecycle-ports.ts';
import { leaveQueue } from './thread-queue.ts';
import {
  withCallGivenUp,
  withCallSearched,
  withCopiesExpected,
  withEarlierCall,
  withIntent,
  withoutPending,
} from './unknown-outcome.ts';

/** How often the app tries to close a card before it closes the question without that. */
const cardEditTries = 8;

/** How often the app tries to attach the answer as a file before it continues without the file. */
const attachTries = 5;

/**
 * The last steps of a question: posts its outcome part by part, closes its card, and leaves the queue and the run slot.
 */
export function createDelivery(
  ports: LifecyclePorts,
  { confirming }: Pick<ReturnType<typeof createAdmission>, 'confirming'>,
) {
  const { messenger, threads, log, now } = ports;

  return {
    post,
    searchPart,
    failed,
    attach,
    searchFile,
    attachFailed,
    recheck,
    recheckFailed,
    sayUndeliverable,
    sayUndeliverableFailed,
    closeCard,
    closeCardFailed,
    close,
    leave,
  };

  async function post(
    question: Question,
    part: number,
    checkFirst: boolean,
    prepared: PreparedOutcome,
  ): Promise<Progress> {
    if (checkFirst) {
      const found = await postedBefore(question, part);
      if (found !== undefined) return { question: found };
    }
    const intended = await begin(question, 'post', checkFirst);
    if (!isSameRound(intended, question)) return { question: intended };
    const access = confirming(intended);
    let ts: string;
    try {
      ({ ts } = await prepared.postPart(intended, part, showsCode(question) ? access.confirm : async () => {}));
    } catch (error) {
      await end(intended, 'post', error, checkFirst ? question.delivery : undefined);
      const refused = await access.end();
      if (refused !== undefined) return refused;
      throw error;
    }
    // Outside the try: if this store fails, the message is in Slack, and the app needs the intent to find it.
    return { question: await posted(intended, part, ts) };
  }

  /**
   * Searches for a part after its post was given up. It may still appear, so a part that is not found is not posted
   * again yet.
   */
  async function searchPart(question: Question): Promise<Progress> {
    const found = await postedBefore(question, question.delivery.posted.length);
    return { question: found ?? (await store(question, (stored) => withCallSearched(stored, 'post', now()))) };
  }

  async function postedBefore(question: Question, part: number): Promise<Question | undefined> {
    const ts = await messenger.findPart(question, part);
    return ts === undefined ? undefined : posted(question, part, ts);
  }

  /**
   * Keeps a part that another process stored meanwhile. That happens if this process is slow and was considered dead.
   */
  function posted(question: Question, part: number, ts: string): Promise<Question> {
    return store(question, (stored) => {
      if (!isSameRound(stored, question)) return stored;
      const { posted: noted } = stored.delivery;
      if (noted.length > part) return noted[part] === ts ? stored : withCopiesExpected(stored, now());
      return { ...stored, delivery: { ...withoutPending(stored.delivery), posted: [...noted, ts] } };
    });
  }

  /** Attaches the answer as a file. The messages hold the same text, so the app gives up if Slack refuses the file. */
  async function attach(question: Question, checkFirst: boolean): Promise<Progress> {
    if (checkFirst && (await messenger.findAttachment(question))) {
      return { question: await filed(question, 'attached') };
    }
    const intended = await begin(question, 'attach', checkFirst);
    if (!isSameRound(intended, question)) return { question: intended };
    // A file takes long to upload, so it has a check of its own.
    const access = confirming(intended, { isAlone: true });
    try {
      await messenger.attachAnswer(intended, access.confirm);
    } catch (error) {
      await end(intended, 'attach', error, checkFirst ? question.delivery.file : undefined);
      const refused = await access.end();
      if (refused !== undefined) return refused;
      throw error;
    }
    return { question: await filed(intended, 'attached') };
  }

  async function searchFile(question: Question): Promise<Progress> {
    if (await messenger.findAttachment(question)) return { question: await filed(question, 'attached') };
    return { question: await store(question, (stored) => withCallSearched(stored, 'attach', now())) };
  }

  /**
   * Stores that a message or file is about to be posted. If an earlier try may still appear, plans a check for copies.
   */
  function begin(question: Question, effect: 'post' | 'attach', isRepeated: boolean): Promise<Question> {
    return store(question, (stored) => {
      if (!isSameRound(stored, question)) return stored;
      const intended = withIntent(effect === 'attach' ? withFile(stored, 'intended') : stored, effect, now());
      return isRepeated ? withCopiesExpected(intended, now()) : intended;
    });
  }

  /** Stores the result of a failed call. `earlier`: the call that it repeated. */
  async function end(
    question: Question,
    effect: 'post' | 'attach',
    error: unknown,
    earlier: PendingCall | undefined,
  ): Promise<void> {
    if (!isAppError(error)) return;
    await store(question, (stored) => {
      if (!isSameRound(stored, question)) return stored;
      if (error.outcomeUnknown) return withCallGivenUp(stored, effect, now());
      return earlier === undefined ? withoutCall(stored, effect) : withEarlierCall(stored, effect, earlier);
    });
  }

  /**
   * Shows the outcome on the card again, because a late edit may have replaced it. Removes messages that were posted
   * twice.
   */
  async function recheck(question: Question): Promise<Progress> {
    // The edit comes first, because it needs fewer rights than the removal.
    const shown = question.card.shown === finalCard ? await finishCard(ports, question) : question;
    const copies = question.mayHaveCopies === true ? await messenger.removeCopies(shown) : 0;
    if (copies > 0) log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });
    return { question: await rechecked(shown) };
  }

  /** A failed check is repeated later. No other step waits for it. */
  async function recheckFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    const isTooLate = question.endedMs !== undefined && now() - question.endedMs > deliveryPatienceMs;
    if (!isTransient(error) || isTooLate) {
      log.error({ event: 'copies_not_checked', questionId: question.id, kind: error.kind }, error);
      return { question: await rechecked(question) };
    }
    const waitMs = Math.max(recheckAfterMs, error.retryAfterMs ?? 0);
    return { question: await store(question, (stored) => ({ ...stored, recheckMs: now() + waitMs })) };
  }

  /** A message that was posted again during this check gets another check. */
  function rechecked(question: Question): Promise<Question> {
    return store(question, (stored) => {
      if (stored.recheckMs !== question.recheckMs) return stored;
      const { recheckMs: _recheck, mayHaveCopies: _copies, card: checked, ...rest } = stored;
      // If the card is still in use, its next edit shows the current state.
      return { ...rest, card: checked.shown === finalCard ? checked : { ...checked, shown: '' } };
    });
  }

  async function attachFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (isTransient(error) && (question.trouble?.failures ?? 0) + 1 < attachTries) return undefined;
    log.warn({ event: 'file_not_attached', questionId: question.id, kind: error.kind }, error);
    return { question: await filed(question, 'refused') };
  }

  function filed(question: Question, state: FileState): Promise<Question> {
    return store(question, (stored) => (isSameRound(stored, question) ? withFile(stored, state) : stored));
  }

  /** Ends the delivery if a retry cannot help. Retries after all other errors. */
  async function failed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (!isAppError(error, 'undeliverable', 'unrenderable', 'refused', 'notFound')) return undefined;
    log.error({ event: 'delivery_refused', questionId: question.id, kind: error.kind }, error);
    try {
      return await sayUndeliverable(question);
    } catch (failure) {
      if (!isAppError(failure) || failure.kind === 'storage' || failure.kind === 'corrupt') throw failure;
      return sayUndeliverableFailed(question, failure);
    }
  }

  /** Notifies the asker privately that the app could not show the outcome where the question was asked. */
  async function sayUndeliverable(question: Question): Promise<Progress> {
    await messenger.notifyPrivately(question, question.askerId, privateEnd(question));
    return { question: await giveUpThread(question) };
  }

  /** Retries while Slack may still take the private notice, because it may be the only visible end. */
  async function sayUndeliverableFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (error.kind === 'unavailable' || error.kind === 'rateLimited' || error.kind === 'badReply') return undefined;
    log.error({ event: 'end_not_notified', questionId: question.id, kind: error.kind }, error);
    return { question: await giveUpThread(question) };
  }

  function giveUpThread(question: Question): Promise<Question> {
    return store(question, (stored) =>
      isSameRound(stored, question)
        ? { ...stored, delivery: { ...withoutPending(stored.delivery), refused: true } }
        : stored,
    );
  }

  async function closeCard(question: Question): Promise<Progress> {
    // Slack may delay the card for minutes. The next question must not wait for that.
    await leave(question);
    await ports.observer.closing(question);
    return { question: await finishCard(ports, question) };
  }

  /**
   * Closes the question after some tries even if Slack refuses to edit the card. Retries until the delivery's patience
   * ends if only the card shows the outcome, or on a rate limit: if many questions end at once, the last card may wait
   * for minutes.
   */
  async function closeCardFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (isSaidByCard(question) || error.kind === 'rateLimited') return undefined;
    if ((question.trouble?.failures ?? 0) < cardEditTries) return undefined;
    log.error({ event: 'card_not_closed', questionId: question.id, kind: error.kind }, error);
    return {
      question: await store(question, (stored) =>
        isSameRound(stored, question) ? { ...stored, card: { ...stored.card, shown: finalCard } } : stored,
      ),
    };
  }

  /**
   * Leaves the thread's queue and gives back the run slot. The outcome is posted by now, and only the card is left to
   * edit.
   */
  async function leave(question: Question): Promise<void> {
    if (isInThread(question.place)) {
      await wake(ports, await leaveQueue(threads, question.id, question.place));
    }
    await releaseSlot(ports, question);
  }

  async function close(question: Question): Promise<Question> {
    await leave(question);
    await ports.observer.closing(question);
    const { trouble } = question;
    if (trouble !== undefined && now() - trouble.sinceMs > deliveryPatienceMs) {
      log.error({ event: 'delivery_given_up', questionId: question.id, failures: trouble.failures });
    }
    if (question.outcome?.kind === 'answered' && question.origin !== 'shared') {
      const { durationMs } = question.outcome.answer;
      await ifReadable(ports, question, ports.durations.note(question.place.teamId, question.id, durationMs));
    }
    if (question.awaitsAccount !== undefined) {
      const asker = { teamId: question.place.teamId, userId: question.askerId };
      await ifReadable(ports, question, ports.accountWaits.remove(asker, question.id));
    }
    await keepForButton(ports, question);
    await ifReadable(ports, question, ports.dailyCaps.giveBack(question));
    for (const entry of endEntries(question)) ports.audit.note(entry);
    // "Check again" may have re-opened the question meanwhile. Then it stays open.
    const closed = await store(question, (stored) => (isSameRound(stored, question) ? asClosed(stored) : stored));
    if (closed.phase !== 'closed') return closed;
    if (closed.recheckMs === undefined) await delist(ports, question.id);
    log.info({
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

type FileState = NonNullable<Question['delivery']['file']>['state'];

function withFile(question: Question, state: FileState): Question {
  const { delivery } = question;
  // During a deploy, processes of an older version also read this record, and they require an intent on every file.
  return {
    ...question,
    delivery: { ...delivery, file: { intentMs: delivery.file?.intentMs ?? question.acceptedMs, state } },
  };
}

/** Removes a call that certainly had no effect, so that the next try needs no search. */
function withoutCall(question: Question, effect: 'post' | 'attach'): Question {
  const { file, ...delivery } = question.delivery;
  if (effect === 'attach') return { ...question, delivery };
  return { ...question, delivery: withoutPending(question.delivery) };
}

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
export function preparingOnce(messenger: Pick<Messenger, 'prepare'>): Messenger['prepare'] {
  let last: { key: string; prepared: PreparedOutcome } | undefined;
  return function prepare(question) {
    const { outcome, endedMs, delivery, upstream } = question;
    const key = `${outcome?.kind} ${endedMs} ${delivery.round} ${upstream.isLinkOpen}`;
    if (last?.key !== key) last = { key, prepared: messenger.prepare(question) };
    return last.prepared;
  };
}
