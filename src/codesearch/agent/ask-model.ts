import { LIMITS } from '../limits.ts';
import type { ModelConversation, StepOptions } from './conversation.ts';
import { ModelFailure, NO_ANSWER } from './failure.ts';
import { costOf, type Meter } from './meter.ts';
import { LAST_STEP } from './prompts/last-step.ts';
import type { LimitKind } from './report.ts';
import type { ModelSettings } from './settings.ts';
import type { Tools } from './tools.ts';

/** What the model wrote at last. */
export interface ModelText {
  text: string;
  steps: number;
  /** Undefined when the model ended by itself. */
  limit: LimitKind | undefined;
  /** Whether the text ends where the output reached its limit. */
  isCut: boolean;
}

export interface AskModelSetup {
  conversation: ModelConversation;
  tools: Tools;
  meter: Meter;
  settings: ModelSettings;
  clock: () => number;
  /** Called before the model must write its answer. */
  onLimit: (limit: LimitKind) => Promise<void>;
  /** Called with the number of requests, before each of them. */
  onStep: (steps: number) => void;
}

/** The share of the time after which the model writes its answer. */
const TIME_TO_SEARCH = 0.7;
const REPEATS = 3;
/** What an answer needs at least; and what a step writes as a rule. */
const LEAST_OUTPUT = 500;
const USUAL_OUTPUT = 2_000;

/**
 * Lets the model search until it answers, or until it nears a limit: the last request is kept for the answer. Throws a
 * {@link ModelFailure} when there is none.
 */
export async function askModel(setup: AskModelSetup): Promise<ModelText> {
  const { conversation, settings } = setup;
  const startedMs = setup.clock();
  let mustEnd = false;
  for (let steps = 1; ; steps += 1) {
    const sent = conversation.estimate();
    const outputTokens = roomForOutput(sent, setup);
    if (outputTokens < LEAST_OUTPUT)
      throw new ModelFailure('limit', 'the question needs more than one question may use');
    const limit = limitOf({ sent, steps, elapsedMs: setup.clock() - startedMs }, setup);
    const isLast = mustEnd || limit !== undefined;
    if (isLast) {
      if (limit !== undefined) await setup.onLimit(limit);
      conversation.say(LAST_STEP);
    }
    setup.onStep(steps);
    const resultCharacters = Math.max(0, settings.contextTokens - sent) * LIMITS.charactersPerToken;
    const options: StepOptions = { isLast, outputTokens, resultCharacters };
    const { text, calls, isCut } = await conversation.step(options);
    if (calls === 0 && text.trim() !== '') return { text, steps, limit, isCut };
    if (isLast) throw new ModelFailure('noAnswer', NO_ANSWER);
    mustEnd = isCut || calls === 0;
  }
}

/** Words for people about an answer that a limit ended. */
export function describeLimit(limit: LimitKind, settings: ModelSettings): string {
  const reasons: Record<LimitKind, string> = {
    steps: `it had used all of its ${settings.steps} steps`,
    tokens: `it had nearly used the ${settings.tokens.toLocaleString('en')} tokens that a question may use`,
    cost: `it had nearly cost the ${settings.cost} dollars that a question may cost`,
    time: `most of its ${Math.round(settings.timeMs / 1_000)} seconds had passed`,
    context: 'it could hold no more text',
    repeats: 'it made the same calls again and again',
  };
  return reasons[limit];
}

/** Why the next request must be the last one. Two requests must fit below the limits, so that the second can be the answer. */
function limitOf(
  { sent, steps, elapsedMs }: { sent: number; steps: number; elapsedMs: number },
  { settings, meter, tools }: AskModelSetup,
): LimitKind | undefined {
  const next = { input: sent, cached: 0, cacheCreation: 0, output: USUAL_OUTPUT };
  if (steps >= settings.steps) return 'steps';
  if (elapsedMs > settings.timeMs * TIME_TO_SEARCH) return 'time';
  if (meter.tokens() + 2 * (next.input + next.output) > settings.tokens) return 'tokens';
  if (meter.cost() + 2 * costOf(next, settings.prices) > settings.cost) return 'cost';
  if (sent + 2 * USUAL_OUTPUT > settings.contextTokens) return 'context';
  return tools.counts().repeated >= REPEATS ? 'repeats' : undefined;
}

/** Tokens that the next request may write within the limits of tokens and cost; negative when not even its input fits. */
function roomForOutput(sent: number, { settings: { tokens, cost, prices }, meter }: AskModelSetup): number {
  const input = costOf({ input: sent, cached: 0, cacheCreation: 0, output: 0 }, prices);
  const money = cost - meter.cost() - input;
  const affordable = prices.output === 0 ? (money < 0 ? money : Infinity) : (money / prices.output) * 1_000_000;
  return Math.floor(Math.min(LIMITS.modelOutputTokens, tokens - meter.tokens() - sent, affordable));
}
