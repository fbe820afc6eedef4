import type { AccessKind } from '../accounts/accounts.ts';
import type { ConfirmedAudience } from './confirmed-audience.ts';
import type { EditedQuestion } from './edited-question.ts';
import type { Expectation } from './expectation.ts';
import type { Failure } from './failure.ts';
import type { Followed } from './followed.ts';
import type { Showing } from './reader-choices.ts';
import type { MessageFile } from './thread-notes.ts';

export type { Failure, FailureCause } from './failure.ts';

/** How a question reached the app. Decides whether its card repeats the question. */
export type Origin =
  | 'command'
  | 'mention'
  | 'reply'
  | 'direct'
  | 'followUp'
  | 'retry'
  /** A modal that one of the app's shortcuts opened. */
  | 'shortcut'
  /** An answer shown again in another place. The service is asked nothing. */
  | 'shared';

/** The Slack conversation of a question. Ids are Slack's (`T…`, `C…`, message timestamps as strings). */
export interface Place {
  teamId: string;
  channelId: string;
  /** Root of the thread. Absent for a command until its card is posted: the card becomes the root. */
  threadTs?: string;
}

/**
 * The phase of a question's life. `offered`: stored but not yet confirmed; dropped unless it soon becomes `waiting`.
 * `closed` is final. A question in any other phase runs again.
 */
export type Phase = 'offered' | 'waiting' | 'running' | 'parked' | 'delivering' | 'closed';

/** A link that supports an answer. */
export interface Source {
  url: string;
  label: string;
  /** Repository the source belongs to (`github.com/org/repo`), when the service says so. */
  repository?: string;
}

/**
 * The id of a conversation, comparable with `===`. At the app's own service: a number, or its digits where a number can't
 * hold it, or a text. A text of generation 1 of the service's API has quotes around it, because that generation takes an
 * id only as the kind of JSON value that it gave. At the service of a workspace: that id after the service's key.
 */
export type ConversationId = number | string;

/** The id of a question at the service: a number, or a text, or the digits of a number that is too long for one. */
export type UpstreamId = number | string;

/** A finished answer as the service gave it. Every link is absolute. What the service does not tell is absent. */
export interface Answer {
  title: string;
  /** Markdown (GFM). Empty once the answer is delivered and the question closed. */
  markdown: string;
  sources: Source[];
  /** The sources are only those that the answer links to. */
  citedOnly?: true;
  /** The service answered with parts that this app can't show. */
  hasMore?: true;
  followUps: string[];
  durationMs: number;
  steps?: number;
  credits?: number;
  /** Absent when the service reports no limit. */
  quota?: Quota;
  /** The service stopped before the answer was complete, and says why. */
  stopped?: Failure;
}

/** `used` and `limit` are in the service's units (credits). */
export interface Quota {
  used: number;
  limit: number;
  resetAtMs?: number;
}

/** How a question ended, or will end once its messages are delivered. */
export type Outcome =
  | { kind: 'answered'; answer: Answer }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'cancelled' }
  /** The app's patience ended while the service still worked. */
  | { kind: 'gaveUp' }
  /** Slack refused the card where the question was asked. */
  | { kind: 'undeliverable'; canInvite: boolean; threadGone?: true }
  /** The asker may not ask there. The app notifies them privately and shows nothing. */
  /** `unknown`: the name that no repository has, for `repositoryUnknown`, and how many there are. */
  | { kind: 'notAllowed'; reason: Refusal; unknown?: { name: string; total: number } };

/** What the app read of the question's thread. */
export interface ThreadContext {
  /** How many messages are quoted, and how many the thread has before the question. */
  messages: number;
  total: number;
  /** How many forwarded messages are quoted that Slack's event left out. Absent if none. */
  forwarded?: number;
  /** How many linked messages are quoted, and how many could not be read. Absent if none. */
  linked?: number;
  linksUnread?: number;
  /** How many text files are quoted, and how many were not read: images, other formats, and too large ones. */
  files: number;
  unreadable: number;
  /** The quotes as the service gets them. Empty once the question is closed. */
  text: string;
  /** Slack did not let the app read the thread. */
  refused?: boolean;
  /** A later edit changed the thread. The app reads it again before it asks the question. */
  outdated?: boolean;
}

