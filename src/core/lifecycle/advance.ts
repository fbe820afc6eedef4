import { type AppError, isAppError } from '../errors.ts';
import { backOffMs, isPatienceOver } from '../pacing.ts';
import type { Conversation, Messenger, UpstreamQuestion } from '../ports.ts';
import { isInThread, type Outcome, type Question } from '../question/question.ts';
import { mayWantMute } from '../question/second-person.ts';
import { waitedFromMs, watchedSince } from '../question/upstream.ts';
import { longestQuietWaitMs } from '../settings.ts';
import { createAccountAccess, isAccountRefused, refusedCause } from './account-access.ts';
import { createAdmission } from './admission.ts';
import { createAsking } from './asking.ts';
import { locate } from './at-service.ts';
import { createCardUpdates } from './card-updates.ts';
import { atOnce, decide, interpret, parkedUntil, type Standing, type Step } from './decide.ts';
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
} from './lifecycle-ports.ts';
import { cardLeftMs, isOnlyCardLeft } from './missing-card.ts';
import { createPollWait, untilDueMs } from './poll-wait.ts';
import { endQuietly } from './quiet-end.ts';
import { replace } from './replacing.ts';
import { answeredWith, createResharing } from './resharing.ts';
import { createShowing } from './showing.ts';
import { mayShowSteps } from './shown-steps.ts';
import { createSilence } from './silence.ts';
import { createReadStanding } from './standing.ts';
import { leaveQueue } from './thread-queue.ts';
import { type Effect, withCallLeftBehind } from './unknown-outcome.ts';

/** More steps than any question needs in one run. A run that reaches the limit repeats a decision. */
const stepsPerRun = 200;

/**
 * Creates `advance`: takes all steps that a question can take now, and stores each step's result before the next step.
 * Returns the milliseconds until the next run, or undefined once the question is closed. Safe to call again after a
 * crash at any line. Throws only if storage fails or a record is corrupt. Nothing is lost then.
 */
export function createAdvance(ports: LifecyclePorts): (questionId: string) => Promise<number | undefined> {
  const { questions, now, settings } = ports;
  const card = createCardUpdates(ports);
  const pollWait = createPollWait(ports);
  const asking = createAsking(ports, pollWait);
  const admission = createAdmission(ports);
  const delivering = createDelivery(ports, card, admission);
  const showing = createShowing(ports, delivering.leave, delivering.failed);
  const account = createAccountAccess(ports);
  const resharing = createResharing(ports);
  const silence = createSilence(ports, card);
  const beginRun = createReadStanding(ports, { isAccountBack: account.isBack, isCrowded: card.isCrowded });

  return async function advance(questionId) {
    let question = await questions.get(questionId);
    if (question === undefined || (question.phase === 'closed' && question.recheckMs === undefined)) {
      return leave(questionId, question);
    }
    const prepare = preparingOnce(ports.messenger);
    const readStanding = beginRun();
    for (let steps = 0; steps < stepsPerRun; steps += 1) {
      await ports.deliveryPriority.yieldToDeliveries();
      const standing = await readStanding(question);
      const parts = question.phase === 'delivering' ? prepare(question).parts : 0;
      const step = decide(question, { ...standing, nowMs: now(), parts, settings });
      // The next question of the thread does not wait for this one's card.
      if (isOnlyCardLeft(question, parts)) await delivering.leave(question);
      if (step.do === 'nothing') return leave(questionId, question);
      if (step.do === 'wait') return sooner(step.ms, await card.refresh(question, standing));
      const progress = await carryOut(question, step, standing, prepare);
      question = progress.question;
      if ('waitMs' in progress) return sooner(progress.waitMs, cardLeftMs(question, { nowMs: now(), settings }));
    }
    ports.log.error({ event: 'advance_does_not_settle', questionId });
    return settings.pacing.maxMs;
  };

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
    ports.tracer.event(step.do);
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
      case 'replace':
        return replace(ports, question, step.replacedId);
      case 'repairQueue':
        return repairQueue(question, step.head);
      case 'takeSlot':
        await ports.runSlots.takeSlot(question);
        return { question };
      case 'announce':
        return attempt(
          question,
          () => card.announce(question, standing, step.checkFirst),
          card.announceFailed,
          standing,
          // The trouble of a question that goes on without its card is not the card's.
          { clearsTrouble: question.upstream.firstTriedMs === undefined || question.phase === 'delivering' },
        );
      case 'dropCard':
        return attempt(question, () => card.drop(question), card.announceFailed);
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
      case 'checkAccess':
        return { question: await admission.checkAccess(question) };
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
        return attempt(question, () => card.search(question), card.announceFailed, standing, options);
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
      // To wait longer than for the room would leave it unused. Such a wait is no failure.
      const failures = (current.trouble?.failures ?? 0) + (error.isAppointed ? 0 : 1);
      // A long Retry-After must not delay the next run of a running or cancelled question: its patience must be able to end.
      const askedWaitMs = error.retryAfterMs ?? 0;
      const isCancelling = current.cancel !== undefined && current.outcome === undefined;
      const isHurried = current.phase === 'running' || isCancelling;
      const mostMs = isHurried ? longestQuietWaitMs : Number.POSITIVE_INFINITY;
      const waitMs = error.isAppointed
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
      return { question: troubled, waitMs: sooner(waitMs, await card.refresh(troubled, standing)) };
    }
  }

  async function watch(watched: Question, standing: Standing): Promise<Progress> {
    const { conversationId } = watched.upstream;
    // Before the app gives up, and while it waits for a cancellation, it looks for itself.
    const isFresh = watched.cancel !== undefined || isPatienceOver(settings.pacing, watchedSince(watched), now());
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
    if (isPatienceOver(settings.pacing, watchedSince(question), now())) {
      return { question: await end(question, { kind: 'gaveUp' }, progress?.conversation.shareUrl) };
    }
    const watched = progress ? await noteProgress(question, progress.observed, progress.conversation) : question;
    const editMs = await card.refresh(watched, standing);
    const paceMs = await pollWait(watched, now() - waitedFromMs(watched));
    const isQuiet = !mayShowSteps(watched, standing.isCrowded);
    const waitMs = ports.watching.goesOn(watched, paceMs, { isQuiet });
    const patienceEndMs = watchedSince(watched) + settings.pacing.patienceMs;
    // A question that is read alone is edited and checked at its next read.
    return {
      question: watched,
      waitMs: waitMs > paceMs ? sooner(waitMs, sooner(untilDueMs(watched, patienceEndMs, now()), editMs)) : waitMs,
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
    if (isPatienceOver(settings.pacing, watchedSince(question), now())) {
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

function sooner(waitMs: number, dueMs: number | undefined): number {
  return dueMs === undefined ? waitMs : Math.min(waitMs, dueMs);
}
