import type {
  ConfirmedAudience,
  Expectation,
  Place,
  Question,
  Quota,
  Refusal,
  Source,
  Thread,
  ThreadContext,
  ThreadPlace,
} from './question/question.ts';

/** Current time in epoch milliseconds. */
export type Clock = () => number;

/** One question of a conversation as the service reports it. */
export interface UpstreamQuestion {
  id: number;
  text: string;
  createdMs?: number;
  state: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled';
  steps: number;
  /** The last thing the service reported doing. Untrusted text. */
  lastStep?: string;
  title?: string;
  /** Markdown; every link absolute. */
  answer?: string;
  sources: Source[];
  followUps: string[];
  durationMs?: number;
  credits?: number;
  error?: { kind: string; title: string; message: string };
}

export interface Conversation {
  id: number;
  createdMs?: number;
  shareUrl?: string;
  questions: UpstreamQuestion[];
  quota?: Quota;
}

/** The code search service, as the lifecycle needs it. Every method throws `AppError` only. */
export interface DeepSearch {
  /** Starts a conversation. Never repeated inside; on `outcomeUnknown` the caller searches before it asks again. */
  create(text: string): Promise<Conversation>;
  /** Adds a follow-up and returns it. Never repeated inside. `notFound` when the conversation is gone. */
  followUp(conversationId: number, text: string): Promise<UpstreamQuestion>;
  read(conversationId: number): Promise<Conversation>;
  /** Reads whatever conversation a share URL with this token leads to. `notFound` when there is none, or it is not shared. */
  byReadToken(readToken: string): Promise<Conversation>;
  /**
   * The newest conversations of this account, newest first, at most `limit` (≤ 1,000), and none created before `sinceMs`.
   * Their questions are without answer, sources and follow-ups: `read` gives those.
   */
  newest(limit: number, sinceMs?: number): Promise<Conversation[]>;
  /** Asks for a running question to be stopped. A question that is already finished or gone is not an error. */
  cancel(conversationId: number, questionId: number): Promise<void>;
}

/** Stored questions. Every method throws `AppError` of kind `storage` or `corrupt` only, within a bounded time. */
export interface QuestionStore {
  /** Stores a question unless one with its id exists, and lists it as open. Returns what is stored and whether it is new. */
  create(question: Question): Promise<{ question: Question; created: boolean }>;
  get(id: string): Promise<Question | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once; returning the same object stores nothing.
   * Returns what is stored afterwards; undefined when there is no such question.
   */
  update(id: string, change: (current: Question) => Question): Promise<Question | undefined>;
  /** Ids of all questions not yet closed. */
  openIds(): Promise<string[]>;
  /** Lists a question as open again, before it is re-opened. */
  markOpen(id: string): Promise<void>;
  /** Takes a question off the open list, after it was closed. */
  markClosed(id: string): Promise<void>;
}

/** Stored threads. Errors as in {@link QuestionStore}. */
export interface ThreadStore {
  get(place: ThreadPlace): Promise<Thread | undefined>;
  /** Atomic read-modify-write; `change` gets undefined when there is none yet. Returns what is stored afterwards. */
  update(place: ThreadPlace, change: (current: Thread | undefined) => Thread): Promise<Thread>;
}

/** First-come-first-served ownership of a name, atomic across processes. */
export interface Claims {
  /** Claims `key` for `owner` and returns who owns it now: `owner`, or the one that came first. */
  claim(key: string, owner: string): Promise<string>;
  /** Who owns `key` now; undefined if it is free. */
  ownerOf(key: string): Promise<string | undefined>;
}

/** What the card of a question shows. */
export type CardView =
  | { kind: 'queued'; place: number }
  /** Waits for one of the limited places at the service; `ahead` others come first. */
  | { kind: 'waitingForSlot'; ahead: number }
  | { kind: 'starting' }
  | {
      kind: 'running';
      elapsedMs: number;
      steps: number;
      lastStep?: string;
      /** What is usual here, once there is enough history; `isLate`: it takes longer than nine in ten. */
      expected?: { fromMs: number; toMs: number };
      isLate?: boolean;
    }
  | { kind: 'unreachable' }
  | { kind: 'limited' }
  | { kind: 'cancelling' }
  | { kind: 'parked'; untilMs: number }
  | { kind: 'answered'; durationMs: number; steps: number }
  | { kind: 'cancelled'; byUserId?: string }
  | { kind: 'failed'; durationMs: number }
  | { kind: 'gaveUp'; durationMs: number }
  /** Who reads here has changed since it was asked, so nothing is shown. */
  | { kind: 'notAllowed' }
  /** An answer that was shown again here. */
  | { kind: 'shared' };

/** Something said to one person only. */
export type PrivateNotice =
  | { kind: 'answeredBeforeCancel' }
  /** `canInvite`: the app can post there once it is invited; otherwise the place takes nothing from it. */
  | { kind: 'notInChannel'; questionId: string; text: string; canInvite: boolean; isBetweenTwo?: true }
  | { kind: 'undeliverable'; questionId: string; place: ThreadPlace; shareUrl?: string }
  /** An answer could not be shown again in this channel. */
  | { kind: 'shareUndeliverable'; questionId: string; channelId: string }
  /** `withheld`: it was asked, or is to be shown again, and only the answer may not be shown there. */
  | { kind: 'notAllowed'; reason: Refusal; questionId: string; text: string; withheld?: 'answer' | 'share' };

