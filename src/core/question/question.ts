import { z } from 'zod';
import type { Person } from '../accounts/accounts.ts';
import { dayMs, defineRecord, type Read, type RecordOf } from '../record.ts';
import { showing } from './reader-choices.ts';
import { messageFile } from './thread-notes.ts';

/** The Slack conversation of a question. Ids are Slack's (`T…`, `C…`, message timestamps as strings). */
const place = z.looseObject({
  teamId: z.string(),
  channelId: z.string(),
  /** Root of the thread. Absent for a command until its card is posted: the card becomes the root. */
  threadTs: z.string().exactOptional(),
});
export type Place = Read<typeof place>;

/** The place of a question whose thread is known. */
export interface ThreadPlace extends Place {
  threadTs: string;
}

/**
 * The id of a conversation, comparable with `===`: a number, or its digits where a number can't
 * hold it, or a text. A text of generation 1 of the service's API has quotes around it, because that generation takes an
 * id only as the kind of JSON value that it gave.
 */
export const conversationId = z.union([z.number(), z.string()]);
export type ConversationId = Read<typeof conversationId>;

/** The id of a question at the service: a number, or a text, or the digits of a number that is too long for one. */
export const upstreamId = z.union([z.number(), z.string()]);
export type UpstreamId = Read<typeof upstreamId>;

/** Whose access at the service a question uses: the app's account, or the account of the person who asked. */
const accessKind = z.enum(['app', 'own']);
export type AccessKind = Read<typeof accessKind>;

/** A link that supports an answer. */
const source = z.looseObject({
  url: z.string(),
  label: z.string(),
  /** Repository the source belongs to (`github.com/org/repo`), when the service says so. */
  repository: z.string().exactOptional(),
});
export type Source = Read<typeof source>;

/** `used` and `limit` are in the service's units (credits). */
const quota = z.looseObject({ used: z.number(), limit: z.number(), resetAtMs: z.number().exactOptional() });
export type Quota = Read<typeof quota>;

/** Why a question ended without an answer. */
const failure = z.looseObject({
  /** Decides the text and the button shown. */
  cause: z.enum([
    'service', // the service failed the question: the card shows the service's title and message
    'tooLong', // TokenLimitExceeded
    'unauthorized',
    'accountRefused', // the service refused the asker's own account
    'unreachable', // the service did not answer before the app's patience ended
    'signInPage', // as `unreachable`: a page for people answered in place of the service
    'answerTooLong', // the reply with the answer is over the size limit
    'limited', // the service's rate limit refused every try until the app's patience ended
    'gone', // the conversation was deleted while the question ran
    'refused', // the service refused the request as invalid
    'threadUnread', // the question is about the thread, and Slack did not let the app read it
    'internal', // a bug of this app
  ]),
  /** The service may have got the question all the same. The app could not find out. */
  mayBeAsked: z.literal(true).exactOptional(),
  /** The service's text, only for `service`, and the message for `refused`. Untrusted. */
  title: z.string().exactOptional(),
  message: z.string().exactOptional(),
});
export type Failure = Read<typeof failure>;
export type FailureCause = Failure['cause'];

/** A finished answer as the service gave it. Every link is absolute. What the service does not tell is absent. */
const answer = z.looseObject({
  title: z.string(),
  /** Markdown (GFM). Empty once the answer is delivered and the question closed. */
  markdown: z.string(),
  sources: z.array(source),
  /** The sources are only those that the answer links to. */
  citedOnly: z.literal(true).exactOptional(),
  /** The service answered with parts that this app can't show. */
  hasMore: z.literal(true).exactOptional(),
  followUps: z.array(z.string()),
  durationMs: z.number(),
  steps: z.number().exactOptional(),
  credits: z.number().exactOptional(),
  /** Absent when the service reports no limit. */
  quota: quota.exactOptional(),
  /** The service stopped before the answer was complete, and says why. */
  stopped: failure.exactOptional(),
});
export type Answer = Read<typeof answer>;

