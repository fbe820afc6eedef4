import type { ConversationStore } from './store.ts';

/** Credits of one user in the current UTC day; a `limit` of -1 means no limit. */
export interface QuotaState {
  used: number;
  limit: number;
  resetMs: number;
  /** Whether no further question may start; those that run now count. */
  exhausted: boolean;
}

/**
 * Counts credits by user and UTC day, durably: one for an answered question, none for a greeting or a refusal, or what its model cost. A question may start while
 * one credit is left, so the last one may use more than the limit.
 */
export function createQuota(store: ConversationStore, limit: number | undefined, clock: () => number) {
  /** Questions that run now, by user: each will take a credit if it is answered. */
  const running = new Map<number, number>();
  const period = (): string => new Date(clock()).toISOString().slice(0, 10);
  return {
    state(userId: number): QuotaState {
      const used = store.creditsUsed(userId, period());
      const resetMs = Date.parse(`${period()}T00:00:00.000Z`) + 24 * 3_600_000;
      return {
        used,
        limit: limit ?? -1,
        resetMs,
        exhausted: limit !== undefined && used + (running.get(userId) ?? 0) >= limit,
      };
    },
    /** Reserves a credit for a question that runs. The returned function frees it; only its first call counts. */
    reserve(userId: number): () => void {
      let reserved = 1;
      const change = (by: number): unknown => running.set(userId, (running.get(userId) ?? 0) + by);
      change(reserved);
      return () => {
        change(-reserved);
        reserved = 0;
      };
    },
    charge: (userId: number, credits: number): Promise<void> => store.addCredits(userId, period(), credits),
  };
}

export type Quota = ReturnType<typeof createQuota>;
