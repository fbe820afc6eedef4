import type { Viewer } from '../accounts/viewer.ts';
import { LIMITS } from '../limits.ts';
import { fieldError } from './graphql-error.ts';

/** What the fields of one request share: who asks, how much is left to do, and what was read already. */
export interface Work {
  viewer: Viewer;
  /** Aborted at the deadline and when the client disconnects. */
  signal: AbortSignal;
  /** Counts a field of the response; throws when there are too many, and when the time is up. */
  count(): void;
  /** Counts entries of lists before they are made; throws when there are more than fields may be. */
  expect(entries: number): void;
  /** Fields that were counted, also one too many. */
  fields(): number;
  /** Counts characters of files and patches in the response; throws when there are too many. */
  countText(characters: number): void;
  /** Ends with the promise, or with an error at the deadline. */
  untilDeadline<T>(promise: PromiseLike<T>): Promise<T>;
  /** Runs a read once per key and request, a few at once; throws beyond the number of reads of a request. */
  read<T>(key: string, run: () => Promise<T>): Promise<T>;
  /** Runs a search once per key and request, one at a time; throws beyond the number of searches of a request. */
  search<T>(key: string, run: () => Promise<T>): Promise<T>;
}

export function createWork(viewer: Viewer, signal: AbortSignal, mostFields: number): Work {
  let fields = 0;
  /** Entries of lists, which have no field of ours where a query asks for their `__typename` alone. */
  let made = 0;
  let text = 0;
  const reads = createShared(LIMITS.graphqlReads, LIMITS.graphqlReadsAtOnce, 'reads of repositories', signal);
  const searches = createShared(LIMITS.graphqlSearches, 1, 'different searches', signal);
  const deadline = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(expired()), { once: true });
  });
  const tooMany = () => fieldError('TOO_MUCH_WORK', `The response has more than ${mostFields} fields. Ask for fewer.`);
  // The fields that wait for the deadline handle it; there may be none.
  deadline.catch(() => {});
  return {
    viewer,
    signal,
    count() {
      fields += 1;
      if (fields > mostFields) throw tooMany();
      if (signal.aborted) throw expired();
    },
    expect(entries) {
      made += entries;
      if (made > mostFields) throw tooMany();
    },
    fields: () => fields,
    countText(characters) {
      text += characters;
      if (text > LIMITS.graphqlTextCharacters) {
        throw fieldError('TOO_MUCH_WORK', 'The response has too much text. Ask for fewer files at once.');
      }
    },
    untilDeadline: (promise) => Promise.race([promise, deadline]),
    read: reads,
    search: searches,
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
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const known = started.get(key);
    // Equal keys stand for equal work, so that the results have the same type.
    if (known !== undefined) return known as Promise<T>;
    if (started.size >= most) throw fieldError('TOO_MUCH_WORK', `A request may need at most ${most} ${what}.`);
    const promise = start(run);
    started.set(key, promise);
    return promise;
  };

  async function start<T>(run: () => Promise<T>): Promise<T> {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      if (signal.aborted) throw expired();
      return await run();
    } finally {
      // The place goes to the next in the queue without becoming free in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }
}
