import type { AllWorkspaces, Core } from '../context.ts';
import { type AppError, isAppError } from '../errors.ts';
import { backOffMs, isPatienceOver } from '../pacing.ts';
import type { Conversation, Messenger, UpstreamQuestion } from '../ports.ts';
import { mayWantMute } from '../question/conversations.ts';
import { isInThread, type Question } from '../question/question.ts';
import { waitedFromMs, watchedSince } from '../question/upstream.ts';
import type { Slot } from '../run-slots.ts';
import { longestQuietWaitMs, noReplyMs } from '../settings.ts';
import {
  admit,
  admitFailed,
  awaitAccount,
  chooseAccess,
  gather,
  gatherFailed,
  isAccountBack,
  isAccountRefused,
  noticeAccount,
  noticeAccountFailed,
  refusedCause,
  resumeWithAccount,
} from './admission.ts';
import { ask, askFailed, cancelQuestion, locate, park, searchQuestion, unpark } from './asking.ts';
import { announce, announceFailed, dropCard, refreshCard, searchCard } from './card.ts';
import {
  atOnce,
  cardLeftMs,
  decide,
  failed,
  interpret,
  isOnlyCardLeft,
  parkedUntil,
  type Standing,
  type Step,
} from './decide.ts';
import {
  attach,
  attachFailed,
  closeCard,
  closeCardFailed,
  closeQuestion,
  endQuietly,
  post,
  postFailed,
  preparingOnce,
  recheck,
  recheckFailed,
  sayUndeliverable,
  sayUndeliverableFailed,
  searchFile,
  searchPart,
} from './delivery.ts';
import { answeredWith, recall, recallFailed } from './resharing.ts';
import { showingFailed, takeShowing } from './showing.ts';
import {
  causeOf,
  changeQuestion,
  delist,
  endWith,
  ifReadable,
  isAnswerTooLong,
  joinQueue,
  leaveQueue,
  leaveQueueAndSlot,
  type Progress,
  readPositionInQueue,
  releaseSlot,
  troubleOf,
} from './steps.ts';
import { type Effect, withCallLeftBehind } from './unknown-outcome.ts';

/** More steps than any question needs in one run. A run that reaches the limit repeats a decision. */
const stepsPerRun = 200;

/** The wait after such a run, in milliseconds, so that it does not take all time. */
const unsettledMs = 10_000;

/**
 * Takes all steps that a question can take now, and stores each step's result before the next step. Returns the
 * milliseconds until the next run, or undefined once the question is closed. Safe to call again after a crash at any line.
 * Throws only if storage fails or a record is corrupt. Nothing is lost then. Each run of an open question is a span of the
 * question's trace. A question without one, because it was accepted when nothing was traced, begins it at its next run.
 */
export async function advance(w: Core, questionId: string): Promise<number | undefined> {
  const question = await w.questions.get(questionId);
  if (question === undefined || (question.phase === 'closed' && question.recheckMs === undefined)) {
    return leave(w, questionId, question);
  }
  // Without tracing there is no other write of the question.
  if (!w.tracer.isOn) return run(w, question);
  const { phase, trace: parent } = question;
  return w.tracer.step({ name: 'advance', questionId, parent, fields: { phase } }, async (span) => {
    const { context: trace } = span;
    const isNew = parent === undefined && trace !== undefined;
    const traced = isNew ? await changeQuestion(w, question, (stored) => ({ trace, ...stored })) : question;
    const nextRunMs = await run(w, traced);
    span.note({ nextRunMs });
    return nextRunMs;
  });
}

async function run(w: Core, begun: Question): Promise<number | undefined> {
  let question = begun;
  const { settings } = w;
  const prepare = preparingOnce(w);
  const readStanding = readingStanding(w);
  for (let steps = 0; steps < stepsPerRun; steps += 1) {
    const standing = await readStanding(question);
    const parts = question.phase === 'delivering' ? prepare(question).parts : 0;
    const step = decide(question, { ...standing, nowMs: w.now(), parts, settings });
    // The next question of the thread does not wait for this one's card.
    if (isOnlyCardLeft(question, parts)) await leaveQueueAndSlot(w, question);
    if (step.do === 'nothing') return leave(w, question.id, question);
    if (step.do === 'wait') return sooner(step.ms, await refreshCard(w, question, standing));
    w.tracer.event(step.do);
    const progress = await carryOut(w, question, step, standing, prepare);
    question = 'waitMs' in progress ? progress.question : progress;
    if ('waitMs' in progress) return sooner(progress.waitMs, cardLeftMs(question, { nowMs: w.now(), settings }));
  }
  w.log.error({ event: 'advance_does_not_settle', questionId: question.id });
  return unsettledMs;
}

