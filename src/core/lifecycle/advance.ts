import { type AppError, isAppError } from '../errors.ts';
import { backOffMs, isPatienceOver } from '../pacing.ts';
import type { Clock, Conversation, Log, Messenger, QuestionStore, UpstreamQuestion } from '../ports.ts';
import { isInThread, type Outcome, type Question } from '../question/question.ts';
import { mayWantMute } from '../question/second-person.ts';
import { waitedFromMs, watchedSince } from '../question/upstream.ts';
import type { Slot } from '../run-slots.ts';
import { longestQuietWaitMs, noReplyMs } from '../settings.ts';
import { createAccountAccess, isAccountRefused, refusedCause } from './account-access.ts';
import { createAdmission } from './admission.ts';
import { asClosed } from './as-closed.ts';
import { createAsking } from './asking.ts';
import { cancelAtService, locate } from './at-service.ts';
import { cardLeftMs, isOnlyCardLeft } from './card-steps.ts';
import { announce, announceFailed, dropCard, refreshCard, searchCard } from './card-updates.ts';
import { atOnce, decide, failed, interpret, parkedUntil, type Standing, type Step } from './decide.ts';
import { createDelivery, preparingOnce } from './delivery.ts';
import {
  causeOf,
  changeQuestion,
  delist,
  endWith,
  ifReadable,
  isAnswerTooLong,
  type LifecyclePorts,
  type Progress,
  releaseSlot,
  troubleOf,
  wake,
} from './lifecycle-ports.ts';
import { answeredWith, createResharing } from './resharing.ts';
import { createShowing } from './showing.ts';
import { leaveQueue, readPositionInQueue } from './thread-queue.ts';
import { type Effect, withCallLeftBehind } from './unknown-outcome.ts';

/** More steps than any question needs in one run. A run that reaches the limit repeats a decision. */
const stepsPerRun = 200;

/** The wait after such a run, in milliseconds, so that it does not take all time. */
const unsettledMs = 10_000;

/**
 * Creates `advance`: takes all steps that a question can take now, and stores each step's result before the next step.
 * Returns the milliseconds until the next run, or undefined once the question is closed. Safe to call again after a
 * crash at any line. Throws only if storage fails or a record is corrupt. Nothing is lost then. Each run of an open
 * question is a span of the question's trace. A question without one, because it was accepted when nothing was traced,
 * begins it at its next run.
 */
