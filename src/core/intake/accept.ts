import type { Person } from '../accounts/accounts.ts';
import { AppError, isAppError } from '../errors.ts';
import { type LifecyclePorts, settle } from '../lifecycle/lifecycle-ports.ts';
import { joinQueue } from '../lifecycle/thread-queue.ts';
import { withCancel } from '../question/cancellation.ts';
import {
  type AsFollowUp,
  isInThread,
  type Origin,
  type Place,
  type Question,
  type Refusal,
} from '../question/question.ts';
import type { MessageFile } from '../question/thread-notes.ts';
import { ackConfirmMs, maxQuestionLength, offerMs } from '../settings.ts';
import { within } from '../timeout.ts';
import type { TraceContext } from '../tracing.ts';

/** A question as it arrives, before it is accepted. */
export interface NewQuestion {
  /**
   * Names what started the question, the same for every delivery: a message's team, channel and timestamp, a command's
   * trigger, a button of an answer. Two requests with the same key are one question.
   */
  key: string;
  place: Place;
  askerId: string;
  text: string;
  origin: Origin;
  /** Same as in `Question`. */
  isSuggested?: true;
  /** The message that asks is, or becomes, the first one of its thread. */
  beginsThread?: boolean;
  /** Starts a new conversation even if the thread has one. */
  fresh?: boolean;
  /** Same as in `Question`. */
  messageTs?: string | undefined;
  writtenMs?: number | undefined;
  files?: MessageFile[] | undefined;
  forwarded?: Question['forwarded'];
  /** Same as in `Question`. If absent, only a mention in an existing thread reads the thread. */
  readsThread?: boolean;
  readsFrom?: Question['readsFrom'];
  /** Same as in `Question`. Left out if its text is too long for a question. */
  asFollowUp?: AsFollowUp;
  insteadOf?: string;
  follows?: Question['follows'];
  shares?: Question['shares'];
  /** Same as in `Question`. Given for an answer that is shown again: the access that it was asked with. */
  access?: Question['access'];
  /** Same as in `Question`. If absent, the question gets the asker's locale at its admission. */
  locale?: string | undefined;
  responseUrl?: string;
}

/** The result of a request to ask. Only `accepted` and `duplicate` have a stored question. */
export type Acceptance =
  | { kind: 'accepted'; question: Question }
  | { kind: 'duplicate'; question: Question }
  | { kind: 'empty' }
  | { kind: 'tooLong'; length: number; limit: number }
  /** The thread's queue already has as many questions as allowed. */
  | { kind: 'queueFull'; limit: number; questionId: string }
  /** The asker was refused as often as is stored for a day, and would be refused again. Nothing is stored. */
  | { kind: 'refused'; reason: Refusal; questionId: string };

export interface AcceptPorts
  extends Pick<
    LifecyclePorts,
    | 'questions'
    | 'threads'
    | 'scheduler'
    | 'tracer'
    | 'log'
    | 'now'
    | 'settings'
    | 'accessPolicy'
    | 'dailyCaps'
    | 'dailyStorage'
  > {
  /** A stable digest: 24 lower-case hex digits. */
  digest: (key: string) => string;
}

/**
 * Creates `accept`, the only way to add a question. Once it returns `accepted`, the question is stored and will end
 * visibly, even if this process dies. Throws `AppError` of kind `storage` if the question was not accepted, also if it
 * could not be stored by `byMs` (epoch milliseconds) and confirmed at most `ackConfirmMs` after that.
 */
