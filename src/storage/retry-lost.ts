import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../core/errors.ts';

/** With the waits in between, a change loses against other writers for at most about two seconds. */
const ATTEMPTS = 100;
const LONGEST_WAIT_MS = 40;

/** What an attempt returns if another writer changed the record after it was read. */
export const lost = Symbol('lost');

/**
 * Repeats an attempt to read, change and store a record until no other writer comes in between. After the last attempt
 * returns or throws what `gaveUp` does. Default: throws `AppError` of kind `storage`.
 */
export async function retryLost<Result>(
  key: string,
  attempt: () => Promise<Result | typeof lost>,
  gaveUp: () => Result = () => {
    throw new AppError('storage', `Record ${key} could not be updated: ${ATTEMPTS} attempts lost to other writers`);
  },
): Promise<Result> {
  for (let count = 1; count <= ATTEMPTS; count++) {
    const result = await attempt();
    if (result !== lost) return result;
    await wait(Math.random() * Math.min(count, LONGEST_WAIT_MS));
  }
  return gaveUp();
}
