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

/** What works for a model with tools and 64,000 tokens of context; a question takes at most four of its five minutes. */
const DEFAULTS = {
  steps: 16,
  tokens: 300_000,
  contextTokens: 60_000,
  timeMs: 120_000,
  silenceMs: 60_000,
  retries: 2,
  cost: 1,
  prices: { input: 3, cached: 0.3, output: 15 },
} as const satisfies Partial<ModelSettings>;

const HELP = {
  LLM_BASE_URL: 'is not an http or https address without a user name, a query and a fragment',
  LLM_MODEL: 'is not a name of up to 200 characters',
  LLM_API_KEY: 'may hold visible ASCII characters only',
  LLM_MAX_STEPS: 'is not a whole number from 1 to 50',
  LLM_MAX_TOKENS: 'is not a whole number from 1,000 to 10,000,000',
  LLM_CONTEXT_TOKENS: 'is not a whole number from 1,000 to 10,000,000',
  LLM_MAX_SECONDS: 'is not a number of seconds from 1 to 240',
  LLM_MAX_SILENT_SECONDS: 'is not a number of seconds from 1 to 240',
  LLM_MAX_COST: 'is not a number of dollars from 0.01 to 1,000',
  LLM_PRICES:
    'is not three numbers of dollars for a million tokens: input, cached input, output (for example 3,0.3,15)',
} as const;

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

const VARIABLES = z.object({
  LLM_BASE_URL: z.string().refine(isPlainAddress).optional(),
  LLM_MODEL: z.string().min(1).max(200).optional(),
  LLM_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
  LLM_MAX_STEPS: whole(1, 50).optional(),
  LLM_MAX_TOKENS: whole(1_000, 10_000_000).optional(),
  LLM_CONTEXT_TOKENS: whole(1_000, 10_000_000).optional(),
  LLM_MAX_SECONDS: seconds.optional(),
  LLM_MAX_SILENT_SECONDS: seconds.optional(),
  LLM_MAX_COST: decimal.pipe(z.number().min(0.01).max(1_000)).optional(),
  LLM_PRICES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.tuple([decimal, decimal, decimal]))
    .optional(),
});

/**
 * Reads the settings of the model; undefined when neither address nor model is set. What the command line gives wins over the
 * environment. No problem repeats a value: a key may have landed in the wrong variable.
 */
export function readModelSettings(
  environment: ModelEnvironment,
  given: { baseUrl?: string | undefined; model?: string | undefined },
): { settings: ModelSettings | undefined; problems: string[] } {
  const names = Object.keys(VARIABLES.shape) as (keyof typeof HELP)[];
  const values = {
    ...Object.fromEntries(names.map((name) => [name, environment[name]?.trim() || undefined])),
    ...(given.baseUrl === undefined ? {} : { LLM_BASE_URL: given.baseUrl }),
    ...(given.model === undefined ? {} : { LLM_MODEL: given.model }),
  };
  if (values.LLM_BASE_URL === undefined && values.LLM_MODEL === undefined) return { settings: undefined, problems: [] };
  const parsed = VARIABLES.safeParse(values);
  const wrong = new Set(parsed.success ? [] : parsed.error.issues.map(({ path: [name] }) => name));
  const problems = names.filter((name) => wrong.has(name)).map((name) => `${name} ${HELP[name]}`);
  if (values.LLM_BASE_URL === undefined) problems.push('LLM_BASE_URL (or --llm-base-url) is needed beside the model');
  if (values.LLM_MODEL === undefined)
    problems.push('LLM_MODEL (or --llm-model) is needed beside the address of the model');
  if (!parsed.success || problems.length > 0) return { settings: undefined, problems };
  const { data } = parsed;
  const [input, cached, output] = data.LLM_PRICES ?? [];
  return {
    problems: [],
    settings: {
      baseUrl: (data.LLM_BASE_URL ?? '').replace(/\/+$/, ''),
      model: data.LLM_MODEL ?? '',
      apiKey: data.LLM_API_KEY,
      steps: data.LLM_MAX_STEPS ?? DEFAULTS.steps,
      tokens: data.LLM_MAX_TOKENS ?? DEFAULTS.tokens,
      contextTokens: data.LLM_CONTEXT_TOKENS ?? DEFAULTS.contextTokens,
      timeMs: data.LLM_MAX_SECONDS ?? DEFAULTS.timeMs,
      silenceMs: data.LLM_MAX_SILENT_SECONDS ?? DEFAULTS.silenceMs,
      retries: DEFAULTS.retries,
      cost: data.LLM_MAX_COST ?? DEFAULTS.cost,
      prices:
        input === undefined || cached === undefined || output === undefined
          ? DEFAULTS.prices
          : { input, cached, output },
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
