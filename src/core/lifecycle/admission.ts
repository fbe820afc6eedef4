import type { Admission, Confirm } from '../access-policy.ts';
import { noRules, type QuestionRules } from '../channels/channel-settings.ts';
import { AppError, isAppError, isTransient } from '../errors.ts';
import { askedEntry } from '../history/question-entries.ts';
import { threadQuestion } from '../question/prompt.ts';
import { isInThread, type Outcome, type Question, type Refusal, type ThreadContext } from '../question/question.ts';
import { decideScope, readScope } from '../question/scope.ts';
import { isOnlyInMessage, nothingRead } from '../question/thread-context.ts';
import { deliveryPatienceMs, freshAccessMs, gatherPatienceMs, gatherTries } from '../settings.ts';
import { failed } from './decide.ts';
import { changeQuestion, endWith, ifReadable, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';
import { previousConversation } from './previous-conversation.ts';

/** The steps before a question is asked: checks whether the asker may ask here, and reads the thread. */
export function createAdmission(ports: LifecyclePorts) {
  const { accessPolicy, threadReader, threads, askedQuestions, now } = ports;

  return { admit, admitFailed, confirming, gather, gatherFailed };

  async function admit(question: Question): Promise<Progress> {
    const confirmed = question.shares?.confirmed;
    const admission = await accessPolicy.admit(question.askerId, question.place, { confirmed });
    const { locale } = admission;
    if (!admission.may) return refuse(question, admission.reason, locale);
    // If the question was admitted before, its next post fails if the app has left the channel.
    if (admission.isHidden === true && question.admittedMs === undefined) {
      if (question.origin !== 'shared') ports.audit.note(askedEntry(question));
      return { question: await endWith(ports, question, { kind: 'undeliverable', canInvite: true }) };
    }
    const rules = awaitsChannelRules(question) ? await rulesFor(question) : noRules;
    const refused = awaitsChannelRules(question) ? refusedForRepository(question, rules) : undefined;
    if (refused !== undefined) {
      const limited = await store(question, (stored) => withChannelRules(stored, rules));
      ports.log.info({ event: 'question_refused', outcome: refused.reason, questionId: question.id });
      return { question: await endWith(ports, limited, refused) };
    }
    const isNew = question.admittedMs === undefined && question.origin !== 'shared';
    if (isNew) await ifReadable(ports, question, askedQuestions.note(question));
    const reason = isNew ? await ifReadable(ports, question, ports.dailyCaps.take(question)) : undefined;
    if (reason !== undefined) return refuse(question, reason, locale);
    if (isNew) ports.audit.note(askedEntry(question));
    const previous = isNew ? await previousConversation(ports, question) : {};
    const admitted = await store(question, (stored) => ({
      ...withChannelRules(stored, rules),
      ...previous,
      admittedMs: now(),
      ...(locale === undefined ? {} : { locale }),
    }));
    ports.observer.changed(admitted);
    return { question: admitted };
  }

  /**
   * Checks access right before a post that shows code, because people join a channel at any moment and Slack's event about
   * it may be lost. What Slack said before the question ended does not count. `confirm` throws if the question is refused by
   * now, and `end` then ends it. No check before a failed try counts; `isAlone`: no earlier check at all. A repeated post
   * shares its check with others: if it needed its own after each search, neither call would find room beside those of others.
   */
  function confirming(
    question: Question,
    { isAlone } = { isAlone: false },
  ): { confirm: Confirm; end(): Promise<Progress> | undefined } {
    let refused: { reason: Refusal; locale?: string } | undefined;
    let mayShare = !isAlone;
    return {
      async confirm() {
        const { endedMs = 0, trouble } = question;
        // A try that only waited for room in Slack's limits did not fail: answers that wait for the same room share one check.
        const triedMs = trouble === undefined || trouble.failures === 0 ? 0 : Math.min(trouble.notBeforeMs, now());
        const newMs = Math.max(endedMs, triedMs);
        const sinceMs = mayShare ? Math.max(now() - freshAccessMs, newMs) : now();
        mayShare = false;
        const admission = await admitted(question, sinceMs);
        if (admission.may) return;
        refused = admission;
        throw new AppError('refused', 'the answer may not be shown to those who read there now');
      },
      end: () => refused && refuse(question, refused.reason, refused.locale),
    };
  }

  /**
   * A check that got no reply says nothing about the post that waits for it, and one that Slack's limits refused is no failed
   * try of that post.
   */
  async function admitted({ askerId, place, shares }: Question, sinceMs: number): Promise<Admission> {
    try {
      return await accessPolicy.admit(askerId, place, { confirmed: shares?.confirmed, sinceMs });
    } catch (error) {
      if (!isAppError(error)) throw error;
      const { kind, message, code, retryAfterMs } = error;
      const isHeldBack = kind === 'rateLimited' && (retryAfterMs ?? 0) > 0;
      throw new AppError(kind, message, { cause: error, code, retryAfterMs, isHeldBack });
    }
  }

  /** The names of repositories are read only for a question that names one. */
  async function rulesFor(question: Question): Promise<QuestionRules> {
    const rules = await ports.channelRules.forQuestion(question);
    if (rules.repositories.length > 0 || readScope(question.text).repositories.length === 0) return rules;
    const asker = { teamId: question.place.teamId, userId: question.askerId };
    return { ...rules, known: await ports.repositoriesFor(asker) };
  }

  async function refuse(question: Question, reason: Refusal, locale: string | undefined): Promise<Progress> {
    const known = locale === undefined ? question : await store(question, (stored) => ({ ...stored, locale }));
    ports.log.info({ event: 'question_refused', outcome: reason, questionId: question.id });
    return { question: await endWith(ports, known, { kind: 'notAllowed', reason }) };
  }

  /** Refuses the asker if a retry cannot help, or if Slack gave no answer for a day. An unknown person may not ask. */
  async function admitFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    const waitedMs = question.trouble === undefined ? 0 : now() - question.trouble.sinceMs;
    if (isTransient(error) && waitedMs <= deliveryPatienceMs) return undefined;
    ports.log.error({ event: 'admission_not_decided', questionId: question.id, kind: error.kind }, error);
    return { question: await endWith(ports, question, { kind: 'notAllowed', reason: 'unknownPerson' }) };
  }

  async function gather(question: Question): Promise<Progress> {
    const thread = isInThread(question.place) ? await threads.get(question.place) : undefined;
    return { question: await hold(question, await threadReader.read(question, thread)) };
  }

  /** After the last try, asks the question without the thread. The card says so. */
  async function gatherFailed(question: Question, error: AppError): Promise<Progress | undefined> {
    const waitedMs = question.trouble === undefined ? 0 : now() - question.trouble.sinceMs;
    if (error.kind === 'rateLimited' && waitedMs <= gatherPatienceMs) return undefined;
    if (isTransient(error) && (question.trouble?.failures ?? 0) + 1 < gatherTries) return undefined;
    ports.log.warn({ event: 'thread_not_read', questionId: question.id, kind: error.kind }, error);
    return { question: await hold(question, nothingRead(question)) };
  }

  /**
   * Stores what was read. A mention without text asks only about the thread, so it fails if the thread can't be read. So does
   * a later attempt of a bare forward if its message can't be read.
   */
  async function hold(question: Question, context: ThreadContext): Promise<Question> {
    const hasNothing = context.refused === true && (question.text === threadQuestion || isOnlyInMessage(question));
    return hasNothing ? endWith(ports, question, failed({ cause: 'threadUnread' })) : read(question, context);
  }

  /**
   * Stores what was read, unless a message of the thread was edited or deleted meanwhile: then the app reads it again.
   */
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
