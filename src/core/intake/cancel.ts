import type { Core } from '../context.ts';
import { AppError } from '../errors.ts';
import { type Place, type Question, type ThreadPlace, withCancel, withFinalCancel } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { mostOpenRead } from '../settings.ts';
import { findQuestion, hasEnded, type Requester, startedBy } from './find-question.ts';

/*
 * How people cancel questions. Every function here throws `AppError` of kind `storage` if nothing was done.
 */

/** `answered`: the answer came first and stays. `nothing`: the question does not exist or ended in another way. */
export type CancelResult = { kind: 'cancelling' } | { kind: 'answered' } | { kind: 'nothing' };

/** `several`: more than one question matches, so none was cancelled. */
type CancelOnlyResult = CancelResult | { kind: 'several' };

/** Cancels a question that has not ended. Safe to repeat. */
export async function cancelQuestion(
  w: Core,
  questionId: string,
  requester: Requester,
  byMs?: number,
): Promise<CancelResult> {
  const question = await findQuestion(w, questionId, requester);
  if (question === undefined) return { kind: 'nothing' };
  return cancelFound(w, question, requester.userId, { byMs });
}

/** Cancels the requester's own question, from a list of questions of all places. */
export async function cancelOwn(
  w: Core,
  questionId: string,
  requester: Omit<Requester, 'channelId'>,
  byMs?: number,
): Promise<CancelResult> {
  const question = await w.questions.get(questionId);
  const isOwn = question?.askerId === requester.userId && question.place.teamId === requester.teamId;
  return isOwn ? cancelFound(w, question, requester.userId, { byMs }) : { kind: 'nothing' };
}

/** Cancels the question of a message that was deleted, for good. `key` as in `accept`. */
export async function cancelStartedBy(w: Core, key: string, userId?: string): Promise<CancelResult> {
  const question = await startedBy(w, key);
  if (question === undefined) return { kind: 'nothing' };
  return cancelForGood(w, question.id, userId ?? question.askerId);
}

/** Cancels a question that will not be asked again: its message was deleted, or another one was asked instead. */
export function cancelForGood(w: Core, questionId: string, userId: string): Promise<CancelResult> {
  return cancelFound(w, { id: questionId }, userId, { isFinal: true });
}

/**
 * Cancels the first question in a thread's queue, or else the person's own one that waits for their account. `key` names the requesting message: a second delivery of that
 * message cancels the same question. `ownOnly`: cancels the person's own first question, for people who may cancel no
 * other. `askedBeforeMs`: cancels only what was asked before then.
 */
export async function cancelInThread(
  w: Core,
  place: ThreadPlace,
  userId: string,
  key: string,
  { ownOnly = false, askedBeforeMs }: { ownOnly?: boolean; askedBeforeMs?: number | undefined } = {},
): Promise<CancelResult> {
  const queue = (await w.threads.get(place))?.queue ?? [];
  const first = ownOnly ? await firstOwn(w, queue, userId) : queue[0];
  const target = first ?? (await ownAwaiting(w, place, userId));
  const targetId = target === undefined ? undefined : await w.claims.claim(`cancel:${key}`, target);
  const question = targetId === undefined ? undefined : await w.questions.get(targetId);
  if (question === undefined || (ownOnly && question.askerId !== userId)) return { kind: 'nothing' };
  if (!wasAskedBefore(question, askedBeforeMs)) return { kind: 'nothing' };
  return cancelFound(w, question, userId);
}

/** The question that {@link cancelInThread} would cancel. Undefined if it has ended or is being cancelled. */
export async function runningIn(w: Core, place: ThreadPlace, askedBeforeMs?: number): Promise<Question | undefined> {
  const [first] = (await w.threads.get(place))?.queue ?? [];
  const question = first === undefined ? undefined : await getReadable(w.questions, first);
  if (question === undefined || hasEnded(question) || question.cancel !== undefined) return undefined;
  return wasAskedBefore(question, askedBeforeMs) ? question : undefined;
}

