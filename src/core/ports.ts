import type { Person } from './accounts/accounts.ts';
import type {
  ConversationId,
  Expectation,
  Place,
  Question,
  Quota,
  Refusal,
  Source,
  Thread,
  ThreadContext,
  ThreadPlace,
  UpstreamId,
} from './question/question.ts';

/** Current time in epoch milliseconds. */
export type Clock = () => number;

/** One question of a conversation as the service reports it. What the service does not tell is absent, not zero. */
export interface UpstreamQuestion {
  /** Only the first generation of the API numbers the questions of all conversations. */
  id?: UpstreamId;
  /** Position in the conversation, from 0. Absent if the service sent the question alone. */
  ordinal?: number;
  text: string;
  createdMs?: number;
  state: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled';
  steps?: number;
  /** The last thing the service reported doing. Untrusted text. */
  lastStep?: string;
  title?: string;
  /** Markdown; every link absolute. */
  answer?: string;
  sources: Source[];
  /** The sources are only the links of the answer. The service does not tell what else it consulted. */
  citedOnly?: true;
  /** The answer has parts of kinds that this app does not know. */
  hasMore?: true;
  followUps: string[];
  durationMs?: number;
  credits?: number;
  error?: UpstreamError;
}

/** Why the service failed a question. An answer may stand beside it. */
export interface UpstreamError {
  cause: 'tooLong' | 'limited' | 'service';
  /** The service's own words. Untrusted. */
  title: string;
  message: string;
  /** When the limit allows questions again, if the service says so. */
  retryAtMs?: number;
}

export interface Conversation {
  id: ConversationId;
  createdMs?: number;
  /** A text that differs after every change that the service shows. */
  mark?: string;
  shareUrl?: string;
  questions: UpstreamQuestion[];
  quota?: Quota;
}

/** A conversation in a list of an account's newest changes. */
export interface ListedConversation {
  id: ConversationId;
  /** As in {@link Conversation}. */
  mark: string;
  /** By the service's clock. */
  updatedMs?: number;
  /** The whole conversation. Absent where a list does not carry it. */
  conversation?: () => Conversation;
}

/** What the lifecycle needs of the code search service. Every method throws only `AppError`. */
export interface DeepSearch {
  /** Starts a conversation. Does not retry: on `outcomeUnknown` the caller searches before it asks again. */
  create(text: string): Promise<Conversation>;
  /** Adds a follow-up and returns it. Does not retry. Throws `notFound` if the conversation is gone. */
  followUp(conversationId: ConversationId, text: string): Promise<UpstreamQuestion>;
  read(conversationId: ConversationId): Promise<Conversation>;
  /**
   * Reads the conversation of a share URL with this token. Throws `notFound` if there is none or it is not shared. A token of
   * digits is the id of a conversation of this account.
   */
  byReadToken(readToken: string): Promise<Conversation>;
  /**
   * Returns the newest conversations of this account, newest first: at most `limit` (≤ 1,000), none created before
   * `sinceMs`. Their questions have no answer, sources or follow-ups. `read` returns those. A search for one of them ends
   * with it. Throws `unavailable` if it was not found and not all could be looked at. A repeated search goes on then.
   */
  newest(limit: number, sinceMs?: number, search?: ConversationSearch): Promise<Conversation[]>;
  /**
   * One page of this account's conversations, latest change first: about `most` (1 to 100). `after`: `next` of the page
   * before.
   */
  changes(most: number, after?: string): Promise<{ conversations: ListedConversation[]; next?: string }>;
  /** Asks the service to stop this question, and never another one. Does not throw if it is already finished or gone. */
  cancel(conversationId: ConversationId, target: CancelTarget): Promise<void>;
}

/** A search for one conversation among the newest ones. */
export interface ConversationSearch {
  /** When it was probably created. Those created about this time are looked at first. */
  aboutMs: number;
  /** None created later. */
  untilMs: number;
  /** Whether it is this one. Called for every conversation of the search, until it is found. */
  isSought(conversation: Conversation): Promise<boolean>;
  /** Called before each request but the first. Throws to end the search. */
  beforeRequest?(): Promise<void>;
}

/** A question to stop. */
export interface CancelTarget {
  /** Only the first generation of the API has ids. It stops a question by its id. */
  id: UpstreamId | undefined;
  /** Finds the question in its conversation, to stop it where it has no id. Undefined if it is not there. */
  find(conversation: Conversation): Promise<UpstreamQuestion | undefined>;
}

