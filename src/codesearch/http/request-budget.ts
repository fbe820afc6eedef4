import type { ServerResponse } from 'node:http';
import { type Budget, currentBudget, withinBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

/**
 * Runs a request so that all git commands it starts end when the client leaves or after `LIMITS.requestDeadlineMs`. Work that
 * outlives the request, such as answering a question, sets its own budget.
 */
export async function withinRequestBudget<T>(response: ServerResponse, run: () => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), LIMITS.requestDeadlineMs);
  response.once('close', () => {
    clearTimeout(timer);
    ending.abort();
  });
  const budget: Budget = { user: '', signal: ending.signal };
  return withinBudget(budget, run).catch((error: unknown) => {
    throw error instanceof GitError ? (asHttpError(error) ?? error) : error;
  });
}

/** Shares git fairly: from now on the git commands of the current request count for this user. */
export function countFor(username: string): void {
  currentBudget().user = username;
}

/** A git command that could not finish is not the client's fault; undefined for one that git refused, which is ours. */
function asHttpError({ kind, message }: GitError): HttpError | undefined {
  if (kind === 'busy') return new HttpError(503, message, { 'Retry-After': '5' });
  if (kind === 'timeout' || kind === 'stopped') return new HttpError(503, 'Reading the repository took too long.');
  if (kind === 'tooMuch') return new HttpError(503, 'The result is too large to show.');
  return undefined;
}
