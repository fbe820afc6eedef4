import type { Core } from '../context.ts';
import { type AppError, isAppError } from '../errors.ts';
import { isPatienceOver } from '../pacing.ts';
import type { Answer, Outcome, Question } from '../question/question.ts';
import { accountOf } from '../question/question.ts';
import { isKeptPrivate } from '../question/readers.ts';
import { findUpstream, positionOf, waitedFromMs } from '../question/upstream.ts';
import { refusedCause } from './admission.ts';
import { failed as failedWith, interpret } from './decide.ts';
import { changeQuestion, endWith, isAnswerTooLong } from './steps.ts';

/**
 * Reads the answer of a closed question from the service, because the app does not keep its text. Returns undefined if
 * the answer is gone. Throws the errors of the service.
 */
export async function recallAnswer({ deepSearch, now }: Core, question: Question): Promise<Answer | undefined> {
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

export async function recall(w: Core, question: Question): Promise<Question> {
  const { shares } = question;
  const source = shares === undefined ? undefined : await w.questions.get(shares.questionId);
  if (source !== undefined && shares?.withheld === true)
    return recallWithheld(w, await likeSource(w, question, source), source);
  const answer = source === undefined ? undefined : await recallAnswer(w, source);
  if (source === undefined || answer === undefined) {
    return endWith(w, question, failedWith({ cause: 'gone' }));
  }
  // The link opens the whole conversation, and of one with private answers only this one is shared.
  const shareUrl = shares?.withLink === true && !isKeptPrivate(source) ? source.upstream.shareUrl : undefined;
  return endWith(w, question, answeredWith(answer, question), shareUrl);
}

/** A withheld answer is read with the account that it was asked with. Its asker is the same person. */
async function likeSource(w: Core, question: Question, { access }: Question): Promise<Question> {
  if (access === undefined || question.access !== undefined) return question;
  return changeQuestion(w, question, (stored) => ({ ...stored, access }));
}

/** An answer that one person shows to others is read with that person's account. */
async function refusalOf(w: Core, question: Question): Promise<'unauthorized' | 'accountRefused'> {
  const sourceId = question.shares?.questionId;
  const source = sourceId === undefined ? undefined : await w.questions.get(sourceId);
  return refusedCause(source ?? question);
}

/** Reads the whole answer, because the app kept nothing of it. Watches a question that still runs until it ends. */
async function recallWithheld(w: Core, question: Question, source: Question): Promise<Question> {
  const { conversationId, askedMs = source.acceptedMs } = source.upstream;
  const conversation =
    conversationId === undefined ? undefined : await w.deepSearch(accountOf(source)).read(conversationId);
  const observed = conversation === undefined ? undefined : findUpstream(conversation, source);
  if (conversation === undefined || observed === undefined) {
    return endWith(w, question, failedWith({ cause: 'gone' }));
  }
  const nowMs = w.now();
  const reading = interpret(observed, conversation, (source.endedMs ?? nowMs) - waitedFromMs(source), nowMs);
  const shareUrl = conversation.shareUrl ?? source.upstream.shareUrl;
  switch (reading.is) {
    case 'ended': {
      const { outcome } = reading;
      const end = outcome.kind === 'answered' ? answeredWith(outcome.answer, question) : outcome;
      return endWith(w, question, end, shareUrl);
    }
    case 'limited':
      return endWith(w, question, failedWith({ cause: 'limited' }), shareUrl);
    case 'working':
      return watch(w, question, { ...positionOf(observed), conversationId: conversation.id, askedMs });
  }
}

function watch(w: Core, question: Question, upstream: Partial<Question['upstream']>): Promise<Question> {
  return changeQuestion(w, question, (stored) => ({
    ...stored,
    phase: 'running',
    upstream: { ...stored.upstream, ...upstream, watchedFromMs: w.now() },
  }));
}

export async function recallFailed(w: Core, question: Question, error: AppError): Promise<Question | undefined> {
  if (isAppError(error, 'notFound')) {
    return endWith(w, question, failedWith({ cause: 'gone' }));
  }
  if (isAppError(error, 'unauthorized')) {
    return endWith(w, question, failedWith({ cause: await refusalOf(w, question) }));
  }
  if (isAnswerTooLong(error)) {
    return endWith(w, question, failedWith({ cause: 'answerTooLong' }));
  }
  const sinceMs = question.upstream.firstTriedMs ?? w.now();
  if (isPatienceOver(w.settings, sinceMs, w.now())) {
    return endWith(w, question, failedWith({ cause: 'unreachable' }));
  }
  await changeQuestion(w, question, (stored) => ({
    ...stored,
    upstream: { ...stored.upstream, firstTriedMs: sinceMs },
  }));
  return undefined;
}
