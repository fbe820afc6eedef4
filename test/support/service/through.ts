import type { DeepSearch } from '../../../src/core/ports.ts';
import type { DeepSearchAdapter } from '../../../src/service/generation.ts';
import { type Call, createMethods } from '../../../src/service/methods.ts';

/** One step of the way of a call. */
export type Step = <Result>(
  call: Call,
  run: (spend?: () => Promise<void>) => Promise<Result>,
  service: DeepSearchAdapter,
) => Promise<Result>;

/** A service, seen through one step. */
export function through(service: DeepSearch, step: Step): DeepSearchAdapter {
  const deepSearch = { ...service, delete: async () => {} };
  return createMethods((call, run) =>
    step(call, (spend = async () => {}) => run({ number: 1, deepSearch }, spend), deepSearch),
  );
}
