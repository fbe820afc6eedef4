import type { AccountStatus, Person } from '../accounts/accounts.ts';
import { addWaiting, mayNotice, removeWaiting } from '../accounts/waiting.ts';
import { noRules, type QuestionRules } from '../channels/channel-settings.ts';
import type { Core } from '../context.ts';
import { AppError, isAppError, isTransient } from '../errors.ts';
import { askedEntry } from '../history/audit.ts';
import type { Admission, Confirm } from '../ports.ts';
import { conversationOf, sharesConversation } from '../question/conversations.ts';
import { isOnlyInMessage, nothingRead, threadQuestion } from '../question/prompt.ts';
import {
  isBetweenTwo,
  isInThread,
  newThread,
  type Outcome,
  type Question,
  type Refusal,
  type ThreadContext,
} from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { decideScope, readScope } from '../question/scope.ts';
import {
  accountPatienceMs,
  accountRetryMs,
  deliveryPatienceMs,
  freshAccessMs,
  gatherPatienceMs,
  gatherTries,
  mostPreviousRead,
  previousConversationMs,
} from '../settings.ts';
import { failed } from './decide.ts';
import { changeQuestion, endWith, ifReadable, leaveQueueAndSlot } from './steps.ts';

export async function admit(w: Core, question: Question): Promise<Question> {
  const confirmed = question.shares?.confirmed;
  const admission = await w.accessPolicy.admit(question.askerId, question.place, { confirmed });
  const { locale } = admission;
  if (!admission.may) return refuse(w, question, admission.reason, locale);
  // If the question was admitted before, its next post fails if the app has left the channel.
  if (admission.isHidden === true && question.admittedMs === undefined) {
    if (question.origin !== 'shared') w.audit.note(askedEntry(question));
    return endWith(w, question, { kind: 'undeliverable', canInvite: true });
  }
  const rules = awaitsChannelRules(question) ? await rulesFor(w, question) : noRules;
  const refused = awaitsChannelRules(question) ? refusedForRepository(question, rules) : undefined;
  if (refused !== undefined) {
    const limited = await changeQuestion(w, question, (stored) => withChannelRules(stored, rules));
    w.log.info({ event: 'question_refused', outcome: refused.reason, questionId: question.id });
    return endWith(w, limited, refused);
  }
  const isNew = question.admittedMs === undefined && question.origin !== 'shared';
  if (isNew) await ifReadable(w, question, w.askedQuestions.note(question));
  const reason = isNew ? await ifReadable(w, question, w.dailyCaps.take(question)) : undefined;
  if (reason !== undefined) return refuse(w, question, reason, locale);
  if (isNew) w.audit.note(askedEntry(question));
  const previous = isNew ? await previousConversation(w, question) : {};
  const admitted = await changeQuestion(w, question, (stored) => ({
    ...withChannelRules(stored, rules),
    ...previous,
    admittedMs: w.now(),
    ...(locale === undefined ? {} : { locale }),
  }));
  w.observer.changed(admitted);
  return admitted;
}

/**
 * Checks access right before a post that shows code, because people join a channel at any moment and Slack's event about
 * it may be lost. What Slack said before the question ended does not count. `confirm` throws if the question is refused by
 * now, and `end` then ends it. No check before a failed try counts; `isAlone`: no earlier check at all. A repeated post
 * shares its check with others: if it needed its own after each search, neither call would find room beside those of others.
 */
export function confirming(
  w: Core,
  question: Question,
  { isAlone } = { isAlone: false },
): { confirm: Confirm; end(): Promise<Question> | undefined } {
  let refused: { reason: Refusal; locale?: string } | undefined;
  let mayShare = !isAlone;
  return {
    async confirm() {
      const { endedMs = 0, trouble } = question;
      // A try that only waited for room in Slack's limits did not fail: answers that wait for the same room share one check.
      const triedMs = trouble === undefined || trouble.failures === 0 ? 0 : Math.min(trouble.notBeforeMs, w.now());
      const newMs = Math.max(endedMs, triedMs);
      const sinceMs = mayShare ? Math.max(w.now() - freshAccessMs, newMs) : w.now();
      mayShare = false;
      const admission = await admitted(w, question, sinceMs);
      if (admission.may) return;
      refused = admission;
      throw new AppError('refused', 'the answer may not be shown to those who read there now');
    },
    end: () => refused && refuse(w, question, refused.reason, refused.locale),
  };
}

/**
 * A check that got no reply says nothing about the post that waits for it, and one that Slack's limits refused is no failed
 * try of that post.
 */
