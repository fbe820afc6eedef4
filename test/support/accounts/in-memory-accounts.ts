import type { Account, AccountStore, Locks, Person } from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';

const keyOf = ({ teamId, userId }: Person): string => `${teamId}:${userId}`;

/** Accounts in memory, shared by all that use the same object, like one storage. */
export function createInMemoryAccounts(...initial: Account[]): AccountStore {
  const accounts = new Map(initial.map((account) => [keyOf(account.person), account]));
  return {
    get: async (person) => accounts.get(keyOf(person)),
    async update(person, change) {
      const next = change(accounts.get(keyOf(person)));
      if (next === undefined) accounts.delete(keyOf(person));
      else accounts.set(keyOf(person), next);
      return next;
    },
    remove: async (person) => accounts.delete(keyOf(person)),
    people: async (teamId) =>
      [...accounts.values()].map(({ person }) => person).filter((person) => person.teamId === teamId),
  };
}

/** Locks in memory whose leases end by `now`. A caller waits in real time while its patience lasts by `now`. */
export function createInMemoryLocks(now: () => number): Locks {
  const held = new Map<string, { owner: symbol; untilMs: number }>();
  return {
    async withLock(name, { leaseMs, patienceMs }, work) {
      const owner = Symbol(name);
      const startedMs = now();
      while ((held.get(name)?.untilMs ?? 0) > now()) {
        if (now() - startedMs >= patienceMs) throw new AppError('unavailable', 'the lock is not free');
        await new Promise((resolve) => setImmediate(resolve));
      }
      held.set(name, { owner, untilMs: now() + leaseMs });
      try {
        return await work();
      } finally {
        if (held.get(name)?.owner === owner) held.delete(name);
      }
    },
  };
}
