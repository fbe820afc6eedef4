import { type AppError, isAppError, isTransient } from '../errors.ts';
import { threadQuestion } from '../question/prompt.ts';
import { isInThread, type Question, type ThreadContext } from '../question/question.ts';
import { deliveryPatienceMs } from '../settings.ts';
import { failed } from './decide.ts';
import { beside, changeQuestion, endWith, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';

/** How often reading a thread is tried before the question is asked without it. */
const gatherTries = 2;

/** How long a question waits for room to read its thread: where many ask at once, that is no failure. */
const gatherPatienceMs = 120_000;

/** The part of a question's life before it is asked: whether its asker may ask here, and what the thread says. */
export function createAdmission(ports: LifecyclePorts) {
  const { accessPolicy, threadReader, threads, askedQuestions, now } = ports;

  return { admit, admitFailed, checkAccess, gather, gatherFailed };

  async function admit(question: Question): Promise<Progress> {
    const confirmed = question.shares?.confirmed;
    const admission = await accessPolicy.admit(question.askerId, question.place, { confirmed });
    const { locale } = admission;
    if (!admission.may) {
      const known = locale === undefined ? question : await store(question, (stored) => ({ ...stored, locale }));
      ports.log.info({ event: 'question_refused', outcome: admission.reason, questionId: question.id });
      return { question: await endWith(ports, known, { kind: 'notAllowed', reason: admission.reason }) };
    }
    // Once it was shown there, posting finds out by itself that the app is there no more.
    if (admission.isHidden === true && question.admittedMs === undefined) {
      return { question: await endWith(ports, question, { kind: 'undeliverable', canInvite: true }) };
    }
    const isNew = question.admittedMs === undefined && question.origin !== 'shared';
    if (isNew) await beside(ports, question, askedQuestions.note(question));
    const admitted = await store(question, (stored) => ({
      ...stored,
      admittedMs: now(),
      ...(locale === undefined ? {} : { locale }),
    }));
    ports.observer.changed(admitted);
    return { question: admitted };
  }

  /** What asking Slack once more can't change, or has not changed for a day, is a no: who can't be known may not ask. */
  async function admitFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    const waitedMs = question.trouble === undefined ? 0 : now() - question.trouble.sinceMs;
    if (isTransient(error) && waitedMs <= deliveryPatienceMs) return undefined;
    ports.log.error({ event: 'admission_not_decided', questionId: question.id, kind: error.kind }, error);
    return { question: await endWith(ports, question, { kind: 'notAllowed', reason: 'unknownPerson' }) };
  }

  /** Whether the card of a running question may still show its steps. What can't be found out now is a no until the next check. */
  async function checkAccess(question: Question): Promise<Question> {
    const mayBeShown = await mayAsk(question);
    return store(question, (stored) => {
      const { stepsHiddenMs: _, ...card } = stored.card;
      return mayBeShown
        ? { ...stored, admittedMs: now(), card }
        : { ...stored, card: { ...card, stepsHiddenMs: now() } };
    });
  }

  async function mayAsk(question: Question): Promise<boolean> {
    try {
      return (await accessPolicy.admit(question.askerId, question.place)).may;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
      ports.log.warn({ event: 'access_not_checked', questionId: question.id, kind: error.kind }, error);
      return false;
    }
  }

  async function gather(question: Question): Promise<Progress> {
    const thread = isInThread(question.place) ? await threads.get(question.place) : undefined;
    return { question: await hold(question, await threadReader.read(question, thread)) };
  }

  /** A thread that can't be read is no reason to keep silent: the question is asked without it, and its card says so. */
  async function gatherFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    const waitedMs = question.trouble === undefined ? 0 : now() - question.trouble.sinceMs;
    if (error.kind === 'rateLimited' && waitedMs <= gatherPatienceMs) return undefined;
    if (isTransient(error) && (question.trouble?.failures ?? 0) + 1 < gatherTries) return undefined;
    ports.log.warn({ event: 'thread_not_read', questionId: question.id, kind: error.kind }, error);
    return { question: await hold(question, unread) };
  }

  /** A mention without a word is about the thread alone: without that there is nothing to ask. */
  async function hold(question: Question, context: ThreadContext): Promise<Question> {
    const isNothing = question.text === threadQuestion && context.refused === true;
    return isNothing ? endWith(ports, question, failed({ cause: 'threadUnread' })) : read(question, context);
  }

  /** What was read before somebody edited or deleted a message there counts for nothing: the thread is read once more. */
  function read(question: Question, context: ThreadContext): Promise<Question> {
    return store(question, (stored) => {
      if (stored.threadChanges !== question.threadChanges) return stored;
      const { trouble: _, ...calm } = stored;
      return { ...calm, context };
    });
  }

  function store(question: Question, change: (stored: Question) => Question): Promise<Question> {
    return changeQuestion(ports, question, change);
  }
}

const unread: ThreadContext = { messages: 0, total: 0, files: 0, unreadable: 0, text: '', refused: true };
