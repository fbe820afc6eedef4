import type { ConversationStore } from './store.ts';

/** Credits of one user in the running UTC day; `limit` -1 means that there is none. */
export interface QuotaState {
  used: number;
  limit: number;
  resetMs: number;
  exhausted: boolean;
}

/** One credit per answered question, counted per user and UTC day, and durable. */
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