export function createAdvance(ports: LifecyclePorts): (questionId: string) => Promise<number | undefined> {
  const { questions, tracer, now, settings } = ports;
  const asking = createAsking(ports);
  const admission = createAdmission(ports);
  const delivering = createDelivery(ports, admission);
  const showing = createShowing(ports, delivering.leave, delivering.failed);
  const account = createAccountAccess(ports);
  const resharing = createResharing(ports);
  const silence = createSilence(ports);
  const beginRun = createReadStanding(ports, account.isBack);

  return async function advance(questionId) {
    const question = await questions.get(questionId);
    if (question === undefined || (question.phase === 'closed' && question.recheckMs === undefined)) {
      return leave(questionId, question);
    }
    // Without tracing there is no other write of the question.
    if (!tracer.isOn) return run(question);
    const { phase, trace: parent } = question;
    return tracer.step({ name: 'advance', questionId, parent, fields: { phase } }, async (span) => {
      const { context } = span;
      const isNew = parent === undefined && context !== undefined;
      const nextRunMs = await run(
        isNew ? await store(question, (stored) => (stored.trace ? stored : { ...stored, trace: context })) : question,
      );
      span.note({ nextRunMs });
      return nextRunMs;
    });
  };

  async function run(begun: Question): Promise<number | undefined> {
    let question = begun;
    const prepare = preparingOnce(ports.messenger);
    const readStanding = beginRun();
    for (let steps = 0; steps < stepsPerRun; steps += 1) {
      const standing = await readStanding(question);
      const parts = question.phase === 'delivering' ? prepare(question).parts : 0;
      const step = decide(question, { ...standing, nowMs: now(), parts, settings });
      // The next question of the thread does not wait for this one's card.
      if (isOnlyCardLeft(question, parts)) await delivering.leave(question);
      if (step.do === 'nothing') return leave(question.id, question);
      if (step.do === 'wait') return sooner(step.ms, await refreshCard(ports, question, standing));
      const progress = await carryOut(question, step, standing, prepare);
      question = progress.question;
      if ('waitMs' in progress) return sooner(progress.waitMs, cardLeftMs(question, { nowMs: now(), settings }));
    }
    ports.log.error({ event: 'advance_does_not_settle', questionId: question.id });
    return unsettledMs;
  }

  /** Two runs may overlap: one takes a slot for a question that the other has just closed. */
  async function leave(questionId: string, question: Question | undefined): Promise<undefined> {
    await delist(ports, questionId);
    if (question === undefined) return;
    ports.watching.leave(question);
    if (question.phase === 'closed') await releaseSlot(ports, question);
  }

  async function carryOut(
    question: Question,
    step: Step,
    standing: Standing,
    prepare: Messenger['prepare'],
  ): Promise<Progress> {
    tracer.event(step.do);
    switch (step.do) {
      case 'admit':
        // A repeated admission does not clear the trouble of a later step.
        return attempt(question, () => admission.admit(question), admission.admitFailed, standing, {
          clearsTrouble: question.admittedMs === undefined,
        });
      case 'chooseAccess':
        return account.choose(question);
      case 'noticeAccount':
        return attempt(question, () => account.notice(question), account.noticeFailed, standing);
      case 'leaveQueue':
        return account.leave(question);
      case 'resume':
        return account.resume(question);
      case 'join':
        return { question: await asking.join(question) };
      case 'repairQueue':
        return repairQueue(question, step.head);
      case 'takeSlot':
        await ports.runSlots.takeSlot(question);
        return { question };
      case 'announce':
        return attempt(
          question,
          () => announce(ports, question, standing, step.checkFirst),
          (current, error) => announceFailed(ports, current, error),
          standing,
          // While a question goes on without its card, its trouble comes from another step, and posting the card does not end it.
          { clearsTrouble: question.upstream.firstTriedMs === undefined || question.phase === 'delivering' },
        );
      case 'dropCard':
        return attempt(
          question,
          () => dropCard(ports, question),
          (current, error) => announceFailed(ports, current, error),
        );
      case 'giveUp':
        return { question: await store(question, (stored) => withCallLeftBehind(stored, step.effect, now())) };
      case 'search':
        return search(question, step.effect, standing);
      case 'gather':
        return attempt(question, () => admission.gather(question), admission.gatherFailed, standing);
      case 'recall':
        return attempt(question, () => resharing.recall(question), resharing.failed, standing);
      case 'ask':
        return attempt(
          question,
          () => silence.during(question, standing, () => asking.ask(question, step.checkFirst)),
          asking.failed,
          standing,
        );
      case 'unpark':
        return asking.unpark(question);
      case 'cancelUpstream':
        return attempt(question, () => asking.cancel(question), watchFailed, standing);
      case 'watch':
        return attempt(question, () => watch(question, standing), watchFailed, standing);
      case 'end':
        return { question: await end(question, step.outcome) };
      case 'post':
        return attempt(
          question,
          () => delivering.post(question, step.part, step.checkFirst, prepare(question)),
          delivering.failed,
        );
      case 'attach':
        return attempt(question, () => delivering.attach(question, step.checkFirst), delivering.attachFailed);
      case 'sayUndeliverable':
        return attempt(question, () => delivering.sayUndeliverable(question), delivering.sayUndeliverableFailed);
      case 'showing':
        return attempt(
          question,
          () => showing.take(question, step.step),
          (current, error) => showing.failed(current, step.step, error),
        );
      case 'endQuietly':
        return endQuietly(ports, question);
      case 'closeCard':
        return attempt(question, () => delivering.closeCard(question), delivering.closeCardFailed);
      case 'close':
        return { question: await delivering.close(question) };
      case 'recheck':
        return attempt(question, () => delivering.recheck(question), delivering.recheckFailed, standing, {
          clearsTrouble: false,
        });
      case 'wait':
      case 'nothing':
        return { question };
    }
  }

  async function repairQueue(question: Question, head: string): Promise<Progress> {
    ports.log.warn({ event: 'thread_queue_repaired', questionId: head });
    if (isInThread(question.place)) await leaveQueue(ports.threads, head, question.place);
    return { question };
  }

  /** A search does not clear the trouble of the call that it searches for. */
  function search(question: Question, effect: Effect, standing: Standing): Promise<Progress> {
    const options = { clearsTrouble: false };
    switch (effect) {
      case 'announce':
        return attempt(
          question,
          () => searchCard(ports, question),
          (current, error) => announceFailed(ports, current, error),
          standing,
          options,
        );
      case 'ask':
        return attempt(
          question,
          () => silence.during(question, standing, () => asking.search(question)),
          asking.failed,
          standing,
          options,
        );
      case 'post':
        return attempt(question, () => delivering.searchPart(question), delivering.failed, standing, options);
      case 'attach':
        return attempt(question, () => delivering.searchFile(question), delivering.attachFailed, standing, options);
    }
  }

  /**
   * Runs an effect. On failure, `onFailure` may turn the error into an outcome. Otherwise the failure counts as
   * trouble, and the same step runs again after a back-off.
   */
  async function attempt(
    question: Question,
    effect: () => Promise<Progress>,
    onFailure: (question: Question, error: AppError) => Promise<Progress | undefined>,
    standing = atOnce,
    { clearsTrouble } = { clearsTrouble: true },
  ): Promise<Progress> {
    silence.wasTold(question.id);
    try {
      const done = await effect();
      // The card was edited meanwhile, so the next edit must not be compared with what it showed before.
      const progress = silence.wasTold(question.id) ? { ...done, question: await reload(done.question) } : done;
      return progress.question.trouble === undefined || !clearsTrouble
        ? progress
        : { ...progress, question: await clearTrouble(progress.question) };
    } catch (error) {
      if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
      const current = await reload(question);
      const isWaiting = current.access === 'own' && current.outcome === undefined;
      if (isWaiting && isAccountRefused(error)) return { question: await account.park(current) };
      const handled = await onFailure(current, error);
      if (handled !== undefined) return handled;
      // The question comes again exactly when there is room: a longer wait wastes it. Such a wait is no failure.
      const failures = (current.trouble?.failures ?? 0) + (error.isHeldBack ? 0 : 1);
      // A long Retry-After must not delay the next run of a running or cancelled question: its patience must be able to end.
      const askedWaitMs = error.retryAfterMs ?? 0;
      const isCancelling = current.cancel !== undefined && current.outcome === undefined;
      const isHurried = current.phase === 'running' || isCancelling;
      const mostMs = isHurried ? longestQuietWaitMs : Number.POSITIVE_INFINITY;
      const waitMs = error.isHeldBack
        ? Math.min(askedWaitMs, mostMs)
        : backOffMs(failures, ports.random(), Math.min(askedWaitMs, mostMs));
      const kind = troubleOf(error, silence.wasTold(question.id));
      const nowMs = now();
      const troubled = await store(current, (stored) => ({
        ...stored,
        trouble: { kind, failures, sinceMs: stored.trouble?.sinceMs ?? nowMs, notBeforeMs: nowMs + waitMs },
      }));
      ports.log.warn(
        { event: 'step_failed', questionId: question.id, kind: error.kind, failures, waitMs, phase: current.phase },
        error,
      );
      return { question: troubled, waitMs: sooner(waitMs, await refreshCard(ports, troubled, standing)) };
    }
  }

  async function watch(watched: Question, standing: Standing): Promise<Progress> {
    const { conversationId } = watched.upstream;
    // Before the app gives up, and while it waits for a cancellation, it looks for itself.
    const isFresh = watched.cancel !== undefined || isPatienceOver(settings, watchedSince(watched), now());
    const conversation = await silence.during(watched, standing, () => ports.watching.read(watched, { isFresh }));
    if (conversation === undefined && conversationId !== undefined) return goOn(watched, standing);
    const located = conversation === undefined ? undefined : await locate(ports, watched, conversation);
    if (conversation === undefined || located === undefined) {
      return { question: await end(watched, { kind: 'failed', failure: { cause: 'gone' } }) };
    }
    const { question, observed } = located;
    const nowMs = now();
    const elapsedMs = nowMs - waitedFromMs(question);
    const reading = interpret(observed, conversation, elapsedMs, nowMs);
    if (reading.is === 'limited') {
      const untilMs = reading.untilMs === undefined ? undefined : parkedUntil(question, reading.untilMs, nowMs);
      return { question: await asking.park(question, untilMs) };
    }
    if (reading.is === 'ended') {
      const { outcome } = reading;
      const isShown = question.shares !== undefined && outcome.kind === 'answered';
      const offering = outcome.kind === 'answered' ? await withOffer(question) : question;
      const ended = await end(
        offering,
        isShown ? answeredWith(outcome.answer, question) : outcome,
        conversation.shareUrl,
      );
      await notifyIfTooLateToCancel(ended);
      return { question: ended };
    }
    return goOn(question, standing, { observed, conversation });
  }

  /** Goes on with a question that still runs. Without `progress`, nothing changed since the last run. */
  async function goOn(
    question: Question,
    standing: Standing,
    progress?: { observed: UpstreamQuestion; conversation: Conversation },
  ): Promise<Progress> {
    if (isPatienceOver(settings, watchedSince(question), now())) {
      return { question: await end(question, { kind: 'gaveUp' }, progress?.conversation.shareUrl) };
    }
    const watched = progress ? await noteProgress(question, progress.observed, progress.conversation) : question;
    const editMs = await refreshCard(ports, watched, standing);
    const waitMs = ports.watching.goesOn(watched, settings.readEveryMs);
    const patienceEndMs = watchedSince(watched) + settings.patienceMs;
    // A question that is read alone is edited and checked at its next read.
    return {
      question: watched,
      waitMs:
        waitMs > settings.readEveryMs
          ? sooner(waitMs, sooner(untilDueMs(watched, patienceEndMs, now()), editMs))
          : waitMs,
    };
  }

  /** Decides before the first message of the answer whether to offer muting, so that every rendering is the same. */
  async function withOffer(question: Question): Promise<Question> {
    if (!isInThread(question.place)) return question;
    const thread = await ifReadable(ports, question, ports.threads.get(question.place));
    return mayWantMute(thread) ? store(question, (stored) => ({ ...stored, offersMute: true })) : question;
  }

  async function watchFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (error.kind === 'notFound') {
      return { question: await end(question, { kind: 'failed', failure: { cause: 'gone' } }) };
    }
    if (error.kind === 'unauthorized') {
      return { question: await end(question, { kind: 'failed', failure: { cause: refusedCause(question) } }) };
    }
    // The service answered, and would answer the same next time.
    if (isAnswerTooLong(error)) {
      return { question: await end(question, { kind: 'failed', failure: { cause: 'answerTooLong' } }) };
    }
    if (isPatienceOver(settings, watchedSince(question), now())) {
      return { question: await end(question, { kind: 'failed', failure: { cause: causeOf(error) } }) };
    }
    return undefined;
  }

  /** Tries once. The answer is the visible end, so this notice may get lost. */
  async function notifyIfTooLateToCancel(question: Question): Promise<void> {
    if (question.cancel === undefined || question.outcome?.kind !== 'answered') return;
    try {
      await ports.messenger.notifyPrivately(question, question.cancel.byUserId, { kind: 'answeredBeforeCancel' });
    } catch (error) {
      if (!isAppError(error)) throw error;
      ports.log.warn({ event: 'private_notice_lost', questionId: question.id, kind: error.kind }, error);
    }
  }

  /** Notes with the progress what the question has seen, so that no other process reads it again. */
  async function noteProgress(
    question: Question,
    { steps = 0, lastStep }: Pick<UpstreamQuestion, 'steps' | 'lastStep'>,
    { shareUrl, mark }: Pick<Conversation, 'shareUrl' | 'mark'>,
  ): Promise<Question> {
    const { upstream } = question;
    const isShown = upstream.steps === steps && upstream.lastStep === lastStep && upstream.shareUrl === shareUrl;
    if (isShown && upstream.seenMark === mark) return question;
    return store(question, (stored) => {
      const { seenMark: _, ...earlier } = stored.upstream;
      return {
        ...stored,
        upstream: {
          ...earlier,
          steps,
          ...(lastStep === undefined ? {} : { lastStep }),
          ...(mark === undefined ? {} : { seenMark: mark }),
          ...(shareUrl === undefined ? {} : { shareUrl }),
        },
      };
    });
  }

  async function end(question: Question, outcome: Outcome, shareUrl?: string): Promise<Question> {
    return endWith(ports, question, outcome, shareUrl);
  }

  async function clearTrouble(question: Question): Promise<Question> {
    return store(question, ({ trouble: _, ...stored }) => stored);
  }

  async function reload(question: Question): Promise<Question> {
    return (await questions.get(question.id)) ?? question;
  }

  function store(question: Question, change: (stored: Question) => Question): Promise<Question> {
    return changeQuestion(ports, question, change);
  }
}

