import type { Config } from '../config.ts';
import type { AccountChanges } from '../core/accounts/accounts.ts';
import type { AuditLog } from '../core/history/audit.ts';
import type { Clock, CreateLimiter, Log } from '../core/ports.ts';
import type { LifecycleSettings } from '../core/settings.ts';
import type { Tracer } from '../core/tracing.ts';
import type { Outbound } from '../slack/api/web-client.ts';
import type { BackgroundTasks } from '../slack/background-tasks.ts';
import type { Storage } from '../storage/open-storage.ts';

/** What all builders of the app's parts share. */
export interface AppContext {
  config: Config;
  /** What a test sets in place of the app's constants. */
  settings?: Partial<LifecycleSettings>;
  log: Log;
  /** Traces questions. Traces nothing unless the operator named a collector. */
  tracer: Tracer;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  storage: Storage;
  /** Notes what people and the app do. */
  audit: AuditLog;
  createLimiter: CreateLimiter;
  /** Sends requests to other hosts, through the proxy if one is configured. */
  outbound: Outbound;
  /** Tells what people see of their accounts when one changes. */
  accountChanges: AccountChanges;
  /** Runs work that Slack does not wait for. */
  tasks: BackgroundTasks;
  /** Registers how to end a part. The app ends its parts in reverse order. */
  onStop(close: () => Promise<void>): void;
}
