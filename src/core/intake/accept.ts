import { AppError } from '../errors.ts';
import { type LifecyclePorts, settle } from '../lifecycle/lifecycle-ports.ts';
import { joinQueue } from '../lifecycle/thread-queue.ts';
import { type AsFollowUp, isInThread, type Origin, type Place, type Question } from '../question/question.ts';
import type { MessageFile } from '../question/thread-notes.ts';
import { maxQuestionLength } from '../settings.ts';

/** A question as it comes in, before it is taken. */
export interface NewQuestion {
  /**
   * What started it, in words that are the same for every delivery of the same thing: a message's team, channel and
   * timestamp, a command's trigger, a button of an answer. Two requests with the same key are one question.
   */
  key: string;
  place: Place;
  askerId: string;
  text: string;
  origin: Origin;
  /** The message that asks is, or will be, the first one of its thread. */
  beginsThread?: boolean;
  /** Start a new conversation although the thread has one. */
  fresh?: boolean;
  /** As of the question. */
  messageTs?: string | undefined;
  files?: MessageFile[] | undefined;
  /** As of the question; without it, a mention in somebody's thread reads the thread. */
  readsThread?: boolean;
  readsFrom?: Question['readsFrom'];
  /** As of the question; left out where the text is longer than a question may be. */
  asFollowUp?: AsFollowUp;
  insteadOf?: string;
  follows?: Question['follows'];
  shares?: Question['shares'];
  /** As of the question; a question that begins without it gets the asker's when it is admitted. */
  locale?: string | undefined;
  responseUrl?: string;
}

/** What became of a request to ask. Only `accepted` and `duplicate` have a stored question. */
export type Acceptance =
  | { kind: 'accepted'; question: Question }
  | { kind: 'duplicate'; question: Question }
  | { kind: 'empty' }
  | { kind: 'tooLong'; length: number; limit: number }
  /** The thread already has as many waiting questions as are allowed. */
  | { kind: 'queueFull'; limit: number; questionId: string };

export interface AcceptPorts
  extends Pick<LifecyclePorts, 'questions' | 'threads' | 'scheduler' | 'log' | 'now' | 'settings'> {
  /** A stable digest: 24 lower-case hex digits. */
  digest: (key: string) => string;
}

/**
 * Creates the one way a question enters: once `accept` returns `accepted`, the question is stored and will end
 * visibly, whatever happens to this process. Throws `AppError` of kind `storage` when it was not taken; a question that
 * could not be stored by `byMs` (epoch milliseconds) is not taken any more.
 */
export function createAccept(ports: AcceptPorts): (request: NewQuestion, byMs?: number) => Promise<Acceptance> {
  const { questions, threads, scheduler, settings, now } = ports;

  return async function accept(request, byMs = Number.POSITIVE_INFINITY) {
    const text = request.text.trim();
    if (text === '') return { kind: 'empty' };
    if (text.length > maxQuestionLength) return { kind: 'tooLong', length: text.length, limit: maxQuestionLength };
    const id = questionId(ports.digest, request.key);
    // A second delivery of an accepted question is a duplicate, even if the queue is full by then.
    if (isInThread(request.place) && (await questions.get(id)) === undefined) {
      const thread = await threads.get(request.place);
      const waiting = thread?.queue.length ?? 0;
      if (waiting >= settings.threadLimit) {
        note('queueFull', id, request);
        return { kind: 'queueFull', limit: settings.threadLimit, questionId: id };
      }
    }
    const drafted = draft(id, { ...request, text }, now());
    const { question: stored, created } = await questions.create(drafted);
    if (now() > byMs) throw new AppError('storage', 'stored too late to be taken');
    // An offer that was forgotten in the meantime is listed again before it is confirmed, so that no crash can hide it.
    if (!created && stored.phase === 'offered') await questions.markOpen(id);
    const { question, taken } = await confirm(id, drafted);
    if (taken) await settle(ports, 'thread_queue_not_joined', id, () => joinQueue(threads, question));
    await settle(ports, 'advance_not_scheduled', id, () => scheduler.schedule(id, 0));
    const kind = taken ? 'accepted' : 'duplicate';
    note(kind, id, request);
    return { kind, question };
  };

  function note(outcome: Acceptance['kind'], id: string, { origin, place: { teamId, channelId } }: NewQuestion): void {
    ports.log.info({ event: 'question_received', outcome, questionId: id, origin, teamId, channelId });
  }

  /**
   * Two steps, because a write that was given up on may still be carried out: a question that its asker was told is not
   * taken stays an offer then, and is forgotten. What is taken is what was asked now: an offer that was called not taken
   * may have had other words, or another place.
   */
  async function confirm(id: string, drafted: Question): Promise<{ question: Question; taken: boolean }> {
    const nowMs = now();
    let taken = false;
    const question = await questions.update(id, (stored) => {
      taken = stored.phase === 'offered';
      return taken ? { ...drafted, phase: 'waiting', acceptedMs: nowMs } : stored;
    });
    if (question === undefined) throw new AppError('storage', 'a question vanished while it was taken');
    return { question, taken };
  }
}

/** The id of the question that `key` starts. */
export function questionId(digest: AcceptPorts['digest'], key: string): string {
  return `q${digest(key)}`;
}

function readsThread({ readsThread, origin, beginsThread = false }: NewQuestion): boolean {
  return readsThread ?? (origin === 'mention' && !beginsThread);
}

function isAskable(asFollowUp: AsFollowUp | undefined): asFollowUp is AsFollowUp {
  return asFollowUp !== undefined && asFollowUp.text.length <= maxQuestionLength;
}

function draft(id: string, request: NewQuestion, nowMs: number): Question {
  return {
    version: 1,
    id,
    place: request.place,
    askerId: request.askerId,
    text: request.text,
    origin: request.origin,
    beginsThread: request.beginsThread ?? false,
    fresh: request.fresh ?? false,
    acceptedMs: nowMs,
    phase: 'offered',
    ...(request.messageTs === undefined ? {} : { messageTs: request.messageTs }),
    ...(request.files === undefined ? {} : { files: request.files }),
    ...(readsThread(request) ? { readsThread: true } : {}),
    ...(request.readsFrom === undefined ? {} : { readsFrom: request.readsFrom }),
    ...(isAskable(request.asFollowUp) ? { asFollowUp: request.asFollowUp } : {}),
    ...(request.insteadOf === undefined ? {} : { insteadOf: request.insteadOf }),
    ...(request.follows === undefined ? {} : { follows: request.follows }),
    ...(request.shares === undefined ? {} : { shares: request.shares }),
    ...(request.locale === undefined ? {} : { locale: request.locale }),
    ...(request.responseUrl === undefined ? {} : { responseUrl: request.responseUrl }),
    card: {},
    upstream: { steps: 0 },
    delivery: { round: 0, posted: [] },
  };
}
