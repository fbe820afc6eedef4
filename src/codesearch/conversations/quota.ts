import type { ConversationStore } from './store.ts';

/** Credits of one user in the current UTC day; a `limit` of -1 means no limit. */
export interface QuotaState {
  used: number;
  limit: number;
  resetMs: number;
  exhausted: boolean;
}

/** Counts one credit per answered question, by user and UTC day. Counts are stored durably. */
export function createQuota(store: ConversationStore, limit: number | undefined, clock: () => number) {
  const period = (): string => new Date(clock()).toISOString().slice(0, 10);
  return {
    state(userId: number): QuotaState {
      const used = store.creditsUsed(userId, period());
      const resetMs = Date.parse(`${period()}T00:00:00.000Z`) + 24 * 3_600_000;
      return { used, limit: limit ?? -1, resetMs, exhausted: limit !== undefined && used >= limit };
    },
    charge: (userId: number, credits: number): Promise<void> => store.addCredits(userId, period(), credits),
  };
}

export type Quota = ReturnType<typeof createQuota>;
