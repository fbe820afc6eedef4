import type { AccountStatus, Person } from '../accounts/accounts.ts';
import { type AppError, isAppError, isTransient } from '../errors.ts';
import { isInThread, newThread, type Question } from '../question/question.ts';
import { accountPatienceMs, accountRetryMs } from '../settings.ts';
import { failed } from './decide.ts';
import {
  changeQuestion,
  endWith,
  ifReadable,
  type LifecyclePorts,
  type Progress,
  releaseSlot,
  wake,
} from './lifecycle-ports.ts';
import { previousConversation } from './previous-conversation.ts';
import { leaveQueue } from './thread-queue.ts';

/** A question that is refused more often than its asker connects again ends after this time. */
const longestLifeMs = 2 * accountPatienceMs;

/** The steps about the account that a question uses: decides whose it is, and waits for it. */
export function createAccountAccess(ports: LifecyclePorts) {
  const { accounts, accountWaits, threads, messenger, log, now } = ports;

  return { choose, park, leave, notice, noticeFailed, resume, isBack };

  /** Decides once whose access a question uses. A question that has to use its asker's account may wait for that. */
  async function choose(question: Question): Promise<Progress> {
    const { state } = await statusOf(question);
    if (state === 'connected' || accounts.mode !== 'required') {
      const access = state === 'connected' ? 'own' : 'app';
      const name = access === 'own' ? await ports.nameOf(question.askerId) : undefined;
      const previous = await previousConversation(ports, { ...question, access });
      return {
        question: await store(question, (stored) =>
          stored.access === undefined
            ? { ...stored, access, ...previous, ...(name === undefined ? {} : { askerName: name }) }
            : stored,
        ),
      };
    }
    // No one can connect, so waiting would not help.
    if (!accounts.offer.can) {
      log.info({ event: 'question_refused', outcome: 'noKeys', questionId: question.id });
      return { question: await endWith(ports, question, { kind: 'notAllowed', reason: 'noKeys' }) };
    }
    const isListed = await ifReadable(ports, question, accountWaits.add(personOf(question), question.id));
    if (isListed === false) {
      log.info({ event: 'question_refused', outcome: 'tooManyWaiting', questionId: question.id });
      return { question: await endWith(ports, question, { kind: 'notAllowed', reason: 'tooManyWaiting' }) };
    }
    return { question: await waitFor(question, state === 'refused' ? 'refused' : 'notConnected') };
  }

  /** The service refused the asker's account, so the question waits until they connect it again. */
  async function park(question: Question): Promise<Question> {
    if (now() - question.acceptedMs > longestLifeMs)
      return endWith(ports, question, failed({ cause: 'accountRefused' }));
    // If the list is full, the question is not woken, and finds the account by itself soon.
    await ifReadable(ports, question, accountWaits.add(personOf(question), question.id));
    return waitFor(question, 'refused');
  }

  /** Leaves the queue and the run slot first: a question that waits without being stored as waiting just tries again. */
  async function waitFor(question: Question, reason: 'notConnected' | 'refused'): Promise<Question> {
    await leave(question);
    const nowMs = now();
    log.info({ event: 'account_awaited', outcome: reason, questionId: question.id });
    const awaiting = await store(question, ({ trouble: _, ...stored }) =>
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
    ports.observer.changed(awaiting);
    return awaiting;
  }

  async function leave(question: Question): Promise<Progress> {
    if (isInThread(question.place)) await wake(ports, await leaveQueue(threads, question.id, question.place));
    await releaseSlot(ports, question);
    return { question };
  }

  /** Tells the asker privately. If an account stopped working, only one of the asker's waiting questions does in an hour. */
  async function notice(question: Question): Promise<Progress> {
    const { id, askerId, text, card, awaitsAccount } = question;
    const isRefused = awaitsAccount?.reason === 'refused';
    if (card.ts === undefined || !isRefused) {
      await messenger.notifyPrivately(question, askerId, { kind: 'connectFirst', questionId: id, text, isRefused });
    } else if ((await ifReadable(ports, question, accountWaits.mayNotice(personOf(question), id))) === true) {
      await messenger.notifyPrivately(question, askerId, { kind: 'reconnect', questionId: id });
    }
    return { question: await noticed(question) };
  }

  async function noticeFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (isTransient(error)) return undefined;
    log.error({ event: 'account_notice_lost', questionId: question.id, kind: error.kind }, error);
    return { question: await noticed(question) };
  }

  function noticed(question: Question): Promise<Question> {
    const nowMs = now();
    return store(question, (stored) =>
      stored.awaitsAccount === undefined
        ? stored
        : { ...stored, awaitsAccount: { ...stored.awaitsAccount, noticedMs: nowMs } },
    );
  }

  /**
   * Continues a question where it waited. One that the service has is watched again. One whose attempt to ask had an
   * unknown outcome is searched for first. Any other is admitted again and then asked.
   */
  async function resume(question: Question): Promise<Progress> {
    const { id, place, upstream, access } = question;
    const isAtService = access !== undefined && upstream.askedMs !== undefined;
    if (isAtService && isInThread(place)) {
      // First in the queue again: later questions of this thread wait for it.
      await threads.update(place, (thread = newThread(place, false)) =>
        thread.queue.includes(id) ? thread : { ...thread, queue: [id, ...thread.queue] },
      );
    }
    await ifReadable(ports, question, accountWaits.remove(personOf(question), id));
    const nowMs = now();
    const resumed = await store(question, (waiting) => {
      if (waiting.awaitsAccount === undefined) return waiting;
      const { awaitsAccount: _awaits, parkedUntilMs: _until, trouble: _trouble, ...stored } = withoutChoice(waiting);
      const { firstTriedMs: _tried, ...rest } = stored.upstream;
      if (isAtService) return { ...stored, phase: 'running', upstream: { ...rest, watchedFromMs: nowMs } };
      const { admittedMs: _admitted, ...unadmitted } = stored;
      return { ...(stored.cancel === undefined ? unadmitted : stored), phase: 'waiting', upstream: rest };
    });
    log.info({ event: 'account_found', outcome: 'ok', questionId: id });
    ports.observer.changed(resumed);
    return { question: resumed };
  }

  /** Whether a waiting question can continue. Undefined if the question does not wait for an account. */
  async function isBack(question: Question): Promise<boolean | undefined> {
    const { awaitsAccount, access } = question;
    if (awaitsAccount === undefined) return undefined;
    if (access === undefined && accounts.mode !== 'required') return true;
    const status = await statusOf(question);
    if (status.state !== 'connected') return false;
    const { reason, sinceMs } = awaitsAccount;
    // The service refused an account that still counts as connected. It is tried again once its owner has connected it again.
    return reason === 'notConnected' || status.connectedMs >= sinceMs || now() - sinceMs >= accountRetryMs;
  }

  /** An account that can't be read counts as refused: connecting again replaces it. */
  async function statusOf(question: Question): Promise<AccountStatus | { state: 'refused' }> {
    return (await ifReadable(ports, question, accounts.statusOf(personOf(question)))) ?? { state: 'refused' };
  }

  function store(question: Question, change: (stored: Question) => Question): Promise<Question> {
    return changeQuestion(ports, question, change);
  }
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
