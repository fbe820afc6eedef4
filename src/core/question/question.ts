import type { MessageFile } from './thread-notes.ts';

/** How a question reached us; decides whether its card restates it. */
export type Origin =
  | 'command'
  | 'mention'
  | 'reply'
  | 'direct'
  | 'followUp'
  | 'retry'
  /** A form that one of the app's shortcuts opened. */
  | 'shortcut'
  /** An answer shown again in another place; nothing is asked. */
  | 'shared';

/** The Slack conversation a question lives in. Ids are Slack's own (`T…`, `C…`, message timestamps as strings). */
export interface Place {
  teamId: string;
  channelId: string;
  /** Root of the thread; absent for a command until its card, which becomes the root, has been posted. */
  threadTs?: string;
}

/**
 * Where in its life a question stands. `offered`: stored, but the asker was not told yet; it is dropped unless
 * it soon becomes `waiting`. `closed` is final; a question in any other phase runs again.
 */
export type Phase = 'offered' | 'waiting' | 'running' | 'parked' | 'delivering' | 'closed';

/** A link that supports an answer. `url` is absolute. */
export interface Source {
  url: string;
  label: string;
  /** Repository the source belongs to (`github.com/org/repo`), when the service says so. */
  repository?: string;
}

/** A finished answer, as the service gave it, with every link made absolute. */
export interface Answer {
  title: string;
  /** Markdown (GFM). Emptied once delivered and closed. */
  markdown: string;
  sources: Source[];
  followUps: string[];
  durationMs: number;
  steps: number;
  credits?: number;
  /** Absent when the service reports no limit. */
  quota?: Quota;
}

/** `used` and `limit` in the service's own units (credits). */
export interface Quota {
  used: number;
  limit: number;
  resetAtMs?: number;
}

/** Why a question ended without an answer; the sentence and the button shown depend on it. */
export type FailureCause =
  | 'service' // the service failed the question: its own title and message are shown
  | 'tooLong' // TokenLimitExceeded
  | 'unauthorized'
  | 'unreachable' // the service never answered within patience
  | 'limited' // the service kept refusing for its rate limit, within patience
  | 'gone' // the conversation was deleted while the question ran
  | 'refused' // the service refused the request as invalid
  | 'threadUnread' // it is about what the thread says, which Slack did not let the app read
  | 'internal'; // our own fault

export interface Failure {
  cause: FailureCause;
  /** The service's own words, only for `service`. Untrusted text. */
  title?: string;
  message?: string;
}

/** How a question ended, or will end once delivered. */
export type Outcome =
  | { kind: 'answered'; answer: Answer }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'cancelled' }
  /** Patience ended while the service still worked. */
  | { kind: 'gaveUp' }
  /** The card could not be posted where the question was asked. */
  | { kind: 'undeliverable'; canInvite: boolean }
  /** The asker may not ask there. They are told privately, and nothing is shown. */
  | { kind: 'notAllowed'; reason: Refusal };

/** What was read of the thread a question was asked in. */
export interface ThreadContext {
  /** Messages quoted, and how many the thread was found to have before the question. */
  messages: number;
  total: number;
  /** Text files quoted, and files that were not read: images, other formats, too large ones. */
  files: number;
  unreadable: number;
  /** The quotes as the service gets them. Emptied once the question is closed. */
  text: string;
  /** Slack did not let the app read. */
  refused?: boolean;
  /** Somebody edited the thread since: it is read again before the question is asked. */
  outdated?: boolean;
}

/** How long answers in this workspace usually take, and from when on one takes longer than nine in ten. Milliseconds. */
export interface Expectation {
  fromMs: number;
  toMs: number;
  lateMs: number;
}

/** `limited`: the far side refuses for its rate limit; `internal`: this app's own code failed. */
export interface Trouble {
  kind: 'unreachable' | 'limited' | 'internal';
  failures: number;
  sinceMs: number;
  notBeforeMs: number;
}

/** A thread that is read for a question in another place. `isRefused`: its asker may not ask there, so it is not read. */
export interface ReadsFrom extends ThreadPlace {
  isRefused?: boolean;
}

