import { personName } from '../accounts/accounts.ts';
import type { Core } from '../context.ts';
import { AppError, isAppError } from '../errors.ts';
import { isPatienceOver, undatedWaitMs } from '../pacing.ts';
import type { Conversation, UpstreamQuestion } from '../ports.ts';
import {
  allConversations,
  conversationOf,
  findEarlier,
  hasConversation,
  withAsked,
  withConversation,
  withKeptPrivate,
  withoutConversation,
} from '../question/conversations.ts';
import { isThreadUnread, readThreadAgain, upstreamText, withoutOutdated } from '../question/prompt.ts';
import {
  accountOf,
  type ConversationId,
  type Failure,
  isBetweenTwo,
  isInThread,
  newThread,
  type Question,
  type Thread,
  type ThreadPlace,
} from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { areReadersAccepted } from '../question/reader-choices.ts';
import { isForAskerOnly, keptPrivateClaim } from '../question/readers.ts';
import {
  claimUpstream,
  createdWhenAsked,
  findUpstream,
  isEarlierAttempt,
  isLikeText,
  isSameText,
  isUnderWay,
  ownersOf,
  positionOf,
  upstreamCandidates,
  withoutAttempt,
} from '../question/upstream.ts';
import { limitPatienceMs, longestQuietWaitMs, upstreamWindowMs } from '../settings.ts';
import { refusedCause } from './admission.ts';
import { failed } from './decide.ts';
import { changeQuestion, endWith, ifReadable, isAnswerTooLong, type Progress, wake } from './steps.ts';
import { withCallGivenUp, withCallSearched, withoutCall, withoutPending } from './unknown-outcome.ts';

/**
 * Asks the service: a follow-up if the thread has a conversation, otherwise a new conversation. Stores the intent
 * first.
 */
export async function ask(w: Core, question: Question, checkFirst: boolean): Promise<Progress> {
  if (!isInThread(question.place)) return question;
  if (checkFirst) {
    const bound = await bindFound(w, question, question.place);
    if (bound !== undefined) return bound;
    if (question.cancel !== undefined) return forgetIntent(w, question);
  }
  const thread = await w.threads.get(question.place);
  const continued = conversationFor(question, thread);
  const conversationId = (await wouldShowPrivate(w, question, thread, continued)) ? undefined : continued;
  const isRepeated = question.upstream.intentMs !== undefined;
  const beginning = isRepeated ? {} : await beginOwn(w, question, thread, conversationId);
  const expected = await ifReadable(w, question, w.durations.expect(question.place.teamId));
  const nowMs = w.now();
  const intended = await changeQuestion(w, question, (stored) => {
    const current = withoutOutdated(stored);
    if (isThreadUnread(current)) return { ...current, upstream: withoutIntent(current.upstream) };
    return {
      ...current,
      ...beginning,
      ...(expected === undefined ? {} : { expected }),
      upstream: {
        ...withoutIntent(current.upstream),
        firstTriedMs: current.upstream.firstTriedMs ?? nowMs,
        intentMs: nowMs,
        ...(conversationId === undefined ? {} : { intentConversationId: conversationId }),
      },
    };
  });
  // The thread was edited, so the app reads it again first.
  if (isThreadUnread(intended)) return intended;
  const asked = await send(w, intended, conversationId, checkFirst ? question : undefined);
  if (!(await isOurs(w, intended, asked))) return intended;
  const bound = await bind(w, intended, question.place, asked);
  const answeredAtOnce = !isUnderWay(asked.question);
  if (answeredAtOnce) return bound;
  return { question: bound, waitMs: w.watching.goesOn(bound, w.settings.readEveryMs) };
}

/** The conversation that a question follows up. Undefined if the question starts a new one. */
function conversationFor(question: Question, thread: Thread | undefined): ConversationId | undefined {
  const { fresh, continues, upstream, access } = question;
  if (fresh) return undefined;
  // Another account can't continue the conversation.
  if (continues === undefined || (continues.access === 'own') !== (access === 'own'))
    return conversationOf(thread, question);
  return upstream.conversationLost === true ? upstream.conversationId : continues.conversationId;
}

/**
 * Whether the answer may be for its asker only, but everyone in the channel would find it behind the conversation's link,
 * which an earlier answer showed them.
 */