/** Why a person may not ask in a place. */
const refusal = z.enum([
  'guest',
  'outsider',
  /** Slack could not say who the person is, or what kind of channel it is. */
  'unknownPerson',
  'unknownChannel',
  /** More people are in the channel than can be checked. */
  'channelTooLarge',
  /** The channel is shared with other organizations, or has guests. */
  'sharedChannel',
  'guestsInChannel',
  /** The settings refuse the channel, or do not allow it. */
  'channelRefused',
  /** The person did not connect an account in time. */
  'notConnected',
  /** People must use their own account, but no one can connect one, because the operator set no key. */
  'noKeys',
  /** Too many questions of the person already wait for an account. */
  'tooManyWaiting',
  /** An admin turned the app off in this channel. */
  'channelOff',
  /** The text names a repository that the channel's settings do not allow. `scope` has the allowed ones. */
  'repositoryRefused',
  'repositoryUnknown',
  /** The person, or the channel, has asked as many questions today as the settings allow. */
  'personCap',
  'channelCap',
]);
export type Refusal = Read<typeof refusal>;

/** How a question ended, or will end once its messages are delivered. */
const outcome = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('answered'), answer }),
  z.looseObject({ kind: z.literal('failed'), failure }),
  z.looseObject({ kind: z.literal('cancelled') }),
  /** The app's patience ended while the service still worked. */
  z.looseObject({ kind: z.literal('gaveUp') }),
  /** Slack refused the card where the question was asked. */
  z.looseObject({
    kind: z.literal('undeliverable'),
    canInvite: z.boolean(),
    threadGone: z.literal(true).exactOptional(),
  }),
  /** The asker may not ask there. The app notifies them privately and shows nothing. */
  z.looseObject({
    kind: z.literal('notAllowed'),
    reason: refusal,
    /** The name that no repository has, for `repositoryUnknown`, and how many there are. */
    unknown: z.looseObject({ name: z.string(), total: z.number() }).exactOptional(),
  }),
]);
export type Outcome = Read<typeof outcome>;

/** What the app read of the question's thread. */
const threadContext = z.looseObject({
  /** How many messages are quoted, and how many the thread has before the question. */
  messages: z.number(),
  total: z.number(),
  /** How many forwarded messages are quoted that Slack's event left out. Absent if none. */
  forwarded: z.number().exactOptional(),
  /** How many linked messages are quoted, and how many could not be read. Absent if none. */
  linked: z.number().exactOptional(),
  linksUnread: z.number().exactOptional(),
  /** How many text files are quoted, and how many were not read: images, other formats, and too large ones. */
  files: z.number(),
  unreadable: z.number(),
  /** The quotes as the service gets them. Empty once the question is closed. */
  text: z.string(),
  /** Slack did not let the app read the thread. */
  refused: z.boolean().exactOptional(),
  /** A later edit changed the thread. The app reads it again before it asks the question. */
  outdated: z.boolean().exactOptional(),
});
export type ThreadContext = Read<typeof threadContext>;

/** A thread to read for a question in another place. `isRefused`: not read, because the asker may not ask there. */
const readsFrom = z.looseObject({
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string(),
  isRefused: z.boolean().exactOptional(),
});
export type ReadsFrom = Read<typeof readsFrom>;

/** An earlier question of another conversation. `before`: the questions before it, oldest first. */
const followed = z.looseObject({
  text: z.string(),
  shareUrl: z.string().exactOptional(),
  before: z.array(z.string()).exactOptional(),
});
export type Followed = Read<typeof followed>;

/** How long answers in this workspace usually take, in milliseconds. Nine in ten answers take at most `lateMs`. */
const expectation = z.looseObject({ fromMs: z.number(), toMs: z.number(), lateMs: z.number() });
export type Expectation = Read<typeof expectation>;

/**
 * `limited`: by the far side's rate limit. `silent`: it took the call and sent no reply. `signInPage`: a page for people
 * answered in its place. `internal`: this app's code failed.
 */
const trouble = z.looseObject({
  kind: z.enum(['unreachable', 'silent', 'signInPage', 'limited', 'internal']),
  failures: z.number(),
  sinceMs: z.number(),
  notBeforeMs: z.number(),
});
export type Trouble = Read<typeof trouble>;

