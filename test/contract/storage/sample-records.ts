import type { Question, ThreadPlace } from '../../../src/core/question/question.ts';

export const place: ThreadPlace = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };

/** A question that was just accepted. */
export function sampleQuestion(overrides: Partial<Question> = {}): Question {
  return {
    version: 1,
    id: 'q0123456789abcdef01234567',
    place,
    askerId: 'U1',
    text: 'Where are retries configured?',
    origin: 'mention',
    fresh: true,
    beginsThread: true,
    acceptedMs: 1_700_000_000_000,
    phase: 'waiting',
    card: {},
    upstream: { steps: 0 },
    delivery: { round: 0, posted: [] },
    ...overrides,
  };
}
