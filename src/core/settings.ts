import type { AccountMode } from './accounts/accounts.ts';

/** The life of a question, as tests may change it. An operator sets the patience and the accounts. Durations are in milliseconds. */
export interface LifecycleSettings {
  /** How long the service may work on a question before the app stops watching. */
  patienceMs: number;
  /** How often a running question is read that is not watched together with others. */
  readEveryMs: number;
  /** Shortest time between two edits of one card. Slack advises 3 s. */
  cardEditMs: number;
  /** Most questions in one thread's queue, including the running one. */
  threadLimit: number;
  /**
   * How long the far side may still carry out a call after the app gave it up. The app does not repeat it before that.
   */
  lateCallMs: number;
  /** Whose account people ask with. Default: `shared`. */
  accounts?: AccountMode;
}

/** The app also attaches an answer as a file if the answer takes more messages than this. */
export const messagesWithoutFile = 3;

/**
 * How long questions with people's own access may take to be stopped at the service after the workspace removed the app.
 * After that the accounts are erased.
 */
export const quietEndMs = 10_000;

/** Longest question that the app accepts, in characters. */
export const maxQuestionLength = 10_000;

/** Longest access token that a person may enter, in characters. The service's own have 40 to 80. */
export const longestToken = 1_000;

/** Earlier questions sent along when a thread starts a new conversation: how many, and characters of all. */
export const mostEarlierQuestions = 10;
export const earlierQuestionsRoom = 4_000;

/** Question ids that a thread keeps, so that enough remain after cancelled and repeated questions are left out. */
export const mostAskedKnown = 3 * mostEarlierQuestions;

/**
 * How much time before its asker is told the result a question must be stored, in milliseconds: the storage's reply takes some.
 */
export const ackConfirmMs = 500;

/** When a run looks for a question that may have been stored, in milliseconds: a storage that hung may go on until then. */
export const doubtMs = 5_000;

/** Time from a repeated post, or an edit with an unknown outcome, to the check of the question's messages. */
export const recheckAfterMs = 60_000;

/** How long an admission is valid. After that the app checks access again before it asks or goes on with an answer. */
export const admissionLifeMs = 60_000;

/**
 * How old what Slack said about asker and readers may be when something that shows code is posted. The messages of an answer,
 * and answers in one channel that ended before, share a check, because Slack allows few. A post that Slack refused gets its own.
 */
export const freshAccessMs = 3_000;

/** How long the card shows steps after a check of its readers. */
export const stepCheckLifeMs = 30_000;

/**
 * Longest `Retry-After` that the app waits for silently. A longer one parks the question, and the card says until when.
 */
export const longestQuietWaitMs = 60_000;

/** How long the service may take to confirm a cancellation. After that the app closes the card without it. */
export const cancelConfirmMs = 30_000;

/**
 * How long the app retries a delivery that Slack refuses. After that it closes the question with an error in the log.
 */
export const deliveryPatienceMs = 24 * 60 * 60 * 1000;

/** How often a question that waits behind others runs even if nothing wakes it. */
export const queuedCheckMs = 15_000;

/** How long a question waits until its asker connects an account. After that it ends. */
export const accountPatienceMs = 24 * 60 * 60 * 1000;

/** How often a question that waits for an account checks whether there is one, even if nothing wakes it. */
export const accountCheckMs = 60_000;

/**
 * When a refused account that its owner did not connect again is tried once more: other reasons for a 401 may be over.
 */
export const accountRetryMs = 15 * 60_000;

/** Most questions of one person that wait for an account. Further ones are refused. */
export const mostWaitingForAccount = 20;

/** How often one person is told that they have to connect again, however many of their questions wait for that. */
export const reconnectNoticeMs = 60 * 60 * 1000;

/** People whose conversations a thread knows. Beyond that it drops the one that was used the longest time ago. */
export const mostOwnConversations = 50;

/** Slack advises three seconds between two edits of one message. Home is shown again no sooner either. */
export const cardEditMs = 3_000;

/** More questions would wait in one thread for longer than people look at it: at 45 s for an answer, a quarter of an hour. */
export const threadLimit = 20;

