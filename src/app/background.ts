import type { Accounts } from '../core/accounts/accounts.ts';
import { trimAudit } from '../core/history/audit.ts';
import { createCarryOutWorkspaceEnds } from '../core/intake/workspace-end.ts';
import { createAdvance } from '../core/lifecycle/advance.ts';
import { guardAdvance } from '../core/lifecycle/guarded-advance.ts';
import { resume } from '../core/lifecycle/resume.ts';
import { createSweep } from '../core/lifecycle/sweep.ts';
import { watchTickMs } from '../core/settings.ts';
import { repeat } from '../scheduler/repeat.ts';
import type { AppContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { SlackParts } from './slack.ts';

/** How often the app searches for open questions without a planned run, in milliseconds. */
const sweepEveryMs = 60_000;

/** How often the list of the workspace's people is checked, in milliseconds. Most checks find nothing to do. */
const tendEveryMs = 10_000;

/**
 * How often the app looks for questions that a program beside it cancelled, and for workspaces that removed the app, in
 * milliseconds.
 */
const runRequestsEveryMs = 2_000;
/**
 * How often the app looks for people with accounts who left without an event that reached it, in milliseconds, and when
 * it does so first: the list of people has to be read by then.
 */
const departuresEveryMs = 15 * 60_000;
const departuresFirstMs = 60_000;

/** How often the lives of stored records are compared with `RETENTION_DAYS`, in milliseconds. The first time at the start. */
const retentionEveryMs = 24 * 60 * 60 * 1_000;

/** How often entries older than `AUDIT_DAYS` or `RETENTION_DAYS` are removed, in milliseconds. The first time at the start. */
const trimEveryMs = 60 * 60 * 1_000;

/**
 * How often the service's version is read, in milliseconds. An upgrade after which the app could use a better generation of
 * the API is noticed within this time. An upgrade that removes the used one is noticed by the next call.
 */
const tendApiEveryMs = 10 * 60_000;

/** How often the app checks whether to look again for a generation that the service's version promises, in milliseconds. */
const lookForApiEveryMs = 60_000;

/** Starts the work that needs no event from Slack. Resolves to the number of open questions that continue. */
export async function startBackground(
  { config, log, now, random, storage, onStop }: AppContext,
  { slack, accessControl: { directory, departures } }: SlackParts,
  { ports, watching, scheduler }: Lifecycle,
  people: Accounts,
  { tendApi, lookForApi }: { tendApi: () => Promise<void>; lookForApi: () => Promise<void> },
): Promise<number> {
  const { accounts, questions, runRequests, shortenLives, audit, auditKeepMs: keepMs } = storage;
  const tending = repeat('directory', tendEveryMs, directory.tend, log, 0);
  onStop(async () => tending.stop());
  onStop(() => scheduler.stop(config.SHUTDOWN_SECONDS * 1000));
  const open = await resume({ questions, scheduler, watching, random });
  await scheduler.start(guardAdvance(createAdvance(ports), ports));
  const watcher = repeat('watch_together', watchTickMs, startTick, log, 0);
  onStop(async () => watcher.stop());
  const sweeper = repeat('sweep', sweepEveryMs, createSweep({ questions, scheduler, log }), log);
  onStop(async () => sweeper.stop());
  const requested = repeat('run_requests', runRequestsEveryMs, runRequested, log, 0);
  onStop(async () => requested.stop());
  const carryOut = createCarryOutWorkspaceEnds({ ...ports, workspaceEnds: storage.workspaceEnds, accounts: people });
  const ending = repeat('workspace_ends', runRequestsEveryMs, carryOut, log, 0);
  onStop(async () => ending.stop());
  const departing = repeat('departures', departuresEveryMs, checkDepartures, log, departuresFirstMs);
  onStop(async () => departing.stop());
  const tendingApi = repeat('deepsearch.api_check', tendApiEveryMs, tendApi, log);
  onStop(async () => tendingApi.stop());
  const lookingForApi = repeat('deepsearch.api_look', lookForApiEveryMs, lookForApi, log);
  onStop(async () => lookingForApi.stop());
  let stopped = false;
  const trimming = repeat(
    'audit_trim',
    trimEveryMs,
    () => trimAudit({ store: audit, now, keepMs }, () => !stopped),
    log,
    0,
  );
  const retention = repeat('retention', retentionEveryMs, applyRetention, log, 0);
  onStop(async () => {
    stopped = true;
    retention.stop();
    trimming.stop();
  });
  return open;

  /** Does not wait: a slow list of one account must not delay the lists of others. */
  async function startTick(): Promise<void> {
    watching.tick().catch((error: unknown) => log.error({ event: 'watch_together', outcome: 'failed' }, error));
  }

  async function runRequested(): Promise<void> {
    for (const id of await runRequests.ids()) {
      await scheduler.schedule(id, 0);
      await runRequests.remove(id);
    }
  }

  async function checkDepartures(): Promise<void> {
    const owners = await accounts.people(slack.identity.teamId);
    await departures.check(owners.map(({ userId }) => userId));
  }

  async function applyRetention(): Promise<void> {
    const shortened = await shortenLives(() => !stopped);
    if (shortened > 0) log.info({ event: 'retention_applied', outcome: 'ok', shortened });
  }
}
