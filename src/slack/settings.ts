/*
 * The app's own times and bounds at Slack, by kind. Slack's limits on messages stand in `render/limits.ts`, those on
 * calls in `api/method-limits.ts`. Names that end in `Ms` are milliseconds.
 */

// The connection to Slack.

/** Longest wait for Slack's `hello` on a new connection. */
export const helloTimeoutMs = 20_000;
/** When a ping is not answered for this long, the connection is dead. */
export const pingTimeoutMs = 5_000;
/** A connection that ended sooner than this did not work. Slack refreshes working ones after hours. */
export const steadyConnectionMs = 10_000;
/**
 * How long an old connection stays open for acknowledgements that are not sent yet: Slack waits 3 s for them. And how long
 * its close may take.
 */
export const lastAcksMs = 3_000;
export const closingMs = 2_000;

/** How far the timestamp of a signed request may be from the app's clock, in seconds. Slack recommends five minutes. */
export const clockToleranceSeconds = 300;
/** How often a refused request is logged, in milliseconds, with the number of those before: a stranger can send any number. */
export const refusalLoggedEveryMs = 60_000;
/** Largest signed body, in bytes. */
export const mostSignedBytes = 4 * 1024 * 1024;
/** Largest body without a signature, in bytes. Only Slack's check of the address comes without one. */
export const mostUnsignedBytes = 1_024;
/** Most bytes that all bodies together may take whose signature is not checked yet. */
export const mostArrivingBytes = 64 * 1024 * 1024;

// Calls of the Web API.

/** How long a feature that a workspace lacks is not tried again, in milliseconds. */
export const lackingFeatureRestMs = 24 * 60 * 60 * 1000;
/** Longest message of a library that is logged, in characters. Longer ones are cut. */
export const longestLogLine = 1_000;
/** Longest time one Web API call may take, in milliseconds. */
export const callTimeoutMs = 10_000;
/**
 * How long a call waits here for room. It holds one of the places for runs meanwhile, so the core does the longer waits:
 * it repeats a post until it is delivered.
 */
export const callPatienceMs = 2_000;
/** A longer `Retry-After` is shortened to this. It would be an error, because Slack's windows are minutes. */
export const longestBlockMs = 60 * 60 * 1000;
/** Longest wait for Slack to take a response, in milliseconds. */
export const respondTimeoutMs = 5_000;

// Who may ask, and who reads.

/** How long a person is cached, and how many people are. */
export const personCachedMs = 5 * 60 * 1000;
export const mostPeopleCached = 5_000;
/** How long a private message waits to learn its reader's language. */
export const localePatienceMs = 300;
/** How long the address of a sign-in waits for the name of its person. */
export const namePatienceMs = 500;
/** How long the members of a channel are cached, and for how many channels. */
export const membersCachedMs = 60_000;
export const mostMemberListsCached = 1_000;
/** Members per page, and most pages. The audience of a larger channel is unknown. */
export const membersPerPage = 900;
export const mostMemberPages = 20;
/**
 * Most people of a channel that are looked up one by one when the directory does not list them, and the number up to
 * which a directory that is being read is not waited for.
 */