/** The service as one account sees it: the app's account, or the account that a person connected. */
export type DeepSearchOf = (account: 'app' | Person) => DeepSearch;

/** Stored questions. Every method throws only `AppError` of kind `storage` or `corrupt`, within a bounded time. */
export interface QuestionStore {
  /**
   * Stores a question unless its id exists, and lists it as open. Returns the stored question and whether it is new. After
   * `byMs` (epoch milliseconds) the store itself refuses a new one. A failure with an unknown outcome leaves open whether it was
   * stored before.
   */
  create(question: Question, byMs?: number): Promise<{ question: Question; created: boolean }>;
  get(id: string): Promise<Question | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once. If it returns the same object, nothing is
   * stored. Returns the stored question after that, or undefined if the id is unknown.
   */
  update(id: string, change: (current: Question) => Question): Promise<Question | undefined>;
  /** Ids of all open questions. */
  openIds(): Promise<string[]>;
  /** Lists a question as open. Called before the question is re-opened. */
  markOpen(id: string): Promise<void>;
  /** Removes a question from the open list. Called after the question is closed. */
  markClosed(id: string): Promise<void>;
}

/** Stored threads. Throws the same errors as {@link QuestionStore}. */
export interface ThreadStore {
  get(place: ThreadPlace): Promise<Thread | undefined>;
  /**
   * Atomic read-modify-write. `change` gets undefined if no thread is stored yet. Returns the stored thread after that.
   */
  update(place: ThreadPlace, change: (current: Thread | undefined) => Thread): Promise<Thread>;
}

/** First-come-first-served ownership of a name, atomic across processes. */
export interface Claims {
  /** Claims `key` for `owner`. Returns the current owner: `owner`, or the one that claimed it first. */
  claim(key: string, owner: string): Promise<string>;
  /** Returns the owner of `key`, or undefined if it is free. */
  ownerOf(key: string): Promise<string | undefined>;
}

/** The questions that a program beside the app wants to be run. */
export interface RunRequests {
  ids(): Promise<string[]>;
  add(questionId: string): Promise<void>;
  remove(questionId: string): Promise<void>;
}

/** A workspace that removed the app or revoked its token. `eventId`: of Slack's event, the same for every delivery. */
export interface WorkspaceEnd {
  teamId: string;
  eventId: string;
  atMs: number;
}

/** The ends that were noted and not carried out yet. Throws the same errors as the other stores. */
export interface WorkspaceEnds {
  all(): Promise<WorkspaceEnd[]>;
  add(end: WorkspaceEnd): Promise<void>;
  remove(end: WorkspaceEnd): Promise<void>;
}

/** What the card of a question shows. */
export type CardView =
  | { kind: 'queued'; place: number }
  /** Waits for a run slot. `ahead` other questions come first. */
  | { kind: 'waitingForSlot'; ahead: number }
  | { kind: 'starting' }
  | {
      kind: 'running';
      elapsedMs: number;
      steps: number;
      lastStep?: string;
      /**
       * The usual time in this workspace, once there is enough history. `isLate`: this takes longer than nine in ten.
       */
      expected?: { fromMs: number; toMs: number };
      isLate?: boolean;
    }
  | { kind: 'unreachable'; isSignInPage?: true }
  | { kind: 'noReply' }
  | { kind: 'limited' }
  | { kind: 'cancelling' }
  | { kind: 'parked'; untilMs: number /** Of a limit that names no end. */; afterMs?: number }
  /** Waits until the asker connects an account again. */
  | { kind: 'awaitingAccount' }
  /** `isIncomplete`: the service stopped before the answer was complete. */
  | { kind: 'answered'; durationMs: number; steps?: number; isIncomplete?: true }
  | { kind: 'cancelled'; byUserId?: string }
  | { kind: 'failed'; durationMs: number }
  | { kind: 'gaveUp'; durationMs: number }
  /** Answered. The asker chooses who sees the answer. */
  | { kind: 'choosing' }
  /** Answered. Only the asker sees the answer, in direct messages. */
  | { kind: 'answeredPrivately' }
  /** The readers of this place changed after the question was asked, so nothing is shown. */
  | { kind: 'notAllowed' }
  | { kind: 'shared' };