/**
 * `limited`: by the far side's rate limit. `silent`: it took the call and sent no reply. `signInPage`: a page for people
 * answered in its place. `internal`: this app's code failed.
 */
export interface Trouble {
  kind: 'unreachable' | 'silent' | 'signInPage' | 'limited' | 'internal';
  failures: number;
  sinceMs: number;
  notBeforeMs: number;
}

/** A thread to read for a question in another place. `isRefused`: not read, because the asker may not ask there. */
export interface ReadsFrom extends ThreadPlace {
  isRefused?: boolean;
}

/** What to ask as a follow-up instead of a question that starts a new conversation. */
export interface AsFollowUp {
  /** The whole text, including "new" where the app took it for the verb. */
  text: string;
  /**
   * The conversation to continue: the one of the previous thread in direct messages, or that of this thread before the
   * question with "new". That is absent until the first attempt to ask.
   */
  conversationId?: ConversationId;
  /** The asker chose the follow-up, so the thread returns to that conversation. */
  isChosen?: boolean;
}

/** Times of a call that must take effect once, without a stored result. The intent is stored before the call. */
export interface PendingCall {
  intentMs?: number;
  /** When the caller stopped waiting for the result. The far side may still carry out the call later. */
  givenUpMs?: number;
  /** When a search after the give-up did not find the effect. */
  searchedMs?: number;
}

/**
 * One question of a person. Holds all that the app needs to bring it to a visible end after a crash at any point.
 * Times are epoch milliseconds. The app stores `intentMs` before a call whose outcome may become unknown. If it is set
 * and the result is missing, the app searches for the effect before it repeats the call.
 */
export interface Question {
  version: 1;
  /** `q` and 24 lower-case hex digits: a digest of the question's key, so that a repeated delivery has the same id. */
  id: string;
  place: Place;
  askerId: string;
  /** Plain text, as sent to the service. */
  text: string;
  origin: Origin;
  /** The service wrote the text: this question asks a suggested follow-up again. */
  isSuggested?: true;
  /** The thread's first message asks this question, so plain replies in the thread are follow-ups. */
  beginsThread: boolean;
  /** Starts a new conversation even if the thread has one. */
  fresh: boolean;
  acceptedMs: number;
  /** When the message that asks was sent, by Slack's clock. Absent if something later made it a question. */
  writtenMs?: number;
  phase: Phase;
  /** Where the question's trace goes on (W3C `traceparent`). Absent if nothing was traced yet. */
  trace?: string;
  /** Slack's locale of the asker (`de-DE`). The card and the answer use this language. */
  locale?: string;
  /** When the app last confirmed that the asker may ask here. Before that it shows and asks nothing. */
  admittedMs?: number;
  /** The message that asked, if any. The app reads the thread up to it, and its files belong to the question. */
  messageTs?: string;
  /** The files of that message. Absent if the app reads the message for them: Slack's event did not include them. */
  files?: MessageFile[];
  /**
   * What that message forwards: how many messages, and the quotes as the service gets them. Absent for a later attempt, which
   * reads the message again.
   */
  forwarded?: { messages: number; text: string };
  /** The app reads the thread before it asks, because the question may be about what people said there. */
  readsThread?: boolean;
  /** Whose access at the service the question uses. Absent until that is decided, and if all people share one account. */
  access?: AccessKind;
  /**
   * The question waits until its asker connects an account. `notConnected`: there is none, so nothing was posted.
   * `refused`: the service refused the stored one. `noticedMs`: when the app told the asker.
   */
  awaitsAccount?: { reason: 'notConnected' | 'refused'; sinceMs: number; noticedMs?: number };
  /** The asker's name in Slack, for the answer's footer. Only if people have accounts of their own. Untrusted. */
  askerName?: string;
  /**
   * The thread has only conversations of other accounts, or one whose link others have while this answer may be for its
   * asker only. So this question starts one of its asker's account.
   */
  startsOwnConversation?: boolean;
  /** Who sees the answer. Absent until that matters: if the answer has other readers than its asker. */
  showing?: Showing;
  /** The repositories to which the question is limited, as the service names them. `isFromText`: by `in:repo` in its text. */
  scope?: { repositories: string[]; isFromText?: boolean };
  /** When the workspace removed the app: the question ends without a word. Absent otherwise. */
  endsQuietlyMs?: number;
  /** The channel's settings send the answer to the asker's direct messages. */
  answersPrivately?: boolean;
  /** The thread to read instead of the question's thread, for a private question about a message in another place. */
  readsFrom?: ReadsFrom;
  context?: ThreadContext;
  /** How often messages of the thread were edited or deleted before the app read it. */
  threadChanges?: number;
  /**
   * The app took "new" for the verb in a thread with a conversation, or a new message in direct messages began a thread
   * beside one with a conversation. Holds the follow-up to ask there instead.
   */
  asFollowUp?: AsFollowUp;
  /** The question that this one replaces: it is asked next in the thread, and cancels the other one. */
  insteadOf?: string;
  /** When the replaced question was cancelled. Absent until that step is done. */
  replacedMs?: number;
  /** The earlier question that this one continues in a new conversation. It is part of the text for the service. */
  follows?: Followed;
  /** For an answer that is shown again: the answered question, and whether the message links to the conversation. */
  shares?: {
    questionId: string;
    withLink: boolean;
    confirmed: ConfirmedAudience;
    /** The answer was withheld in the question's place, and the app shows it only to the asker. */
    withheld?: true;
    /** The answer is for its asker only, and the app may show it in the place all the same if they share it. */
    isKept?: true;
  };
  /** The new text, if the question's message was edited later. A button asks it instead. */
  edited?: EditedQuestion;
  /** The answer's follow-ups that people asked, and who asked them. */
  usedFollowUps?: { index: number; byUserId: string }[];
  /** Who asked again because the answer is incomplete, or because the question was cancelled. */
  askedAgain?: { byUserId: string };
  /** The answer shows a button that makes the app take only mentions in the thread. */
  offersMute?: boolean;
  expected?: Expectation;
  /** Slack's `response_url` for private messages to the asker. Valid for 30 minutes. Never logged. */
  responseUrl?: string;