/**
 * Milliseconds until something of a running question is due that no change at the service announces: the end of the app's
 * patience, "takes longer than usual", a check for copies.
 */
function untilDueMs(question: Question, patienceEndMs: number, nowMs: number): number {
  const { expected, recheckMs = Number.POSITIVE_INFINITY } = question;
  const lateMs = expected === undefined ? Number.POSITIVE_INFINITY : waitedFromMs(question) + expected.lateMs;
  const due = [patienceEndMs, lateMs, recheckMs].filter((atMs) => atMs > nowMs);
  return Math.min(...due) - nowMs;
}

function sooner(waitMs: number, dueMs: number | undefined): number {
  return dueMs === undefined ? waitMs : Math.min(waitMs, dueMs);
}

/**
 * Ends a question whose workspace removed the app: stops it at the service if it runs there, tells no one, and closes
 * it. Never calls Slack. One try, because the service ends the question by itself too. Safe to repeat after a crash at
 * any line.
 */
async function endQuietly(ports: LifecyclePorts, question: Question): Promise<Progress> {
  await stopAtService(ports, question);
  if (isInThread(question.place)) {
    await wake(ports, await leaveQueue(ports.threads, question.id, question.place));
  }
  await releaseSlot(ports, question);
  const closed = await changeQuestion(ports, question, (stored) => {
    const { endsQuietlyMs: _ends, recheckMs: _recheck, mayHaveCopies: _copies, ...rest } = stored;
    const endedMs = rest.endedMs ?? ports.now();
    return asClosed({ ...rest, outcome: rest.outcome ?? { kind: 'cancelled' }, endedMs });
  });
  await delist(ports, question.id);
  ports.log.info({ event: 'question_ended_with_workspace', outcome: 'ok', questionId: question.id });
  return { question: closed };
}

