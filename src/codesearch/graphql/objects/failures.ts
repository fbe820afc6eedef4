import type { GraphQLError } from 'graphql';
import { GitError } from '../../git/git.ts';
import { SearchError } from '../../query/results.ts';
import { fieldError } from '../graphql-error.ts';

/** The error that clients receive for an expected failure of git or of a search; undefined for any other. */
export function toExpectedError(error: unknown): GraphQLError | undefined {
  if (error instanceof SearchError) {
    return fieldError(error.kind === 'busy' ? 'TOO_MANY_REQUESTS' : 'BAD_REQUEST', error.message);
  }
  if (!(error instanceof GitError)) return undefined;
  switch (error.kind) {
    case 'failed':
      return undefined;
    case 'busy':
      return fieldError('TOO_MANY_REQUESTS', 'Too many requests read repositories at the moment. Try again soon.');
    case 'tooMuch':
      return fieldError('TOO_MUCH_WORK', 'git returned more than the service reads. Ask for less.');
    case 'timeout':
    case 'stopped':
      return fieldError('DEADLINE_EXCEEDED', 'git took too long. Ask for less.');
  }
}
