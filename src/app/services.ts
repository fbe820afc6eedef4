import type { Config } from '../config.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { Question } from '../core/question/question.ts';
import type { ServiceKey } from '../core/question/service-ids.ts';
import type { OwnService, WorkspaceService } from '../core/workspaces/own-service.ts';
import {
  routeServices,
  routeWatching,
  type ServiceRoute,
  type ServiceRoutes,
  scopedTo,
} from '../core/workspaces/service-routes.ts';
import type { FarSide, OperatorState } from '../observability/access-watch.ts';
import type { AppContext } from './context.ts';
import { createDeepSearchAccess, type DeepSearchAccess } from './deep-search.ts';
import { shortDigest } from './digest.ts';
import { configOf, keyOf } from './own-service.ts';
import { createServiceWatching, type SharedParts } from './shared.ts';

/** How long a service that no workspace asks stays connected, in milliseconds: the longest call, and some time. */
const unusedMs = 90_000;

/** What a workspace's parts are created with. */
export interface WorkspaceOf {
  context: AppContext;
  shared: SharedParts;
}

/** The services of workspaces that have their own, beside the app's own service. */
export interface OwnServices {
  /** The context and the shared parts of a workspace with this record of its service. Begins to probe a new service. */
  partsOf(workspaceId: string, record: WorkspaceService | undefined): WorkspaceOf;
  /** The workspace is not served any more. */
  release(workspaceId: string): void;
  /** As the method of `Watching`, for a question of any workspace. */
  resumed(question: Question): void;
  /** Lists the changes at each of these services, as the method of `Watching`. */
  tick(): Promise<void>;
  /** As the method of `Watching`, for each of these services. */
  stopWatching(): Promise<void>;
  /** As the method of `ApiChoice`, for each of these services. */
  tendApi(): Promise<void>;
  /** As the method of `ApiChoice`, for each of these services. Closes those that are not used any more. */
  lookForApi(): Promise<void>;
  /** The current services, one for each workspace that has one. */
  farSides(): FarSide[];
}

/** A service with one account, for all workspaces that name the same token. */
interface Opened extends ServiceRoute {
  config: Config;
  access: DeepSearchAccess;
  close(): Promise<void>;
  /** When no workspace used it any more. */
  unusedSinceMs?: number;
}

interface Used {
  routes: ServiceRoutes;
  current: Opened | undefined;
  all: Opened[];
}

