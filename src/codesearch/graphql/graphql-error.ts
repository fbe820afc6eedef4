import { GraphQLError } from 'graphql';

/** Kinds of expected failures, as clients read them in `extensions.code`. */
export type GraphqlErrorCode =
  | 'BAD_REQUEST'
  | 'DEADLINE_EXCEEDED'
  | 'FORBIDDEN'
  | 'INTERNAL'
  | 'NOT_FOUND'
  | 'TOO_MUCH_WORK'
  | 'TOO_MANY_REQUESTS';

/** An expected failure of one field; clients read the message and the code. */
export function fieldError(code: GraphqlErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
