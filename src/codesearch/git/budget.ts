import { AsyncLocalStorage } from 'node:async_hooks';

/** The user and the end of a request. All git commands that the request starts, however deep, end with it. */
export interface Budget {
  /** Git processes are shared fairly between users; '' is the service itself. */
  user: string;
  /** Ends the git commands of the request: the client left, or the deadline passed. */
  signal: AbortSignal | undefined;
}

const budgets = new AsyncLocalStorage<Budget>();

/** Runs a request within its budget. */
export function withinBudget<T>(budget: Budget, run: () => T): T {
  return budgets.run(budget, run);
}

/** Runs work that outlives the request that began it, such as an update of the shared index. */
export function withoutBudget<T>(run: () => T): T {
  return budgets.run({ user: '', signal: undefined }, run);
}

/** The budget of the current request; outside a request, the one of the service itself. */
export function currentBudget(): Budget {
  return budgets.getStore() ?? { user: '', signal: undefined };
}
