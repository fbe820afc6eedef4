/**
 * Stands for the service's address in stored answers, so that links still work when the port changes. A private-use
 * character: it is removed from text that is quoted in an answer.
 */
export const BASE_MARK = '\uE0F0';

/** A source of an answer; `link` is relative to the service. */
export interface SourceRecord {
  type: 'Repository' | 'File' | 'Commit';
  link: string;
  label: string;
}

/** What an answer was about, stored so that a follow-up can say "it" and "there". */
export interface Focus {
  /** Names of symbols, most important first. */
  symbols: string[];
  files: { repository: string; path: string }[];
  /** The significant words of the question, as written. */
  words: string[];
  /** The kind of question, for follow-ups like "and for X?". */
  intent: string;
}

/** The result of an investigation; in `answer`, {@link BASE_MARK} stands for the service's address. */
export interface Finding {
  title: string;
  answer: string;
  sources: SourceRecord[];
  followUps: string[];
  focus: Focus;
  toolCalls: number;
  /** Estimated tokens read for the answer. */
  tokensRead: number;
}

/** An earlier question of the same conversation; without a focus if it has no answer. */
export interface EarlierQuestion {
  focus?: Focus;
}

/**
 * Searches for an answer in the repositories that the asker may read. Calls `step` before each action and stops when
 * `step` throws.
 */
export type Investigate = (
  question: string,
  earlier: readonly EarlierQuestion[],
  step: (reasoning: string) => Promise<void>,
  canRead: (repository: string) => boolean,
) => Promise<Finding>;