/** Two runs may overlap: one takes a slot for a question that the other has just closed. */
async function leave(w: Core, questionId: string, question: Question | undefined): Promise<undefined> {
  await delist(w.questions, questionId);
  if (question === undefined) return;
  w.watching.leave(question);
  if (question.phase === 'closed') await releaseSlot(w, question);
}

async function carryOut(
  w: Core,
  question: Question,
  step: Step,
  standing: Standing,
  prepare: Messenger['prepare'],
): Promise<Progress> {
  switch (step.do) {
    case 'admit':
      // A repeated admission does not clear the trouble of a later step.
      return attempt(w, question, () => admit(w, question), admitFailed, standing, {
        clearsTrouble: question.admittedMs === undefined,
      });
    case 'chooseAccess':
      return chooseAccess(w, question);
    case 'noticeAccount':
      return attempt(w, question, () => noticeAccount(w, question), noticeAccountFailed, standing);
    case 'leaveQueue':
      await leaveQueueAndSlot(w, question);
      return question;
    case 'resume':
      return resumeWithAccount(w, question);
    case 'join':
      await joinQueue(w, question);
      return question;
    case 'repairQueue':
      w.log.warn({ event: 'thread_queue_repaired', questionId: step.head });
      await leaveQueue(w, { id: step.head, place: question.place });
      return question;
    case 'takeSlot':
      await w.runSlots.takeSlot(question);
      return question;
    case 'announce':
      return attempt(
        w,
        question,
        () => announce(w, question, standing, step.checkFirst),
        announceFailed,
        standing,
        // While a question goes on without its card, its trouble comes from another step, and posting the card does not end it.
        { clearsTrouble: question.upstream.firstTriedMs === undefined || question.phase === 'delivering' },
      );
    case 'dropCard':
      return attempt(w, question, () => dropCard(w, question), announceFailed);
    case 'giveUp':
      return changeQuestion(w, question, (stored) => withCallLeftBehind(stored, step.effect, w.now()));
    case 'search':
      return search(w, question, step.effect, standing);
    case 'gather':
      return attempt(w, question, () => gather(w, question), gatherFailed, standing);
    case 'recall':
      return attempt(w, question, () => recall(w, question), recallFailed, standing);
    case 'ask':
      return attempt(
        w,
        question,
        (silence) => silence.during(() => ask(w, question, step.checkFirst)),
        askFailed,
        standing,
      );
    case 'unpark':
      return unpark(w, question);
    case 'cancelUpstream':
      return attempt(w, question, () => cancelQuestion(w, question), watchFailed, standing);
    case 'watch':
      return attempt(w, question, (silence) => watch(w, question, standing, silence), watchFailed, standing);
    case 'end':
      return endWith(w, question, step.outcome);
    case 'post':
      return attempt(w, question, () => post(w, question, step.checkFirst, prepare(question)), postFailed);
    case 'attach':
      return attempt(w, question, () => attach(w, question, step.checkFirst), attachFailed);
    case 'sayUndeliverable':
      return attempt(w, question, () => sayUndeliverable(w, question), sayUndeliverableFailed);
    case 'showing':
      return attempt(
        w,
        question,
        () => takeShowing(w, question, step.step),
        (_, current, error) => showingFailed(w, current, step.step, error),
      );
    case 'endQuietly':
      return endQuietly(w, question);
    case 'closeCard':
      return attempt(w, question, () => closeCard(w, question), closeCardFailed);
    case 'close':
      return closeQuestion(w, question);
    case 'recheck':
      return attempt(w, question, () => recheck(w, question), recheckFailed, standing, { clearsTrouble: false });
    case 'wait':
    case 'nothing':
      return question;
  }
}

/** A search does not clear the trouble of the call that it searches for. */
function search(w: Core, question: Question, effect: Effect, standing: Standing): Promise<Progress> {
  const options = { clearsTrouble: false };
  switch (effect) {
    case 'announce':
      return attempt(w, question, () => searchCard(w, question), announceFailed, standing, options);
    case 'ask':
      return attempt(
        w,
        question,
        (silence) => silence.during(() => searchQuestion(w, question)),
        askFailed,
        standing,
        options,
      );
    case 'post':
      return attempt(w, question, () => searchPart(w, question), postFailed, standing, options);
    case 'attach':
      return attempt(w, question, () => searchFile(w, question), attachFailed, standing, options);
  }
}

/**
 * Runs an effect. On failure, `onFailure` may turn the error into an outcome. Otherwise the failure counts as
 * trouble, and the same step runs again after a back-off.
 */
