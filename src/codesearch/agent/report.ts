import type { ModelUse } from '../ask/finding.ts';

/** Why a model had to write its answer before it wanted to. */
export type LimitKind = 'steps' | 'tokens' | 'cost' | 'time' | 'context' | 'repeats';

export type ModelFailureKind =
  | 'status'
  | 'unreachable'
  | 'silent'
  | 'tooLarge'
  | 'tooSlow'
  | 'cut'
  | 'badReply'
  | 'filtered'
  | 'noAnswer'
  | 'limit';

/** What became of one question; without any text of the question, the answer or the model's server. */
export interface ModelReport extends ModelUse {
  /** `ended`: the question was cancelled or the service stopped. */
  outcome: 'answered' | 'failed' | 'ended';
  /** Why there is no answer of the model, or why it had to end. */
  reason: ModelFailureKind | LimitKind | undefined;
  /** HTTP status of the model's server, when that was the reason. */
  status: number | undefined;
  steps: number;
  toolCalls: number;
  /** Links and images of the answer that were removed. */
  droppedLinks: number;
  durationMs: number;
  /** Versions of the prompts. */
  prompts: string;
}

/** Adds up the reports since the start of the process. */
export function createModelCounts() {
  const totals = {
    answered: 0,
    limited: 0,
    failed: 0,
    ended: 0,
    droppedLinks: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    credits: 0,
  };
  return {
    add(report: ModelReport): void {
      totals[report.outcome] += 1;
      if (report.outcome === 'answered' && report.reason !== undefined) totals.limited += 1;
      for (const name of ['droppedLinks', 'promptTokens', 'cachedTokens', 'completionTokens', 'credits'] as const) {
        totals[name] += report[name];
      }
    },
    totals: () => ({ ...totals }),
  };
}
