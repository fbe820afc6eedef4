export type Verdict = 'up' | 'down';

/** What someone thought of an answer. */
export interface Vote {
  version: 1;
  teamId: string;
  userId: string;
  questionId: string;
  /** Of the service; absent when the question was never bound. */
  conversationId?: number;
  upstreamQuestionId?: number;
  verdict: Verdict;
  /** Names of the reasons ticked, and free words; only for `down`. */
  reasons: string[];
  comment?: string;
  atMs: number;
}

/** Stored votes, one per question and person: a later one takes the place of the earlier. Errors as of the other stores. */
export interface VoteStore {
  put(vote: Vote): Promise<void>;
  get(questionId: string, userId: string): Promise<Vote | undefined>;
}
