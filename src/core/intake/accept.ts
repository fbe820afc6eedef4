import type { Core } from '../context.ts';
import { isAppError } from '../errors.ts';
import { joinQueue, settle } from '../lifecycle/steps.ts';
import { within } from '../pacing.ts';
import { isInThread, type Origin, type Place, type Question } from '../question/question.ts';
import type { MessageFile } from '../question/thread-notes.ts';
import { doubtMs, maxQuestionLength } from '../settings.ts';
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
  messageTs?: string;
  writtenMs?: number;
  files?: MessageFile[];
  forwarded?: Question['forwarded'];
  /** Same as in `Question`. If absent, only a mention in an existing thread reads the thread. */
  readsThread?: boolean;
  readsFrom?: Question['readsFrom'];
  previous?: Question['previous'];
  continues?: Question['continues'];
  follows?: Question['follows'];
  shares?: Question['shares'];
  /** Same as in `Question`. Given for an answer that is shown again: the access that it was asked with. */
  access?: Question['access'];
  /** Same as in `Question`. If absent, the question gets the asker's locale at its admission. */
  locale?: string;
  responseUrl?: string;
}

/** The result of a request to ask. Only `accepted` and `duplicate` have a stored question. */
export type Acceptance =
  | { kind: 'accepted'; question: Question }
  | { kind: 'duplicate'; question: Question }
  | { kind: 'empty' }
  | { kind: 'tooLong'; length: number; limit: number }
  /** The thread's queue already has as many questions as allowed. */
  | { kind: 'queueFull'; limit: number; questionId: string };

/**
 * The only way to add a question. Once it returns `accepted`, the question is stored and will end visibly, even if this
 * process dies. Throws `AppError` of kind `storage` if the question was not accepted, also if it could not be stored by
 * `byMs` (epoch milliseconds); with `outcomeUnknown` if the storage gave no reply, so that it may be.
 */
export async function accept(
  w: Core,
  request: NewQuestion,
  byMs: number = Number.POSITIVE_INFINITY,
): Promise<Acceptance> {
  const text = request.text.trim();
  if (text === '') return { kind: 'empty' };
  if (text.length > maxQuestionLength) return { kind: 'tooLong', length: text.length, limit: maxQuestionLength };
  const id = idOf(w, request.key);
  const { origin, place } = request;
  const fields = { origin, teamId: place.teamId, channelId: place.channelId };
  return w.tracer.step({ name: 'accept', questionId: id, fields }, async (span) => {
    const acceptance = await take(w, id, { ...request, text }, byMs, span.context);
    span.note({ outcome: acceptance.kind });
    // The first delivery began the question's trace.
    if (acceptance.kind === 'duplicate' && acceptance.question.trace) span.link(acceptance.question.trace);
    return acceptance;
  });
}

async function take(
  w: Core,
  id: string,
  request: NewQuestion,
  byMs: number,
  trace: TraceContext | undefined,
): Promise<Acceptance> {
  if (isInThread(request.place)) {
    const reading = w.threads.get(request.place);
    // A second delivery of an accepted question is a duplicate, even if the queue is full now or can't be read.
    reading.catch(() => {});
    if ((await w.questions.get(id)) === undefined) {
      const waiting = (await reading)?.queue.length ?? 0;
      if (waiting >= w.settings.threadLimit) {
        note(w, 'queueFull', id, request);
        return { kind: 'queueFull', limit: w.settings.threadLimit, questionId: id };
      }
    }
  }
  const drafted = draft(id, request, w.now(), trace);
  const { question, created } = await create(w, drafted, byMs);
  // At the same time: a run that finds the question outside its queue adds it. If the delivery that stored the question
  // stopped before that, a reply that comes after this one would pass it; so every delivery adds it until its first run.
  const mayBeOutside = created || (question.phase === 'waiting' && question.admittedMs === undefined);
  const settling = Promise.all([
    mayBeOutside ? settle(w, 'thread_queue_not_joined', id, () => joinQueue(w, question)) : undefined,
    settle(w, 'advance_not_scheduled', id, () => w.scheduler.schedule(id, 0, { isNew: created })),
  ]);
  // The question is accepted now. Slow storage must not delay that beyond the time in which the asker is told.
  await (byMs === Number.POSITIVE_INFINITY ? settling : within(settling, Math.max(0, byMs - w.now())));
  const kind = created ? 'accepted' : 'duplicate';
  note(w, kind, id, request);
  return { kind, question };
}

async function create(w: Core, drafted: Question, byMs: number): Promise<{ question: Question; created: boolean }> {
  try {
    return await w.questions.create(drafted, Number.isFinite(byMs) ? byMs : undefined);
  } catch (error) {
    // If it was stored all the same, its card would wait for two looks of the sweep, longer than its asker is told; so a run
    // looks for it.
    if (isAppError(error, 'storage') && error.outcomeUnknown) {
      void settle(w, 'advance_not_scheduled', drafted.id, () => w.scheduler.schedule(drafted.id, doubtMs));
    }
    throw error;
  }
}

function note(
  w: Core,
  outcome: Acceptance['kind'],
  id: string,
  { origin, place: { teamId, channelId } }: NewQuestion,
): void {
  w.log.info({ event: 'question_received', outcome, questionId: id, origin, teamId, channelId });
}

/** The id of the question with this key. */
export function idOf({ digest }: Pick<Core, 'digest'>, key: string): string {
  return `q${digest(key)}`;
}

function readsThread({ readsThread, origin, beginsThread = false }: NewQuestion): boolean {
  return readsThread ?? (origin === 'mention' && !beginsThread);
}

function draft(id: string, request: NewQuestion, nowMs: number, trace: TraceContext | undefined): Question {
  return {
    version: 1,
    id,
    place: request.place,
    askerId: request.askerId,
    text: request.text,
    origin: request.origin,
    isSuggested: request.isSuggested,
    beginsThread: request.beginsThread ?? false,
    fresh: request.fresh ?? false,
    acceptedMs: nowMs,
    phase: 'waiting',
    trace,
    messageTs: request.messageTs,
    writtenMs: request.writtenMs,
    files: request.files,
    forwarded: request.forwarded,
    ...(readsThread(request) ? { readsThread: true } : {}),
    readsFrom: request.readsFrom,
    previous: request.previous,
    continues: request.continues,
    follows: request.follows,
    access: request.access,
    shares: request.shares,
    locale: request.locale,
    responseUrl: request.responseUrl,
    card: {},
    upstream: { steps: 0 },
    delivery: { round: 0, posted: [] },
  };
}
