import { type AddedMentionPorts, createAddedMentions } from '../added-mentions.ts';
import { asFollowUpAgain, asFollowUpKey, createAsFollowUps } from '../as-follow-ups.ts';
import { findEarlier } from '../earlier-questions.ts';
import { AppError } from '../errors.ts';
import { getReadable, type LifecyclePorts, settle } from '../lifecycle/lifecycle-ports.ts';
import { threadQuestion } from '../question/prompt.ts';
import {
  type EditedQuestion,
  type Followed,
  isInThread,
  newThread,
  type Place,
  type Question,
  type ThreadPlace,
} from '../question/question.ts';
import { keptText } from '../question/refused-text.ts';
import { createWithheldAnswers } from '../withheld.ts';
import { type Acceptance, questionId as idOf } from './accept.ts';
import { createAttempts, mostAttempts } from './attempts.ts';
import { createFollowUps } from './follow-ups.ts';

/** What became of a press on a button that belongs to a stored question. */
export type ButtonResult =
  | Acceptance
  /** The question is not known any more, or the button was pressed in a place that is not the question's. */
  | { kind: 'expired' };

/** `answered`: the answer came first and stands. `nothing`: no such question, or it ended in another way. */
export type CancelResult = { kind: 'cancelling' } | { kind: 'answered' } | { kind: 'nothing' };

/** `several`: more than one could be meant, so none was cancelled. */
type CancelOnlyResult = CancelResult | { kind: 'several' };

/** Open questions that are read to find one person's; more than a workspace should ever have. */
const mostOpenRead = 1_000;

/** `noted`: the question runs on, and its new text can be asked. `ended`: too late for that. */
export type EditResult =
  | { kind: 'noted'; question: Question }
  | { kind: 'known' }
  | { kind: 'ended' }
  | { kind: 'nothing' };

/** Who pressed a button or said a verb, and where. */
export interface Requester {
  userId: string;
  teamId: string;
  channelId: string;
}

export type RequestPorts = Pick<
  LifecyclePorts,
  'questions' | 'threads' | 'claims' | 'scheduler' | 'observer' | 'log' | 'refusedTexts' | 'now'
> &
  Pick<AddedMentionPorts, 'digest' | 'accept' | 'addedMentions'>;

export type Requests = ReturnType<typeof createRequests>;

function againKey(questionId: string): string {
  return `again:${questionId}`;
}

function editedKey(questionId: string, atMs: number): string {
  return `edited:${questionId}:${atMs}`;
}

/**
 * What people may ask of questions that exist. A question is touched only from the place it belongs to, whatever id a
 * button claims. Every method throws `AppError` of kind `storage` when nothing was done.
 */
