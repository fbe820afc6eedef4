import type { GraphQLFieldResolver } from 'graphql';
import type { Viewer } from '../accounts/viewer.ts';
import type { Repository } from '../git/repository.ts';
import { createSlots } from '../git/slots.ts';
import { LIMITS } from '../limits.ts';
import { fieldError, toExpectedError } from './errors.ts';

/** What the fields of one request share: who asks, what was read already, and how much is left to do. */
export interface Work {
  viewer: Viewer;
  /** Aborted at the deadline and when the client disconnects. */
  signal: AbortSignal;
  /** Fields that were counted, also one too many. */
  fields(): number;
  /** Counts a field of the response; throws when there are too many, and when the time is up. */
  countField(): void;
  /** Counts entries of a list before they are made; throws when there are more than fields may be. */
  expect(entries: number): void;
  /** Counts the characters of a text or of texts, which it returns; throws when there are too many. */
  weigh<T>(value: T): T;
  /** Ends with the promise, or with an error at the deadline. */
  untilDeadline<T>(promise: PromiseLike<T>): Promise<T>;
  /** Runs a function of the folder `git/` once per arguments and request, a few at once; throws beyond the number of reads. */
  read<A extends unknown[], T>(
    run: (repository: Repository, ...rest: A) => Promise<T>,
    repository: Repository,
    ...rest: A
  ): Promise<T>;
  /** Runs a search once per key and request, one at a time; throws beyond the number of searches. */
  search<T>(key: string, run: () => Promise<T>): Promise<T>;
}

export function createWork(viewer: Viewer, signal: AbortSignal, mostFields: number): Work {
  let fields = 0;
  /** Entries of lists count too: where a query asks only for their `__typename`, no field of this service runs. */
  let entries = 0;
  let characters = 0;
  const read = createShared(LIMITS.graphqlReads, LIMITS.graphqlReadsAtOnce, 'reads of repositories', signal);
  const search = createShared(LIMITS.graphqlSearches, 1, 'different searches', signal);
  const deadline = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(expired()), { once: true });
  });
  // The fields that wait for the deadline handle it; there may be none.
  deadline.catch(() => {});

  function refuseTooMany(count: number): void {
    if (count <= mostFields) return;
    throw fieldError('TOO_MUCH_WORK', `The response has more than ${mostFields} fields. Ask for fewer.`);
  }

  function weigh<T>(value: T): T {
    if (Array.isArray(value)) value.forEach(weigh);
    if (typeof value === 'string') characters += value.length;
    if (characters <= LIMITS.graphqlTextCharacters) return value;
    throw fieldError('TOO_MUCH_WORK', 'The response has too much text. Ask for fewer files at once.');
  }

  return {
    viewer,
    signal,
    fields: () => fields,
    countField() {
      fields += 1;
      refuseTooMany(fields);
      if (signal.aborted) throw expired();
    },
    expect(count) {
      entries += count;
      refuseTooMany(entries);
    },
    weigh,
    untilDeadline: (promise) => Promise.race([promise, deadline]),
    read: (run, repository, ...rest) =>
      read(`${run.name} ${repository.name} ${JSON.stringify(rest)}`, () => run(repository, ...rest)),
    search,
  };
}

function expired() {
  return fieldError(
    'DEADLINE_EXCEEDED',
    `The request took longer than ${LIMITS.graphqlDeadlineMs / 1_000} s. Ask for less at once.`,
  );
}

/** Shares the results of equal work, and limits how much of it starts and runs at once. */
function createShared(most: number, atOnce: number, what: string, signal: AbortSignal) {
  const started = new Map<string, Promise<unknown>>();
  const slots = createSlots({
    running: atOnce,
    runningPerUser: atOnce,
    waiting: most,
    waitingPerUser: most,
    waitMs: LIMITS.graphqlDeadlineMs,
  });
  return <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const known = started.get(key);
    // Equal keys stand for equal work, so that the results have the same type.
    if (known !== undefined) return known as Promise<T>;
    if (started.size >= most) throw fieldError('TOO_MUCH_WORK', `A request may need at most ${most} ${what}.`);
    const promise = slots.run('', async () => {
      if (signal.aborted) throw expired();
      return run();
    });
    started.set(key, promise);
    return promise;
  };
}

/** A function of an object that computes a field; its arguments were checked against the schema. */
type FieldFunction = (args: unknown, work: Work) => unknown;

/**
 * Resolves every field: a property of the object, or what its function returns. Counts it, ends it at the deadline, and
 * replaces internal failures by a plain message after reporting them.
 */
export function createFieldResolver(onProblem: (error: unknown) => void): GraphQLFieldResolver<unknown, Work> {
  function toFieldError(error: unknown, { signal }: Work) {
    const expected = toExpectedError(error);
    if (expected !== undefined) return expected;
    // Work that was stopped at the deadline fails in many ways.
    if (signal.aborted) return fieldError('DEADLINE_EXCEEDED', 'The request was stopped at its deadline.');
    onProblem(error);
    return fieldError('INTERNAL', 'Internal server error.');
  }

  return (source, args, work, { fieldName }) => {
    try {
      work.countField();
      // No path, revision or pattern can contain NUL.
      if (hasNul(args)) throw fieldError('BAD_REQUEST', 'An argument contains a NUL character.');
      const property: unknown = isObject(source) ? source[fieldName] : undefined;
      const value: unknown = isFieldFunction(property) ? property.call(source, args, work) : property;
      if (!(value instanceof Promise)) return work.weigh(value);
      return work.untilDeadline(value).then(work.weigh, (error: unknown) => {
        throw toFieldError(error, work);
      });
    } catch (error) {
      throw toFieldError(error, work);
    }
  };
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return isObject(value) && Object.values(value).some(hasNul);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFieldFunction(value: unknown): value is FieldFunction {
  return typeof value === 'function';
}
