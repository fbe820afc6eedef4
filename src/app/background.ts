import type { AllWorkspaces } from '../core/context.ts';
import { carryOutWorkspaceEnds } from '../core/intake/workspace-end.ts';
import { guardAdvance } from '../core/lifecycle/advance.ts';
import { createSweep, resume } from '../core/lifecycle/sweep.ts';
import { sweepEveryMs, watchTickMs } from '../core/settings.ts';
import { repeat } from '../scheduler/repeat.ts';
import type { AppContext } from './context.ts';
import type { SharedParts } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/** When upkeep that no question waits for begins, in milliseconds after the start: the open questions come first. */
const upkeepFirstMs = 10_000;

/** How often the lives of stored records are compared with `RETENTION_DAYS`, in milliseconds. */
const retentionEveryMs = 24 * 60 * 60 * 1_000;

/**
 * How often the service's version is read, in milliseconds. That the app can use a better generation of the API (again) is
 * noticed within this time. That the used one is gone is noticed by the next call.
 */
const tendApiEveryMs = 10 * 60_000;

/** Starts the work that needs no event from Slack. Resolves to the number of open questions that continue. */
export async function startBackground(
  context: AppContext,
  shared: SharedParts,
  workspaces: Workspaces,
): Promise<number> {
  const { config, log, storage, onStop } = context;
  const { deepSearch, scheduler, watching } = shared;
  const w: AllWorkspaces = { ...storage, ...context, ...shared, isStillInstalled: workspaces.isStillInstalled };
  await workspaces.start();
  onStop(() => scheduler.stop(config.SHUTDOWN_SECONDS * 1000));
  let watcher: { stop(): void } | undefined;
  onStop(async () => {
    watcher?.stop();
    // What can't be planned now runs later.
    await watching.stop().catch(() => undefined);
  });
  const startWatching = (): void => {
    watcher = repeat('watch_together', watchTickMs, startTick, log, 0);
  };
  const open = await resume(w, startWatching);
  await scheduler.start(guardAdvance(w, workspaces.advance));
  const sweeping = repeat('sweep', sweepEveryMs, createSweep(w), log, 0);
  onStop(async () => sweeping.stop());
  // Apart from the sweep, which would wait while Slack hangs.
  const ending = repeat('workspace_ends', sweepEveryMs, () => carryOutWorkspaceEnds(w), log, 0);
  onStop(async () => ending.stop());
  const tendingApi = repeat('deepsearch.api_check', tendApiEveryMs, deepSearch.tendApi, log);
  onStop(async () => tendingApi.stop());
  let stopped = false;
  const retention = repeat('retention', retentionEveryMs, applyRetention, log, upkeepFirstMs);
  onStop(async () => {
    stopped = true;
    retention.stop();
  });
  return open;

  /** Does not wait: a slow list of one account must not delay the lists of others. */
  async function startTick(): Promise<void> {
    watching.tick().catch((error: unknown) => log.error({ event: 'watch_together', outcome: 'failed' }, error));
  }

  async function applyRetention(): Promise<void> {
    const shortened = await storage.shortenLives(() => !stopped);
    if (shortened > 0) log.info({ event: 'retention_applied', outcome: 'ok', shortened });
  }
}
