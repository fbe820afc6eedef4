import type { ServerResponse } from 'node:http';
import { type Budget, currentBudget, withinBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

/**
 * Runs a request so that all git commands it starts end when the client leaves or after `LIMITS.requestDeadlineMs`. Work that
 * outlives the request, such as answering a question, sets its own budget. `onProblem` is called when git refuses to work.
 */
export async function withinRequestBudget<T>(
  response: ServerResponse,
  onProblem: (error: unknown) => void,
  run: () => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), LIMITS.requestDeadlineMs);
  response.once('close', () => {
    clearTimeout(timer);
    ending.abort();
  });
  const budget: Budget = { user: '', signal: ending.signal };
  return withinBudget(budget, run).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    if (error.kind === 'failed') onProblem(error);
    throw asHttpError(error);
  });
}

/** Shares git fairly: from now on the git commands of the current request count for this user. */
export function countFor(username: string): void {
  currentBudget().user = username;
}

/** Not the client's fault, and no failure of the service: a repository may be damaged. */
function asHttpError({ kind, message }: GitError): HttpError {
  if (kind === 'busy') return new HttpError(503, message, { 'Retry-After': '5' });
  if (kind === 'timeout' || kind === 'stopped') return new HttpError(503, 'Reading the repository took too long.');
  if (kind === 'tooMuch') return new HttpError(503, 'The result is too large to show.');
  return new HttpError(503, 'git can’t read this repository. The log of the service says why.');
}