export function createAccept(ports: AcceptPorts): (request: NewQuestion, byMs?: number) => Promise<Acceptance> {
  const { questions, threads, scheduler, tracer, settings, now } = ports;

  return async function accept(request, byMs = Number.POSITIVE_INFINITY) {
    const text = request.text.trim();
    if (text === '') return { kind: 'empty' };
    if (text.length > maxQuestionLength) return { kind: 'tooLong', length: text.length, limit: maxQuestionLength };
    const id = questionId(ports.digest, request.key);
    const { origin, place } = request;
    const fields = { origin, teamId: place.teamId, channelId: place.channelId };
    return tracer.step({ name: 'accept', questionId: id, fields }, async (span) => {
      const acceptance = await take(id, { ...request, text }, byMs, span.context);
      span.note({ outcome: acceptance.kind });
      // The first delivery began the question's trace.
      if (acceptance.kind === 'duplicate' && acceptance.question.trace) span.link(acceptance.question.trace);
      return acceptance;
    });
  };

  async function take(
    id: string,
    request: NewQuestion,
    byMs: number,
    trace: TraceContext | undefined,
  ): Promise<Acceptance> {
    const refusing = refusalOf(id, request);
    refusing.catch(() => {});
    if (isInThread(request.place)) {
      const reading = threads.get(request.place);
      // A second delivery of an accepted question is a duplicate, even if the queue is full now or can't be read.
      reading.catch(() => {});
      if ((await questions.get(id)) === undefined) {
        // A question that replaces a waiting one takes no place of another.
        const waiting = ((await reading)?.queue ?? []).filter((other) => other !== request.insteadOf).length;
        if (waiting >= settings.threadLimit) {
          note('queueFull', id, request);
          return { kind: 'queueFull', limit: settings.threadLimit, questionId: id };
        }
      }
    }
    const reason = await refusing;
    if (reason !== undefined) {
      note('refused', id, request);
      return { kind: 'refused', reason, questionId: id };
    }
    const drafted = draft(id, request, now(), trace);
    const { question: stored, created } = await questions.create(drafted);
    if (now() > byMs) {
      // The run drops the offer. Without it the sweep would report a question that was forgotten.
      await settle(ports, 'advance_not_scheduled', id, () => scheduler.schedule(id, offerMs));
      throw new AppError('storage', 'stored too late to be taken');
    }
    // An offer that has left the open list is listed again before it is confirmed, so that no crash can hide it.
    if (!created && stored.phase === 'offered') await questions.markOpen(id);
    const { question, taken } = await confirm(id, drafted, byMs);
    const isLate = taken && now() >= byMs + ackConfirmMs;
    const isWithdrawn = isLate && (await withdraw(question));
    // At the same time: a run that finds the question outside its queue adds it.
    const settling = Promise.all([
      // A run that took the offer for expired may have removed it from the list since it was listed.
      taken && !created ? settle(ports, 'not_listed_again', id, () => questions.markOpen(id)) : undefined,
      taken && !isWithdrawn
        ? settle(ports, 'thread_queue_not_joined', id, () => joinQueue(threads, question))
        : undefined,
      settle(ports, 'advance_not_scheduled', id, () => scheduler.schedule(id, 0, { isNew: created && taken })),
    ]);
    if (isLate) {
      await settling;
      throw new AppError('storage', 'confirmed too late to be taken');
    }
    // The question is accepted now. Slow storage must not delay that beyond the time in which the asker is told.
    await (byMs === Number.POSITIVE_INFINITY ? settling : within(settling, Math.max(0, byMs - now())));
    const kind = taken ? 'accepted' : 'duplicate';
    note(kind, id, request);
    return { kind, question };
  }

  /**
   * Why a person is refused who was refused too often today. Everyone else is accepted first and checked later, because
   * Slack does not wait. A second delivery of a stored question is no new one.
   */
  async function refusalOf(id: string, { askerId, place, shares }: NewQuestion): Promise<Refusal | undefined> {
    const atMs = now();
    if (!(await wasRefusedOften({ teamId: place.teamId, userId: askerId }, atMs))) return undefined;
    if ((await questions.get(id)) !== undefined) return undefined;
    const admission = await ports.accessPolicy.admit(askerId, place, { confirmed: shares?.confirmed });
    return admission.may ? ports.dailyCaps.wouldExceed({ place, askerId, acceptedMs: atMs }) : admission.reason;
  }

  /** A count that can't be read does not keep anyone from asking. */
  async function wasRefusedOften(person: Person, atMs: number): Promise<boolean> {
    try {
      return await ports.dailyStorage.isFull('refused', person, atMs);
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      return false;
    }
  }

  function note(outcome: Acceptance['kind'], id: string, { origin, place: { teamId, channelId } }: NewQuestion): void {
    ports.log.info({ event: 'question_received', outcome, questionId: id, origin, teamId, channelId });
  }

  /**
   * Turns the stored offer into an accepted question. This is a second write because storage may still carry out a
   * write that timed out: the asker then knows that the question was not accepted, and the offer expires. Stores the
   * current draft, because an earlier offer may have another text or place. A second request with a deadline is told that
   * the question is accepted, so it gives the question another time of acceptance: the first one can't withdraw it then.
   */
  async function confirm(id: string, drafted: Question, byMs: number): Promise<{ question: Question; taken: boolean }> {
    const nowMs = now();
    let taken = false;
    const question = await questions.update(id, (stored) => {
      taken = stored.phase === 'offered';
      if (taken) return { ...drafted, phase: 'waiting', acceptedMs: nowMs };
      const isTold = byMs !== Number.POSITIVE_INFINITY && now() < byMs + ackConfirmMs && isUntouched(stored);
      return isTold ? { ...stored, acceptedMs: Math.max(nowMs, stored.acceptedMs + 1) } : stored;
    });
    if (question === undefined) throw new AppError('storage', 'a question vanished while it was taken');
    return { question, taken };
  }

  /**
   * Withdraws a question that was confirmed too late, unless another request confirmed it too. Returns whether it is
   * withdrawn. Never throws an `AppError`: the asker knows already that the question was not taken.
   */
  async function withdraw({ id, askerId, acceptedMs }: Question): Promise<boolean> {
    let isWithdrawn = false;
    await settle(ports, 'late_question_not_withdrawn', id, async () => {
      await questions.update(id, (stored) => {
        isWithdrawn = stored.acceptedMs === acceptedMs;
        return isWithdrawn ? withCancel(stored, { byUserId: askerId, atMs: now(), isWithdrawn: true }) : stored;
      });
    });
    return isWithdrawn;
  }
}

