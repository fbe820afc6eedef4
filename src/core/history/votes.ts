import type { ConversationId, UpstreamId } from '../question/question.ts';

export type Verdict = 'up' | 'down';

/** One person's opinion of an answer. */
export interface Vote {
  version: 1;
  teamId: string;
  userId: string;
  questionId: string;
  /** The service's ids. Absent if the service was never asked. */
  conversationId?: ConversationId;
  upstreamQuestionId?: UpstreamId;
  verdict: Verdict;
  /** Names of the chosen reasons. Only for `down`, like `comment`. */
  reasons: string[];
  comment?: string;
  atMs: number;
}

/**
 * Stored votes, one per question and person: a later vote replaces the earlier. Throws the same errors as the other
 * stores.
 */
export interface VoteStore {
  put(vote: Vote): Promise<void>;
  get(questionId: string, userId: string): Promise<Vote | undefined>;
}
