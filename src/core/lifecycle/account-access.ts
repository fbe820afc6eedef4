import type { AccountStatus, Person } from '../accounts/accounts.ts';
import type { QuestionContext } from '../context.ts';
import { type AppError, isAppError, isTransient } from '../errors.ts';
import { isInThread, newThread, type Question } from '../question/question.ts';
import { accountPatienceMs, accountRetryMs } from '../settings.ts';
import { previousConversation } from './admission.ts';
import { failed } from './decide.ts';
import { changeQuestion, endWith, ifReadable, leaveQueueAndSlot } from './steps.ts';

/** A question that is refused more often than its asker connects again ends after this time. */
const longestLifeMs = 2 * accountPatienceMs;

/** Decides once whose access a question uses. A question that has to use its asker's account may wait for that. */
export async function chooseAccess(w: QuestionContext, question: Question): Promise<Question> {
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
  const isListed = await ifReadable(w, question, w.accountWaits.add(personOf(question), question.id));
  if (isListed === false) {
    w.log.info({ event: 'question_refused', outcome: 'tooManyWaiting', questionId: question.id });
    return endWith(w, question, { kind: 'notAllowed', reason: 'tooManyWaiting' });
  }
  return waitFor(w, question, state === 'refused' ? 'refused' : 'notConnected');
}

/** The service refused the asker's account, so the question waits until they connect it again. */
export async function awaitAccount(w: QuestionContext, question: Question): Promise<Question> {
  if (w.now() - question.acceptedMs > longestLifeMs) return endWith(w, question, failed({ cause: 'accountRefused' }));
  // If the list is full, the question is not woken, and finds the account by itself soon.
  await ifReadable(w, question, w.accountWaits.add(personOf(question), question.id));
  return waitFor(w, question, 'refused');
}

/** Leaves the queue and the run slot first: a question that waits without being stored as waiting just tries again. */
async function waitFor(w: QuestionContext, question: Question, reason: 'notConnected' | 'refused'): Promise<Question> {
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
export async function noticeAccount(w: QuestionContext, question: Question): Promise<Question> {
  const { id, askerId, text, card, awaitsAccount } = question;
  const isRefused = awaitsAccount?.reason === 'refused';
  if (card.ts === undefined || !isRefused) {
    await w.messenger.notifyPrivately(question, askerId, { kind: 'connectFirst', questionId: id, text, isRefused });
  } else if ((await ifReadable(w, question, w.accountWaits.mayNotice(personOf(question), id))) === true) {
    await w.messenger.notifyPrivately(question, askerId, { kind: 'reconnect', questionId: id });
  }
  return noticed(w, question);
}

export async function noticeAccountFailed(
  w: QuestionContext,
  question: Question,
  error: AppError,
): Promise<Question | undefined> {
  if (isTransient(error)) return undefined;
  w.log.error({ event: 'account_notice_lost', questionId: question.id, kind: error.kind }, error);
  return noticed(w, question);
}

function noticed(w: QuestionContext, question: Question): Promise<Question> {
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
export async function resumeWithAccount(w: QuestionContext, question: Question): Promise<Question> {
  const { id, place, upstream, access } = question;
  const isAtService = access !== undefined && upstream.askedMs !== undefined;
  if (isAtService && isInThread(place)) {
    // First in the queue again: later questions of this thread wait for it.
    await w.threads.update(place, (thread = newThread(place, false)) =>
      thread.queue.includes(id) ? thread : { ...thread, queue: [id, ...thread.queue] },
    );
  }
  await ifReadable(w, question, w.accountWaits.remove(personOf(question), id));
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
export async function isAccountBack(w: QuestionContext, question: Question): Promise<boolean | undefined> {
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
async function statusOf(w: QuestionContext, question: Question): Promise<AccountStatus | { state: 'refused' }> {
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