  card: PendingCall & {
    ts?: string;
    /** What the card shows, as a comparable string. The app edits the card only when it differs. */
    shown?: string;
    editedMs?: number;
    /** A person deleted the card, or Slack no longer lets the app edit it. */
    gone?: boolean;
    /** When the app found that it may no longer show the steps here. Absent while it may. */
    stepsHiddenMs?: number;
    /** Before this time the app does not post the card, because Slack's limits leave no room. The question goes on. */
    notBeforeMs?: number;
  };

  upstream: PendingCall & {
    /** Time of the first attempt to ask. Patience counts from here. */
    firstTriedMs?: number;
    /** The conversation of the intended follow-up. Absent if the call creates a conversation. */
    intentConversationId?: ConversationId;
    conversationId?: ConversationId;
    /** The id of the question, and its position in the conversation from 0, as far as the service told them. */
    questionId?: UpstreamId;
    ordinal?: number;
    askedMs?: number;
    /** When the call began that asked it, if its reply was lost. `askedMs` is then the time when the question was found. */
    sentMs?: number;
    /** Patience counts from here instead of from `askedMs`, after "Check again". */
    watchedFromMs?: number;
    shareUrl?: string;
    /** Whether another account can open the share URL of a person's own conversation. Absent until that is found out. */
    isLinkOpen?: boolean;
    /** The thread's conversation was gone, so the app started a new one. */
    conversationLost?: boolean;
    steps: number;
    lastStep?: string;
    /** The mark of the conversation when the question last saw it. Absent where conversations have no marks. */
    seenMark?: string;
    cancelSentMs?: number;
    /** Where attempts stand that the service ended at a limit. A search for a later attempt passes over them. */
    earlierAttempts?: { conversationId: ConversationId; questionId?: UpstreamId; ordinal?: number }[];
  };

  /** The next step keeps failing: how often in a row, since when, and the earliest time of the next try. */
  trouble?: Trouble;

  parkedUntilMs?: number;
  /** The service refused the question for a limit without a date: how often in a row, and since when. */
  undatedLimits?: { times: number; sinceMs: number };
  /**
   * `isWithdrawn`: its asker was told that it was not taken, so it ends without a card or a message. `isFinal`: its message
   * was deleted, another question replaced it, or its asker is forgotten, so its card does not offer to ask it again.
   */
  cancel?: { byUserId: string; atMs: number; isWithdrawn?: true; isFinal?: true };
  outcome?: Outcome;
  endedMs?: number;