async function admitted(w: Core, { askerId, place, shares }: Question, sinceMs: number): Promise<Admission> {
  try {
    return await w.accessPolicy.admit(askerId, place, { confirmed: shares?.confirmed, sinceMs });
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { kind, message, code, retryAfterMs } = error;
    const isHeldBack = kind === 'rateLimited' && (retryAfterMs ?? 0) > 0;
    throw new AppError(kind, message, { cause: error, code, retryAfterMs, isHeldBack });
  }
}

/** The names of repositories are read only for a question that names one. */
async function rulesFor(w: Core, question: Question): Promise<QuestionRules> {
  const rules = await w.channelRules.forQuestion(question);
  if (rules.repositories.length > 0 || readScope(question.text).repositories.length === 0) return rules;
  const asker = { teamId: question.place.teamId, userId: question.askerId };
  return { ...rules, known: await w.repositoriesFor(asker) };
}

async function refuse(w: Core, question: Question, reason: Refusal, locale: string | undefined): Promise<Question> {
  const known =
    locale === undefined ? question : await changeQuestion(w, question, (stored) => ({ ...stored, locale }));
  w.log.info({ event: 'question_refused', outcome: reason, questionId: question.id });
  return endWith(w, known, { kind: 'notAllowed', reason });
}

/** Refuses the asker if a retry cannot help, or if Slack gave no answer for a day. An unknown person may not ask. */
export async function admitFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  const waitedMs = question.trouble === undefined ? 0 : w.now() - question.trouble.sinceMs;
  if (isTransient(error) && waitedMs <= deliveryPatienceMs) return undefined;
  w.log.error({ event: 'admission_not_decided', questionId: question.id, kind: error.kind }, error);
  return endWith(w, question, { kind: 'notAllowed', reason: 'unknownPerson' });
}

export async function gather(w: Core, question: Question): Promise<Question> {
  const thread = isInThread(question.place) ? await w.threads.get(question.place) : undefined;
  return hold(w, question, await w.threadReader.read(question, thread));
}

/** After the last try, asks the question without the thread. The card says so. */
export async function gatherFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  const waitedMs = question.trouble === undefined ? 0 : w.now() - question.trouble.sinceMs;
  if (error.kind === 'rateLimited' && waitedMs <= gatherPatienceMs) return undefined;
  if (isTransient(error) && (question.trouble?.failures ?? 0) + 1 < gatherTries) return undefined;
  w.log.warn({ event: 'thread_not_read', questionId: question.id, kind: error.kind }, error);
  return hold(w, question, nothingRead(question));
}

/**
 * Stores what was read. A mention without text asks only about the thread, so it fails if the thread can't be read. So does
 * a later attempt of a bare forward if its message can't be read.
 */
async function hold(w: Core, question: Question, context: ThreadContext): Promise<Question> {
  const hasNothing = context.refused === true && (question.text === threadQuestion || isOnlyInMessage(question));
  return hasNothing ? endWith(w, question, failed({ cause: 'threadUnread' })) : read(w, question, context);
}

/**
 * Stores what was read, unless a message of the thread was edited or deleted meanwhile: then the app reads it again.
 */
function read(w: Core, question: Question, context: ThreadContext): Promise<Question> {
  return changeQuestion(w, question, (stored) => {
    if (stored.threadChanges !== question.threadChanges) return stored;
    const { trouble: _, ...calm } = stored;
    return { ...calm, context };
  });
}

/**
 * Whether the channel's settings still decide about the question. Once it may have reached the service, what was sent
 * must not change, because the app searches for it by its text.
 */
function awaitsChannelRules({ origin, phase, upstream, outcome }: Question): boolean {
  const isSent = upstream.intentMs !== undefined || upstream.askedMs !== undefined;
  return origin !== 'shared' && phase === 'waiting' && !isSent && outcome === undefined;
}

/** How a question ends that names repositories which the settings of its channel do not allow, or which there are not. */
function refusedForRepository({ text }: Question, { repositories, known }: QuestionRules): Refused | undefined {
  const decision = decideScope(text, repositories, known);
  if (decision.kind === 'refused') return { kind: 'notAllowed', reason: 'repositoryRefused' };
  if (decision.kind !== 'unknown') return undefined;
  const { name, total } = decision;
  return { kind: 'notAllowed', reason: 'repositoryUnknown', unknown: { name, total } };
}

type Refused = Extract<Outcome, { kind: 'notAllowed' }>;

/** Applies the settings of the channel to a question. Pure. Earlier decisions are replaced. */
function withChannelRules(question: Question, rules: QuestionRules): Question {
  if (!awaitsChannelRules(question)) return question;
  const { scope: _scope, answersPrivately: _private, ...rest } = question;
  const decision = decideScope(question.text, rules.repositories, rules.known);
  const scope =
    decision.kind === 'limited'
      ? decision.scope
      : decision.kind === 'refused'
        ? { repositories: [...decision.allowed] }
        : decision.kind === 'unknown'
          ? { repositories: decision.nearest }
          : undefined;
  return {
    ...rest,
    ...(scope === undefined ? {} : { scope }),
    ...(rules.answersPrivately ? { answersPrivately: true } : {}),
  };
}