async function stopAtService(ports: LifecyclePorts, question: Question): Promise<void> {
  if (question.upstream.askedMs === undefined || question.outcome !== undefined) return;
  try {
    await cancelAtService(ports, question);
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage') throw error;
    ports.log.warn({ event: 'not_cancelled_with_workspace', questionId: question.id, kind: error.kind }, error);
  }
}

/** Says on a card that the service took a call and has sent no reply. */
export function createSilence(ports: LifecyclePorts) {
  const { questions, now, log } = ports;
  /** The questions whose card says so during the present call. */
  const told = new Set<string>();

  return {
    during,
    /** Whether the card of a question said so. The next call says false until the card says so again. */
    wasTold: (questionId: string) => told.delete(questionId),
  };

  /** Makes a call. The card says so when it has no result after {@link noReplyMs}. */
  async function during<Result>(question: Question, standing: Standing, call: () => Promise<Result>): Promise<Result> {
    let telling: Promise<void> | undefined;
    const timer = setTimeout(() => {
      telling = tell(question.id, standing);
    }, noReplyMs);
    timer.unref();
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      await telling;
    }
  }

  async function tell(questionId: string, standing: Standing): Promise<void> {
    told.add(questionId);
    const nowMs = now();
    const trouble = { kind: 'silent', failures: 1, sinceMs: nowMs, notBeforeMs: nowMs } as const;
    try {
      const question = await questions.get(questionId);
      if (question !== undefined) await refreshCard(ports, { ...question, trouble }, standing);
    } catch (error) {
      // If the call outlasts this, nothing waits for it, and a rejection would end the process; so every error ends here.
      log.warn({ event: 'silence_not_told', questionId }, error);
    }
  }
}