  /** When to check this question's messages, because one was posted again or an edit had an unknown outcome. */
  recheckMs?: number;
  /** A message was posted again, so the check searches for copies. */
  mayHaveCopies?: boolean;
  /**
   * The record is of `fromMs` and was restored from a backup at `toMs`. The app may have gone on in between, so it searches
   * for the effect of every call before it makes that call. Absent once the question is closed.
   */
  restored?: { fromMs: number; toMs: number };

  delivery: PendingCall & {
    /** Counts re-opened deliveries (Check again), so that old messages do not count as new ones. */
    round: number;
    /** Timestamps of the parts posted so far, in order. */
    posted: string[];
    /** Slack can no longer deliver to the thread. The app notified the asker privately instead. */
    refused?: boolean;
    /** The whole answer as a file, beside many messages. `refused`: Slack takes no file there. */
    file?: PendingCall & { state: 'intended' | 'attached' | 'refused' };
  };
}

/** Why a person may not ask in a place. */
export type Refusal =
  | 'guest'
  | 'outsider'
  /** Slack could not say who the person is, or what kind of channel it is. */
  | 'unknownPerson'
  | 'unknownChannel'
  /** More people are in the channel than can be checked. */
  | 'channelTooLarge'
  /** The channel is shared with other organizations, or has guests. */
  | 'sharedChannel'
  | 'guestsInChannel'
  /** The settings refuse the channel, or do not allow it. */
  | 'channelRefused'
  /** The person did not connect an account in time. */
  | 'notConnected'
  /** People must use their own account, but no one can connect one, because the operator set no key. */
  | 'noKeys'
  /** Too many questions of the person already wait for an account. */
  | 'tooManyWaiting'
  /** An admin turned the app off in this channel. */
  | 'channelOff'
  /** The text names a repository that the channel's settings do not allow. `scope` has the allowed ones. */
  | 'repositoryRefused'
  | 'repositoryUnknown'
  /** The person, or the channel, has asked as many questions today as the settings allow. */
  | 'personCap'
  | 'channelCap';

/** A Slack thread, its conversation, and the queue of its questions. */
export interface Thread {
  version: 1;
  teamId: string;
  channelId: string;
  threadTs: string;
  /** The thread's first message asked the app, so plain replies are follow-ups. */
  followsReplies: boolean;
  /** Plain replies are not questions until a person unmutes the thread. */
  muted?: boolean;
  /** The user whose question began the thread. Absent in records of earlier versions. */
  startedBy?: string;
  /** Another person has replied without a mention. */
  hasSecondPerson?: boolean;
  /** The conversation of the app's account. */
  conversationId?: ConversationId;
  /** The conversations that one person continues, at most one for each person and account. The newest one stands last. */
  ownConversations?: OwnConversation[];
  /** Conversations with an answer for its asker only, whose links are not shown to others. The newest one stands last. */
  privateConversations?: ConversationId[];
  /** Ids of the newest questions that the service got from this thread, in any conversation. Newest last. */
  asked?: string[];
  /** Open questions of this thread in order of arrival. The first one may run, the others wait. */
  queue: string[];
}

/** A conversation of a person's own account, or of the app's account where answers are private (`isOfApp`). */
export interface OwnConversation {
  userId: string;
  conversationId: ConversationId;
  isOfApp?: true;
}

/** The place of a question whose thread is known. */
export interface ThreadPlace extends Place {
  threadTs: string;
}

/** Whether it is a direct message of two people, or of one and the app. Only ids of these begin with `D`. */
export function isBetweenTwo({ channelId }: Pick<Place, 'channelId'>): boolean {
  return channelId.startsWith('D');
}

/** Whether a person shows this answer to others. A withheld answer is shown only to its asker. */
export function isSharedWithOthers({ origin, shares }: Question): boolean {
  return origin === 'shared' && shares?.withheld !== true;
}

export function isInThread(place: Place): place is ThreadPlace {
  return place.threadTs !== undefined;
}

export function newThread({ teamId, channelId, threadTs }: ThreadPlace, followsReplies: boolean): Thread {
  return { version: 1, teamId, channelId, threadTs, followsReplies, queue: [] };
}
