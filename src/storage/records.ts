import { z } from 'zod';
import type { AskedQuestionsRecord } from '../core/history/asked-questions.ts';
import type { DurationLog } from '../core/history/durations.ts';
import type { Vote } from '../core/history/votes.ts';
import type { Question, Thread, ThreadPlace } from '../core/question/question.ts';
import type { ThreadNotes } from '../core/question/thread-notes.ts';
import type { RunSlotBook } from '../core/run-slots.ts';
import { upgradeQuestion, upgradeThread } from './earlier-records.ts';
import { outcomeSchema } from './outcome-schema.ts';
import { createFormat, type Exactly, type RecordFormat } from './record-format.ts';
import { showingSchema } from './showing-schema.ts';

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a question is kept after its last write. */
export const QUESTION_TTL_MS = 90 * DAY_MS;
/** How long a thread is kept after its last write. */
export const THREAD_TTL_MS = 90 * DAY_MS;
/** How long a claim lasts. The thing it guards (a delivery, a button) must not come again later than this. */
export const CLAIM_TTL_MS = 90 * DAY_MS;
/**
 * How long a claim lasts at least, if `RETENTION_DAYS` is shorter. Slack repeats a delivery for at most 24 hours (its
 * "delayed events"), and a question searches its conversation at the service for at most as long (`PATIENCE_SECONDS`).
 */
export const CLAIM_LEAST_TTL_MS = 2 * DAY_MS;

/** How long the notes of a thread are kept for the next question there. */
const THREAD_NOTES_TTL_MS = 7 * DAY_MS;
/** How long the text of a refused question is kept for the button that asks it in direct messages. */
export const REFUSED_TEXT_TTL_MS = DAY_MS / 24;
/** How long `why` can report what was done with a message. */
export const MESSAGE_LOG_TTL_MS = 1 * DAY_MS;
/** How long it is known which questions wait for a person's account. They wait for a day. */
export const ACCOUNT_WAITS_TTL_MS = 2 * DAY_MS;
/** How long votes are kept for the export. */
export const VOTE_TTL_MS = 400 * DAY_MS;

/** Key of the set with the names of all votes. */
export const VOTES_KEY = 'ds:votes';

export function voteKey(name: string): string {
  return `${votePrefix}${name}`;
}

/** Key of the set with the ids of all questions that are not closed. */
export const OPEN_QUESTIONS_KEY = 'ds:open-questions';

/** Prefixes of the keys below, for listings. */
export const questionPrefix = 'ds:question:';
export const threadPrefix = 'ds:thread:';
export const votePrefix = 'ds:vote:';
export const claimPrefix = 'ds:claim:';

export function questionKey(id: string): string {
  return `${questionPrefix}${id}`;
}

export function threadKey(place: ThreadPlace): string {
  return `${threadPrefix}${place.teamId}:${place.channelId}:${place.threadTs}`;
}

export function claimKey(key: string): string {
  return `${claimPrefix}${key}`;
}

// Objects are loose, so that during a rolling deploy an older process does not drop fields that a newer one added.

const placeSchema = z.looseObject({
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string().exactOptional(),
});

export const fileSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number(),
  url: z.string().exactOptional(),
  text: z.string().exactOptional(),
  isUnknown: z.boolean().exactOptional(),
});

export const conversationId = z.union([z.number(), z.string()]);
export const upstreamId = z.union([z.number(), z.string()]);

/** The times of a call that has no stored result. */
const pendingCall = {
  intentMs: z.number().exactOptional(),
  givenUpMs: z.number().exactOptional(),
  searchedMs: z.number().exactOptional(),
};

