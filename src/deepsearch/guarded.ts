import type { DeepSearch } from '../core/ports.ts';
import { type BreakerOptions, withBreaker } from './breaker.ts';
import { type BudgetOptions, withBudget } from './budget.ts';

export type GuardOptions = BudgetOptions & BreakerOptions;

/**
 * The service behind a circuit breaker, behind which lies the budget: core → breaker → budget → client. The breaker comes
 * first so that calls to a service that is away cost no points, do not wait in line for nothing, and fail as what they
 * are, `unavailable`, and not as `rateLimited`. The price is that the breaker also sees what the budget refuses; it can
 * tell, and takes it for no sign of the service.
 */
export function guardDeepSearch(codeSearch: DeepSearch, options: GuardOptions): DeepSearch {
  return withBreaker(withBudget(codeSearch, options), options);
}
