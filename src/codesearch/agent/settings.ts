import { z } from 'zod';

/** Where the model is, and what one question may use of it. */
export interface ModelSettings {
  /** Address of an OpenAI-compatible API, to which `/chat/completions` is added; without a `/` at the end. */
  baseUrl: string;
  model: string;
  /** Undefined for a server that needs none. */
  apiKey: string | undefined;
  /** Requests to the model for one question; the last one is for the answer. */
  steps: number;
  /** Tokens sent and received for one question, all steps together. */
  tokens: number;
  /** Tokens sent in one step: what fits into the model's context. */
  contextTokens: number;
  timeMs: number;
  /** A model that sends nothing for this long counts as failed. */
  silenceMs: number;
  /** How often a request is repeated after a 429, a 5xx or a connection that fails. */
  retries: number;
  /** Dollars for one question. */
  cost: number;
  /** Dollars for a million tokens. */
  prices: ModelPrices;
}

export interface ModelPrices {
  input: number;
  /** For input that the server had in its cache. */
  cached: number;
  output: number;
}

/** The environment variables of the model; all others are ignored. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most));
const decimal = z
  .string()
  .regex(/^\d{1,9}(?:\.\d{1,9})?$/)
  .transform(Number);
const seconds = decimal.pipe(z.number().min(1).max(240)).transform((value) => value * 1_000);
const SECONDS = 'is not a number of seconds from 1 to 240';
const TOKENS = 'is not a whole number from 1,000 to 10,000,000';
const PRICES =
  'is not three numbers of dollars for a million tokens: input, cached input, output (for example 3,0.3,15)';

/** What each may be, with what is said of a wrong one. The defaults work for a model with tools and 64,000 tokens of context. */
const VARIABLES = z.object({
  LLM_BASE_URL: z
    .string()
    .refine(isPlainAddress)
    .transform((address) => address.replace(/\/+$/, ''))
    .describe('is not an http or https address without a user name, a query and a fragment'),
  LLM_MODEL: z.string().max(200).describe('is not a name of up to 200 characters'),
  LLM_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .describe('may hold visible ASCII characters only'),
  LLM_MAX_STEPS: whole(1, 50).default(16).describe('is not a whole number from 1 to 50'),
  LLM_MAX_TOKENS: whole(1_000, 10_000_000).default(300_000).describe(TOKENS),
  LLM_CONTEXT_TOKENS: whole(1_000, 10_000_000).default(60_000).describe(TOKENS),
  // A question takes at most four of its five minutes.
  LLM_MAX_SECONDS: seconds.default(120_000).describe(SECONDS),
  LLM_MAX_SILENT_SECONDS: seconds.default(60_000).describe(SECONDS),
  LLM_MAX_COST: decimal
    .pipe(z.number().min(0.01).max(1_000))
    .default(1)
    .describe('is not a number of dollars from 0.01 to 1,000'),
  LLM_PRICES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.tuple([decimal, decimal, decimal]))
    .default([3, 0.3, 15])
    .describe(PRICES),
});
const NEEDED: Partial<Record<string, string>> = {
  LLM_BASE_URL: 'LLM_BASE_URL (or --llm-base-url) is needed beside the model',
  LLM_MODEL: 'LLM_MODEL (or --llm-model) is needed beside the address of the model',
};

/**
 * Reads the settings of the model; undefined when neither address nor model is set. What the command line gives wins over the
 * environment. No problem repeats a value: a key may have landed in the wrong variable.
 */
export function readModelSettings(
  environment: ModelEnvironment,
  given: { baseUrl?: string | undefined; model?: string | undefined },
): { settings: ModelSettings | undefined; problems: string[] } {
  const set: ModelEnvironment = {
    ...environment,
    LLM_BASE_URL: given.baseUrl ?? environment.LLM_BASE_URL,
    LLM_MODEL: given.model ?? environment.LLM_MODEL,
  };
  const values = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, value?.trim() || undefined]));
  if (values.LLM_BASE_URL === undefined && values.LLM_MODEL === undefined) return { settings: undefined, problems: [] };
  const { data, error } = VARIABLES.safeParse(values);
  if (data === undefined) {
    const wrong = new Set(error?.issues.map(({ path: [name] }) => String(name)));
    const problems = Object.entries(VARIABLES.shape).flatMap(([name, { description }]) =>
      wrong.has(name) ? [(values[name] === undefined ? NEEDED[name] : undefined) ?? `${name} ${description}`] : [],
    );
    return { settings: undefined, problems };
  }
  const [input, cached, output] = data.LLM_PRICES;
  return {
    problems: [],
    settings: {
      baseUrl: data.LLM_BASE_URL,
      model: data.LLM_MODEL,
      apiKey: data.LLM_API_KEY,
      steps: data.LLM_MAX_STEPS,
      tokens: data.LLM_MAX_TOKENS,
      contextTokens: data.LLM_CONTEXT_TOKENS,
      timeMs: data.LLM_MAX_SECONDS,
      silenceMs: data.LLM_MAX_SILENT_SECONDS,
      retries: 2,
      cost: data.LLM_MAX_COST,
      prices: { input, cached, output },
    },
  };
}

/** The part of an address that may be shown: an address may hold a key in its path. */
export function originOf({ baseUrl }: ModelSettings): string {
  return new URL(baseUrl).origin;
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