async function attempt(
  w: Core,
  question: Question,
  effect: (silence: Silence) => Promise<Progress>,
  onFailure: (w: Core, question: Question, error: AppError) => Promise<Progress | undefined>,
  standing = atOnce,
  { clearsTrouble } = { clearsTrouble: true },
): Promise<Progress> {
  const silence = createSilence(w, question.id, standing);
  try {
    const done = await effect(silence);
    const reached = 'waitMs' in done ? done.question : done;
    // The card was edited meanwhile, so the next edit must not be compared with what it showed before.
    const shown = silence.wasTold() ? await reload(w, reached) : reached;
    const calm =
      shown.trouble === undefined || !clearsTrouble
        ? shown
        : await changeQuestion(w, shown, ({ trouble: _, ...stored }) => stored);
    return 'waitMs' in done ? { question: calm, waitMs: done.waitMs } : calm;
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
    const current = await reload(w, question);
    const isWaiting = current.access === 'own' && current.outcome === undefined;
    if (isWaiting && isAccountRefused(error)) return awaitAccount(w, current);
    const handled = await onFailure(w, current, error);
    if (handled !== undefined) return handled;
    // The question comes again exactly when there is room: a longer wait wastes it. Such a wait is no failure.
    const failures = (current.trouble?.failures ?? 0) + (error.isHeldBack ? 0 : 1);
    // A long Retry-After must not delay the next run of a running or cancelled question: its patience must be able to end.
    const isCancelling = current.cancel !== undefined && current.outcome === undefined;
    const isHurried = current.phase === 'running' || isCancelling;
    const askedWaitMs = Math.min(error.retryAfterMs ?? 0, isHurried ? longestQuietWaitMs : Number.POSITIVE_INFINITY);
    const waitMs = error.isHeldBack ? askedWaitMs : backOffMs(failures, w.random(), askedWaitMs);
    const kind = troubleOf(error, silence.wasTold());
    const nowMs = w.now();
    const troubled = await changeQuestion(w, current, (stored) => ({
      ...stored,
      trouble: { kind, failures, sinceMs: stored.trouble?.sinceMs ?? nowMs, notBeforeMs: nowMs + waitMs },
    }));
    w.log.warn(
      { event: 'step_failed', questionId: question.id, kind: error.kind, failures, waitMs, phase: current.phase },
      error,
    );
    return { question: troubled, waitMs: sooner(waitMs, await refreshCard(w, troubled, standing)) };
  }
}

async function reload(w: Core, question: Question): Promise<Question> {
  return (await w.questions.get(question.id)) ?? question;
}

async function watch(w: Core, watched: Question, standing: Standing, silence: Silence): Promise<Progress> {
  const { conversationId } = watched.upstream;
  // Before the app gives up, and while it waits for a cancellation, it looks for itself.
  const isFresh = watched.cancel !== undefined || isPatienceOver(w.settings, watchedSince(watched), w.now());
  const conversation = await silence.during(() => w.watching.read(watched, { isFresh }));
  if (conversation === undefined && conversationId !== undefined) return goOn(w, watched, standing);
  const located = conversation === undefined ? undefined : await locate(w, watched, conversation);
  if (conversation === undefined || located === undefined) {
    return endWith(w, watched, failed({ cause: 'gone' }));
  }
  const { question, observed } = located;
  const nowMs = w.now();
  const elapsedMs = nowMs - waitedFromMs(question);
  const reading = interpret(observed, conversation, elapsedMs, nowMs);
  if (reading.is === 'limited') {
    const untilMs = reading.untilMs === undefined ? undefined : parkedUntil(question, reading.untilMs, nowMs);
    return park(w, question, untilMs);
  }
  if (reading.is === 'ended') {
    const { outcome } = reading;
    const isShown = question.shares !== undefined && outcome.kind === 'answered';
    const offering = outcome.kind === 'answered' ? await withOffer(w, question) : question;
    const ended = await endWith(
      w,
      offering,
      isShown ? answeredWith(outcome.answer, question) : outcome,
      conversation.shareUrl,
    );
    await notifyIfTooLateToCancel(w, ended);
    return ended;
  }
  return goOn(w, question, standing, { observed, conversation });
}

/** Goes on with a question that still runs. Without `progress`, nothing changed since the last run. */
async function goOn(
  w: Core,
  question: Question,
  standing: Standing,
  progress?: { observed: UpstreamQuestion; conversation: Conversation },
): Promise<Progress> {
  if (isPatienceOver(w.settings, watchedSince(question), w.now())) {
    return endWith(w, question, { kind: 'gaveUp' }, progress?.conversation.shareUrl);
  }
  const watched = progress ? await noteProgress(w, question, progress.observed, progress.conversation) : question;
  const editMs = await refreshCard(w, watched, standing);
  const waitMs = w.watching.goesOn(watched, w.settings.readEveryMs);
  const patienceEndMs = watchedSince(watched) + w.settings.patienceMs;
  // A question that is read alone is edited and checked at its next read.
  return {
    question: watched,
    waitMs:
      waitMs > w.settings.readEveryMs
        ? sooner(waitMs, sooner(untilDueMs(watched, patienceEndMs, w.now()), editMs))
        : waitMs,
  };
}