/** A message to one person only. */
export type PrivateNotice =
  | { kind: 'answeredBeforeCancel' }
  /**
   * `canInvite`: the app can post there once a person invites it. Otherwise it cannot post there at all. `isThreadGone`: the
   * message that begins the thread was deleted.
   */
  | {
      kind: 'notInChannel';
      questionId: string;
      text: string;
      canInvite: boolean;
      isBetweenTwo?: true;
      isThreadGone?: true;
    }
  | { kind: 'undeliverable'; questionId: string; place: ThreadPlace; shareUrl?: string }
  /** The question waits, and nothing was posted, until its asker connects an account. `isRefused`: the stored one fails. */
  | { kind: 'connectFirst'; questionId: string; text: string; isRefused: boolean }
  /** The service refuses the asker's account, so their questions wait until they connect it again. */
  | { kind: 'reconnect'; questionId: string }
  /** Asks who sees an answer. `people` read the channel; absent if Slack does not say how many. `text` is the question, `answer` its Markdown. */
  | { kind: 'chooseReaders'; questionId: string; channelId: string; text: string; people?: number; answer?: string }
  /** An answer could not be shown again in this channel. */
  | { kind: 'shareUndeliverable'; questionId: string; channelId: string }
  // `withheld`: only showing is refused, for an `answer` that was asked there or a `share` of one. `repositories`: those that the
  // channel allows, or the most similar ones to the `unknown` name. `resetMs`: when a daily cap allows questions again.
  | {
      kind: 'notAllowed';
      reason: Refusal;
      questionId: string;
      text: string;
      withheld?: 'answer' | 'share';
      resetMs?: number;
      repositories?: readonly string[];
      unknown?: { name: string; total: number };
    };

/** The messages of one question's outcome, ready to be posted. */
export interface PreparedOutcome {
  /** The number of messages. Every process gets the same number for the same outcome. */
  parts: number;
  /**
   * Posts one message, with the question's current state. Calls `confirm` right before each try, and passes its error on.
   * Throws the same errors as {@link Messenger}.
   */
  postPart(question: Question, part: number, confirm: Confirm): Promise<{ ts: string }>;
}

/**
 * What the lifecycle needs of Slack. Every method throws only `AppError`: `rateLimited`, `unavailable` (with
 * `outcomeUnknown` if the message may have been posted), `undeliverable`, `notFound`, `unauthorized`, `refused`.
 * Methods fall back to simpler formats. `unrenderable` means that Slack refused even plain text.
 */
export interface Messenger {
  postCard(question: Question, view: CardView): Promise<{ ts: string }>;
  /** Finds the card of this question in Slack by its marker. */
  findCard(question: Question): Promise<string | undefined>;
  /** Throws `notFound` if the card was deleted. Calls `confirm` once there is room for the edit, right before it. */
  updateCard(question: Question, view: CardView, confirm?: Confirm): Promise<void>;
  /** Divides a question's outcome into messages. Pure, but slow for a long answer, so a run does it once. */
  prepare(question: Question): PreparedOutcome;
  findPart(question: Question, part: number): Promise<string | undefined>;
  /** Posts the whole answer to the thread as a Markdown file. `confirm` and errors as of the other posts. */
  attachAnswer(question: Question, confirm: Confirm): Promise<void>;
  /** Whether the thread already has the file. */
  findAttachment(question: Question): Promise<boolean>;
  /**
   * Deletes duplicate messages and files of this question. Keeps the ones that the question names, otherwise the
   * oldest. Returns the number of deleted ones.
   */
  removeCopies(question: Question): Promise<number>;
  /**
   * Uses the question's `responseUrl` while it is valid, otherwise an ephemeral message, otherwise a direct message.
   * Throws if none of them works.
   */
  notifyPrivately(question: Question, userId: string, notice: PrivateNotice): Promise<void>;
}

/**
 * Plans the runs of `advance`. A question has one run at a time, in any number of processes. A run that throws is
 * repeated with back-off and never dropped.
 */
