import type { Accounts } from '../core/accounts/accounts.ts';
import { createDeliveryPriority, type DeliveryPriority } from '../core/intake/delivery-priority.ts';
import type { DeepSearchOf, SharedWatch } from '../core/ports.ts';
import type { ServiceKey } from '../core/question/service-ids.ts';
import { createWatching, type Watching } from '../core/watching/watching.ts';
import { scopedTo } from '../core/workspaces/service-routes.ts';
import type { CountedScheduler } from '../scheduler/counted-scheduler.ts';
import { createTimerScheduler } from '../scheduler/timers.ts';
import type { AppContext } from './context.ts';
import type { DeepSearchAccess } from './deep-search.ts';

/** The parts that all workspaces share. None of them calls Slack. */
export interface SharedParts {
  accounts: Accounts;
  deepSearch: DeepSearchAccess;
  /** The service of `deepSearch`, if it is the workspace's own one. */
  ownService?: ServiceKey | undefined;
  scheduler: CountedScheduler;
  /** Its tick lists the changes of accounts with many running questions. */
  watching: Watching;
  deliveryPriority: DeliveryPriority;
}

/** Creates the parts that all workspaces share. Starts nothing. */
export async function createSharedParts(
  context: AppContext,
  accounts: Accounts,
  deepSearch: DeepSearchAccess,
): Promise<SharedParts> {
  const of: DeepSearchOf = (account) => scopedTo(undefined, deepSearch.of(account));
  const scheduler = await createScheduler(context);
  return {
    accounts,
    deepSearch: { ...deepSearch, of, deepSearch: of('app') },
    scheduler,
    watching: createServiceWatching(context, scheduler, of),
    deliveryPriority: createDeliveryPriority(() => performance.now()),
  };
}

/** Loads BullMQ and its client only with Redis: they are a third of what the app loads. */
async function createScheduler({ config, log, random }: AppContext): Promise<CountedScheduler> {
  if (config.REDIS_URL === undefined) return createTimerScheduler({ log, random });
  const { createBullScheduler } = await import('../scheduler/bullmq.ts');
  return createBullScheduler({ redisUrl: config.REDIS_URL.reveal(), log, random });
}

/** Watches the running questions of one service. `key` names it, if it is not the app's own one. */
export function createServiceWatching(
  { storage, now, random, log }: AppContext,
  scheduler: CountedScheduler,
  deepSearch: DeepSearchOf,
  key?: ServiceKey,
): Watching {
  const { claims, questions, sharedWatch } = storage;
  const shared = key === undefined ? sharedWatch : watchedAt(sharedWatch, key);
  return createWatching({ deepSearch, claims, questions, scheduler, shared, now, random, log });
}

/** Names the account by its service too. */
function watchedAt(shared: SharedWatch, key: ServiceKey): SharedWatch {
  const at = (account: string): string => `${key}:${account}`;
  return {
    lead: (account, ...lease) => shared.lead(at(account), ...lease),
    resign: (account) => shared.resign(at(account)),
    put: (account, id, change) => shared.put(at(account), id, change),
    take: (account, id) => shared.take(at(account), id),
    noteListed: (account, list) => shared.noteListed(at(account), list),
    listed: (account) => shared.listed(at(account)),
  };
}
