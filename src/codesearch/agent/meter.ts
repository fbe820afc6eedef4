import type { ModelUse } from '../ask/finding.ts';
import type { ModelPrices } from './settings.ts';

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
