/** One step of work, or the person's own words; times are epoch milliseconds. */
export interface SlotRecord {
  role: 'user' | 'assistant';
  reasoning: string;
  atMs: number;
}

/** Something an answer rests on; `link` is relative to the service. */
export interface SourceRecord {
  type: 'Repository' | 'File' | 'Commit';
  link: string;
  label: string;
}

export interface QuestionError {
  kind: 'TokenLimitExceeded' | 'Cancelled' | 'RateLimitExceeded' | 'InternalError';
  title: string;
  message: string;
  details: string;
}

/** What an answer was about, kept so that a follow-up can say "it" and "there". */
export interface Focus {
  /** Names of symbols, most important first. */
  symbols: string[];
  files: { repository: string; path: string }[];
  /** Words that carried the question, as the person wrote them. */
  words: string[];
  /** What kind of question it was, for follow-ups such as "and for X?". */
  intent: string;
}

export interface StatsRecord {
  timeMs: number;
  toolCalls: number;
  promptTokens: number;
  completionTokens: number;
  credits: number;
}

export interface QuestionRecord {
  id: number;
  text: string;
  createdMs: number;
  updatedMs: number;
  status: 'pending' | 'processing' | 'completed';
  turns: SlotRecord[];
  stats: StatsRecord;
  title?: string;
  /** Markdown in which {@link BASE_MARK} stands for the service's own address. */
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
  updatedMs: number;
  questions: QuestionRecord[];
}

/**
 * Stands for the service's address in stored answers, so that links stay right when the port changes. A private-use
 * character: whoever quotes foreign text into an answer removes it there.
 */
export const BASE_MARK = '\uE0F0';

export function emptyStats(): StatsRecord {
  return { timeMs: 0, toolCalls: 0, promptTokens: 0, completionTokens: 0, credits: 0 };
}

export function isOpen(question: QuestionRecord): boolean {
  return question.status !== 'completed';
}