/** Covers the longest delay of a call that was seen behind proxies (11 s) with a margin (decision 15). */
export const lateCallMs = 15_000;

/** How often a running question is read alone: its answer is seen 1 s late on average, after some 23 reads (decision 28). */
export const readEveryMs = 2_000;

/**
 * From how many running questions of one account on they are watched together: by a list of its newest changes instead of
 * one read for each.
 */
export const fewestWatchedTogether = 4;

/** How often the changes of an account are listed while many of its questions run. */
export const watchTickMs = 1_000;

/** Longest time between two runs of a question that is watched with a few others, in case a change was missed. */
export const watchBackstopMs = 30_000;

/**
 * From how many running questions of one account on a question runs only every `listedRunMs`, unless it changes. Fewer cost
 * little. The clock of a card stands still for as long, a person who joined the channel meanwhile sees the steps of a running
 * question for as long, and after a process died another one sees its answers as late.
 */
export const fewestRunRarely = 100;
export const listedRunMs = 60_000;

/** How old what a list showed of a conversation may be. After that its question is read by its next run. */
export const listedFreshMs = 120_000;

/**
 * Spreads open questions over this time after a start, in milliseconds, so that they do not all ask the service at
 * once.
 */
export const resumeSpreadMs = 1_000;

/**
 * How often the app looks for questions that a program beside it wants to be run, and for workspaces that removed the app, in
 * milliseconds. At every `sweepsPerLook`th of these sweeps it searches for open questions without a planned run.
 */
export const sweepEveryMs = 2_000;
export const sweepsPerLook = 30;

/**
 * How many questions are read, scheduled or looked for at the same time when all open ones are. The client of Redis takes a
 * bounded number of commands, and other commands must not wait long behind these.
 */
export const mostAtOnce = 200;

/**
 * How much older than the newest change a change may be that a process sees for the first time. Older ones were read by the
 * question's own runs.
 */
export const newsAgeMs = 10 * 60_000;

/** The longest time from a message to the question that it asks: Slack's repeated deliveries, and what the app missed. */
export const longestDeliveryMs = 20 * 60_000;

/** After what time without a reply the card says so, in milliseconds. */
export const noReplyMs = 10_000;

/** After what time of limits in a row that name no end a question ends, in milliseconds. */
export const limitPatienceMs = 24 * 60 * 60 * 1000;

/** The shortest wait after a limit. It doubles with every refusal of the same question, up to the longest one. */
export const shortestLimitMs = 1_000;
export const longestRepeatedLimitMs = 10 * 60_000;

/** How long an answer waits for the account's quota, in milliseconds, where the reply with the answer leaves it out. */
export const quotaPatienceMs = 3_000;

/** How long the quota of an account is used again for questions that end, in milliseconds. */
export const quotaLifeMs = 30_000;

/** How long a question that was just asked waits for a list that shows it. After that it is read. */
export const firstListMs = 10_000;

/** How many conversations a list asks for while nothing changes. */
export const fewestListed = 5;

/**
 * How many conversations at the end of a page have to be unchanged, so that no further page is read. More than one, because
 * the service may show a change later than another one that came after it.
 */
export const unchangedAtEnd = 3;

/** Most conversations on one page of changes. The service may send fewer. */
export const mostListed = 100;

/** Most pages of changes in one tick. What a tick leaves is read by the next, or question by question. */
export const mostChangedPages = 25;

/**
 * Most pages in one tick of a list of all running questions: 2,500 of them. With the default limits reads may use 40
 * requests a second, so single reads keep some room. Where the limit is lower, the list takes more ticks.
 */
export const mostPassPages = 25;

/** The time for each page of that list until the next one begins, at most a minute: it takes a third of a request a second. */
export const passPageMs = 3_000;

/** Changed conversations of one account that a process keeps whole, although it knows no question there. */
export const mostChangedKept = 300;

/** Conversations of one account whose latest change a process remembers. */
export const mostMarksKept = 20_000;

/** Longest time between two runs of a parked question, in case the clock changes. */
export const parkedCheckMs = 60 * 60 * 1000;