/**
 * What the asker of a new message in direct messages may choose instead of a new conversation: the one of their latest
 * other thread there. None while a question of that thread is open: a conversation takes one question after the other,
 * and only the queue of its thread sees to that.
 */
export async function previousConversation(w: Core, question: Question): Promise<Pick<Question, 'previous'>> {
  const { place, origin, beginsThread, askerId, access } = question;
  if (origin !== 'direct' || !beginsThread || !isBetweenTwo(place)) return {};
  // Another account can't continue the conversation, so the question gets its account first.
  if (access === undefined && w.accounts.mode !== 'shared') return {};
  const ids = (await ifReadable(w, question, w.askedQuestions.of(place.teamId, askerId))) ?? [];
  for (const id of ids.slice(0, mostPreviousRead)) {
    const earlier = await getReadable(w.questions, id);
    if (earlier === undefined || !isInThread(earlier.place) || !isFromAnotherThread(earlier, question)) continue;
    if (w.now() - earlier.acceptedMs > previousConversationMs) return {};
    const thread = await ifReadable(w, question, w.threads.get(earlier.place));
    const conversationId = sharesConversation(question, earlier) ? conversationOf(thread, question) : undefined;
    if (thread === undefined || conversationId === undefined) continue;
    return thread.queue.length > 0 ? {} : { previous: conversationId };
  }
  return {};
}

/** Whether a question was asked in another thread of the same direct messages. */
function isFromAnotherThread({ place, acceptedMs }: Question, question: Question): boolean {
  const isHere = place.channelId === question.place.channelId && place.teamId === question.place.teamId;
  return isHere && place.threadTs !== question.place.threadTs && acceptedMs <= question.acceptedMs;
}

/** A question that is refused more often than its asker connects again ends after this time. */
const longestLifeMs = 2 * accountPatienceMs;

/** Decides once whose access a question uses. A question that has to use its asker's account may wait for that. */
export async function chooseAccess(w: Core, question: Question): Promise<Question> {
  const { state } = await statusOf(w, question);
  if (state === 'connected' || w.accounts.mode !== 'required') {
    const access = state === 'connected' ? 'own' : 'app';
    const name = access === 'own' ? await w.nameOf(question.askerId) : undefined;
    const previous = await previousConversation(w, { ...question, access });
    return changeQuestion(w, question, (stored) =>
      stored.access === undefined
        ? { ...stored, access, ...previous, ...(name === undefined ? {} : { askerName: name }) }
        : stored,
    );
  }
  // No one can connect, so waiting would not help.
  if (!w.accounts.offer.can) {
    w.log.info({ event: 'question_refused', outcome: 'noKeys', questionId: question.id });
    return endWith(w, question, { kind: 'notAllowed', reason: 'noKeys' });
  }
  const isListed = await ifReadable(w, question, addWaiting(w, personOf(question), question.id));
  if (isListed === false) {
    w.log.info({ event: 'question_refused', outcome: 'tooManyWaiting', questionId: question.id });
    return endWith(w, question, { kind: 'notAllowed', reason: 'tooManyWaiting' });
  }
  return waitFor(w, question, state === 'refused' ? 'refused' : 'notConnected');
}

/** The service refused the asker's account, so the question waits until they connect it again. */
export async function awaitAccount(w: Core, question: Question): Promise<Question> {
  if (w.now() - question.acceptedMs > longestLifeMs) return endWith(w, question, failed({ cause: 'accountRefused' }));
  // If the list is full, the question is not woken, and finds the account by itself soon.
  await ifReadable(w, question, addWaiting(w, personOf(question), question.id));
  return waitFor(w, question, 'refused');
}

/** Leaves the queue and the run slot first: a question that waits without being stored as waiting just tries again. */
async function waitFor(w: Core, question: Question, reason: 'notConnected' | 'refused'): Promise<Question> {
  await leaveQueueAndSlot(w, question);
  const nowMs = w.now();
  w.log.info({ event: 'account_awaited', outcome: reason, questionId: question.id });
  const awaiting = await changeQuestion(w, question, ({ trouble: _, ...stored }) =>
    stored.outcome === undefined
      ? {
          ...stored,
          phase: 'parked',
          awaitsAccount: { reason, sinceMs: nowMs },
          // During a deploy, processes of an older version read only this, and would ask with the app's access.
          parkedUntilMs: nowMs + accountPatienceMs,
        }
      : stored,
  );
  w.observer.changed(awaiting);
  return awaiting;
}

