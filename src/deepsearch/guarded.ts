import type { DeepSearch } from '../core/ports.ts';
import { type BreakerOptions, withBreaker } from './breaker.ts';
import { type BudgetOptions, withBudget } from './budget.ts';

export type GuardOptions = BudgetOptions & BreakerOptions;

/**
 * The service behind a circuit breaker and a budget: core → breaker → budget → client. The breaker comes first, so that
 * calls to an unreachable service use no budget, do not queue, and fail as `unavailable` instead of `rateLimited`. The
 * breaker therefore also sees refusals of the budget; it recognizes them and does not count them.
 */
export function guardDeepSearch(deepSearch: DeepSearch, options: GuardOptions): DeepSearch {
  return withBreaker(withBudget(deepSearch, options), options);
}