/** An earlier question of another conversation. `before`: what was asked before it, oldest first. */
export interface Followed {
  text: string;
  shareUrl?: string;
  before?: string[];
}

/** A question that began with "new", as a follow-up. */
export interface AsFollowUp {
  /** The whole text, with that word. */
  text: string;
  /** The conversation of the thread before; absent until the question is asked first. */
  conversationId?: number;
  /** Its asker chose that, so the thread goes back to that conversation. */
  isChosen?: boolean;
}

/** A later version of a question's message. `wholeText`: with the verb "new" that it begins with. */
export interface EditedQuestion {
  text: string;
  atMs: number;
  wholeText?: string;
}

/**
 * Times of a call that must take effect once and has no stored result. The intent is stored before the call, so that a
 * crash leaves a trace of it.
 */
export interface PendingCall {
  intentMs?: number;
  /** When the caller stopped waiting for the result; the far side may still carry the call out later. */
  givenUpMs?: number;
  /** When its effect was searched without success, after it was given up. */
  searchedMs?: number;
}

/**
 * One thing a person asked, with all that is needed to carry it to a visible end after a crash at any point.
 * Times are epoch milliseconds. An `…IntentMs` is stored before an effect whose outcome may become unknown:
 * if it is set and the result is missing, the effect is searched for before it is repeated.
 */
export interface Question {
  version: 1;
  /** `q` and 24 lower-case hex digits, derived from what started it, so that a repeated delivery has the same id. */
  id: string;
  place: Place;
  askerId: string;
  /** Plain readable text, as sent to the service. */
  text: string;
  origin: Origin;
  /** The thread's first message asks this question, so that plain replies in the thread are follow-ups. */
  beginsThread: boolean;
  /** Always start a new conversation, even where the thread has one. */
  fresh: boolean;
  acceptedMs: number;
  phase: Phase;
  /** Slack's locale of the asker (`de-DE`): the card and the answer speak their language. */
  locale?: string;
  /** When it was found that the asker may ask here; nothing is shown or asked before. */
  admittedMs?: number;
  /** The message that asked, where a message did: the thread is read up to it, and its files belong to the question. */
  messageTs?: string;
  /** The files of that message; absent where Slack told of it without its files. */
  files?: MessageFile[];
  /** The thread is read before the question is asked, because it may be about what people said there. */
  readsThread?: boolean;
  /** The thread that is read instead of its own, for a private question about a message somewhere else. */
  readsFrom?: ReadsFrom;
  context?: ThreadContext;
  /** How often the thread's messages were edited or deleted before it was read. */
  threadChanges?: number;
  /** Where "new" was taken for the verb in a thread with a conversation: what can be asked there instead. */
  asFollowUp?: AsFollowUp;
  /** The question that this one replaces as a follow-up: it is asked next, in the conversation that came before. */
  insteadOf?: string;
  /** The earlier question that this one continues in a new conversation. The service is told of it. */
  follows?: Followed;
  /** For an answer that is shown again: the question that was answered, and whether the conversation is linked. */
  shares?: {
    questionId: string;
    withLink: boolean;
    confirmed: ConfirmedAudience;
    /** The answer was withheld from where it was asked, and is shown to its asker alone. */
    withheld?: true;
  };
  /** The message that asked was edited since: its new text, offered to be asked instead. */
  edited?: EditedQuestion;
  /** Suggestions of the answer that were asked, and by whom. */
  usedFollowUps?: { index: number; byUserId: string }[];
  /** Under its answer stands the offer to take only mentions in the thread. */
  offersMute?: boolean;
  expected?: Expectation;
  /** Slack's `response_url` for private messages to the asker; valid for 30 minutes. Never logged. */
  responseUrl?: string;

  card: PendingCall & {
    ts?: string;
    /** What the card shows, as a comparable string; an edit is made only when it differs. */
    shown?: string;
    editedMs?: number;
    /** The card was deleted by someone, or cannot be edited any more. */
    gone?: boolean;
    /** When it was found that the steps may not be shown here any more; absent while they may. */
    stepsHiddenMs?: number;
  };

