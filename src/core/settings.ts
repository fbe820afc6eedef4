import type { AccountMode } from './accounts/accounts.ts';
import type { Pacing } from './pacing.ts';

/** What an operator may configure about the life of a question. Durations are in milliseconds. */
export interface LifecycleSettings {
  pacing: Pacing;
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
 * How long questions with people's own access, or at a workspace's own service, may take to be stopped there after the
 * workspace removed the app. After that the accounts and the service's token are erased.
 */
export const quietEndMs = 10_000;

/**
 * How long the app keeps the token of a service that a workspace no longer asks, so that questions that run there end
 * there. The longest patience that an operator can set.
 */
export const formerServiceMs = 24 * 60 * 60 * 1000;

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
 * A stored question that is not confirmed within this time counts as not accepted: the asker knows, or Slack repeats
 * it.
 */
export const offerMs = 30_000;

/**
 * How long after the time by which a question must be stored it must be confirmed, in milliseconds. The asker is told the
 * result then, and a question that is confirmed later is withdrawn.
 */
export const ackConfirmMs = 500;

/**
 * Time from its acceptance after which a question cancels the one that it was asked instead of, unless the button did
 * that or the request was taken back. The steps between, to store, to join the queue, to schedule and to take back, have
 * 2 s each at most and usually take milliseconds.
 */
export const replaceAfterMs = 20_000;

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

/**
 * From how many running questions of one account on they are watched together: by a list of its newest changes instead of
 * one read for each.
 */
export const fewestWatchedTogether = 4;

/** How often the changes of an account are listed while many of its questions run. */
export const watchTickMs = 1_000;

/**
 * Longest time between two runs of a question that is watched with others and that no list shows, in case a change was
 * missed.
 */
export const watchBackstopMs = 30_000;

/**
 * From how many running questions of one account on a question runs only every `listedRunMs`, unless it changes or no list
 * shows it. Fewer cost little, and after a process dies the others run them earlier. The clock of a card stands still for
 * as long, and a person who joined the channel meanwhile sees the steps of a running question for as long.
 */
export const fewestRunRarely = 100;
export const listedRunMs = 60_000;

/**
 * Longest time between two runs of a question that runs rarely and whose card shows no steps: such a run does nothing. Half of
 * that is the shortest, so that the runs of many spread.
 */
export const quietRunMs = 5 * 60_000;

/**
 * Spreads open questions over this time after a start, in milliseconds, so that they do not all ask the service at
 * once.
 */
export const resumeSpreadMs = 1_000;

/**
 * How many questions are read, scheduled or looked for at the same time when all open ones are. The client of Redis takes a
 * bounded number of commands, and other commands must not wait long behind these.
 */
export const mostAtOnce = 200;

/** Most questions that one tick wakes because no list shows them, in case the lists of many fail together. */
export const mostOverduePerTick = 100;

/**
 * How much older than the newest change a change may be that a process sees for the first time. Older ones were read by the
 * question's own runs.
 */
export const newsAgeMs = 2 * quietRunMs;

/** The longest time from a message to the question that it asks: Slack's repeated deliveries, and what the app missed. */
export const longestDeliveryMs = 20 * 60_000;

/** After what time without a reply the card says so, in milliseconds. */
export const noReplyMs = 10_000;

/** After what time of limits in a row that name no end a question ends, in milliseconds. */
export const limitPatienceMs = 24 * 60 * 60 * 1000;

/** The shortest wait after a limit. It doubles with every refusal of the same question, up to the longest one. */
export const shortestLimitMs = 1_000;
export const longestRepeatedLimitMs = 10 * 60_000;

/** How long work on questions waits for a delivery of Slack that is being handled, in milliseconds. */
export const deliveryCountsMs = 200;

/** How long one step of a question waits for deliveries of Slack, in milliseconds. */
export const mostYieldMs = 1_000;

/** How long an answer waits for the account's quota, in milliseconds, where the reply with the answer leaves it out. */
export const quotaPatienceMs = 3_000;

/** How long the quota of an account is used again for questions that end, in milliseconds. */
export const quotaLifeMs = 30_000;

/** How long a question waits for the first list that shows it. After that it is read. */
export const firstListMs = 10_000;

/** How long a process that stopped keeps the lead for an account. */
export const watchLeaseMs = 5_000;

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
 * Most pages in one tick of a pass that shows all running questions: 2,500 of them. With the default limits reads may use 40
 * requests a second, so single reads keep some room. Where the limit is lower, the pass takes more ticks.
 */
export const mostPassPages = 25;

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

/** Fewest durations of a workspace from which the app expects and learns how long answers take. */
export const fewestDurations = 10;

/** How long a process polls with what it learned of a workspace, and of how many workspaces it keeps that. */
export const paceFreshMs = 10 * 60_000;
export const mostPacesKept = 1_000;

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

/** How many days the Home of admins shows, and how old its numbers may be. */
export const recentUsageDays = 30;
export const usageFreshMs = 5 * 60 * 1_000;

/**
 * What the deliveries of one person may leave in the storage in a day (UTC). A person with as many refused requests is
 * checked before anything is stored, so that one who is refused again leaves nothing. Further verbs
 * are ignored, except one that cancels the person's own question.
 */
export const mostStoredPerDay = { refused: 20, verbs: 200 };

/** Most steps of one removal of old entries from the audit log. One step removes up to 500 entries, or a day. */
export const mostTrimSteps = 1_000;

/** Most repositories of one answer that the audit log names. */
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

/**
 * Most running questions of a workspace whose cards say that they are worked on. Slack lets the app edit 7 cards in 10 s.
 * So if all of them end together, the last card is closed within a minute after its answer.
 */
export const mostProgressCards = 30;

/** How old a process's count of a workspace's running questions may be when it edits a card. */
export const runningCountFreshMs = 1_000;

/** Workspaces whose running questions a process counts without reading the number again. */
export const mostRunningCounts = 1_000;

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
