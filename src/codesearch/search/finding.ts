/**
 * Stands for the service's address in stored answers, so that links stay right when the port changes. A private-use
 * character: whoever quotes foreign text into an answer removes it there.
 */
export const BASE_MARK = '\uE0F0';

/** Something an answer rests on; `link` is relative to the service. */
export interface SourceRecord {
  type: 'Repository' | 'File' | 'Commit';
  link: string;
  label: string;
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

/** What an investigation found; in `answer`, {@link BASE_MARK} stands for the service's address. */
export interface Finding {
  title: string;
  answer: string;
  sources: SourceRecord[];
  followUps: string[];
  focus: Focus;
  toolCalls: number;
  /** Estimate of what was read to answer. */
  tokensRead: number;
}

/** A question asked before in the same conversation; without a focus where it has no answer. */
export interface EarlierQuestion {
  focus?: Focus;
}

/** Searches for an answer. Calls `step` before each thing it does and stops when that throws. */
export type Investigate = (
  question: string,
  earlier: readonly EarlierQuestion[],
  step: (reasoning: string) => Promise<void>,
) => Promise<Finding>;
