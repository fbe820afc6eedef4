import type { Answer, Outcome, Question } from '../../../src/core/question/question.ts';

export const QUESTION_ID = 'q0123456789abcdef01234567';

/** A running question, with the test's changes. */
export function exampleQuestion(changes: Partial<Question> = {}): Question {
  return {
    version: 1,
    id: QUESTION_ID,
    place: { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' },
    askerId: 'U0ASKER',
    text: 'Where are payment retries configured?',
    origin: 'mention',
    beginsThread: true,
    fresh: false,
    acceptedMs: 1_700_000_000_000,
    phase: 'running',
    card: {},
    upstream: { steps: 0, shareUrl: 'https://search.example.com/deepsearch/abc' },
    delivery: { round: 0, posted: [] },
    ...changes,
  };
}

export function exampleAnswer(changes: Partial<Answer> = {}): Answer {
  return {
    title: 'Payment retries',
    markdown: 'Retries are configured in `retry.ts`.',
    sources: [
      { url: 'https://x.example.com/a.ts', label: 'a.ts', repository: 'github.com/acme/shop' },
      { url: 'https://x.example.com/b.ts', label: 'b.ts', repository: 'github.com/acme/shop' },
    ],
    followUps: ['How many retries are made?', 'Who calls it?'],
    durationMs: 41_000,
    steps: 12,
    credits: 3,
    ...changes,
  };
}

export function answered(changes: Partial<Answer> = {}, question: Partial<Question> = {}): Question {
  return ended({ kind: 'answered', answer: exampleAnswer(changes) }, question);
}

export function ended(outcome: Outcome, question: Partial<Question> = {}): Question {
  return exampleQuestion({ phase: 'delivering', outcome, ...question });
}
