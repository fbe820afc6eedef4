import type { Accounts, AccountWaitList, Person } from './accounts/accounts.ts';
import type { ChannelRules } from './channels/channel-settings.ts';
import type { AuditLog } from './history/audit.ts';
import type {
  AccessPolicy,
  AnswerReaders,
  AskedQuestions,
  Claims,
  Clock,
  DeepSearchOf,
  Durations,
  Log,
  Messenger,
  QuestionObserver,
  QuestionStore,
  Records,
  RunRequests,
  Scheduler,
  ThreadReader,
  ThreadStore,
  WorkspaceEnds,
} from './ports.ts';
import type { DailyCaps } from './question/daily-caps.ts';
import type { ReaderChoices } from './question/reader-choices.ts';
import type { RefusedText } from './question/refused-text.ts';
import type { RunSlots } from './run-slots.ts';
import type { LifecycleSettings } from './settings.ts';
import type { Tracer } from './tracing.ts';
import type { Watching } from './watching/watching.ts';
import type { Installations } from './workspaces/installations.ts';

/** All that the core works with in one workspace. It is built once and passed whole. */
export interface Core {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  runSlots: RunSlots;
  deepSearch: DeepSearchOf;
  watching: Omit<Watching, 'tick' | 'stop'>;
  accounts: Pick<Accounts, 'mode' | 'offer' | 'statusOf'>;
  /** By the name of the person. */
  accountWaits: Records<AccountWaitList>;
  /** A person's name in Slack, if Slack says it in time. Never throws. */
  nameOf: (userId: string) => Promise<string | undefined>;
  messenger: Messenger;
  accessPolicy: AccessPolicy;
  dailyCaps: DailyCaps;
  channelRules: ChannelRules;
  /** All repositories that a person's questions can search. Undefined if that is not known. Never throws `AppError`. */
  repositoriesFor: (person: Person) => Promise<string[] | undefined>;
  threadReader: ThreadReader;
  durations: Durations;
  askedQuestions: AskedQuestions;
  refusedTexts: Records<RefusedText>;
  readerChoices: Records<ReaderChoices>;
  answerReaders: AnswerReaders;
  observer: QuestionObserver;
  audit: AuditLog;
  scheduler: Pick<Scheduler, 'schedule'>;
  tracer: Tracer;
  log: Log;
  now: Clock;
  /** 24 lower-case hex digits. Every process gets the same digest of a key. */
  digest(key: string): string;
  /** Uniform in [0, 1). */
  random: () => number;
  settings: LifecycleSettings;
}

/** All that the core works with where it looks after the questions of every workspace. It is built once and passed whole. */
export interface AllWorkspaces {
  questions: QuestionStore;
  claims: Claims;
  runRequests: RunRequests;
  workspaceEnds: WorkspaceEnds;
  installations: Installations;
  accounts: Accounts;
  scheduler: Scheduler;
  watching: Watching;
  /**
   * Whether the app can call Slack in a workspace that reported its end: then it was installed again, and the event came
   * late. Throws `AppError` if that is not known.
   */
  isStillInstalled(teamId: string): Promise<boolean>;
  audit: AuditLog;
  log: Log;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
}
