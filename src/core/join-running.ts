import { isAppError } from './errors.ts';

/**
 * Joins work that runs already, or begins it. Work that was joined may have begun while the storage was away: its failure
 * then says nothing about now, so it is tried once more.
 */
export async function joinOrBegin<Result>(
  running: () => Promise<Result> | undefined,
  begin: () => Promise<Result>,
): Promise<Result> {
  const joined = running();
  if (joined === undefined) return begin();
  try {
    return await joined;
  } catch (error) {
    if (!isAppError(error, 'storage')) throw error;
    // Another caller may have begun it again meanwhile.
    return running() ?? begin();
  }
}
