import type { DeepSearch } from '../core/ports.ts';
import { type BreakerOptions, createBreaker } from './breaker.ts';
import { type BudgetOptions, createBudget } from './budget.ts';

export type GuardOptions = BudgetOptions & BreakerOptions;

/** Guards the service as one account sees it. `account` names its budget. */
export type Guard = (deepSearch: DeepSearch, account: string) => DeepSearch;

/**
 * The service behind a circuit breaker and a budget: core → breaker → budget → client. The breaker comes first, so that
 * calls to an unreachable service use no budget, do not queue, and fail as `unavailable` instead of `rateLimited`. The
 * breaker therefore also sees refusals of the budget; it recognizes them and does not count them.
 */
export function createGuard(options: GuardOptions): Guard {
  const withBreaker = createBreaker(options);
  const withBudget = createBudget(options);
  return (deepSearch, account) => withBreaker(withBudget(deepSearch, account));
}