async function wouldShowPrivate(
  w: Core,
  question: Question,
  thread: Thread | undefined,
  conversationId: ConversationId | undefined,
): Promise<boolean> {
  const { access, place, askerId } = question;
  if (conversationId === undefined || access !== 'own' || isBetweenTwo(place)) return false;
  const asked = await Promise.all((thread?.asked ?? []).map((id) => getReadable(w.questions, id)));
  const isShown = asked.some((each) => each?.upstream.conversationId === conversationId && each.upstream.isLinkOpen);
  if (!isShown) return false;
  if (question.answersPrivately === true) return true;
  const name = personName({ teamId: place.teamId, userId: askerId });
  return !areReadersAccepted(await ifReadable(w, question, w.readerChoices.get(name)), place);
}

/**
 * What a question brings along that can't continue the thread's conversations, because they belong to other accounts:
 * the earlier questions of all of them.
 */
async function beginOwn(
  w: Core,
  question: Question,
  thread: Thread | undefined,
  conversationId: ConversationId | undefined,
): Promise<Pick<Question, 'follows' | 'startsOwnConversation'>> {
  const { fresh, follows, upstream } = question;
  const continues = fresh || conversationId !== undefined || upstream.conversationLost === true;
  if (continues || follows !== undefined || !hasConversation(thread)) return {};
  const earlier = await findEarlier(w.questions, question, thread, allConversations);
  // Where answers are private, each asker has a conversation of their own with any account, and the card need not say so.
  const isOwn = question.answersPrivately === true && question.access !== 'own' ? {} : { startsOwnConversation: true };
  return { ...isOwn, ...(earlier === undefined ? {} : { follows: earlier }) };
}

/** `earlier`: the question with the attempt that this call repeats. */
async function send(
  w: Core,
  question: Question,
  conversationId: ConversationId | undefined,
  earlier: Question | undefined,
): Promise<Asked> {
  const deepSearch = w.deepSearch(accountOf(question));
  try {
    if (conversationId === undefined) return firstOf(await deepSearch.create(upstreamText(question)));
    return { conversationId, question: await deepSearch.followUp(conversationId, upstreamText(question)) };
  } catch (error) {
    if (isAppError(error) && error.outcomeUnknown)
      await changeQuestion(w, question, (stored) => withCallGivenUp(stored, 'ask', w.now()));
    // On `notFound`, keeps the intent: it names the conversation that is gone.
    else if (isAppError(error) && error.kind !== 'notFound') await forgetIntent(w, question, earlier);
    throw error;
  }
}

/**
 * Searches for an attempt to ask that was given up. It may still be carried out, so one that is not found is not
 * repeated yet.
 */
export async function searchQuestion(w: Core, question: Question): Promise<Progress> {
  const bound = isInThread(question.place) ? await bindFound(w, question, question.place) : undefined;
  return bound ?? changeQuestion(w, question, (stored) => withCallSearched(stored, 'ask', w.now()));
}

async function bindFound(w: Core, question: Question, place: ThreadPlace): Promise<Question | undefined> {
  const sought = await withConversationSought(w, question, place);
  try {
    const found = await findLost(w, sought);
    return found === undefined ? undefined : bind(w, question, place, found, { isFound: true });
  } catch (error) {
    // Only here it is known which conversation is gone: the stored question does not name it.
    if (sought === question || !isAppError(error, 'notFound')) throw error;
    return loseConversation(w, sought, place);
  }
}

/** A question from a backup may have been asked after it: in the conversation that its thread has by now. */
async function withConversationSought(w: Core, question: Question, place: ThreadPlace): Promise<Question> {
  const { restored, upstream } = question;
  if (restored === undefined || upstream.intentMs !== undefined) return question;
  const intentConversationId = conversationFor(question, await w.threads.get(place));
  return intentConversationId === undefined
    ? question
    : { ...question, upstream: { ...upstream, intentConversationId } };
}

async function bind(
  w: Core,
  question: Question,
  place: ThreadPlace,
  asked: Asked,
  { isFound = false } = {},
): Promise<Question> {
  const { intentMs } = question.upstream;
  const { conversationId } = asked;
  const isPrivate = isForAskerOnly(question);
  // Before anyone can find the conversation by its thread: `status` and previews would show it to everyone.
  if (isPrivate) await w.claims.claim(keptPrivateClaim(conversationId), question.id);
  await w.threads.update(place, (thread) => {
    const begun = withConversation(thread ?? newThread(place, question.beginsThread), question, conversationId);
    return {
      ...(isPrivate ? withKeptPrivate(begun, conversationId) : begun),
      asked: withAsked(thread?.asked, question.id),
    };
  });
  const bound = await changeQuestion(w, question, (stored) => ({
    ...stored,
    phase: 'running',
    upstream: {
      ...withoutIntent(stored.upstream),
      conversationId,
      ...positionOf(asked.question),
      askedMs: w.now(),
      ...(isFound && intentMs !== undefined ? { sentMs: intentMs } : {}),
      ...(asked.shareUrl === undefined ? {} : { shareUrl: asked.shareUrl }),
    },
  }));
  w.log.info({
    event: 'question_asked',
    outcome: 'ok',
    questionId: question.id,
    conversationId,
    durationMs: w.now() - question.acceptedMs,
  });
  w.observer.changed(bound);
  return bound;
}

