import type { CancelTarget, Conversation, UpstreamQuestion } from '../../../src/core/ports.ts';

/** A question to stop, which is found by its position where it has no id. */
export function targetOf({ id, ordinal }: Pick<UpstreamQuestion, 'id' | 'ordinal'> = {}): CancelTarget {
  return {
    id,
    find: async ({ questions }: Conversation) =>
      ordinal === undefined ? questions.at(-1) : questions.find((question) => question.ordinal === ordinal),
  };
}
