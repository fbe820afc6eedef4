import type { ModelUse } from '../ask/finding.ts';
import type { ModelPrices } from './settings.ts';

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
  /** Version of the prompts. */
  prompts: number;
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

/** Tokens of one request; `input` includes `cached` and `cacheCreation`. */
export interface RequestTokens {
  input: number;
  cached: number;
  cacheCreation: number;
  output: number;
}

/** Adds up what the requests for one question use. */
export function createMeter(prices: ModelPrices) {
  const used: RequestTokens = { input: 0, cached: 0, cacheCreation: 0, output: 0 };
  return {
    add({ input, cached, cacheCreation, output }: RequestTokens): void {
      used.input += input;
      used.cached += Math.min(cached, input);
      used.cacheCreation += cacheCreation;
      used.output += output;
    },
    tokens: (): number => used.input + used.output,
    /** Dollars. */
    cost: (): number => costOf(used, prices),
    use(): ModelUse {
      return {
        promptTokens: used.input,
        cachedTokens: used.cached,
        cacheCreationTokens: used.cacheCreation,
        completionTokens: used.output,
        // Without the last digits of a sum of fractions, which would make a cent more.
        credits: Math.ceil(Number((costOf(used, prices) * 100).toFixed(6))),
      };
    },
  };
}

export type Meter = ReturnType<typeof createMeter>;

/** Dollars for these tokens. */
export function costOf({ input, cached, output }: RequestTokens, prices: ModelPrices): number {
  const fresh = Math.max(0, input - cached);
  return (fresh * prices.input + Math.min(cached, input) * prices.cached + output * prices.output) / 1_000_000;
}