/** Creates the services of workspaces as their records name them. `shared` has the app's own service. */
export function createOwnServices(context: AppContext, shared: SharedParts): OwnServices {
  const { config, now, log, onStop } = context;
  const opened = new Map<string, Opened>();
  const used = new Map<string, Used>();
  onStop(async () => {
    await Promise.all([...opened.values()].map((each) => each.close()));
  });

  return {
    partsOf,
    release(workspaceId) {
      used.delete(workspaceId);
      noteUnused();
    },
    resumed(question) {
      const { routes } = used.get(question.place.teamId) ?? {};
      const watching = routes === undefined ? shared.watching : routeWatching(routes);
      watching.resumed(question);
    },
    tick: () =>
      forEach(
        [...used.values()].flatMap(({ all }) => all),
        ({ watching }) => watching.tick(),
      ),
    stopWatching: () => forEach([...opened.values()], ({ watching }) => watching.stop()),
    // A former service gets only the calls of the questions that run there.
    tendApi: () => forEach(currentOnes(), ({ access }) => access.tendApi()),
    async lookForApi() {
      await closeUnused();
      await forEach(currentOnes(), ({ access }) => access.lookForApi());
    },
    farSides: () =>
      [...used].flatMap(([workspaceId, { current }]) =>
        current === undefined ? [] : [{ target: `deepsearch.${workspaceId}`, state: current.access.latest }],
      ),
  };

  function partsOf(workspaceId: string, record: WorkspaceService | undefined): WorkspaceOf {
    const current = record?.current === undefined ? undefined : open(record.current);
    const former = (record?.former ?? [])
      .map(open)
      // Another token of the same account replaced this one.
      .filter(({ key }, at, all) => key !== current?.key && all.findIndex((each) => each.key === key) === at);
    const app = { deepSearch: shared.deepSearch.of, watching: shared.watching };
    const routes = { app, current, former, changedMs: record?.changedMs ?? 0 };
    used.set(workspaceId, { routes, current, all: [...former, ...(current === undefined ? [] : [current])] });
    noteUnused();
    const of = routeServices(routes);
    const access = current?.access ?? shared.deepSearch;
    return {
      context: current === undefined ? context : { ...context, config: current.config },
      shared: {
        ...shared,
        ownService: current?.key,
        deepSearch: { ...access, of, deepSearch: of('app') },
        watching: { ...routeWatching(routes), tick: async () => {}, stop: async () => {} },
        accounts: current === undefined ? shared.accounts : withoutOwnAccounts(shared.accounts),
      },
    };
  }

  function open(service: OwnService): Opened {
    const key = keyOf(service, config.SRC_ENDPOINT);
    const name = [key, shortDigest(service.token.reveal()), service.api].join(' ');
    const known = opened.get(name) ?? create(key, service);
    opened.set(name, known);
    return known;
  }

  function create(key: ServiceKey, service: OwnService): Opened {
    const closers: (() => Promise<void>)[] = [];
    const ownConfig = configOf(config, service);
    const own: AppContext = {
      ...context,
      config: ownConfig,
      log: withFields(log, { service: new URL(service.endpoint).host }),
      createLimiter: (name, allowance) => context.createLimiter(`${name}.${key}`, allowance),
      onStop: (close) => void closers.push(close),
    };
    const access = createDeepSearchAccess(own, noCredentials);
    const deepSearch = scopedTo(key, access.deepSearch);
    const watching = createServiceWatching(own, shared.scheduler, () => deepSearch, key);
    return {
      key,
      config: ownConfig,
      access,
      deepSearch,
      watching,
      async close() {
        for (const close of closers.splice(0).toReversed()) await close();
      },
    };
  }

  function noteUnused(): void {
    const inUse = new Set([...used.values()].flatMap(({ all }) => all));
    for (const each of opened.values()) {
      if (inUse.has(each)) delete each.unusedSinceMs;
      else each.unusedSinceMs ??= now();
    }
  }

  /** Calls that run end first. */
  async function closeUnused(): Promise<void> {
    for (const [name, each] of opened) {
      if (each.unusedSinceMs === undefined || now() - each.unusedSinceMs < unusedMs) continue;
      opened.delete(name);
      await each.close();
    }
  }

  function currentOnes(): Opened[] {
    return [...used.values()].flatMap(({ current }) => current ?? []);
  }

  /** One service that fails is no reason to leave out the others. */
  async function forEach(services: Opened[], work: (service: Opened) => Promise<void>): Promise<void> {
    for (const result of await Promise.allSettled([...new Set(services)].map(work))) {
      if (result.status === 'rejected') throw result.reason;
    }
  }
}

/** The worst state of several far sides. */
export async function worstOf(farSides: readonly FarSide[]): Promise<OperatorState> {
  const states = await Promise.all(farSides.map(({ state }) => state()));
  const order: OperatorState[] = ['refused', 'signInPage', 'apiMissing', 'unreachable'];
  return order.find((each) => states.includes(each)) ?? 'fine';
}

/** People's own accounts are at the app's own service, so they are not used at another one. They can be removed. */
function withoutOwnAccounts(accounts: Accounts): Accounts {
  return {
    ...accounts,
    mode: 'shared',
    offer: { can: false, reason: 'off' },
    connectWithToken: async () => ({ kind: 'notChecked' }),
    signInUrl: async () => {
      throw new AppError('refused', 'Sign-in is not offered');
    },
  };
}

const noCredentials = { current: noAccount, renewed: noAccount };

async function noAccount(): Promise<never> {
  throw new AppError('unauthorized', "people have no accounts at a workspace's own service", { code: 'notConnected' });
}

function withFields(log: Log, more: { service: string }): Log {
  return {
    debug: (fields) => log.debug({ ...fields, ...more }),
    info: (fields) => log.info({ ...fields, ...more }),
    warn: (fields, error) => log.warn({ ...fields, ...more }, error),
    error: (fields, error) => log.error({ ...fields, ...more }, error),
  };
}
