import { type AppError, isAppError } from '../errors.ts';
import { isPatienceOver } from '../pacing.ts';
import type { Answer, Outcome, Question } from '../question/question.ts';
import { accountOf } from '../question/question.ts';
import { isKeptPrivate } from '../question/readers.ts';
import { findUpstream, positionOf, waitedFromMs } from '../question/upstream.ts';
import { refusedCause } from './account-access.ts';
import { failed as failedWith, interpret } from './decide.ts';
import { changeQuestion, endWith, isAnswerTooLong, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';

/**
 * Reads the answer of a closed question from the service, because the app does not keep its text. Returns undefined if
 * the answer is gone. Throws the errors of the service.
 */
export async function recallAnswer(
  { deepSearch, now }: LifecyclePorts,
  question: Question,
): Promise<Answer | undefined> {
  const { conversationId } = question.upstream;
  if (question.outcome?.kind !== 'answered' || conversationId === undefined) return undefined;
  if (question.outcome.answer.markdown !== '') return question.outcome.answer;
  const conversation = await deepSearch(accountOf(question)).read(conversationId);
  const observed = findUpstream(conversation, question);
  const reading =
    observed === undefined ? undefined : interpret(observed, conversation, question.outcome.answer.durationMs, now());
  if (reading?.is !== 'ended' || reading.outcome.kind !== 'answered') return undefined;
  // Only the texts come from the service. The rest stays as it was first shown.
  const { markdown, stopped } = reading.outcome.answer;
  return { ...question.outcome.answer, markdown, ...(stopped === undefined ? {} : { stopped }) };
}

/** Removes quota and follow-ups: both belong to the conversation, which is not shared. Its asker alone keeps the follow-ups. */
export function answeredWith({ quota: _quota, ...answer }: Answer, { shares }: Question): Outcome {
  return { kind: 'answered', answer: shares?.withheld === true ? answer : { ...answer, followUps: [] } };
}

/** The steps of an answer that is shown again: the app reads the answer instead of asking. */
export function createResharing(ports: LifecyclePorts) {
  return { recall, failed };

  async function recall(question: Question): Promise<Progress> {
    const { shares } = question;
    const source = shares === undefined ? undefined : await ports.questions.get(shares.questionId);
    if (source !== undefined && shares?.withheld === true)
      return recallWithheld(await likeSource(question, source), source);
    const answer = source === undefined ? undefined : await recallAnswer(ports, source);
    if (source === undefined || answer === undefined) {
      return { question: await endWith(ports, question, failedWith({ cause: 'gone' })) };
    }
    // The link opens the whole conversation, and of one with private answers only this one is shared.
    const shareUrl = shares?.withLink === true && !isKeptPrivate(source) ? source.upstream.shareUrl : undefined;
    return { question: await endWith(ports, question, answeredWith(answer, question), shareUrl) };
  }

  /** A withheld answer is read with the account that it was asked with. Its asker is the same person. */
  async function likeSource(question: Question, { access }: Question): Promise<Question> {
    if (access === undefined || question.access !== undefined) return question;
    return changeQuestion(ports, question, (stored) => ({ ...stored, access }));
  }

  /** An answer that one person shows to others is read with that person's account. */
  async function causeOf(question: Question): Promise<'unauthorized' | 'accountRefused'> {
    const sourceId = question.shares?.questionId;
    const source = sourceId === undefined ? undefined : await ports.questions.get(sourceId);
    return refusedCause(source ?? question);
  }

  /** Reads the whole answer, because the app kept nothing of it. Watches a question that still runs until it ends. */
  async function recallWithheld(question: Question, source: Question): Promise<Progress> {
    const { conversationId, askedMs = source.acceptedMs } = source.upstream;
    const conversation =
      conversationId === undefined ? undefined : await ports.deepSearch(accountOf(source)).read(conversationId);
    const observed = conversation === undefined ? undefined : findUpstream(conversation, source);
    if (conversation === undefined || observed === undefined) {
      return { question: await endWith(ports, question, failedWith({ cause: 'gone' })) };
    }
    const nowMs = ports.now();
    const reading = interpret(observed, conversation, (source.endedMs ?? nowMs) - waitedFromMs(source), nowMs);
    const shareUrl = conversation.shareUrl ?? source.upstream.shareUrl;
    switch (reading.is) {
      case 'ended': {
        const { outcome } = reading;
        const end = outcome.kind === 'answered' ? answeredWith(outcome.answer, question) : outcome;
        return { question: await endWith(ports, question, end, shareUrl) };
      }
      case 'limited':
        return { question: await endWith(ports, question, failedWith({ cause: 'limited' }), shareUrl) };
      case 'working':
        return {
          question: await watch(question, { ...positionOf(observed), conversationId: conversation.id, askedMs }),
        };
    }
  }

  function watch(question: Question, upstream: Partial<Question['upstream']>): Promise<Question> {
    return changeQuestion(ports, question, (stored) => ({
      ...stored,
      phase: 'running',
      upstream: { ...stored.upstream, ...upstream, watchedFromMs: ports.now() },
    }));
  }

  async function failed(question: Question, error: AppError): Promise<Progress | undefined> {
    if (isAppError(error, 'notFound')) {
      return { question: await endWith(ports, question, failedWith({ cause: 'gone' })) };
    }
    if (isAppError(error, 'unauthorized')) {
      return { question: await endWith(ports, question, failedWith({ cause: await causeOf(question) })) };
    }
    if (isAnswerTooLong(error)) {
      return { question: await endWith(ports, question, failedWith({ cause: 'answerTooLong' })) };
    }
    const sinceMs = question.upstream.firstTriedMs ?? ports.now();
    if (isPatienceOver(ports.settings, sinceMs, ports.now())) {
      return { question: await endWith(ports, question, failedWith({ cause: 'unreachable' })) };
    }
    await changeQuestion(ports, question, (stored) => ({
      ...stored,
      upstream: { ...stored.upstream, firstTriedMs: sinceMs },
    }));
    return undefined;
  }
}