export function createRequests(ports: RequestPorts) {
  const { questions, threads, claims, scheduler, observer, accept, digest, now } = ports;
  const attemptUnder = createAttempts({ questions, digest });
  const suggestions = createFollowUps({ questions, accept, find, attemptUnder });
  const withheldAnswers = createWithheldAnswers({ questions, accept, attemptUnder });
  const addedMentions = createAddedMentions({ ...ports, attemptUnder });
  const asFollowUps = createAsFollowUps({ questions, accept, find, attemptUnder, cancel });

  return {
    cancel,
    cancelOwn,
    cancelStartedBy,
    cancelInThread,
    runningIn,
    cancelOnlyIn,
    startedBy,
    noteEdit,
    askEdited,
    ...suggestions,
    ...withheldAnswers,
    ...asFollowUps,
    ...addedMentions,
    askAgain,
    checkAgain,
    askIn,
    find,
  };

  /** Cancels a question that has not ended; cancelling twice is the same as once. */
  async function cancel(questionId: string, requester: Requester, byMs?: number): Promise<CancelResult> {
    const question = await find(questionId, requester);
    if (question === undefined) return { kind: 'nothing' };
    return cancelFound(question, requester.userId, byMs);
  }

  /** Cancels a question of the presser's own, from where questions of all places are listed. */
  async function cancelOwn(
    questionId: string,
    requester: Omit<Requester, 'channelId'>,
    byMs?: number,
  ): Promise<CancelResult> {
    const question = await questions.get(questionId);
    const isOwn = question?.askerId === requester.userId && question.place.teamId === requester.teamId;
    return isOwn ? cancelFound(question, requester.userId, byMs) : { kind: 'nothing' };
  }

  /** Cancels the question that something started which is gone now: a message that was deleted. `key` as in `accept`. */
  async function cancelStartedBy(key: string, userId?: string): Promise<CancelResult> {
    const question = await startedBy(key);
    return question === undefined ? { kind: 'nothing' } : cancelFound(question, userId ?? question.askerId);
  }

  /** The question that a message started, in the newest version that was asked. `key` as in `accept`. */
  async function startedBy(key: string): Promise<Question | undefined> {
    const first = await questions.get(idOf(digest, key));
    let newest = first === undefined ? undefined : ((await attemptUnder(key)).question ?? first);
    for (let versions = 0; versions < mostAttempts && newest !== undefined; versions += 1) {
      const next = await replacementOf(newest);
      if (next === undefined) break;
      newest = next;
    }
    return newest;
  }

  /** What was asked in the place of a question: its edited version, or the same as a follow-up. */
  async function replacementOf({ id, edited, asFollowUp }: Question): Promise<Question | undefined> {
    const next = edited === undefined ? undefined : await attemptUnder(editedKey(id, edited.atMs));
    if (next?.question !== undefined || asFollowUp?.isChosen !== true) return next?.question;
    return (await attemptUnder(asFollowUpKey(id))).question;
  }

  /**
   * Cancels what runs in a thread: the first question of its line. `key` names the message that says so; delivered again,
   * it is still aimed at the same question. `ownOnly`: the first of their own, for those who may cancel no other.
   */
  async function cancelInThread(
    place: ThreadPlace,
    userId: string,
    key: string,
    { ownOnly = false }: { ownOnly?: boolean } = {},
  ): Promise<CancelResult> {
    const queue = (await threads.get(place))?.queue ?? [];
    const first = ownOnly ? await firstOwn(queue, userId) : queue[0];
    const aimedAt = first === undefined ? undefined : await claims.claim(`cancel:${key}`, first);
    const question = aimedAt === undefined ? undefined : await questions.get(aimedAt);
    if (question === undefined || (ownOnly && question.askerId !== userId)) return { kind: 'nothing' };
    return cancelFound(question, userId);
  }

  /** The question that {@link cancelInThread} would cancel; undefined where it has ended or is being cancelled. */
  async function runningIn(place: ThreadPlace): Promise<Question | undefined> {
    const [first] = (await threads.get(place))?.queue ?? [];
    const question = first === undefined ? undefined : await getReadable(questions, first);
    return question === undefined || hasEnded(question) || question.cancel !== undefined ? undefined : question;
  }

  /** Cancels the one question of a person that is open in a place, whatever its thread. `key` as in {@link cancelInThread}. */
  async function cancelOnlyIn(
    { teamId, channelId }: Omit<Place, 'threadTs'>,
    userId: string,
    key: string,
  ): Promise<CancelOnlyResult> {
    const said = `cancel:${key}`;
    let aimedAt = await claims.ownerOf(said);
    if (aimedAt === undefined) {
      const ids = (await questions.openIds()).slice(0, mostOpenRead);
      const own = (await Promise.all(ids.map((id) => getReadable(questions, id))))
        .filter((question) => question !== undefined)
        .filter(({ askerId, place }) => askerId === userId && place.teamId === teamId && place.channelId === channelId)
        .filter((question) => !hasEnded(question) && question.phase !== 'offered');
      const running = own.filter(({ cancel }) => cancel === undefined);
      if (running.length > 1) return { kind: 'several' };
      const [only = own[0]] = running;
      aimedAt = only === undefined ? undefined : await claims.claim(said, only.id);
    }
    const question = aimedAt === undefined ? undefined : await questions.get(aimedAt);
    return question === undefined ? { kind: 'nothing' } : cancelFound(question, userId);
  }

  async function firstOwn(queue: readonly string[], userId: string): Promise<string | undefined> {
    for (const id of queue) {
      const question = await getReadable(questions, id);
      if (question?.askerId === userId && !hasEnded(question)) return id;
    }
    return undefined;
  }

  /** `byMs`: a cancellation that could not be stored by then is not carried out any more, and throws. */
  async function cancelFound({ id }: Question, userId: string, byMs = Number.POSITIVE_INFINITY): Promise<CancelResult> {
    const cancelled = await questions.update(id, (stored) =>
      hasEnded(stored) || stored.cancel !== undefined || now() > byMs
        ? stored
        : { ...stored, cancel: { byUserId: userId, atMs: now() } },
    );
    if (cancelled === undefined) return { kind: 'nothing' };
    if (!hasEnded(cancelled) && cancelled.cancel === undefined)
      throw new AppError('storage', 'too late to be cancelled');
    if (hasEnded(cancelled)) return { kind: cancelled.outcome?.kind === 'answered' ? 'answered' : 'nothing' };
    await scheduler.schedule(id, 0);
    observer.changed(cancelled);
    return { kind: 'cancelling' };
  }

  /**
   * Remembers that the message that asked a question was edited while the question runs; nothing changes by that. `key` as
   * in `accept`; `atMs` is when it was edited, the same for every delivery. Back to its old text is an edit as well.
   */
  async function noteEdit(key: string, edit: EditedQuestion): Promise<EditResult> {
    const found = await startedBy(key);
    if (found === undefined) return { kind: 'nothing' };
    const became: { kind: EditResult['kind'] } = { kind: 'nothing' };
    const question = await questions.update(found.id, (stored) => {
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
   * Asks the edited version of a question in its place, once; `cameLate` when that was answered already, so that the edited
   * version follows it. The one that runs is to be cancelled once the new one stands.
   */
  async function askEdited(
    questionId: string,
    requester: Requester,
    byMs?: number,
  ): Promise<{ result: ButtonResult; cameLate: boolean }> {
    const question = await find(questionId, requester);
    const edited = question?.edited;
    if (question === undefined || edited === undefined) return { result: { kind: 'expired' }, cameLate: false };
    const cameLate = question.outcome?.kind === 'answered';
    const { key } = await attemptUnder(editedKey(questionId, edited.atMs));
    const result = await accept(
      {
        key,
        place: question.place,
        askerId: requester.userId,
        text: edited.text,
        origin: 'retry',
        beginsThread: question.beginsThread,
        messageTs: question.messageTs,
        files: question.files,
        readsThread: question.readsThread ?? false,
        fresh: question.fresh && !cameLate,
        ...(cameLate ? {} : asFollowUpAgain(question, edited.wholeText)),
        ...(question.follows === undefined ? {} : { follows: question.follows }),
      },
      byMs,
    );
    return { result, cameLate };
  }

  /**
   * Asks a question that ended without an answer once more, in its place; `fresh` starts a new conversation. Where that
   * attempt could not be shown either, the press is about the newest attempt.
   */
  async function askAgain(
    questionId: string,
    requester: Requester,
    options: { fresh?: boolean; responseUrl?: string | undefined; byMs?: number } = {},
  ): Promise<ButtonResult> {
    const found = await find(questionId, requester);
    const question = found === undefined ? undefined : await newestAttempt(found);
    if (question === undefined) return { kind: 'expired' };
    if (question.id !== found?.id && !isToldPrivately(question)) return { kind: 'duplicate', question };
    if (!hasEnded(question) || !canBeAsked(question)) return { kind: 'expired' };
    const { responseUrl, fresh = false, byMs } = options;
    const { key } = await attemptUnder(againKey(question.id));
    const follows = (fresh ? await earlierOf(question) : undefined) ?? question.follows;
    return accept(
      {
        key,
        place: question.place,
        askerId: requester.userId,
        text: question.text,
        origin: isInThread(question.place) ? 'retry' : 'command',
        beginsThread: !isInThread(question.place),
        messageTs: question.messageTs,
        files: question.files,
        readsThread: question.readsThread ?? false,
        ...(question.readsFrom === undefined ? {} : { readsFrom: question.readsFrom }),
        ...(follows === undefined ? {} : { follows }),
        fresh: fresh || question.fresh,
        ...asFollowUpAgain(question, question.asFollowUp?.text),
        ...(responseUrl === undefined ? {} : { responseUrl }),
      },
      byMs,
    );
  }

  /** What was asked before a question in its conversation. One that was not asked yet would have followed its thread's up. */
  async function earlierOf(question: Question): Promise<Followed | undefined> {
    const { place, fresh, upstream } = question;
    if (!isInThread(place)) return undefined;
    const thread = await threads.get(place);
    const conversationId = upstream.conversationId ?? (fresh ? undefined : thread?.conversationId);
    return findEarlier(questions, question, thread, conversationId);
  }

  async function newestAttempt(question: Question): Promise<Question> {
    let newest = question;
    for (let attempts = 0; attempts < mostAttempts && isToldPrivately(newest); attempts += 1) {
      const { question: next } = await attemptUnder(againKey(newest.id));
      if (next === undefined) break;
      newest = next;
    }
    return newest;
  }

  /** Asks a question that could not be shown where it was asked in another place, once per place. */
  async function askIn(questionId: string, place: Place, requester: Requester, byMs?: number): Promise<ButtonResult> {
    const question = await find(questionId, requester);
    // A shared answer was confirmed for its place; in another there is nothing to ask.
    if (question === undefined || question.shares !== undefined) return { kind: 'expired' };
    // Nor is there a thread to be read.
    if (question.text === threadQuestion) return { kind: 'expired' };
    const text = await keptText(ports, question);
    if (text === '') return { kind: 'expired' };
    const { key } = await attemptUnder(`again:${questionId}:${place.channelId}`);
    return accept({ key, place, askerId: requester.userId, text, origin: 'command', beginsThread: true }, byMs);
  }

  /** Watches a question again that was given up on while the service still worked. */
  async function checkAgain(
    questionId: string,
    requester: Requester,
    byMs: number = Number.POSITIVE_INFINITY,
  ): Promise<ButtonResult> {
    const question = await find(questionId, requester);
    if (question === undefined) return { kind: 'expired' };
    if (question.outcome === undefined) return { kind: 'duplicate', question };
    if (question.outcome.kind !== 'gaveUp') return { kind: 'expired' };
    await questions.markOpen(questionId);
    let isByThisAction = false;
    const reopened = await questions.update(questionId, (stored) => {
      isByThisAction = isGivenUp(stored) && now() <= byMs;
      return isByThisAction ? reopen(stored, now()) : stored;
    });
    if (reopened !== undefined && isGivenUp(reopened)) throw new AppError('storage', 'too late to be watched again');
    if (reopened === undefined) return { kind: 'expired' };
    // It is watched again, so it must not be called otherwise any more: it is listed, and the sweep makes up for the rest.
    await settle(ports, 'not_taken_up_again', questionId, () => takeUpAgain(reopened));
    observer.changed(reopened);
    return { kind: isByThisAction ? 'accepted' : 'duplicate', question: reopened };
  }

  async function takeUpAgain({ id, place }: Question): Promise<void> {
    // Once more: the look that closed it may have taken it off the list in between.
    await questions.markOpen(id);
    if (isInThread(place)) {
      // First in line again: what is asked later in this thread waits for it.
      await threads.update(place, (thread = newThread(place, false)) =>
        thread.queue.includes(id) ? thread : { ...thread, queue: [id, ...thread.queue] },
      );
    }
    await scheduler.schedule(id, 0);
  }

  /** The stored question, if it belongs to the place the press came from. */
  async function find(questionId: string, requester: Requester): Promise<Question | undefined> {
    const question = await questions.get(questionId);
    if (question?.place.teamId !== requester.teamId) return undefined;
    // A question that could not be shown is offered again in a private word to its asker, which may be a direct message.
    const isAskersOwn = isToldPrivately(question) && question.askerId === requester.userId;
    return question.place.channelId === requester.channelId || isAskersOwn ? question : undefined;
  }
}

/**
 * Whether there is something to ask. Who would see a shared answer is shown and confirmed each time, so sharing is not tried
 * again unseen; what was withheld is shown to its asker alone, and may be asked again there, unless it is about a thread.
 */
function canBeAsked({ shares, text }: Question): boolean {
  if (text === '') return false;
  return shares === undefined || (shares.withheld === true && text !== threadQuestion);
}

function hasEnded(question: Question): boolean {
  return question.outcome !== undefined;
}

/** Whether its end could only be said to its asker, in a place of its own. */
function isToldPrivately({ outcome }: Question): boolean {
  return outcome?.kind === 'undeliverable' || outcome?.kind === 'notAllowed';
}

function isGivenUp(question: Question): boolean {
  return question.outcome?.kind === 'gaveUp';
}

function reopen(question: Question, nowMs: number): Question {
  const { outcome: _outcome, endedMs: _ended, cancel: _cancel, ...rest } = question;
  const { cancelSentMs: _sent, ...upstream } = question.upstream;
  return {
    ...rest,
    phase: 'running',
    upstream: { ...upstream, watchedFromMs: nowMs },
    card: { ...question.card, shown: '' },
    delivery: { round: question.delivery.round + 1, posted: [] },
  };
}
