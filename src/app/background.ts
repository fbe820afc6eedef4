import { isAppError } from '../core/errors.ts';
import { trimAudit } from '../core/history/audit.ts';
import { createCarryOutWorkspaceEnds } from '../core/intake/workspace-end.ts';
import { guardAdvance } from '../core/lifecycle/guarded-advance.ts';
import { resume } from '../core/lifecycle/resume.ts';
import { createSweep } from '../core/lifecycle/sweep.ts';
import { traceAdvance } from '../core/lifecycle/traced-advance.ts';
import { watchTickMs } from '../core/settings.ts';
import { withoutOldServices } from '../core/workspaces/own-service.ts';
import { repeat } from '../scheduler/repeat.ts';
import type { AppContext } from './context.ts';
import type { OwnServices } from './services.ts';
import type { SharedParts } from './shared.ts';
import type { Workspaces } from './workspaces.ts';

/** How often the app searches for open questions without a planned run, in milliseconds. */
const sweepEveryMs = 60_000;

/**
 * How often the app looks for questions that a program beside it cancelled, and for workspaces that removed the app, in
 * milliseconds.
 */
const runRequestsEveryMs = 2_000;

/** When upkeep that no question waits for begins, in milliseconds after the start: the open questions come first. */
const upkeepFirstMs = 10_000;

/** How often the lives of stored records are compared with `RETENTION_DAYS`, in milliseconds. */
const retentionEveryMs = 24 * 60 * 60 * 1_000;

/** How often the tokens of services that workspaces no longer ask are looked for, in milliseconds. */
const formerServicesEveryMs = 60 * 60 * 1_000;

/** How often entries older than `AUDIT_DAYS` or `RETENTION_DAYS` are removed, in milliseconds. */
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
  { config, log, tracer, now, random, storage, audit: auditLog, onStop }: AppContext,
  { accounts, deepSearch: { tendApi, lookForApi }, scheduler, watching }: SharedParts,
  workspaces: Pick<Workspaces, 'advance' | 'isStillInstalled' | 'start'>,
  ownServices: Pick<OwnServices, 'resumed' | 'tick' | 'stopWatching' | 'tendApi' | 'lookForApi'>,
): Promise<number> {
  const { questions, runRequests, shortenLives, audit, auditKeepMs: keepMs, workspaceServices } = storage;
  await workspaces.start();
  onStop(() => scheduler.stop(config.SHUTDOWN_SECONDS * 1000));
  let watcher: { stop(): void } | undefined;
  onStop(async () => {
    watcher?.stop();
    // A lead that can't be given up ends a few seconds later.
    await Promise.allSettled([watching.stop(), ownServices.stopWatching()]);
  });
  const startWatching = (): void => {
    watcher = repeat('watch_together', watchTickMs, startTick, log, 0);
  };
  const open = await resume({ questions, scheduler, watching: ownServices, startWatching, random });
  const advance = guardAdvance(workspaces.advance, { questions, log, now, random });
  const traced = traceAdvance(advance, { questions, tracer });
  await scheduler.start(async (id) => {
    // A plan that was left behind by a migration must not run here.
    await storage.proveHome();
    return traced(id);
  });
  const sweeper = repeat('sweep', sweepEveryMs, createSweep({ questions, scheduler, log }), log);
  onStop(async () => sweeper.stop());
  const requested = repeat('run_requests', runRequestsEveryMs, runRequested, log, 0);
  onStop(async () => requested.stop());
  const carryOut = createCarryOutWorkspaceEnds({
    ...storage,
    scheduler,
    accounts,
    isStillInstalled: workspaces.isStillInstalled,
    audit: auditLog,
    log,
    now,
  });
  const ending = repeat('workspace_ends', runRequestsEveryMs, carryOut, log, 0);
  onStop(async () => ending.stop());
  const tendAll = async () => void (await Promise.all([tendApi(), ownServices.tendApi()]));
  const tendingApi = repeat('deepsearch.api_check', tendApiEveryMs, tendAll, log);
  onStop(async () => tendingApi.stop());
  const lookForAll = async () => void (await Promise.all([lookForApi(), ownServices.lookForApi()]));
  const lookingForApi = repeat('deepsearch.api_look', lookForApiEveryMs, lookForAll, log);
  onStop(async () => lookingForApi.stop());
  let stopped = false;
  const trimming = repeat(
    'audit_trim',
    trimEveryMs,
    () => trimAudit({ store: audit, now, keepMs }, () => !stopped),
    log,
    upkeepFirstMs,
  );
  const retention = repeat('retention', retentionEveryMs, applyRetention, log, upkeepFirstMs);
  const forgetting = repeat('former_services', formerServicesEveryMs, forgetServices, log, upkeepFirstMs);
  onStop(async () => {
    stopped = true;
    forgetting.stop();
    retention.stop();
    trimming.stop();
  });
  return open;

  /** Does not wait: a slow list of one account must not delay the lists of others. */
  async function startTick(): Promise<void> {
    for (const ticking of [watching.tick(), ownServices.tick()]) {
      ticking.catch((error: unknown) => log.error({ event: 'watch_together', outcome: 'failed' }, error));
    }
  }

  async function runRequested(): Promise<void> {
    for (const id of await runRequests.ids()) {
      await scheduler.schedule(id, 0);
      await runRequests.remove(id);
    }
  }

  async function forgetServices(): Promise<void> {
    for (const id of await workspaceServices.ids()) {
      try {
        await workspaceServices.update(id, (stored) => stored && withoutOldServices(stored, now()));
      } catch (error) {
        if (!isAppError(error, 'corrupt')) throw error;
        log.warn({ event: 'former_services', outcome: 'corrupt', teamId: id }, error);
      }
    }
  }

  async function applyRetention(): Promise<void> {
    const shortened = await shortenLives(() => !stopped);
    if (shortened > 0) log.info({ event: 'retention_applied', outcome: 'ok', shortened });
  }
}
