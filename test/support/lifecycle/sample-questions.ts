import type { Answer, Question } from '../../../src/core/question/question.ts';

/** An arbitrary time, in epoch milliseconds. */
export const someMs = 1_800_000_000_000;

/** A question as `accept` stores it, in a thread, with some fields changed. */
export function questionWith(change: Partial<Question> = {}): Question {
  return {
    version: 1,
    id: `q${'0123456789abcdef'.repeat(2).slice(0, 24)}`,
    place: { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' },
    askerId: 'U1',
    text: 'Where are retries configured?',
    origin: 'mention',
    beginsThread: true,
    fresh: false,
    acceptedMs: someMs,
    phase: 'waiting',
    admittedMs: someMs,
    card: {},
    upstream: { steps: 0 },
    delivery: { round: 0, posted: [] },
    ...change,
  };
}

export const someAnswer: Answer = {
  title: 'Retries',
  markdown: 'In `retry.ts`.',
  sources: [],
  followUps: [],
  durationMs: 4_000,
  steps: 3,
};