/** The messages of one question's outcome, ready to be posted. */
export interface PreparedOutcome {
  /** How many messages there are. The same for a given outcome, in every process. */
  parts: number;
  /** Posts one of them, with what is known of the question now. Errors as in {@link Messenger}. */
  postPart(question: Question, part: number): Promise<{ ts: string }>;
}

/**
 * Slack, as the lifecycle needs it. Every method throws `AppError` only: `rateLimited`, `unavailable` (with
 * `outcomeUnknown` where a message may have been posted), `undeliverable`, `notFound`, `unauthorized`, `refused`.
 * Falling back to simpler formats happens inside; `unrenderable` means that even plain text was refused.
 */
export interface Messenger {
  postCard(question: Question, view: CardView): Promise<{ ts: string }>;
  /** Finds a card posted earlier for this question, by its marker. */
  findCard(question: Question): Promise<string | undefined>;
  /** `notFound` when the card was deleted. */
  updateCard(question: Question, view: CardView): Promise<void>;
  /** Divides the outcome of a question into messages. Pure, but slow for a long answer: done once in each run. */
  prepare(question: Question): PreparedOutcome;
  findPart(question: Question, part: number): Promise<string | undefined>;
  /** Attaches the whole answer as a Markdown file to the thread. Errors as of the other posts. */
  attachAnswer(question: Question): Promise<void>;
  /** Whether the file stands in the thread already. */
  findAttachment(question: Question): Promise<boolean>;
  /**
   * Deletes messages and files of this question that stand more than once: those that the question names stay, else the
   * oldest. Returns how many went.
   */
  removeCopies(question: Question): Promise<number>;
  /** Through the question's `responseUrl` while it lives, else ephemerally, else by direct message; throws when no way works. */
  notifyPrivately(question: Question, userId: string, notice: PrivateNotice): Promise<void>;
}

/**
 * Plans the runs of `advance`. One run per question at a time, in any number of processes; a run that throws is
 * repeated with back-off, never dropped.
 */
export interface Scheduler {
  /** Begins to call `advance`; it returns the milliseconds until the next run, or undefined once the question is closed. */
  start(advance: (questionId: string) => Promise<number | undefined>): Promise<void>;
  /** Plans a run in `delayMs`. Brings a planned run forward and never postpones it. During a run, plans another one. */
  schedule(questionId: string, delayMs: number): Promise<void>;
  /** The questions of this list that have no planned or current run. */
  unscheduled(questionIds: string[]): Promise<string[]>;
  /** Starts no new runs and waits for the current ones, at most `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

/** The operator's log: one line per outcome, with ids and numbers, never with texts of people. */
export interface Log {
  /** What happens too often to be of interest unless someone is looking for it. */
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

/** Whether someone may ask somewhere. */
export type Admission =
  /** `isHidden`: the app is not in the place, which Slack hides from it; nothing is to be posted there. */
  { may: true; locale?: string; isHidden?: true } | { may: false; reason: Refusal; locale?: string };

/** Knows who may ask. Throws `AppError` where asking Slack again later may help; what Slack can't tell is a no. */
export interface AccessPolicy {
  /** `confirmed`: the asker was shown these readers and agreed. Any other reader is a reason to refuse. */
  admit(userId: string, place: Place, options?: { confirmed?: ConfirmedAudience | undefined }): Promise<Admission>;
}

/** Reads what people said in a thread before a question. */
export interface ThreadReader {
  /** Throws `AppError` where reading again later may help; a refusal of Slack is in the result. */
  read(question: Question, thread: Thread | undefined): Promise<ThreadContext>;
}

/** Records of one kind by name. Errors as in {@link QuestionStore}. */
export interface Records<T> {
  get(name: string): Promise<T | undefined>;
  /** Atomic read-modify-write; `change` is pure and may run more than once. Returning the same object stores nothing. */
  update(name: string, change: (current: T | undefined) => T): Promise<T>;
}

/** How long answers took, by workspace. */
export interface Durations {
  /** Notes an answered question, once. */
  note(teamId: string, questionId: string, durationMs: number): Promise<void>;
  /** Undefined until there is enough history. */
  expect(teamId: string): Promise<Expectation | undefined>;
}

/** What people asked lately, by person. */
export interface AskedQuestions {
  /** Notes a question of its asker, once. */
  note(question: Question): Promise<void>;
  /** Ids of the person's newest questions, newest first. */
  of(teamId: string, userId: string): Promise<string[]>;
}

/** Hears what happens to questions, to keep in step what people see beside the thread. Never throws. */
export interface QuestionObserver {
  /** Something changed that others may show: admitted, asked, parked, being cancelled, ended. Returns at once. */
  changed(question: Question): void;
  /** Called, possibly more than once, before a question is closed; resolves within a bounded time. */
  closing(question: Question): Promise<void>;
}