/** Tells the asker privately. If an account stopped working, only one of the asker's waiting questions does in an hour. */
export async function noticeAccount(w: Core, question: Question): Promise<Question> {
  const { id, askerId, text, card, awaitsAccount } = question;
  const isRefused = awaitsAccount?.reason === 'refused';
  if (card.ts === undefined || !isRefused) {
    await w.messenger.notifyPrivately(question, askerId, { kind: 'connectFirst', questionId: id, text, isRefused });
  } else if ((await ifReadable(w, question, mayNotice(w, personOf(question), id))) === true) {
    await w.messenger.notifyPrivately(question, askerId, { kind: 'reconnect', questionId: id });
  }
  return noticed(w, question);
}

export async function noticeAccountFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  if (isTransient(error)) return undefined;
  w.log.error({ event: 'account_notice_lost', questionId: question.id, kind: error.kind }, error);
  return noticed(w, question);
}

function noticed(w: Core, question: Question): Promise<Question> {
  const nowMs = w.now();
  return changeQuestion(w, question, (stored) =>
    stored.awaitsAccount === undefined
      ? stored
      : { ...stored, awaitsAccount: { ...stored.awaitsAccount, noticedMs: nowMs } },
  );
}

/**
 * Continues a question where it waited. One that the service has is watched again. One whose attempt to ask had an
 * unknown outcome is searched for first. Any other is admitted again and then asked.
 */
export async function resumeWithAccount(w: Core, question: Question): Promise<Question> {
  const { id, place, upstream, access } = question;
  const isAtService = access !== undefined && upstream.askedMs !== undefined;
  if (isAtService && isInThread(place)) {
    // First in the queue again: later questions of this thread wait for it.
    await w.threads.update(place, (thread = newThread(place, false)) =>
      thread.queue.includes(id) ? thread : { ...thread, queue: [id, ...thread.queue] },
    );
  }
  await ifReadable(w, question, removeWaiting(w, personOf(question), id));
  const nowMs = w.now();
  const resumed = await changeQuestion(w, question, (waiting) => {
    if (waiting.awaitsAccount === undefined) return waiting;
    const { awaitsAccount: _awaits, parkedUntilMs: _until, trouble: _trouble, ...stored } = withoutChoice(waiting);
    const { firstTriedMs: _tried, ...rest } = stored.upstream;
    if (isAtService) return { ...stored, phase: 'running', upstream: { ...rest, watchedFromMs: nowMs } };
    const { admittedMs: _admitted, ...unadmitted } = stored;
    return { ...(stored.cancel === undefined ? unadmitted : stored), phase: 'waiting', upstream: rest };
  });
  w.log.info({ event: 'account_found', outcome: 'ok', questionId: id });
  w.observer.changed(resumed);
  return resumed;
}

/** Whether a waiting question can continue. Undefined if the question does not wait for an account. */
export async function isAccountBack(w: Core, question: Question): Promise<boolean | undefined> {
  const { awaitsAccount, access } = question;
  if (awaitsAccount === undefined) return undefined;
  if (access === undefined && w.accounts.mode !== 'required') return true;
  const status = await statusOf(w, question);
  if (status.state !== 'connected') return false;
  const { reason, sinceMs } = awaitsAccount;
  // The service refused an account that still counts as connected. It is tried again once its owner has connected it again.
  return reason === 'notConnected' || status.connectedMs >= sinceMs || w.now() - sinceMs >= accountRetryMs;
}

/** An account that can't be read counts as refused: connecting again replaces it. */
async function statusOf(w: Core, question: Question): Promise<AccountStatus | { state: 'refused' }> {
  return (await ifReadable(w, question, w.accounts.statusOf(personOf(question)))) ?? { state: 'refused' };
}

/** Whether the error is about the asker's own account, so that connecting it again helps. */
export function isAccountRefused(error: unknown): boolean {
  return isAppError(error, 'unauthorized') && (error.code === 'accountRefused' || error.code === 'notConnected');
}

/** The cause to show when the service refuses the account that the question uses. */
export function refusedCause({ access }: Pick<Question, 'access'>): 'unauthorized' | 'accountRefused' {
  return access === 'own' ? 'accountRefused' : 'unauthorized';
}

/** Reads the asker's earlier choices of readers again: a person who disconnects is asked again everywhere. */
function withoutChoice(question: Question): Question {
  const { showing, ...rest } = question;
  return showing?.by === 'earlier' ? rest : question;
}

function personOf({ place, askerId }: Question): Person {
  return { teamId: place.teamId, userId: askerId };
}