  upstream: PendingCall & {
    /** When the first attempt to ask was made: patience counts from here. */
    firstTriedMs?: number;
    /** The conversation the intent is about; absent when a new one is being created. */
    intentConversationId?: number;
    conversationId?: number;
    questionId?: number;
    askedMs?: number;
    /** Patience counts from here instead of from `askedMs`, after "Check again". */
    watchedFromMs?: number;
    shareUrl?: string;
    /** The conversation of the thread was gone, so a new one was started by itself. */
    conversationLost?: boolean;
    steps: number;
    lastStep?: string;
    cancelSentMs?: number;
  };

  /** The effect now due keeps failing: how often in a row, since when, and the earliest time of the next try. */
  trouble?: Trouble;

  parkedUntilMs?: number;
  cancel?: { byUserId: string; atMs: number };
  outcome?: Outcome;
  endedMs?: number;

  /** When the messages of this question are checked, because one was posted again or edited with an unknown outcome. */
  recheckMs?: number;
  /** One was posted again: that check searches for copies. */
  mayHaveCopies?: boolean;

  delivery: PendingCall & {
    /** Counts re-opened deliveries (Check again), so that old messages are not mistaken for new ones. */
    round: number;
    /** Timestamps of the parts posted so far, in order. */
    posted: string[];
    /** Slack can no longer deliver to the thread; the asker was told privately instead. */
    refused?: boolean;
    /** The whole answer as a file beside many messages; `refused`: Slack takes no file there. */
    file?: PendingCall & { state: 'intended' | 'attached' | 'refused' };
  };
}

/** The readers beside the workspace's members whom someone was shown, and wants to show an answer to. */
export interface ConfirmedAudience {
  guests: number;
  outsiders: number;
  organizations: number;
  /** False where Slack did not say who reads there, and that was confirmed too. */
  isKnown: boolean;
  /** Who they are. Without it none of them counts as confirmed: records of earlier versions hold only how many they were. */
  ids?: ReaderIds;
}

/** Slack's ids of people who read somewhere and are no full members, and of the other organizations there. */
export interface ReaderIds {
  guests: string[];
  outsiders: string[];
  organizations: string[];
}

/** Why someone may not ask somewhere. */
export type Refusal =
  | 'guest'
  | 'outsider'
  /** Slack could not tell who it is, or what kind of channel it is. */
  | 'unknownPerson'
  | 'unknownChannel'
  /** The channel is shared with other organizations, or guests are in it. */
  | 'sharedChannel'
  | 'guestsInChannel'
  /** By the settings: the channel is refused, or not among the allowed ones. */
  | 'channelRefused';

/** A Slack thread, its conversation, and the queue of its questions. */
export interface Thread {
  version: 1;
  teamId: string;
  channelId: string;
  threadTs: string;
  /** The thread's first message asked the app, so plain replies are follow-ups. */
  followsReplies: boolean;
  /** Plain replies are not taken for questions until somebody unmutes the thread. */
  muted?: boolean;
  /** Whose question began the thread; absent in records of earlier versions. */
  startedBy?: string;
  /** Another person has replied without a mention since. */
  hasSecondPerson?: boolean;
  conversationId?: number;
  /** Ids of the newest questions that the service was asked here, in any conversation; newest last. */
  asked?: string[];
  /** Open questions of this thread in order of arrival; the first one may run, the others wait. */
  queue: string[];
}

/** The place of a question whose thread is known. */
export interface ThreadPlace extends Place {
  threadTs: string;
}

/**
 * Messages between two people, or between one and the app: nobody else can be invited there. Only their ids begin with
 * `D`; the other first letters say nothing.
 */
export function isBetweenTwo({ channelId }: Pick<Place, 'channelId'>): boolean {
  return channelId.startsWith('D');
}

/** An answer that someone shows to others; a withheld one is shown to its asker. */
export function isSharedWithOthers({ origin, shares }: Question): boolean {
  return origin === 'shared' && shares?.withheld !== true;
}

export function isInThread(place: Place): place is ThreadPlace {
  return place.threadTs !== undefined;
}

export function newThread({ teamId, channelId, threadTs }: ThreadPlace, followsReplies: boolean): Thread {
  return { version: 1, teamId, channelId, threadTs, followsReplies, queue: [] };
}