/** The id of the question with this key. */
export function questionId(digest: AcceptPorts['digest'], key: string): string {
  return `q${digest(key)}`;
}

function readsThread({ readsThread, origin, beginsThread = false }: NewQuestion): boolean {
  return readsThread ?? (origin === 'mention' && !beginsThread);
}

/** Whether a confirmed question is as it was confirmed: no run has taken a step, and no one cancelled it. */
function isUntouched({
  phase,
  admittedMs,
  awaitsAccount,
  card,
  upstream,
  trouble,
  cancel,
  outcome,
}: Question): boolean {
  const marks = [admittedMs, awaitsAccount, card.intentMs, card.ts, upstream.intentMs, trouble, cancel, outcome];
  return phase === 'waiting' && marks.every((mark) => mark === undefined);
}

function isAskable(asFollowUp: AsFollowUp | undefined): asFollowUp is AsFollowUp {
  return asFollowUp !== undefined && asFollowUp.text.length <= maxQuestionLength;
}

function draft(id: string, request: NewQuestion, nowMs: number, trace: TraceContext | undefined): Question {
  return {
    version: 1,
    id,
    place: request.place,
    askerId: request.askerId,
    text: request.text,
    origin: request.origin,
    ...(request.isSuggested === undefined ? {} : { isSuggested: request.isSuggested }),
    beginsThread: request.beginsThread ?? false,
    fresh: request.fresh ?? false,
    acceptedMs: nowMs,
    phase: 'offered',
    ...(trace === undefined ? {} : { trace }),
    ...(request.messageTs === undefined ? {} : { messageTs: request.messageTs }),
    ...(request.writtenMs === undefined ? {} : { writtenMs: request.writtenMs }),
    ...(request.files === undefined ? {} : { files: request.files }),
    ...(request.forwarded === undefined ? {} : { forwarded: request.forwarded }),
    ...(readsThread(request) ? { readsThread: true } : {}),
    ...(request.readsFrom === undefined ? {} : { readsFrom: request.readsFrom }),
    ...(isAskable(request.asFollowUp) ? { asFollowUp: request.asFollowUp } : {}),
    ...(request.insteadOf === undefined ? {} : { insteadOf: request.insteadOf }),
    ...(request.follows === undefined ? {} : { follows: request.follows }),
    ...(request.access === undefined ? {} : { access: request.access }),
    ...(request.shares === undefined ? {} : { shares: request.shares }),
    ...(request.locale === undefined ? {} : { locale: request.locale }),
    ...(request.responseUrl === undefined ? {} : { responseUrl: request.responseUrl }),
    card: {},
    upstream: { steps: 0 },
    delivery: { round: 0, posted: [] },
  };
}