/** Decides before the first message of the answer whether to offer muting, so that every rendering is the same. */
async function withOffer(w: Core, question: Question): Promise<Question> {
  if (!isInThread(question.place)) return question;
  const thread = await ifReadable(w, question, w.threads.get(question.place));
  return mayWantMute(thread) ? changeQuestion(w, question, (stored) => ({ ...stored, offersMute: true })) : question;
}

async function watchFailed(w: Core, question: Question, error: AppError): Promise<Progress | undefined> {
  if (error.kind === 'notFound') {
    return endWith(w, question, failed({ cause: 'gone' }));
  }
  if (error.kind === 'unauthorized') {
    return endWith(w, question, failed({ cause: refusedCause(question) }));
  }
  // The service answered, and would answer the same next time.
  if (isAnswerTooLong(error)) {
    return endWith(w, question, failed({ cause: 'answerTooLong' }));
  }
  if (isPatienceOver(w.settings, watchedSince(question), w.now())) {
    return endWith(w, question, failed({ cause: causeOf(error) }));
  }
  return undefined;
}

/** Tries once. The answer is the visible end, so this notice may get lost. */
async function notifyIfTooLateToCancel(w: Core, question: Question): Promise<void> {
  if (question.cancel === undefined || question.outcome?.kind !== 'answered') return;
  try {
    await w.messenger.notifyPrivately(question, question.cancel.byUserId, { kind: 'answeredBeforeCancel' });
  } catch (error) {
    if (!isAppError(error)) throw error;
    w.log.warn({ event: 'private_notice_lost', questionId: question.id, kind: error.kind }, error);
  }
}

/** Notes with the progress what the question has seen, so that no other process reads it again. */
async function noteProgress(
  w: Core,
  question: Question,
  { steps = 0, lastStep }: Pick<UpstreamQuestion, 'steps' | 'lastStep'>,
  { shareUrl, mark }: Pick<Conversation, 'shareUrl' | 'mark'>,
): Promise<Question> {
  const { upstream } = question;
  const isShown = upstream.steps === steps && upstream.lastStep === lastStep && upstream.shareUrl === shareUrl;
  if (isShown && upstream.seenMark === mark) return question;
  return changeQuestion(w, question, (stored) => {
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

type Silence = ReturnType<typeof createSilence>;

/** Says on the card of a question that the service took a call and has sent no reply. */
export function createSilence(w: Core, questionId: string, standing: Standing) {
  let isTold = false;

  return { during, wasTold: () => isTold };

  /** Makes a call. The card says so when it has no result after {@link noReplyMs}. */
  async function during<Result>(call: () => Promise<Result>): Promise<Result> {
    let telling: Promise<void> | undefined;
    const timer = setTimeout(() => {
      telling = tell();
    }, noReplyMs);
    timer.unref();
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      await telling;
    }
  }

  async function tell(): Promise<void> {
    isTold = true;
    const nowMs = w.now();
    const trouble = { kind: 'silent', failures: 1, sinceMs: nowMs, notBeforeMs: nowMs } as const;
    try {
      const question = await w.questions.get(questionId);
      if (question !== undefined) await refreshCard(w, { ...question, trouble }, standing);
    } catch (error) {
      // If the call outlasts this, nothing waits for it, and a rejection would end the process; so every error ends here.
      w.log.warn({ event: 'silence_not_told', questionId }, error);
    }
  }
}

/**
 * Returns what reads in one run what the question may have to wait for. Changes nothing. A granted slot is read once: no one
 * else can take it from the question.
 */
function readingStanding(w: Core): (question: Question) => Promise<Standing> {
  let granted: Slot | undefined;
  return async function readStanding(question) {
    const { phase, place } = question;
    if (phase !== 'waiting') granted = undefined;
    if (phase !== 'waiting' && phase !== 'parked' && phase !== 'running') return atOnce;
    const isBack = await isAccountBack(w, question);
    if (!isInThread(place)) return { ...atOnce, isAccountBack: isBack, positionInQueue: -1 };
    const position = { isAccountBack: isBack, ...(await readPositionInQueue(w, question.id, place)) };
    // No slot is taken before the admission.
    const needsSlot = phase === 'waiting' && position.positionInQueue === 0 && question.admittedMs !== undefined;
    if (!needsSlot) return { ...position, slot: atOnce.slot };
    const slot = granted ?? (await w.runSlots.readSlot(question));
    if (slot?.granted === true) granted = slot;
    return { ...position, slot };
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
  { questions, log, now, random }: AllWorkspaces,
  advance: (questionId: string) => Promise<number | undefined>,
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