/**
 * Cancels the one question that a person has open in a channel, in any thread. `key` and `askedBeforeMs` as in {@link cancelInThread}.
 */
export async function cancelOnlyIn(
  w: Core,
  { teamId, channelId }: Omit<Place, 'threadTs'>,
  userId: string,
  key: string,
  askedBeforeMs?: number,
): Promise<CancelOnlyResult> {
  const claim = `cancel:${key}`;
  let targetId = await w.claims.ownerOf(claim);
  if (targetId === undefined) {
    const own = (await readOpen(w))
      .filter(({ askerId, place }) => askerId === userId && place.teamId === teamId && place.channelId === channelId)
      .filter((question) => !hasEnded(question))
      .filter((question) => wasAskedBefore(question, askedBeforeMs));
    const running = own.filter(({ cancel }) => cancel === undefined);
    if (running.length > 1) return { kind: 'several' };
    const [only = own[0]] = running;
    targetId = only === undefined ? undefined : await w.claims.claim(claim, only.id);
  }
  const question = targetId === undefined ? undefined : await w.questions.get(targetId);
  return question === undefined ? { kind: 'nothing' } : cancelFound(w, question, userId);
}

/** The person's newest question of this thread that waits for their account. It is in no queue. */
async function ownAwaiting(w: Core, place: ThreadPlace, userId: string): Promise<string | undefined> {
  const awaiting = (await readOpen(w)).filter(
    ({ askerId, place: { teamId, channelId, threadTs }, awaitsAccount }) =>
      awaitsAccount !== undefined &&
      askerId === userId &&
      [teamId, channelId, threadTs].join() === [place.teamId, place.channelId, place.threadTs].join(),
  );
  return awaiting.toSorted((one, other) => one.acceptedMs - other.acceptedMs).at(-1)?.id;
}

async function readOpen(w: Core): Promise<Question[]> {
  const ids = (await w.questions.openIds()).slice(0, mostOpenRead);
  const found = await Promise.all(ids.map((id) => getReadable(w.questions, id)));
  return found.filter((question) => question !== undefined);
}

/** The person's first question that runs or waits. If there is none, the first that has ended: its answer is on the way. */
async function firstOwn(w: Core, queue: readonly string[], userId: string): Promise<string | undefined> {
  let ended: string | undefined;
  for (const id of queue) {
    const question = await getReadable(w.questions, id);
    if (question?.askerId !== userId) continue;
    if (!hasEnded(question)) return id;
    ended ??= id;
  }
  return ended;
}

/** Throws and cancels nothing if the cancellation can't be stored by `byMs`. */
async function cancelFound(
  w: Core,
  { id }: Pick<Question, 'id'>,
  userId: string,
  { byMs = Number.POSITIVE_INFINITY, ...more }: { byMs?: number; isFinal?: true } = {},
): Promise<CancelResult> {
  const addCancel = more.isFinal === true ? withFinalCancel : withCancel;
  const cancelled = await w.questions.update(id, (stored) =>
    w.now() > byMs ? stored : addCancel(stored, { byUserId: userId, atMs: w.now(), ...more }),
  );
  if (cancelled === undefined) return { kind: 'nothing' };
  if (more.isFinal === true && cancelled.outcome?.kind === 'cancelled' && cancelled.recheckMs !== undefined) {
    await w.questions.markOpen(id);
    await w.scheduler.schedule(id, 0);
  }
  if (!hasEnded(cancelled) && cancelled.cancel === undefined) throw new AppError('storage', 'too late to be cancelled');
  if (hasEnded(cancelled)) return { kind: cancelled.outcome?.kind === 'answered' ? 'answered' : 'nothing' };
  await w.scheduler.schedule(id, 0);
  w.observer.changed(cancelled);
  return { kind: 'cancelling' };
}

function wasAskedBefore({ writtenMs, acceptedMs }: Question, ms = Number.POSITIVE_INFINITY): boolean {
  // By Slack's clock, if a message asked it.
  return (writtenMs ?? acceptedMs) < ms;
}