/** Greatest difference between the service's clock and the app's when the app searches a lost question upstream. */
export const upstreamWindowMs = 10 * 60 * 1000;

/**
 * How far the service's time of a question may be from the call that asked it, where it is recognized by its time because the
 * service changed its text. Hosts with synchronized clocks differ by less.
 */
export const askedToleranceMs = 10_000;

/** Attempts of one question that are remembered after the service ended them at a limit. */
export const mostEarlierAttempts = 20;

/** Durations of answers that are kept for each workspace: enough to show how fast the service is now. */
export const mostDurationsKept = 200;

/** Fewest durations of a workspace from which the app expects how long answers take. */
export const fewestDurations = 10;

/** Asked questions that are kept for each person: more than the app ever shows, so that a list stays complete. */
export const mostAskedKept = 50;

/**
 * How old a question in direct messages may be whose conversation a new message there may continue, so that people still
 * know it: since this time yesterday. And how many of a person's newest questions are read to find it.
 */
export const previousConversationMs = 24 * 60 * 60 * 1000;
export const mostPreviousRead = 10;

/** Most open questions to read to find those of one channel or person. A workspace should never have as many. */
export const mostOpenRead = 1_000;

/**
 * How many days the Home of admins shows, how old its numbers may be, and which share of the time counting may take before
 * they may be older.
 */
export const recentUsageDays = 30;
export const usageFreshMs = 5 * 60 * 1_000;
export const usageShareOfTime = 0.01;

/** Most repositories of one answer that the audit log and the usage report name. */
export const mostRepositoriesNoted = 50;

/** People who left and whose questions ended, that a process remembers. */
export const mostDepartedKnown = 5_000;

/** How long after a visit the app updates a Home. */
export const visitLifeMs = 7 * 24 * 60 * 60 * 1000;

/** Most thread notes, and characters of all of them, that are kept. Beyond that the oldest notes are dropped. */
export const mostNotes = 50;
export const mostNoteCharacters = 20_000;

/** Milliseconds between the restarts of two questions that were parked until the same moment. */
export const unparkEveryMs = 2_000;

/** Most attempts to follow from one to the next. */
export const mostAttempts = 20;

/** How long a card that could not be posted is not tried again, unless Slack names a time. */
export const cardRetryMs = 5_000;

/** The elapsed time alone changes the card only once per this many milliseconds. */
export const elapsedGrainMs = 15_000;

/**
 * The longest that a call of any adapter lasts, in milliseconds. An older call without a result ended with its process.
 */
export const longestCallMs = 120_000;

/** How often the app tries to read a thread before it asks the question without it. */
export const gatherTries = 2;

/** How long a rate limit may delay reading the thread. With many questions at once a delay is normal, not a failure. */
export const gatherPatienceMs = 120_000;

/**
 * How long people can choose who sees an answer that was asked with their own access. After that it goes to their direct
 * messages.
 */
export const chooseReadersMs = 24 * 60 * 60 * 1000;

/** Threads and channels that are kept for each person who chose to show answers there. Beyond that the oldest are asked again. */
export const mostThreadsChosen = 200;
export const mostChannelsChosen = 200;

/** Questions of a conversation that are looked up to find out whose account the conversation belongs to. */
export const mostQuestionsLookedUp = 20;

/** Most repositories in a channel's settings, and in one question's `in:repo`. */
export const mostRepositories = 50;

/** Longest name of a repository, in characters. */
export const longestRepositoryName = 200;

/**
 * How long a question waits for its workspace to install the app again, in ms since it was accepted, and how often that is
 * checked. After that it ends without a word.
 */
export const uninstalledPatienceMs = 24 * 60 * 60 * 1000;
export const uninstalledRetryMs = 60 * 1000;

/** Threads of a workspace with messages for the app that are remembered, so that missed replies there are found. */
export const mostThreadsAttended = 200;

/** How long Slack may still carry out a call about a session, and how long it shows a session without hearing of it. */
export const sessionCallMs = 25_000;
export const sessionLifeMs = 65 * 60_000;
/** Threads of a workspace that are remembered because Slack may show there that the app works. */
export const mostSessionMarks = 1_000;