export const mostPeopleLookups = 50;
export const fewPeopleLookups = 5;
/** How long a question waits for the first reading of the directory before it is put off. */
export const directoryPatienceMs = 800;
/** The earliest time after which a question that was put off is checked again. */
export const audienceCheckedAgainMs = 2_000;
/** Most guests, outsiders and other organizations that are named one by one. */
export const mostReadersNamed = 1_000;
/** The age at which the directory of people is read again, and the age at which it is not used any more. */
export const directoryRefreshMs = 15 * 60 * 1000;
export const directoryTrustMs = 20 * 60 * 1000;
/** People per page, and most pages. A larger workspace has no directory here. */
export const peoplePerPage = 500;
export const mostPeoplePages = 100;
/** Workspaces of an organization per page, and most pages. */
export const teamsPerPage = 100;
export const mostTeamPages = 10;
/** How long the kind of a channel is cached, and for how many channels. */
export const channelCachedMs = 60_000;
export const mostChannelsCached = 2_000;
/** For how many channels this process remembers that their settings were stored again lately, and how often it does. */
export const mostSettingsRenewed = 10_000;
export const settingsRenewedMs = 7 * 24 * 60 * 60 * 1000;
/** How long the list of channels on Home is cached, for how many people, and how many channels are read for it. */
export const channelListCachedMs = 60_000;
export const mostChannelLists = 1_000;
export const channelsListed = 200;
/** How long Home waits for its list of channels before it is shown without it. */
export const channelListPatienceMs = 1_500;
/** How long help waits for the names of repositories. Slack wants an answer to a command within 3 s. */
export const helpPatienceMs = 1_200;
/** How long the check of a form's repositories may take. Slack wants an answer within 3 s. */
export const repositoryCheckMs = 1_000;
/** How long a name is cached, how many are, and how long a question waits for names before it uses the ids. */
export const nameCachedMs = 60 * 60 * 1000;
export const mostNamesCached = 5_000;
export const namesPatienceMs = 800;
/** How long a mention without words and files waits for its message to be looked up. Slack waits for 3 s. */
export const lookUpPatienceMs = 1_000;
/** Most names that are looked up for one text. The ids of the others stay in the text. */
export const mostNameLookups = 20;

// What people said in a thread.

/** Most messages being stored at once. Beyond them no message is kept. */
export const mostNotesUnderWay = 200;
/** Most files of one message that are noted. Slack's own limit is 10. */
export const mostFilesNoted = 10;
/**
 * Longest time of one download, in milliseconds, and most bytes that are received of one file. A file that goes on has no
 * known end.
 */
export const downloadTimeoutMs = 10_000;
export const mostFileBytes = 10_000_000;
/** Bytes that are kept of the beginning and of the end of a file: what is quoted, at four bytes a character. */
export const headBytes = 40_000;
export const tailBytes = 80_000;
/** Most redirects that a download follows. */
export const mostRedirects = 3;
/** Most messages that Slack returns at once (docs.slack.dev/reference/methods/conversations.replies). */
export const repliesPerPage = 1_000;
/**
 * Most calls that look for the newest messages of a thread that is longer than a page. With the first page they fit into
 * what Slack allows at once. If they did not, the reading would begin again and again.
 */
export const mostThreadWindows = 5;
/** How long the handles of user groups are cached. */
export const userGroupsCachedMs = 10 * 60 * 1000;
/** Most linked messages that are read for one question. */
export const mostLinksRead = 5;
/** Most files whose content is read for one question. */
export const mostFilesRead = 5;

// What the app posts.

/** How long Slack's `response_url` of a command is used: its life of 30 minutes, less a minute. */
export const responseUrlLifeMs = 29 * 60 * 1000;
/** Longest time for sending the file's bytes, in milliseconds. */
export const uploadTimeoutMs = 20_000;
/** Most tries of one update of a posted answer, and the longest wait between two tries. */
export const mostUpdateTries = 3;
export const longestUpdateWaitMs = 10_000;
/** Messages read per call, and most calls, when one of the app's messages is searched for. */
export const messagesPerPage = 200;
export const mostMessagePages = 5;
/** How long to wait after a post with an unknown outcome when the app may not read the channel. */
export const blindWaitMs = 60_000;

// The Home tab.

/** How long Home waits to learn who opened it, before it shows that it is checking. */
export const homePatienceMs = 700;
/** Changes within this time are shown together, in milliseconds. */
export const homeGatherMs = 200;
/** Most people whose Home is kept up to date. Others see changes when they open it. */
export const mostHomes = 1_000;

// Acknowledgements and forms.

/** Slack wants an answer within 3 s. This is what is left after the time on the network, in milliseconds. */
export const ackBudgetMs = 2_500;
/** How long the check may take whether a person may press the button, in milliseconds. */
export const actionCheckMs = 1_200;
/**
 * How long a check of access waits for the channel's stored settings, in milliseconds. Shorter than the check of a press,
 * so that a storage that does not answer is told as a failure of the app, not of Slack.
 */
export const storedRulesPatienceMs = 1_000;
/** How long the modal waits for its content before it opens. Slack's trigger is valid for 3 s, network included. */
export const modalPatienceMs = 500;

// Agent sessions and suggested prompts.