export async function askFailed(w: Core, question: Question, error: AppError): Promise<Progress | undefined> {
  const followsUp = question.upstream.intentConversationId !== undefined;
  if (error.kind === 'notFound' && followsUp && isInThread(question.place)) {
    return loseConversation(w, question, question.place);
  }
  if (followsUp && isAnswerTooLong(error)) return endFailed(w, question, { cause: 'answerTooLong' });
  switch (error.kind) {
    case 'refused':
    case 'notFound':
      w.log.warn({ event: 'question_refused', outcome: error.kind, questionId: question.id }, error);
      return endFailed(w, question, {
        cause: 'refused',
        message: error.said,
      });
    case 'unauthorized':
      return endFailed(w, question, { cause: refusedCause(question) });
    case 'rateLimited': {
      // A cancelled question does not park: it must find out whether the service runs it, and stop that.
      if (question.cancel !== undefined) return undefined;
      const { retryAfterMs: waitMs } = error;
      if (waitMs !== undefined && waitMs > longestQuietWaitMs) return park(w, question, w.now() + waitMs);
      const { firstTriedMs } = question.upstream;
      const isDenied = firstTriedMs !== undefined && isPatienceOver(w.settings, firstTriedMs, w.now());
      return waitMs === undefined || isDenied ? park(w, question) : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * Removes a conversation from the thread after it was deleted upstream. The question starts a new conversation and
 * sends the questions of the old one along.
 */
async function loseConversation(w: Core, question: Question, place: ThreadPlace): Promise<Question> {
  const lostId = question.upstream.intentConversationId;
  const follows = await findEarlier(w.questions, question, await w.threads.get(place), lostId);
  await w.threads.update(place, (thread) => {
    if (thread === undefined) return newThread(place, false);
    return withoutConversation(thread, lostId);
  });
  return changeQuestion(w, question, (stored) => ({
    ...stored,
    ...(follows === undefined ? {} : { follows }),
    upstream: { ...withoutIntent(stored.upstream), conversationLost: true },
  }));
}

/**
 * Keeps an intent whose outcome is unknown: a rate limit does not say what became of the call. Without `endMs`, the limit
 * names no end: then the question waits longer each time, and ends at last.
 */
export async function park(w: Core, question: Question, endMs?: number): Promise<Question> {
  const { times, sinceMs } = question.undatedLimits ?? { times: 0, sinceMs: w.now() };
  const undatedLimits = endMs === undefined ? { times: times + 1, sinceMs } : undefined;
  if (undatedLimits !== undefined && w.now() - sinceMs > limitPatienceMs)
    return endFailed(w, question, { cause: 'limited' });
  const untilMs = endMs ?? w.now() + undatedWaitMs(times + 1);
  w.log.info({ event: 'question_parked', questionId: question.id, untilMs });
  await wake(w, await w.runSlots.park(question, untilMs));
  const parked = await changeQuestion(w, question, ({ trouble: _, undatedLimits: _before, ...stored }) => ({
    ...stored,
    phase: 'parked',
    parkedUntilMs: untilMs,
    ...(undatedLimits === undefined ? {} : { undatedLimits }),
  }));
  w.observer.changed(parked);
  return parked;
}

/**
 * Continues after a limit, or at once if cancelled. Many parked questions continue one after the other, so this one may
 * wait longer.
 */
export async function unpark(w: Core, question: Question): Promise<Progress> {
  const waitMs = question.cancel === undefined ? await w.runSlots.parkedForMs(question, w.now()) : 0;
  if (waitMs > 0) return { question, waitMs };
  const unparked = await changeQuestion(w, question, ({ parkedUntilMs: _until, trouble: _trouble, ...stored }) => ({
    ...(stored.cancel === undefined ? toBeAdmitted(stored) : stored),
    phase: 'waiting',
    upstream: withoutAttempt(stored.upstream),
  }));
  w.observer.changed(unparked);
  return unparked;
}

export async function cancelQuestion(w: Core, question: Question): Promise<Progress> {
  await cancelAtService(w, question);
  return changeQuestion(w, question, (stored) => ({
    ...stored,
    upstream: { ...stored.upstream, cancelSentMs: w.now() },
  }));
}

/** Removes the intent of an attempt. If it repeated an `earlier` attempt, restores the intent of that one. */
function forgetIntent(w: Core, question: Question, earlier?: Question): Promise<Question> {
  const { intentConversationId } = earlier?.upstream ?? {};
  return changeQuestion(w, question, (stored) =>
    withoutCall({ ...stored, upstream: { ...stored.upstream, intentConversationId } }, 'ask', earlier?.upstream),
  );
}

function endFailed(w: Core, question: Question, failure: Failure): Promise<Question> {
  return endWith(w, question, failed(failure));
}

/**
 * Makes the app check access again: after hours the channel may have other readers. A thread in another place is read
 * again: the asker may have lost access to it, and edits there do not mark this question.
 */
function toBeAdmitted({ admittedMs: _, ...question }: Question): Question {
  return question.readsFrom === undefined ? question : readThreadAgain(question);
}

function firstOf(conversation: Conversation): Asked {
  const question = conversation.questions.at(-1);
  if (question === undefined) {
    throw new AppError('badReply', 'the new conversation holds no question', { outcomeUnknown: true });
  }
  return askedIn(conversation, question);
}

function withoutIntent(upstream: Question['upstream']): Question['upstream'] {
  const { intentConversationId: _, ...rest } = withoutPending(upstream);
  return rest;
}

/**
 * Most newest conversations to search for a question whose creation had an unknown outcome. A busy team starts about as
 * many while a dead process is replaced. If there are more, the question is not asked again, and ends without an answer.
 */
const newestSearched = 1_000;

/** A question as the service knows it. */
interface Asked {
  conversationId: ConversationId;
  question: UpstreamQuestion;
  shareUrl?: string;
}

/** Claims a question of the service for this question. False if it belongs to another one. */
function isOurs({ claims }: Core, { id }: Question, { conversationId, question }: Asked): Promise<boolean> {
  return claimUpstream(claims, id, conversationId, question);
}

function askedIn({ id, shareUrl }: Conversation, question: UpstreamQuestion): Asked {
  return { conversationId: id, question, shareUrl };
}

/**
 * Searches the service for a question whose call had an unknown outcome. Undefined if the service does not have it. Throws
 * `unavailable` while that is not certain: then the question must not be asked again.
 */
async function findLost(w: Core, question: Question): Promise<Asked | undefined> {
  const { intentConversationId } = question.upstream;
  const { fromMs, toMs } = createdBetween(question);
  const service = w.deepSearch(accountOf(question));
  let found: Asked | undefined;
  const isSought = async (conversation: Conversation): Promise<boolean> => {
    found ??= await findByText(w, question, conversation);
    return found !== undefined;
  };
  const search = { aboutMs: triedMs(question), untilMs: toMs, isSought };
  const conversations =
    intentConversationId === undefined
      ? await service.newest(newestSearched, fromMs, search)
      : [await service.read(intentConversationId)];
  for (const conversation of conversations) if (await isSought(conversation)) break;
  if (found !== undefined || question.restored !== undefined) return found;
  return findByTime(w, question, conversations);
}

/** When the question was tried, or could have been after the backup that it comes from. */
function triedMs({ upstream: { intentMs }, restored }: Question): number {
  return intentMs ?? restored?.fromMs ?? 0;
}

/** The times at which the service may have created it, by a clock that may differ. */
function createdBetween(question: Question): { fromMs: number; toMs: number } {
  const fromMs = triedMs(question);
  const toMs = Math.max(fromMs, question.restored?.toMs ?? fromMs);
  return { fromMs: fromMs - upstreamWindowMs, toMs: toMs + upstreamWindowMs };
}

async function findByText(w: Core, question: Question, conversation: Conversation): Promise<Asked | undefined> {
  const { fromMs, toMs } = createdBetween(question);
  for (const candidate of candidatesIn(question, conversation).toReversed()) {
    if (isEarlierAttempt(question, conversation.id, candidate)) continue;
    const createdMs = candidate.createdMs ?? conversation.createdMs ?? triedMs(question);
    if (isSameText(candidate.text, upstreamText(question)) && createdMs >= fromMs && createdMs <= toMs) {
      const asked = askedIn(conversation, candidate);
      if (await isOurs(w, question, asked)) return asked;
    }
  }
  return undefined;
}

/**
 * The question under a text that the service changed: the only one that was created when this one was sent and that belongs
 * to no other. In the thread's own conversation that is certain. Among all conversations of an account it may be someone
 * else's, so the letters of the text must be the same.
 */
async function findByTime(w: Core, question: Question, conversations: Conversation[]): Promise<Asked | undefined> {
  const free: Asked[] = [];
  for (const conversation of conversations) {
    const possible = candidatesIn(question, conversation);
    for (const each of createdWhenAsked(conversation, question)) {
      if (!possible.includes(each)) continue;
      const owners = await ownersOf(w.claims, conversation.id, each);
      const asked = askedIn(conversation, each);
      // A process died after it claimed the question.
      if (owners.includes(question.id) && (await isOurs(w, question, asked))) return asked;
      if (owners.length === 0) free.push(asked);
    }
  }
  const [only, ...others] = free;
  if (only === undefined) return undefined;
  const isFollowUp = question.upstream.intentConversationId !== undefined;
  const isCertain = others.length === 0 && (isFollowUp || isLikeText(only.question.text, upstreamText(question)));
  if (isCertain && (await isOurs(w, question, only))) return only;
  throw new AppError('unavailable', 'the service may have the question under another text', { code: 'inDoubt' });
}

/** A new conversation begins with the question. */
function candidatesIn({ upstream }: Question, { questions }: Conversation): UpstreamQuestion[] {
  return upstream.intentConversationId === undefined ? questions.slice(0, 1) : questions;
}

/**
 * Finds a question in its conversation. Claims and stores its position there once that becomes known, so that no other
 * question with the same text can take it later. Undefined if the question is not there.
 */
export async function locate(
  w: Core,
  question: Question,
  conversation: Conversation,
): Promise<{ question: Question; observed: UpstreamQuestion } | undefined> {
  if (question.shares !== undefined) return locateShared(w, question, conversation);
  for (const observed of upstreamCandidates(conversation, question)) {
    const { questionId, ordinal } = question.upstream;
    const isIdKnown = observed.id === undefined || observed.id === questionId;
    const isOrdinalKnown = observed.ordinal === undefined || observed.ordinal === ordinal;
    if (isIdKnown && isOrdinalKnown) return { question, observed };
    const isOurs = await claimUpstream(w.claims, question.id, conversation.id, observed);
    // The id that the service gave this question proves that it is the same one.
    const isCertain = observed.id !== undefined && observed.id === questionId;
    if (isOurs || isCertain) return { question: await changeQuestion(w, question, withPosition(observed)), observed };
  }
  return locateByTime(w, question, conversation);
}

/**
 * The service may change a text, so that it is not found. Then the question is the one at its position, or without a known
 * position the only one of no other question, if it was created when this one was asked.
 */
async function locateByTime(
  w: Core,
  question: Question,
  conversation: Conversation,
): Promise<{ question: Question; observed: UpstreamQuestion } | undefined> {
  const { ordinal } = question.upstream;
  const free: UpstreamQuestion[] = [];
  for (const each of createdWhenAsked(conversation, question)) {
    if (ordinal !== undefined && each.ordinal !== ordinal) continue;
    const owners = await ownersOf(w.claims, conversation.id, each);
    if (owners.every((owner) => owner === question.id)) free.push(each);
  }
  const [observed, ...others] = free;
  if (observed === undefined || others.length > 0) return undefined;
  if (!(await claimUpstream(w.claims, question.id, conversation.id, observed))) return undefined;
  return { question: await changeQuestion(w, question, withPosition(observed)), observed };
}

/** The answer that a question shows again belongs to the question that asked for it. */
async function locateShared(
  { questions }: Core,
  question: Question,
  conversation: Conversation,
): Promise<{ question: Question; observed: UpstreamQuestion } | undefined> {
  const source = await questions.get(question.shares?.questionId ?? '');
  const observed = source === undefined ? undefined : findUpstream(conversation, source);
  return observed === undefined ? undefined : { question, observed };
}

function withPosition(observed: UpstreamQuestion): (stored: Question) => Question {
  return (stored) => ({ ...stored, upstream: { ...stored.upstream, ...positionOf(observed) } });
}

/** Asks the service to stop a question. Throws the errors of the service, but none if the conversation is gone. */
export async function cancelAtService(w: Core, question: Question): Promise<void> {
  const { conversationId, questionId } = question.upstream;
  if (conversationId === undefined) return;
  try {
    await w.deepSearch(accountOf(question)).cancel(conversationId, {
      id: questionId,
      find: async (conversation) => (await locate(w, question, conversation))?.observed,
    });
  } catch (error) {
    if (!isAppError(error, 'notFound')) throw error;
  }
}
