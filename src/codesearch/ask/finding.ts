import { repositoryPath } from '../addresses.ts';

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
  kind: string;
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
  /** A greeting or a refusal, which costs nothing. */
  isNoAnswer?: true;
  /** Present when a model was asked, also when it failed. */
  modelUse?: ModelUse;
}

/** What a model used for one question. Tokens are those that its server reports, or estimates where it reports none. */
export interface ModelUse {
  /** Tokens sent, with those that the server had in its cache. */
  promptTokens: number;
  cachedTokens: number;
  cacheCreationTokens: number;
  completionTokens: number;
  /** Cents of the cost, rounded up. */
  credits: number;
}

/** An earlier question of the same conversation; without answer and focus if it was not answered. */
export interface EarlierQuestion {
  text?: string;
  answer?: string;
  sources?: SourceRecord[];
  focus?: Focus;
}

/** Who waits for an answer, and how long. */
export interface Asking {
  /** Git processes and searches are shared fairly between users by this name. */
  user: string;
  /** Ends when the question is cancelled or out of time; ends git processes and requests too. */
  signal: AbortSignal;
  /** When the question ends without an answer, by the clock of the service. */
  endsMs: number;
  /** Called with all that was used so far, whenever it has grown. */
  onModelUse: (use: ModelUse) => void;
}

/**
 * Searches for an answer in the repositories that the asker may read. Calls `step` before each action and stops when
 * `step` throws or the signal of `asking` ends.
 */
export type Investigate = (
  question: string,
  earlier: readonly EarlierQuestion[],
  step: (reasoning: string) => Promise<void>,
  canRead: (repository: string) => boolean,
  asking?: Asking,
) => Promise<Finding>;

/** Whether an answer or its sources link to a repository or to something in it. */
export function cites(
  { answer = '', sources = [] }: { answer?: string; sources?: readonly SourceRecord[] },
  repository: string,
): boolean {
  const path = repositoryPath(repository);
  const links = [...sources.map(({ link }) => link), ...answer.split(BASE_MARK).slice(1)];
  return links.some((link) => link === path || ['/-/', '@', ')'].some((next) => link.startsWith(`${path}${next}`)));
}