/**
 * Creates what begins a run: returns `readStanding`, which reads what the question may have to wait for. Changes nothing.
 * A granted slot is read once in a run: no one else can take it from the question.
 */
function createReadStanding(
  ports: LifecyclePorts,
  readAccountBack: (question: Question) => Promise<boolean | undefined>,
): () => (question: Question) => Promise<Standing> {
  return () => {
    let granted: Slot | undefined;
    return async function readStanding(question) {
      const { phase, place } = question;
      if (phase !== 'waiting') granted = undefined;
      if (phase !== 'waiting' && phase !== 'parked' && phase !== 'running') return atOnce;
      const isAccountBack = await readAccountBack(question);
      const about = isAccountBack === undefined ? {} : { isAccountBack };
      if (!isInThread(place)) return { ...atOnce, ...about, positionInQueue: -1 };
      const position = { ...about, ...(await readPositionInQueue(ports, question.id, place)) };
      // No slot is taken before the admission.
      const needsSlot = phase === 'waiting' && position.positionInQueue === 0 && question.admittedMs !== undefined;
      if (!needsSlot) return { ...position, slot: atOnce.slot };
      const slot = granted ?? (await ports.runSlots.readSlot(question));
      if (slot?.granted === true) granted = slot;
      return { ...position, slot };
    };
  };
}

