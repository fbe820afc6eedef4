import type { Question } from '../question/question.ts';
import { withoutRefusedText } from '../question/refused-text.ts';
import type { MessageFile } from '../question/thread-notes.ts';

/** A question that is over, without what was needed only to ask and to show it. */
export function asClosed({
  responseUrl: _url,
  trouble: _trouble,
  awaitsAccount: _awaits,
  restored: _restored,
  upstream: { lastStep: _lastStep, seenMark: _seenMark, ...upstream },
  ...question
}: Question): Question {
  const { outcome, context, forwarded, files } = question;
  return withoutRefusedText({
    ...question,
    phase: 'closed',
    upstream,
    ...(outcome === undefined ? {} : { outcome: lightened(outcome) }),
    // Other people's words were needed only to ask. A later attempt reads them again.
    ...(context === undefined ? {} : { context: { ...context, text: '' } }),
    ...(forwarded === undefined ? {} : { forwarded: { ...forwarded, text: '' } }),
    ...(files === undefined ? {} : { files: files.map(withoutText) }),
  });
}

function withoutText({ text, ...file }: MessageFile): MessageFile {
  return text === undefined ? file : { ...file, isUnknown: true };
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
