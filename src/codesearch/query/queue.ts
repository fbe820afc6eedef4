import { LIMITS } from '../limits.ts';
import { SearchError } from './results.ts';

/** Runs the tasks of each user one after another; throws `busy` when `LIMITS.searchesWaiting` of them wait. */
export function createUserQueue() {
  const queues = new Map<string, { tail: Promise<void>; size: number }>();

  return async function run<T>(user: string, signal: AbortSignal | undefined, task: () => Promise<T>): Promise<T> {
    const queue = queues.get(user) ?? { tail: Promise.resolve(), size: 0 };
    if (queue.size > LIMITS.searchesWaiting) {
      throw new SearchError('busy', 'Too many of your searches wait. Try again when some have finished.');
    }
    queues.set(user, queue);
    queue.size += 1;
    const result = queue.tail.then(() => {
      signal?.throwIfAborted();
      return task();
    });
    queue.tail = result.then(
      () => {},
      () => {},
    );
    try {
      return await result;
    } finally {
      queue.size -= 1;
      if (queue.size === 0) queues.delete(user);
    }
  };
}