export interface Scheduler {
  /** Begins to call `advance`, which returns the milliseconds until the next run, or undefined once the question is closed. */
  start(advance: (questionId: string) => Promise<number | undefined>): Promise<void>;
  /**
   * Plans a run in `delayMs`. Moves a planned run earlier, never later. During a run, plans another one. `isNew`: the question
   * is new, so no later run is looked for that would have to be moved; one that is there is moved some seconds later.
   */
  schedule(questionId: string, delayMs: number, options?: { isNew?: boolean }): Promise<void>;
  /** Returns the questions of this list that have no planned or current run. */
  unscheduled(questionIds: string[]): Promise<string[]>;
  /** Starts no new runs. Waits for the current ones, at most `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

/** The operator's log: one line per outcome. Contains ids and numbers, never text of people. */
export interface Log {
  /** For frequent events that matter only while an operator investigates. */
  debug(fields: LogFields): void;
  info(fields: LogFields): void;
  warn(fields: LogFields, error?: unknown): void;
  error(fields: LogFields, error?: unknown): void;
}

export interface LogFields {
  event: string;
  outcome?: string;
  questionId?: string;
  durationMs?: number;
  [field: string]: string | number | boolean | undefined;
}

/** What is done about the readers of an answer that was asked with a person's own access. */
export interface AnswerReaders {
  /** How many people read the channel. Undefined if Slack does not say. Throws no `AppError`. */
  count(place: Place): Promise<number | undefined>;
  /** Hands the answer over to the asker's direct messages, once for each question. Throws `AppError`. */
  showPrivately(question: Question): Promise<void>;
  /** Whether the app's account, which is not the asker's, can open this conversation by its share URL. Throws `AppError`. */
  canOpen(shareUrl: string, conversationId: ConversationId): Promise<boolean>;
}

/** Reads the messages of a thread before a question. */
export interface ThreadReader {
  /** Throws `AppError` if another try may help later. The result says if Slack refused. */
  read(question: Question, thread: Thread | undefined): Promise<ThreadContext>;
}

/** Records of one kind, by name. Throws the same errors as {@link QuestionStore}. */
export interface Records<T> {
  get(name: string): Promise<T | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once. If it returns the same object, nothing is
   * stored. With `replacesUnreadable`, a record that can't be read counts as absent, and is replaced.
   */
  update(name: string, change: (current: T | undefined) => T, options?: { replacesUnreadable?: boolean }): Promise<T>;
}

/** The durations of answers, by workspace. */
export interface Durations {
  /** Stores the duration of an answered question, once. */
  note(teamId: string, questionId: string, durationMs: number): Promise<void>;
  /** Returns undefined until there is enough history. */
  expect(teamId: string): Promise<Expectation | undefined>;
}

/** The recent questions of each person. */
export interface AskedQuestions {
  /** Adds a question to its asker's list, once. */
  note(question: Question): Promise<void>;
  /** Returns the ids of the person's newest questions, newest first. */
  of(teamId: string, userId: string): Promise<string[]>;
}

/** Gets changes of questions, to update what people see outside the thread. Never throws. */
export interface QuestionObserver {
  /** Called when a question is admitted, asked, parked, being cancelled or ended. Returns at once. */
  changed(question: Question): void;
  /** Called before a question is closed, possibly more than once. Resolves within a bounded time. */
  closing(question: Question): Promise<void>;
}

/** Whether a person may ask in a place. */
export type Admission =
  /** `isHidden`: the app is not a member, so Slack hides the place from it, and the app posts nothing there. */
  { may: true; locale?: string; isHidden?: true } | { may: false; reason: Refusal; locale?: string };

/**
 * Decides who may ask. Throws `AppError` if another try may help later. If Slack cannot say, the person may not ask.
 */
export interface AccessPolicy {
  /**
   * `confirmed`: the ids of guests whom the asker was shown as readers, and agreed. Any other reader who is no member is a
   * reason to refuse. `sinceMs`: what Slack said before this time does not count.
   */
  admit(
    userId: string,
    place: Place,
    options?: { confirmed?: readonly string[]; sinceMs?: number },
  ): Promise<Admission>;
}

/** Checks that the readers of a place may see what is posted there now. Throws `AppError` if not. */
export type Confirm = () => Promise<void>;

/** At most `points` within each window of `windowSeconds` (a whole number). A window begins with its first point. */
export interface Allowance {
  points: number;
  windowSeconds: number;
  /** Extra points, with a separate window, for when the points of the window are used up. */
  burst?: Allowance;
}

export interface TakeOptions {
  /** How long to wait for a point. Default 0. Waiting callers get points in no fixed order. */
  patienceMs?: number;
  /** Points of a window that this caller leaves to more urgent callers. Default 0. */
  leaving?: number;
}

/** Counts points per key. Never throws. Answers within a bounded time, even if its store hangs. */
export interface Limiter {
  /** Takes a point. Returns 0 if it got one, otherwise the milliseconds until another try makes sense. */
  take(key: string, options?: TakeOptions): Promise<number>;
  /** Grants no points for `ms` (rounded up to seconds). Replaces what was counted or blocked before. */
  block(key: string, ms: number): Promise<void>;
}

/** Limiters with the same name and the same store share their counts. */
export type CreateLimiter = (name: string, allowance: Allowance) => Limiter;