/** Times of a call that must take effect once, without a stored result. The intent is stored before the call. */
const pendingCall = {
  intentMs: z.number().exactOptional(),
  /** When the caller stopped waiting for the result. The far side may still carry out the call later. */
  givenUpMs: z.number().exactOptional(),
  /** When a search after the give-up did not find the effect. */
  searchedMs: z.number().exactOptional(),
};
const call = z.looseObject(pendingCall);
export type PendingCall = Read<typeof call>;

/**
 * One question of a person. Holds all that the app needs to bring it to a visible end after a crash at any point.
 * Times are epoch milliseconds. The app stores `intentMs` before a call whose outcome may become unknown. If it is set
 * and the result is missing, the app searches for the effect before it repeats the call.
 */
export const questionType = defineRecord({
  key: (id) => `ds:question:${id}`,
  ttlMs: 90 * dayMs,
  isInUse: ({ phase }) => phase !== 'closed',
  schema: z.looseObject({
    version: z.literal(1),
    /** `q` and 24 lower-case hex digits: a digest of the question's key, so that a repeated delivery has the same id. */
    id: z.string(),
    place,
    askerId: z.string(),
    /** Plain text, as sent to the service. */
    text: z.string(),
    /**
     * How a question reached the app. Decides whether its card repeats the question. `shortcut`: a modal that one of the
     * app's shortcuts opened. `shared`: an answer shown again in another place; the service is asked nothing.
     */
    origin: z.enum(['command', 'mention', 'reply', 'direct', 'followUp', 'retry', 'shortcut', 'shared']),
    /** The service wrote the text: this question asks a suggested follow-up again. */
    isSuggested: z.literal(true).exactOptional(),
    /** Starts a new conversation even if the thread has one. */
    fresh: z.boolean(),
    /** The thread's first message asks this question, so plain replies in the thread are follow-ups. */
    beginsThread: z.boolean(),
    acceptedMs: z.number(),
    /** When the message that asks was sent, by Slack's clock. Absent if something later made it a question. */
    writtenMs: z.number().exactOptional(),
    /** `closed` is final. A question in any other phase runs again. */
    phase: z.enum(['waiting', 'running', 'parked', 'delivering', 'closed']),
    /** Where the question's trace goes on (W3C `traceparent`). Absent if nothing was traced yet. */
    trace: z.string().exactOptional(),
    /** Slack's locale of the asker (`de-DE`). The card and the answer use this language. */
    locale: z.string().exactOptional(),
    /** When the app last confirmed that the asker may ask here. Before that it shows and asks nothing. */
    admittedMs: z.number().exactOptional(),
    /** The message that asked, if any. The app reads the thread up to it, and its files belong to the question. */
    messageTs: z.string().exactOptional(),
    /** The files of that message. Absent if the app reads the message for them: Slack's event did not include them. */
    files: z.array(messageFile).exactOptional(),
    /**
     * What that message forwards: how many messages, and the quotes as the service gets them. Absent for a later attempt, which
     * reads the message again.
     */
    forwarded: z.looseObject({ messages: z.number(), text: z.string() }).exactOptional(),
    /** The app reads the thread before it asks, because the question may be about what people said there. */
    readsThread: z.boolean().exactOptional(),
    /** Whose access at the service the question uses. Absent until that is decided, and if all people share one account. */
    access: accessKind.exactOptional(),
    /** The asker's name in Slack, for the answer's footer. Only if people have accounts of their own. Untrusted. */
    askerName: z.string().exactOptional(),
    /**
     * The question waits until its asker connects an account. `notConnected`: there is none, so nothing was posted.
     * `refused`: the service refused the stored one. `noticedMs`: when the app told the asker.
     */
    awaitsAccount: z
      .looseObject({
        reason: z.enum(['notConnected', 'refused']),
        sinceMs: z.number(),
        noticedMs: z.number().exactOptional(),
      })
      .exactOptional(),
    /**
     * The thread has only conversations of other accounts, or one whose link others have while this answer may be for its
     * asker only. So this question starts one of its asker's account.
     */
    startsOwnConversation: z.boolean().exactOptional(),
    /** Who sees the answer. Absent until that matters: if the answer has other readers than its asker. */
    showing: showing.exactOptional(),
    /** The repositories to which the question is limited, as the service names them. `isFromText`: by `in:repo` in its text. */
    scope: z
      .looseObject({ repositories: z.array(z.string()), isFromText: z.boolean().exactOptional() })
      .exactOptional(),
    /** The channel's settings send the answer to the asker's direct messages. */
    answersPrivately: z.boolean().exactOptional(),
    /** When the workspace removed the app: the question ends without a word. Absent otherwise. */
    endsQuietlyMs: z.number().exactOptional(),
    /** The thread to read instead of the question's thread, for a private question about a message in another place. */
    readsFrom: readsFrom.exactOptional(),
    context: threadContext.exactOptional(),
    /** How often messages of the thread were edited or deleted before the app read it. */
    threadChanges: z.number().exactOptional(),
    /** The earlier question that this one continues in a new conversation. It is part of the text for the service. */
    follows: followed.exactOptional(),
    /** For an answer that is shown again: the answered question, and whether the message links to the conversation. */
    shares: z
      .looseObject({
        questionId: z.string(),
        withLink: z.boolean(),
        /** Ids of the guests in the place whom the sharer was shown. */
        confirmed: z.array(z.string()),
        /** The answer was withheld in the question's place, and the app shows it only to the asker. */
        withheld: z.literal(true).exactOptional(),
        /** The answer is for its asker only, and the app may show it in the place all the same if they share it. */
        isKept: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    /** The conversation of the previous thread in direct messages. The asker may continue it instead of a new one. */
    previous: conversationId.exactOptional(),
    /** The asker chose to continue this conversation of another thread, with the access that its question had. */
    continues: z.looseObject({ conversationId, access: accessKind.exactOptional() }).exactOptional(),
    /** The new text, if the question's message was edited later. A button asks it instead. */
    edited: z.looseObject({ text: z.string(), atMs: z.number() }).exactOptional(),
    /** The answer's follow-ups that people asked, and who asked them. */
    usedFollowUps: z.array(z.looseObject({ index: z.number(), byUserId: z.string() })).exactOptional(),
    /** Who asked again because the answer is incomplete, or because the question was cancelled. */
    askedAgain: z.looseObject({ byUserId: z.string() }).exactOptional(),
    /** The answer shows a button that makes the app take only mentions in the thread. */
    offersMute: z.boolean().exactOptional(),
    expected: expectation.exactOptional(),
    /** Slack's `response_url` for private messages to the asker. Valid for 30 minutes. Never logged. */
    responseUrl: z.string().exactOptional(),
    card: z.looseObject({
      ...pendingCall,
      ts: z.string().exactOptional(),
      /** What the card shows, as a comparable string. The app edits the card only when it differs. */
      shown: z.string().exactOptional(),
      editedMs: z.number().exactOptional(),
      /** A person deleted the card, or Slack no longer lets the app edit it. */
      gone: z.boolean().exactOptional(),
      /** When the app found that it may no longer show the steps here. Absent while it may. */
      stepsHiddenMs: z.number().exactOptional(),
      /** Before this time the app does not post the card, because Slack's limits leave no room. The question goes on. */
      notBeforeMs: z.number().exactOptional(),
    }),
    upstream: z.looseObject({
      ...pendingCall,
      /** Time of the first attempt to ask. Patience counts from here. */
      firstTriedMs: z.number().exactOptional(),
      /** The conversation of the intended follow-up. Absent if the call creates a conversation. */
      intentConversationId: conversationId.exactOptional(),
      conversationId: conversationId.exactOptional(),
      /** The id of the question, and its position in the conversation from 0, as far as the service told them. */
      questionId: upstreamId.exactOptional(),
      ordinal: z.number().exactOptional(),
      askedMs: z.number().exactOptional(),
      /** When the call began that asked it, if its reply was lost. `askedMs` is then the time when the question was found. */
      sentMs: z.number().exactOptional(),
      /** Patience counts from here instead of from `askedMs`, after "Check again". */
      watchedFromMs: z.number().exactOptional(),
      shareUrl: z.string().exactOptional(),
      /** Whether another account can open the share URL of a person's own conversation. Absent until that is found out. */
      isLinkOpen: z.boolean().exactOptional(),
      /** The thread's conversation was gone, so the app started a new one. */
      conversationLost: z.boolean().exactOptional(),
      steps: z.number(),
      lastStep: z.string().exactOptional(),
      /** The mark of the conversation when the question last saw it. Absent where conversations have no marks. */
      seenMark: z.string().exactOptional(),
      cancelSentMs: z.number().exactOptional(),
      /** Where attempts stand that the service ended at a limit. A search for a later attempt passes over them. */
      earlierAttempts: z
        .array(
          z.looseObject({
            conversationId,
            /** The id of the question, and its position in the conversation from 0, as far as the service told them. */
            questionId: upstreamId.exactOptional(),
            ordinal: z.number().exactOptional(),
          }),
        )
        .exactOptional(),
    }),
    /** The next step keeps failing: how often in a row, since when, and the earliest time of the next try. */
    trouble: trouble.exactOptional(),
    parkedUntilMs: z.number().exactOptional(),
    /** The service refused the question for a limit without a date: how often in a row, and since when. */
    undatedLimits: z.looseObject({ times: z.number(), sinceMs: z.number() }).exactOptional(),
    /**
     * `isFinal`: its message was deleted, another question was asked instead, or its asker is forgotten, so its card does not
     * offer to ask it again.
     */
    cancel: z
      .looseObject({
        byUserId: z.string(),
        atMs: z.number(),
        isFinal: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    outcome: outcome.exactOptional(),
    endedMs: z.number().exactOptional(),
    /** When to check this question's messages, because one was posted again or an edit had an unknown outcome. */
    recheckMs: z.number().exactOptional(),
    /** A message was posted again, so the check searches for copies. */
    mayHaveCopies: z.boolean().exactOptional(),
    /**
     * The record is of `fromMs` and was restored from a backup at `toMs`. The app may have gone on in between, so it searches
     * for the effect of every call before it makes that call. Absent once the question is closed.
     */
    restored: z.looseObject({ fromMs: z.number(), toMs: z.number() }).exactOptional(),
    delivery: z.looseObject({
      ...pendingCall,
      /** Counts re-opened deliveries (Check again), so that old messages do not count as new ones. */
      round: z.number(),
      /** Timestamps of the parts posted so far, in order. */
      posted: z.array(z.string()),
      /** Slack can no longer deliver to the thread. The app notified the asker privately instead. */
      refused: z.boolean().exactOptional(),
      /** The whole answer as a file, beside many messages. `refused`: Slack takes no file there. */
      file: z.looseObject({ ...pendingCall, state: z.enum(['intended', 'attached', 'refused']) }).exactOptional(),
    }),
  }),
});
export type Question = RecordOf<typeof questionType>;
export type Origin = Question['origin'];
export type Phase = Question['phase'];

/** A conversation of a person's own account, or of the app's account where answers are private (`isOfApp`). */
const ownConversation = z.looseObject({
  userId: z.string(),
  conversationId,
  isOfApp: z.literal(true).exactOptional(),
});
export type OwnConversation = Read<typeof ownConversation>;

/** A Slack thread, its conversation, and the queue of its questions. Its name: see {@link threadName}. */
export const threadType = defineRecord({
  key: (name) => `ds:thread:${name}`,
  ttlMs: 90 * dayMs,
  isInUse: ({ queue }) => queue.length > 0,
  schema: z.looseObject({
    version: z.literal(1),
    teamId: z.string(),
    channelId: z.string(),
    threadTs: z.string(),
    /** The thread's first message asked the app, so plain replies are follow-ups. */
    followsReplies: z.boolean(),
    /** Plain replies are not questions until a person unmutes the thread. */
    muted: z.boolean().exactOptional(),
    /** The user whose question began the thread. Absent once that person's data is forgotten. */
    startedBy: z.string().exactOptional(),
    /** Another person has replied without a mention. */
    hasSecondPerson: z.boolean().exactOptional(),
    /** The conversation of the app's account. */
    conversationId: conversationId.exactOptional(),
    /** The conversations that one person continues, at most one for each person and account. The newest one stands last. */
    ownConversations: z.array(ownConversation).exactOptional(),
    /** Conversations with an answer for its asker only, whose links are not shown to others. The newest one stands last. */
    privateConversations: z.array(conversationId).exactOptional(),
    /** Ids of the newest questions that the service got from this thread, in any conversation. Newest last. */
    asked: z.array(z.string()).exactOptional(),
    /** Open questions of this thread in order of arrival. The first one may run, the others wait. */
    queue: z.array(z.string()),
  }),
});
export type Thread = RecordOf<typeof threadType>;

export function threadName({ teamId, channelId, threadTs }: ThreadPlace): string {
  return `${teamId}:${channelId}:${threadTs}`;
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

/** Characters of the id. Enough to find its lines in the log. */
const referenceLength = 9;

/**
 * The beginning of a question's id. Failures show it, so that the operator can find the question's lines in the log.
 */
export function referenceOf(questionId: string): string {
  return questionId.slice(0, referenceLength);
}

/** The id that this text is: a number if it is written as one and a number can hold it, else the text. */
export function conversationIdOf(text: string): ConversationId {
  const id = Number(text);
  return Number.isSafeInteger(id) && String(id) === text ? id : text;
}

/** The id in an address or a name of the service, and in claims: a text is without its quotes. */
export function plainId(id: ConversationId): string {
  return `${id}`.replace(/^"(.+)"$/s, '$1');
}

/**
 * The id as generation 1 of the API writes it in JSON: a number of any length, or a text in quotes. Undefined: an id that
 * only generation 2 has, which writes all of them as parts of names.
 */
export function literalId(id: ConversationId): string | undefined {
  return /^(?:0|-?[1-9]\d*|".+")$/s.test(`${id}`) ? `${id}` : undefined;
}

const restated: ReadonlySet<Origin> = new Set(['command', 'followUp', 'retry', 'shortcut', 'shared']);

/** Whether the card repeats the question, because people do not see it above the card. */
export function isRestated({ origin }: Pick<Question, 'origin'>): boolean {
  return restated.has(origin);
}

/** The account with which a question uses the service. Everything that is done for the question uses this account only. */
export function accountOf({ access, place, askerId }: Pick<Question, 'access' | 'place' | 'askerId'>): 'app' | Person {
  return access === 'own' ? { teamId: place.teamId, userId: askerId } : 'app';
}

/** Adds a cancellation to a question that runs or waits. */
export function withCancel(question: Question, cancel: NonNullable<Question['cancel']>): Question {
  return question.outcome !== undefined || question.cancel !== undefined ? question : { ...question, cancel };
}

/**
 * Adds a final cancellation to a question that runs, waits or was cancelled. If its card may show that already, it is
 * checked at once, so that it loses the button.
 */
export function withFinalCancel(question: Question, cancel: NonNullable<Question['cancel']>): Question {
  const { outcome, cancel: earlier = cancel } = question;
  const isOther = outcome !== undefined && outcome.kind !== 'cancelled';
  if (isOther || question.cancel?.isFinal === true) return question;
  const check = outcome === undefined ? {} : { recheckMs: cancel.atMs };
  return { ...question, cancel: { ...earlier, isFinal: true }, ...check };
}

/** Whether a cancelled question can be asked again. Sharing an answer is not repeated: a person confirms its readers each time. */
export function canAskCancelledAgain({ cancel, shares, text }: Question): boolean {
  return cancel?.isFinal !== true && shares === undefined && text !== '';
}

/** Whether a card was neither posted nor about to be. */
export function hasNoCard({ ts, intentMs }: Question['card']): boolean {
  return ts === undefined && intentMs === undefined;
}

/** Whether the question ends without a word, because its workspace removed the app. */
export function endsQuietly({ phase, endsQuietlyMs }: Question): boolean {
  return endsQuietlyMs !== undefined && phase !== 'closed';
}

/** Marks a question to end without a word. A closed one only loses the check of its messages. */
export function withQuietEnd(question: Question, atMs: number): Question {
  if (question.phase === 'closed') {
    const { recheckMs, mayHaveCopies: _copies, ...rest } = question;
    return recheckMs === undefined ? question : rest;
  }
  return question.endsQuietlyMs === undefined ? { ...question, endsQuietlyMs: atMs } : question;
}
