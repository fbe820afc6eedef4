/** Every bound of the service in one place; sizes in bytes or characters as named, times in milliseconds. */
export const LIMITS = {
  bodyBytes: 1_000_000,
  /** A token is estimated as four characters, the usual rule of thumb. It is not used for billing. */
  charactersPerToken: 4,
  /** A long question with a thread and five files around it. */
  questionTokens: 20_000,
  conversationTokens: 100_000,
  questionsPerConversation: 200,
  openQuestions: 1_000,
  pageSizeDefault: 20,
  pageSizeMax: 100,
  questionDeadlineMs: 5 * 60_000,
  /** For the git commands of one HTTP request, all together. */
  requestDeadlineMs: 30_000,
  stopDeadlineMs: 5_000,
  turnsPerQuestion: 100,
  gitTimeoutMs: 20_000,
  gitOutputBytes: 64_000_000,
  gitComplaintCharacters: 10_000,
  /** Processor time of one git process, for processes that outlive the service. */
  gitCpuSeconds: 120,
  /** Memory of one git process, without mapped pack files. */
  gitMemoryBytes: 1_000_000_000,
  patternCharacters: 1_000,
  patternCopies: 10_000,
  /** Steps of the pattern matcher in one line; 1,000,000 take about 10 ms. */
  patternSteps: 1_000_000,
  gitProcesses: 8,
  gitProcessesPerUser: 4,
  gitWaiting: 500,
  gitWaitingPerUser: 100,
  gitWaitMs: 20_000,
  fileBytes: 1_000_000,
  /** What answers read of a line of a file: no scan of a line works on more. */
  lineCharacters: 2_000,
  /** An update of the index with more than this is analyzed in a worker thread; starting one takes up to 0.5 s. */
  analyzedInlineBytes: 200_000,
  /** Analyzed in one go. */
  analyzedBytes: 1_000_000,
  analysisMs: 30_000,
  filesPerRepository: 100_000,
  /** Larger files are not shown; the index reads files up to `fileBytes`. */
  blobBytes: 10_000_000,
  commitsPerPage: 100,
  refsRead: 50_000,
  refsPerPage: 1_000,
  treeEntriesPerPage: 20_000,
  changedFiles: 3_000,
  patchBytes: 1_000_000,
  revisionCharacters: 250,
  pathCharacters: 4_096,
  commitsIndexed: 5_000,
  textCacheBytes: 32_000_000,
  graphqlDepth: 30,
  graphqlAliases: 500,
  graphqlFields: 500,
} as const;

/** Estimates the tokens of a text by the rule of thumb in {@link LIMITS}. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / LIMITS.charactersPerToken);
}
