import { GraphQLError } from 'graphql';
import { GitError } from '../git/git.ts';
import { SearchError } from '../query/results.ts';

/** Kinds of expected failures, as clients read them in `extensions.code`. */
type FieldErrorCode =
  | 'BAD_REQUEST'
  | 'DEADLINE_EXCEEDED'
  | 'INTERNAL'
  | 'NOT_FOUND'
  | 'TOO_MUCH_WORK'
  | 'TOO_MANY_REQUESTS';

/** An expected failure of one field; clients read the message and the code. */
export function fieldError(code: FieldErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/** The error that clients receive for an expected failure of a field, of git or of a search; undefined for any other. */
export function toExpectedError(error: unknown): GraphQLError | undefined {
  if (error instanceof GraphQLError) return error;
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
