import { expect, test } from 'vitest';
import type { Account, AccountStore, AuthorizationServer, Locks } from '../../../src/core/accounts/accounts.ts';
import { createAccountCredentials } from '../../../src/core/accounts/credentials.ts';
import { refreshLeaseMs } from '../../../src/core/accounts/token-refresh.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createInMemoryAccounts, createInMemoryLocks } from '../../support/accounts/in-memory-accounts.ts';
import { createRotatingServer } from '../../support/accounts/rotating-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const ana = { teamId: 'T1', userId: 'UANA' };
const { log } = createRecordingLog();

/** What goes wrong at one call of a process: it dies, or the call fails, before or after the call took effect. */
type Fault = `${'dies' | 'fails'} ${'before' | 'after'}`;
const faults: Fault[] = ['dies before', 'dies after', 'fails before', 'fails after'];

/** A process in which the call with this number has the fault. The calls of a dead process never return. */
function createProcess(
  shared: { accounts: AccountStore; locks: Locks; server: AuthorizationServer; now: () => number },
  faultyCall = Number.POSITIVE_INFINITY,
  fault: Fault = 'dies before',
) {
  const [what, when] = fault.split(' ');
  let calls = 0;
  let isDead = false;
  let die = (): void => {};
  const died = new Promise<'died'>((resolve) => {
    die = () => {
      isDead = true;
      resolve('died');
    };
  });

  async function call<Result>(error: AppError, effect: () => Promise<Result>): Promise<Result> {
    if (isDead) return new Promise(() => {});
    calls += 1;
    const isFaulty = calls === faultyCall;
    if (isFaulty && when === 'before') return end(error);
    const result = await effect();
    return isFaulty ? end(error) : result;
  }

  function end(error: AppError): Promise<never> {
    if (what === 'fails') return Promise.reject(error);
    die();
    return new Promise(() => {});
  }

  const { accounts, locks, server, now } = shared;
  const storage = new AppError('storage', 'down', { outcomeUnknown: true });
  const unavailable = new AppError('unavailable', 'cut off', { outcomeUnknown: true });
  const credentials = createAccountCredentials({
    accounts: {
      ...accounts,
      get: (person) => call(storage, () => accounts.get(person)),
      update: (person, change) => call(storage, () => accounts.update(person, change)),
    },
    locks: {
      // The lock of a dead process is not released.
      withLock: (name, options, work) =>
        call(unavailable, async () => locks.withLock(name, options, () => call(unavailable, work))),
    },
    server: { ...server, refresh: (token) => call(unavailable, () => server.refresh(token)) },
    changed: () => {},
    now,
    log,
  });
  return {
    died,
    calls: () => calls,
    /** Uses the account once, like a request to the service. */
    async use(accepts: (token: string) => boolean): Promise<'works' | 'fails'> {
      try {
        const { secret } = await credentials.current(ana);
        return accepts(secret.reveal()) ? 'works' : 'fails';
      } catch (error) {
        if (error instanceof AppError) return 'fails';
        throw error;
      }
    },
  };
}

function setUp() {
  let nowMs = 0;
  const now = () => nowMs;
  const issuer = createRotatingServer(now);
  const account: Account = {
    person: ana,
    username: 'ana',
    credential: { kind: 'oauth', ...issuer.issue() },
    connectedMs: 0,
  };
  const shared = {
    accounts: createInMemoryAccounts(account),
    locks: createInMemoryLocks(now),
    server: issuer.server,
    now,
  };
  return {
    issuer,
    shared,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** How many calls a process makes for a request that needs a refresh. */
async function countCalls(): Promise<number> {
  const { shared, issuer, pass } = setUp();
  pass(600_000);
  const process = createProcess(shared);
  expect(await process.use(issuer.accepts)).toBe('works');
  return process.calls();
}

test('after a fault at any call of a refresh the person asks again without connecting again', async () => {
  const count = await countCalls();
  expect(count).toBeGreaterThanOrEqual(6);
  for (const fault of faults) {
    for (let first = 1; first <= count; first++) {
      for (let second = 1; second <= count + 1; second++) {
        const { shared, issuer, pass } = setUp();
        pass(600_000);
        for (const faultyCall of [first, second]) {
          const process = createProcess(shared, faultyCall, fault);
          await Promise.race([process.died, process.use(issuer.accepts)]);
          pass(refreshLeaseMs);
        }
        const next = createProcess(shared);
        expect([fault, first, second, await next.use(issuer.accepts)]).toEqual([fault, first, second, 'works']);
        // The grant lives: the next refreshes work too.
        pass(600_000);
        expect([fault, first, second, await next.use(issuer.accepts)]).toEqual([fault, first, second, 'works']);
      }
    }
  }
});

test('the process in which a call failed asks again by itself', async () => {
  const count = await countCalls();
  for (const fault of faults.filter((each) => each.startsWith('fails'))) {
    for (let faultyCall = 1; faultyCall <= count; faultyCall++) {
      const { shared, issuer, pass } = setUp();
      pass(600_000);
      const process = createProcess(shared, faultyCall, fault);
      await process.use(issuer.accepts);
      pass(refreshLeaseMs);
      expect([fault, faultyCall, await process.use(issuer.accepts)]).toEqual([fault, faultyCall, 'works']);
    }
  }
});
