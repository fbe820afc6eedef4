import { GraphQLError, type GraphQLFieldResolver } from 'graphql';
import { fieldError } from './graphql-error.ts';
import type { Work } from './work.ts';

/** A function of an object that computes a field; its arguments were checked against the schema. */
type FieldFunction = (args: unknown, work: Work) => unknown;

/**
 * Resolves every field: a property of the object, or what its function returns. Counts the field, ends it at the deadline,
 * and replaces internal failures by a plain message after reporting them.
 */
export function createFieldResolver(
  translate: (error: unknown) => GraphQLError | undefined,
  onProblem: (error: unknown) => void,
): GraphQLFieldResolver<unknown, Work> {
  function toFieldError(error: unknown, { signal }: Work): GraphQLError {
    if (error instanceof GraphQLError) return error;
    const expected = translate(error);
    if (expected !== undefined) return expected;
    // Work that was stopped at the deadline fails in many ways.
    if (signal.aborted) return fieldError('DEADLINE_EXCEEDED', 'The request was stopped at its deadline.');
    onProblem(error);
    return fieldError('INTERNAL', 'Internal server error.');
  }

  return (source, args, work, { fieldName }) => {
    try {
      work.count();
      const property: unknown = isObject(source) ? source[fieldName] : undefined;
      const value: unknown = isFieldFunction(property) ? property.call(source, args, work) : property;
      if (!(value instanceof Promise)) return value;
      return work.untilDeadline(value).catch((error: unknown) => {
        throw toFieldError(error, work);
      });
    } catch (error) {
      throw toFieldError(error, work);
    }
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFieldFunction(value: unknown): value is FieldFunction {
  return typeof value === 'function';
}
