import type { Question } from '../question/question.ts';
import { withoutRefusedText } from '../question/refused-text.ts';

/** A question that is over, without what was needed only to ask and to show it. */
export function asClosed({
  responseUrl: _url,
  trouble: _trouble,
  awaitsAccount: _awaits,
  restored: _restored,
  upstream: { lastStep: _lastStep, seenMark: _seenMark, ...upstream },
  ...question
}: Question): Question {
  const { outcome, context } = question;
  return withoutRefusedText({
    ...question,
    phase: 'closed',
    upstream,
    ...(outcome === undefined ? {} : { outcome: lightened(outcome) }),
    // The text of the thread was needed only to ask.
    ...(context === undefined ? {} : { context: { ...context, text: '' } }),
  });
}

/** Keeps only what buttons need. After delivery, Slack and the service hold the text. */
function lightened(outcome: NonNullable<Question['outcome']>): NonNullable<Question['outcome']> {
  switch (outcome.kind) {
    case 'answered': {
      const { stopped, ...answer } = outcome.answer;
      const reason = stopped === undefined ? {} : { stopped: { cause: stopped.cause } };
      return { ...outcome, answer: { ...answer, markdown: '', ...reason } };
    }
    case 'failed': {
      const { title: _title, message: _message, ...failure } = outcome.failure;
      return { ...outcome, failure };
    }
    default:
      return outcome;
  }
}