/** How long the app assumes that suggested prompts are still shown, and for how many people it remembers that. */
export const promptsStandMs = 24 * 60 * 60 * 1000;
export const mostPromptsRemembered = 5_000;
/** Slack shows a session as working for an hour. It is told again before that. */
export const sessionToldAgainMs = 30 * 60 * 1000;
/** How long the end of a question waits for its session, in milliseconds. The call itself continues. */
export const sessionClosingMs = 2_000;
/** Longest title of a session that Slack takes, in characters. */
export const longestSessionTitle = 200;
/** Most threads whose sessions are updated, and most ended questions that are remembered. */
export const mostSessions = 2_000;
/** How often it is checked whether Slack still shows that the app works where nothing runs. */
export const sessionsEveryMs = 10_000;
/** Tries to tell Slack that nothing runs in a session, and the shortest time between two tries. */
export const mostSessionTries = 8;
export const sessionTryAgainMs = 10_000;

// Previews of links.

/** Longest address that is read as the link of a conversation, in characters. */
export const longestShareUrl = 2_000;
/** Most links of one message with a preview, most messages that wait, and most messages worked on at once. */
export const mostUnfurledLinks = 5;
export const mostUnfurlsWaiting = 100;
export const mostUnfurlsAtOnce = 2;

// Reports.

/** Most messages of a channel that the message log keeps for `why`. */
export const mostLoggedMessages = 100;
/** Most messages of a place that a report lists. */
export const mostMessagesReported = 8;
/** How long the service may take to return the link of a conversation that is not stored here, in milliseconds. */
export const linkPatienceMs = 1_000;

// Background work.

/** Most tasks under way at once. The app never comes near it unless Slack or the storage stops answering. */
export const mostTasksUnderWay = 10_000;

// Installations.

/** How long before its end a bot token is refreshed, in milliseconds. It lives 12 hours. */
export const botTokenEarlyMs = 2 * 60 * 60 * 1000;
/** Most requests to the pages of an installation in a second, of all browsers together. */
export const mostInstallRequestsPerSecond = 10;

// The doctor.

/** How long the doctor waits for the event of its message, and how often it looks whether any copy of the app got it. */
export const doctorEventMs = 10_000;
export const doctorLooksEveryMs = 250;
/** A clock that differs from Slack's by more than the first warns, and from the second on signatures are refused. */
export const clockWarnMs = 5_000;
export const clockFailMs = 300_000;
/** How long Slack, and the doctor in its place, waits for a reply to a signed request. */
export const slackWaitsMs = 3_000;
/** Longest reply to a challenge that the doctor reads. */
export const mostChallengeBytes = 10_000;

// What the app missed while it was away.

/** How old a missed message may be that is looked for, and how old one that is asked without a further word. */
export const longestAbsenceMs = 24 * 60 * 60 * 1000;
export const askedUpToMs = 15 * 60 * 1000;
/**
 * How far before the last delivery that was handled the search begins: Slack repeats a delivery for six minutes, and its
 * clock differs from the app's.
 */
export const absenceOverlapMs = 10 * 60 * 1000;
/** How often it is stored when the app last handled a delivery, and how often it is checked whether something is missing. */
export const attendanceEveryMs = 5_000;
/** After a connection was away for longer than this, the app looks for what it missed. */
export const shortestAbsenceMs = 15_000;
/** How long one copy has the search to itself without a sign of life. */
export const missedLeaseMs = 30_000;
/** When a search that failed is repeated, how often, and how long one may take. */
export const missedAgainMs = 60_000;
export const mostMissedTries = 10;
export const longestMissedSearchMs = 20 * 60 * 1000;
/** Most calls of each kind in one search: lists of channels, pages of channels, pages of threads. */
export const mostMissedCalls = {
  'users.conversations': 10,
  'conversations.history': 200,
  'conversations.replies': 200,
};
/** Most pages of one channel or thread, and messages on one. */
export const mostMissedPages = 5;
export const missedPerPage = 200;
/** Most questions whose messages are read to see whether they were deleted or edited. */
export const mostQuestionsRead = 100;
/** Most private lines of one search that say that the app was away. */
export const mostAwayNotices = 100;
