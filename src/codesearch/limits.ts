/** Every bound of the service in one place; sizes in bytes or characters as named, times in milliseconds. */
export const LIMITS = {
  bodyBytes: 1_000_000,
  /** Further connections are closed at once: each needs a file descriptor, as git processes do. */
  connections: 1_000,
  /** A token is estimated as four characters, the usual rule of thumb. It is not used for billing. */
  charactersPerToken: 4,
  /** A longer question is refused. The limit of the second generation of the API, used in both. */
  questionCharacters: 100_000,
  /** A long question with a thread and five files around it; above it the question fails. */
  questionTokens: 20_000,
  conversationTokens: 100_000,
  questionsPerConversation: 200,
  openQuestions: 1_000,
  /** The app asks for everyone in Slack with one account. */
  openQuestionsPerUser: 500,
  /** Beyond these, the oldest conversations of a user are removed. */
  conversationsPerUser: 10_000,
  conversationCharactersPerUser: 200_000_000,
  /** Of one user, unless `--rate-limit` says otherwise: the app looks at each open question every few seconds. */
  requestsPerMinute: 6_000,
  /** From one address; then signing in waits. */
  failedSignInsPerMinute: 10,
  /** Addresses whose failed sign-ins are remembered. */
  signInAddresses: 10_000,
  /** A question during which the service was killed so often is not asked again: it may be what kills it. */
  questionStarts: 3,
  pageSizeDefault: 20,
  pageSizeMax: 100,
  /** The default of the second generation's list. */
  summariesDefault: 50,
  /** Conversations read for one page of a list that searches their texts. A page may then be short. */
  conversationsSearched: 1_000,
  contentQueryCharacters: 1_000,
  questionDeadlineMs: 5 * 60_000,
  /** For the git commands of one HTTP request, all together. */
  requestDeadlineMs: 30_000,
  stopDeadlineMs: 5_000,
  /** For receiving a request, and its headers. */
  requestReceivedMs: 30_000,
  headersReceivedMs: 10_000,
  /** Of a request line and its headers together; a query of a search takes up to 12,000. */
  headerBytes: 16_384,
  /**
   * A connection on which nothing moves is closed after this: its reply would stay in memory. A search may wait and run for two
   * minutes before it sends anything.
   */
  stalledConnectionMs: 180_000,
  /** An idle connection is closed after this. */
  idleConnectionMs: 5_000,
  turnsPerQuestion: 100,
  gitTimeoutMs: 20_000,
  /** For reading commits while a question is answered, which goes on without them. */
  historyTimeoutMs: 5_000,
  /** For git commands that read a whole repository for the index. */
  gitIndexTimeoutMs: 60_000,
  gitOutputBytes: 64_000_000,
  gitComplaintCharacters: 10_000,
  /** Processor time of one git process, for processes that outlive the service. */
  gitCpuSeconds: 120,
  /** Memory of one git process, without mapped pack files. */
  gitMemoryBytes: 1_000_000_000,
  gitProcesses: 8,
  gitProcessesPerUser: 4,
  gitWaiting: 500,
  gitWaitingPerUser: 100,
  gitWaitMs: 20_000,
  fileBytes: 1_000_000,
  /** What answers read of a line of a file: no scan of a line works on more. */
  lineCharacters: 2_000,
  /** More files than this together are analyzed in a worker thread; starting one takes up to 0.5 s. */
  analyzedInlineBytes: 200_000,
  /** Analyzed in one go. */
  analyzedBytes: 1_000_000,
  analysisMs: 30_000,
  /** Of one file, by its grammar; a file that takes longer is read line by line. */
  parseMs: 1_000,
  /** Of files with the same content, so many are analyzed; the others are found by their paths. */
  copiesAnalyzed: 100,
  filesPerRepository: 100_000,
  /** Folders of objects that one repository borrows from others. */
  alternates: 100,
  /** The service starts listening at most this long after listing its files, and reads the rest in the background. */
  readingStartMs: 2_000,
  /** With more files to read, the service listens at once. */
  filesReadBeforeStart: 2_000,
  /** A question waits so long for files that are not read yet. */
  readingWaitMs: 15_000,
  /** File systems note the time of a change in steps of up to 2 s. */
  fileClockTickMs: 2_000,
  /** What is looked at to tell binary files from text, as git does. */
  binaryCheckBytes: 8_000,
  /** Files that are read from git in one go. */
  blobBatchBytes: 24_000_000,
  /** Larger files are not shown; the index reads files up to `fileBytes`. */
  blobBytes: 10_000_000,
  commitsPerPage: 100,
  refsRead: 50_000,
  /** Ids of commits that are remembered for each repository. */
  knownCommits: 1_000,
  refsPerPage: 1_000,
  treeEntriesPerPage: 20_000,
  changedFiles: 3_000,
  patchBytes: 1_000_000,
  revisionCharacters: 250,
  pathCharacters: 4_096,
  commitsIndexed: 5_000,
  queryCharacters: 4_000,
  queryTerms: 100,
  queryDepth: 20,
  /** Patterns of one query that are searched for. */
  queryPatterns: 20,
  /** Searches that the alternatives of one query are split into. */
  queryBranches: 20,
  /** Revisions of one repository in one query. */
  queryRevisions: 10,
  /** Of the program of a regular expression. */
  regexpInstructions: 2_000,
  /** An estimate of what repetitions become when they are written out, before the program is made. */
  regexpWrittenOut: 200_000,
  /** Instructions times characters of one match in a line or name: at most some 150 ms, in which the service does nothing else. */
  regexpStepsPerText: 10_000_000,
  /** Files whose texts a search reads in one go, with at most `blobBatchBytes`. */
  searchTextsAtOnce: 1_000,
  /** Time of matching after which other requests get their turn. */
  searchPauseMs: 15,
  /** Matches when a query has no `count:`, and for `count:all`. */
  searchCountDefault: 10_000,
  searchCountMax: 100_000,
  searchTimeoutMs: 10_000,
  searchTimeoutMaxMs: 60_000,
  /** Searches at once, of one user one. */
  searches: 16,
  searchesWaiting: 500,
  searchesWaitingPerUser: 20,
  searchWaitMs: 60_000,
  /** Files that a search looks into before the others; then it looks into so many times as many, and so on. */
  searchFirstPaths: 100,
  searchPathsGrowth: 4,
  /** Texts of all results of a search; it ends when there are more. */
  searchResultCharacters: 20_000_000,
  /** Lines of one file that a search returns, with their path. */
  searchFileCharacters: 4_000_000,
  /** Longer lines are cut before they are shown; their matches are counted up to there. */
  searchLineCharacters: 100_000,
  commitsSearched: 20_000,
  commitsPerSearchPage: 1_000,
  /** Results of a streamed search are sent together when they come closer to each other than this. */
  streamFlushMs: 100,
  streamBatch: 50,
  symbolFilesPerRevision: 1_000,
  /** A search for symbols waits so long, and at most half of its time, for files that are not read yet. */
  symbolsWaitMs: 5_000,
  /** Texts of files that are kept in memory: a search that finds them there needs no git process. */
  textCacheBytes: 128_000_000,
  /** A signed-in browser stays signed in this long. */
  sessionMs: 12 * 3_600_000,
  sessionsPerUser: 50,
  tokensPerUser: 100,
  noteCharacters: 200,
  /** The last use of a token is written at most this often. */
  tokenUseNotedMs: 60_000,
  formBytes: 20_000,
  oauthApps: 200,
  redirectUris: 20,
  grantsPerUser: 200,
  oauthCodeSeconds: 120,
  oauthTokenSeconds: 3_600,
  /** A refresh token that is not used this long ends its grant. */
  oauthRefreshSeconds: 30 * 24 * 3_600,
  /** Pairs of tokens issued for one refresh token while none of them is used; one more ends the oldest. */
  unusedTokenPairs: 8,
  /** Of a GraphQL document; also bounds the work of parsing and validating it. */
  graphqlTokens: 50_000,
  /** Brackets of any kind within each other; the parser calls itself for each, and its stack ends near 1,500. */
  graphqlNesting: 500,
  /** Selections of a query with its fragments written out; bounds the walk that measures it. */
  graphqlPlaces: 50_000,
  graphqlErrors: 100,
  graphqlDeadlineMs: 20_000,
  /** Different searches in one GraphQL request; equal ones run once. */
  graphqlSearches: 30,
  /** Different reads of repositories in one GraphQL request, and how many of them run at once. */
  graphqlReads: 2_000,
  graphqlReadsAtOnce: 4,
  graphqlPageMax: 1_000,
  /** Characters of files, patches and messages in one GraphQL response. */
  graphqlTextCharacters: 50_000_000,
  siteConfigurationBytes: 1_000_000,
  /** What pages show at most; the rest is behind a link, or a note says that it is left out. */
  linesShown: 20_000,
  /** Of a file; one line may have them all. */
  charactersShown: 2_000_000,
  entriesShown: 2_000,
  commitsShown: 50,
  diffLinesShown: 10_000,
  /** Files with more changed lines are folded. */
  diffLinesOpen: 600,
  readmeCharacters: 100_000,
  /** Longer Markdown is rendered in a thread of its own; this takes up to 50 ms. */
  markdownInlineCharacters: 4_000,
  markdownMs: 5_000,
  markdownWaiting: 20,
  markdownCacheCharacters: 10_000_000,
  stepsShown: 100,
  resultsShown: 200,
  resultLinesOpen: 12,
  resultLinesShown: 200,
  lineCharactersShown: 1_000,
  /** Of a question's time, what is left when a model must have ended: the answer without it is shown then. */
  afterModelMs: 10_000,
  /** A reply of a model's server, as it arrives. */
  modelReplyBytes: 8_000_000,
  /** What one step of a model may write, reasoning included; the answer is cut after the characters. */
  modelOutputTokens: 8_000,
  modelAnswerCharacters: 12_000,
  /** Calls of tools in one step; the model is told that the others were not run. */
  modelCallsPerStep: 8,
  /** What a model gets of one call of a tool. */
  modelResultCharacters: 16_000,
  modelLineCharacters: 400,
  modelFileLines: 400,
  modelFileLinesDefault: 200,
  modelSearchLines: 80,
  modelSearchLinesPerFile: 8,
  /** Matches that a search of a model counts. */
  modelSearchMatches: 2_000,
  modelTreeEntries: 400,
  modelCommits: 15,
  modelCommitCharacters: 1_500,
  modelBlameLines: 300,
  modelRepositories: 100,
  /** Newest questions of the conversation that a model gets, and what of each answer. */
  modelEarlierQuestions: 6,
  modelEarlierCharacters: 6_000,
  modelLinks: 200,
  modelSources: 20,
  modelTitleCharacters: 70,
  modelFollowUps: 3,
  modelFollowUpCharacters: 200,
} as const;

/** Estimates the tokens of a text by the rule of thumb in {@link LIMITS}. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / LIMITS.charactersPerToken);
}
