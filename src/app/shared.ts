import type { Accounts } from '../core/accounts/accounts.ts';
import { createWatching, type Watching } from '../core/watching/watching.ts';
import type { CountedScheduler } from '../scheduler/counted-scheduler.ts';
import { createTimerScheduler } from '../scheduler/timers.ts';
import type { AppContext } from './context.ts';
import type { DeepSearchAccess } from './deep-search.ts';

/** The parts that all workspaces share. None of them calls Slack. */
export interface SharedParts {
  accounts: Accounts;
  deepSearch: DeepSearchAccess;
  scheduler: CountedScheduler;
  /** Its tick lists the changes of accounts with many running questions. */
  watching: Watching;
}

/** Creates the parts that all workspaces share. Starts nothing. */
export async function createSharedParts(
  context: AppContext,
  accounts: Accounts,
  deepSearch: DeepSearchAccess,
): Promise<SharedParts> {
  const { now, random, log } = context;
  const scheduler = await createScheduler(context);
  return {
    accounts,
    deepSearch,
    scheduler,
    watching: createWatching({ deepSearch: deepSearch.of, scheduler, now, random, log }),
  };
}

/** Loads BullMQ and its client only with Redis: they are a third of what the app loads. */
async function createScheduler({ config, log, random }: AppContext): Promise<CountedScheduler> {
  if (config.REDIS_URL === undefined) return createTimerScheduler({ log, random });
  const { createBullScheduler } = await import('../scheduler/bullmq.ts');
  return createBullScheduler({ redisUrl: config.REDIS_URL.reveal(), log, random });
}