const questionSchema = z.looseObject({
  version: z.literal(1),
  id: z.string(),
  place: placeSchema,
  askerId: z.string(),
  text: z.string(),
  origin: z.enum(['command', 'mention', 'reply', 'direct', 'followUp', 'retry', 'shortcut', 'shared']),
  isSuggested: z.literal(true).exactOptional(),
  fresh: z.boolean(),
  beginsThread: z.boolean(),
  acceptedMs: z.number(),
  writtenMs: z.number().exactOptional(),
  phase: z.enum(['offered', 'waiting', 'running', 'parked', 'delivering', 'closed']),
  trace: z.string().exactOptional(),
  locale: z.string().exactOptional(),
  admittedMs: z.number().exactOptional(),
  messageTs: z.string().exactOptional(),
  files: z.array(fileSchema).exactOptional(),
  forwarded: z.looseObject({ messages: z.number(), text: z.string() }).exactOptional(),
  readsThread: z.boolean().exactOptional(),
  access: z.enum(['app', 'own']).exactOptional(),
  askerName: z.string().exactOptional(),
  awaitsAccount: z
    .looseObject({
      reason: z.enum(['notConnected', 'refused']),
      sinceMs: z.number(),
      noticedMs: z.number().exactOptional(),
    })
    .exactOptional(),
  startsOwnConversation: z.boolean().exactOptional(),
  showing: showingSchema.exactOptional(),
  scope: z.looseObject({ repositories: z.array(z.string()), isFromText: z.boolean().exactOptional() }).exactOptional(),
  answersPrivately: z.boolean().exactOptional(),
  endsQuietlyMs: z.number().exactOptional(),
  readsFrom: z
    .looseObject({
      teamId: z.string(),
      channelId: z.string(),
      threadTs: z.string(),
      isRefused: z.boolean().exactOptional(),
    })
    .exactOptional(),
  context: z
    .looseObject({
      messages: z.number(),
      total: z.number(),
      forwarded: z.number().exactOptional(),
      linked: z.number().exactOptional(),
      linksUnread: z.number().exactOptional(),
      files: z.number(),
      unreadable: z.number(),
      text: z.string(),
      refused: z.boolean().exactOptional(),
      outdated: z.boolean().exactOptional(),
    })
    .exactOptional(),
  threadChanges: z.number().exactOptional(),
  follows: z
    .looseObject({
      text: z.string(),
      shareUrl: z.string().exactOptional(),
      service: z.string().exactOptional(),
      before: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  shares: z
    .looseObject({
      questionId: z.string(),
      withLink: z.boolean(),
      confirmed: z.looseObject({
        guests: z.number(),
        outsiders: z.number(),
        organizations: z.number(),
        isKnown: z.boolean(),
        ids: z
          .looseObject({
            guests: z.array(z.string()),
            outsiders: z.array(z.string()),
            organizations: z.array(z.string()),
          })
          .exactOptional(),
      }),
      withheld: z.literal(true).exactOptional(),
      isKept: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  asFollowUp: z
    .looseObject({
      text: z.string(),
      conversationId: conversationId.exactOptional(),
      isChosen: z.boolean().exactOptional(),
    })
    .exactOptional(),
  insteadOf: z.string().exactOptional(),
  replacedMs: z.number().exactOptional(),
  edited: z.looseObject({ text: z.string(), atMs: z.number(), wholeText: z.string().exactOptional() }).exactOptional(),
  usedFollowUps: z.array(z.looseObject({ index: z.number(), byUserId: z.string() })).exactOptional(),
  askedAgain: z.looseObject({ byUserId: z.string() }).exactOptional(),
  offersMute: z.boolean().exactOptional(),
  expected: z.looseObject({ fromMs: z.number(), toMs: z.number(), lateMs: z.number() }).exactOptional(),
  responseUrl: z.string().exactOptional(),
  card: z.looseObject({
    ...pendingCall,
    ts: z.string().exactOptional(),
    shown: z.string().exactOptional(),
    editedMs: z.number().exactOptional(),
    gone: z.boolean().exactOptional(),
    stepsHiddenMs: z.number().exactOptional(),
    notBeforeMs: z.number().exactOptional(),
  }),
  upstream: z.looseObject({
    ...pendingCall,
    firstTriedMs: z.number().exactOptional(),
    intentConversationId: conversationId.exactOptional(),
    conversationId: conversationId.exactOptional(),
    questionId: upstreamId.exactOptional(),
    ordinal: z.number().exactOptional(),
    askedMs: z.number().exactOptional(),
    sentMs: z.number().exactOptional(),
    watchedFromMs: z.number().exactOptional(),
    shareUrl: z.string().exactOptional(),
    isLinkOpen: z.boolean().exactOptional(),
    conversationLost: z.boolean().exactOptional(),
    steps: z.number(),
    lastStep: z.string().exactOptional(),
    seenMark: z.string().exactOptional(),
    cancelSentMs: z.number().exactOptional(),
    earlierAttempts: z
      .array(
        z.looseObject({
          conversationId,
          questionId: upstreamId.exactOptional(),
          ordinal: z.number().exactOptional(),
        }),
      )
      .exactOptional(),
  }),
  trouble: z
    .looseObject({
      kind: z.enum(['unreachable', 'silent', 'signInPage', 'limited', 'internal']),
      failures: z.number(),
      sinceMs: z.number(),
      notBeforeMs: z.number(),
    })
    .exactOptional(),
  parkedUntilMs: z.number().exactOptional(),
  undatedLimits: z.looseObject({ times: z.number(), sinceMs: z.number() }).exactOptional(),
  cancel: z
    .looseObject({
      byUserId: z.string(),
      atMs: z.number(),
      isWithdrawn: z.literal(true).exactOptional(),
      isFinal: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  outcome: outcomeSchema.exactOptional(),
  endedMs: z.number().exactOptional(),
  recheckMs: z.number().exactOptional(),
  mayHaveCopies: z.boolean().exactOptional(),
  restored: z.looseObject({ fromMs: z.number(), toMs: z.number() }).exactOptional(),
  delivery: z.looseObject({
    ...pendingCall,
    round: z.number(),
    posted: z.array(z.string()),
    refused: z.boolean().exactOptional(),
    file: z.looseObject({ ...pendingCall, state: z.enum(['intended', 'attached', 'refused']) }).exactOptional(),
  }),
});

const threadSchema = z.looseObject({
  version: z.literal(1),
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string(),
  followsReplies: z.boolean(),
  muted: z.boolean().exactOptional(),
  startedBy: z.string().exactOptional(),
  hasSecondPerson: z.boolean().exactOptional(),
  conversationId: conversationId.exactOptional(),
  ownConversations: z
    .array(z.looseObject({ userId: z.string(), conversationId, isOfApp: z.literal(true).exactOptional() }))
    .exactOptional(),
  privateConversations: z.array(conversationId).exactOptional(),
  asked: z.array(z.string()).exactOptional(),
  queue: z.array(z.string()),
});

const runSlotsSchema = z.looseObject({
  version: z.literal(1),
  running: z.array(z.looseObject({ questionId: z.string(), userId: z.string() })),
  waiting: z.array(z.looseObject({ questionId: z.string(), userId: z.string(), sinceMs: z.number() })),
  parked: z.array(z.looseObject({ questionId: z.string(), sinceMs: z.number(), untilMs: z.number() })),
});

const durationLogSchema = z.looseObject({
  version: z.literal(1),
  entries: z.array(z.looseObject({ questionId: z.string(), durationMs: z.number() })),
});

const historySchema = z.looseObject({
  version: z.literal(1),
  entries: z.array(z.looseObject({ questionId: z.string(), atMs: z.number() })),
});

const threadNotesSchema = z.looseObject({
  version: z.literal(1),
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      userId: z.string(),
      text: z.string(),
      files: z.array(fileSchema),
    }),
  ),
  taken: z.looseObject({ questionId: z.string(), fromTs: z.string(), toTs: z.string() }).exactOptional(),
});

const voteSchema = z.looseObject({
  version: z.literal(1),
  teamId: z.string(),
  userId: z.string(),
  questionId: z.string(),
  conversationId: conversationId.exactOptional(),
  upstreamQuestionId: upstreamId.exactOptional(),
  verdict: z.enum(['up', 'down']),
  reasons: z.array(z.string()),
  comment: z.string().exactOptional(),
  atMs: z.number(),
});

export const questionFormat: RecordFormat<Question> = createFormat<Question>(
  questionSchema satisfies Exactly<typeof questionSchema, Question>,
  upgradeQuestion,
);

export const threadFormat: RecordFormat<Thread> = createFormat<Thread>(
  threadSchema satisfies Exactly<typeof threadSchema, Thread>,
  upgradeThread,
);

export const voteFormat: RecordFormat<Vote> = createFormat<Vote>(voteSchema satisfies Exactly<typeof voteSchema, Vote>);

/** One type of named record: its keys, its lifetime after the last write, and its format. */
export interface RecordType<T> {
  key: (name: string) => string;
  /** The key in an earlier version. Read when there is no record under today's key; never written. */
  formerKey?: (name: string) => string;
  ttlMs: number;
  format: RecordFormat<T>;
  /** Whether an open question needs the record. `RETENTION_DAYS` does not shorten its life then. */
  isInUse?: (record: T) => boolean;
}

/** One record per workspace. A record without writes for this time has no running question. */
export const runSlotsType: RecordType<RunSlotBook> = {
  key: (teamId) => `ds:run-slots:${teamId}`,
  formerKey: (teamId) => `ds:turns:${teamId}`,
  ttlMs: 90 * DAY_MS,
  format: createFormat<RunSlotBook>(runSlotsSchema satisfies Exactly<typeof runSlotsSchema, RunSlotBook>),
  isInUse: ({ running, waiting, parked }) => running.length + waiting.length + parked.length > 0,
};

export const durationsType: RecordType<DurationLog> = {
  key: (teamId) => `ds:durations:${teamId}`,
  ttlMs: 90 * DAY_MS,
  format: createFormat<DurationLog>(durationLogSchema satisfies Exactly<typeof durationLogSchema, DurationLog>),
};

export const askedQuestionsType: RecordType<AskedQuestionsRecord> = {
  key: (person) => `ds:history:${person}`,
  ttlMs: QUESTION_TTL_MS,
  format: createFormat<AskedQuestionsRecord>(
    historySchema satisfies Exactly<typeof historySchema, AskedQuestionsRecord>,
  ),
};

export const threadNotesType: RecordType<ThreadNotes> = {
  key: (thread) => `ds:thread-notes:${thread}`,
  formerKey: (thread) => `ds:heard:${thread}`,
  ttlMs: THREAD_NOTES_TTL_MS,
  format: createFormat<ThreadNotes>(threadNotesSchema satisfies Exactly<typeof threadNotesSchema, ThreadNotes>),
};
