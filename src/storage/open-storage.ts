import type { Claims, Clock, Journal, QuestionStore, ThreadStore } from '../core/ports.ts';
import type { TurnStore } from '../core/turns.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import { openRedisStore } from './redis-store.ts';
import { createClaims, createQuestionStore, createThreadStore, createTurnStore } from './repositories.ts';

/** A directory of this machine for one process, or a Redis for any number of them. */
export type StorageLocation = { dataDir: string } | { redisUrl: string };

export interface Storage {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  turns: TurnStore;
  /** Throws `AppError` of kind `storage` when nothing can be stored at the moment; answers within about 2 s. */
  ping(): Promise<void>;
  /** Finishes pending writes, within a bounded time. */
  close(): Promise<void>;
}

/** Opens the storage and proves that it can be used; throws `AppError` of kind `storage` that says what is wrong. */
export async function openStorage(
  location: StorageLocation,
  { clock, journal }: { clock: Clock; journal: Journal },
): Promise<Storage> {
  const kv =
    'redisUrl' in location
      ? await openRedisStore(location.redisUrl, journal)
      : openEmbeddedStore(location.dataDir, clock, journal);
  return {
    questions: createQuestionStore(kv),
    threads: createThreadStore(kv),
    claims: createClaims(kv),
    turns: createTurnStore(kv),
    ping: () => kv.ping(),
    close: () => kv.close(),
  };
}
