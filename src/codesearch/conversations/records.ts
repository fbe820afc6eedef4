import type { Focus, SourceRecord } from '../ask/finding.ts';

/** One step of work; times are epoch milliseconds. */
export interface TurnRecord {
  reasoning: string;
  atMs: number;
}

export interface QuestionError {
  kind: 'TokenLimitExceeded' | 'Cancelled' | 'RateLimitExceeded' | 'InternalError';
  title: string;
  message: string;
  details: string;
  /** When to ask again, in epoch milliseconds. */
  retryAtMs?: number;
}

export interface StatsRecord {
  timeMs: number;
  toolCalls: number;
  /** With a model, as its server counts; without one, an estimate of what was read. */
  promptTokens: number;
  /** Part of the prompt tokens; absent without a model. */
  cachedTokens?: number;
  /** Absent without a model. */
  cacheCreationTokens?: number;
  completionTokens: number;
  credits: number;
}

export interface QuestionRecord {
  id: number;
  text: string;
  createdMs: number;
  updatedMs: number;
  /** A question that waits for a free slot is `processing` too. */
  status: 'processing' | 'completed';
  /** When work on it began; absent while it waits. */
  startedMs?: number;
  /** How often work on it began, without the times when the service stopped in order. */
  starts?: number;
  turns: TurnRecord[];
  stats: StatsRecord;
  title?: string;
  /** Markdown; `BASE_MARK` stands for the service's own address. */
  answer?: string;
  sources?: SourceRecord[];
  followUps?: string[];
  error?: QuestionError;
  focus?: Focus;
}

export interface ConversationRecord {
  version: 1;
  id: number;
  userId: number;
  readToken: string;
  createdMs: number;
  /** Starring and unstarring leave it unchanged. */
  updatedMs: number;
  starred?: boolean;
  questions: QuestionRecord[];
}

export function emptyStats(): StatsRecord {
  return { timeMs: 0, toolCalls: 0, promptTokens: 0, completionTokens: 0, credits: 0 };
}

export function isOpen(question: QuestionRecord): boolean {
  return question.status !== 'completed';
}

/** An operation on conversations is refused; users read the message. */
export class ConversationError extends Error {
  override readonly name = 'ConversationError';
  readonly kind: 'notFound' | 'tooManyOpen' | 'stillProcessing' | 'tooLong';

  constructor(kind: ConversationError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