/** How often in a row this app's code may fail on a question before the question ends with a visible failure. */
const internalTries = 5;

/**
 * Wraps `advance`, so that a bug of this app cannot leave a question without an end. After some tries the question
 * fails visibly. If that cannot be shown either, the question is closed with an error in the log. Throws storage
 * errors: nothing can be stored then, and the scheduler repeats the run.
 */
export function guardAdvance(
  advance: (questionId: string) => Promise<number | undefined>,
  { questions, log, now, random }: { questions: QuestionStore; log: Log; now: Clock; random: () => number },
): (questionId: string) => Promise<number | undefined> {
  return async function guardedAdvance(questionId) {
    try {
      return await advance(questionId);
    } catch (error) {
      if (isAppError(error, 'storage', 'corrupt')) throw error;
      const nowMs = now();
      const share = random();
      const noted = await questions.update(questionId, (stored) => noteInternal(stored, nowMs, share));
      log.error({ event: 'advance_failed', questionId, phase: noted?.phase ?? 'gone', tries: triesOf(noted) }, error);
      return noted === undefined ? undefined : Math.max(0, (noted.trouble?.notBeforeMs ?? nowMs) - nowMs);
    }
  };
}

function triesOf(question: Question | undefined): number {
  return question?.trouble?.kind === 'internal' ? question.trouble.failures : 0;
}

function noteInternal(question: Question, nowMs: number, share: number): Question {
  const { recheckMs = Number.POSITIVE_INFINITY, mayHaveCopies: _copies, ...unchecked } = question;
  // Drops a check for copies that fails: it must not end the question, and a closed question has no other step.
  if (question.phase === 'closed' || recheckMs <= nowMs) return unchecked;
  const failures = triesOf(question) + 1;
  if (failures <= internalTries) {
    const sinceMs = question.trouble?.sinceMs ?? nowMs;
    const notBeforeMs = nowMs + backOffMs(failures, share);
    return { ...question, trouble: { kind: 'internal', failures, sinceMs, notBeforeMs } };
  }
  const { trouble: _, ...rest } = question;
  const isSayingSo = question.outcome?.kind === 'failed' && question.outcome.failure.cause === 'internal';
  if (isSayingSo) return { ...rest, phase: 'closed' };
  return {
    ...rest,
    phase: 'delivering',
    outcome: failed({ cause: 'internal' }),
    endedMs: question.endedMs ?? nowMs,
    // Messages that were already posted stay. The failure is posted as a new outcome.
    delivery: { round: question.delivery.round + 1, posted: [] },
  };
}
