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
 * Lets the model search until it answers, or until it nears a limit: the last two requests are kept for the answer. Throws a
 * {@link ModelFailure} when there is none.
 */
export async function askModel(setup: AskModelSetup): Promise<ModelText> {
  const { conversation, settings } = setup;
  const startedMs = setup.clock();
  let tools: StepOptions['tools'] = 'offered';
  let limit: LimitKind | undefined;
  for (let steps = 1; ; steps += 1) {
    const sent = conversation.estimate();
    const outputTokens = roomForOutput(sent, setup);
    if (outputTokens < LEAST_OUTPUT)
      throw new ModelFailure('limit', 'the question needs more than one question may use');
    if (tools === 'offered') {
      limit = limitOf({ sent, steps, elapsedMs: setup.clock() - startedMs }, setup);
      if (limit !== undefined) {
        await setup.onLimit(limit);
        tools = 'refused';
        conversation.say(LAST_STEP);
      }
    }
    setup.onStep(steps);
    const resultCharacters = Math.max(0, settings.contextTokens - sent) * LIMITS.charactersPerToken;
    const step = await conversation.step({ tools, outputTokens, resultCharacters }).catch((error: unknown) => {
      const canTryAgain = tools === 'refused' && steps < settings.steps;
      if (canTryAgain && error instanceof ModelFailure && error.kind === 'noAnswer') return undefined;
      throw error;
    });
    if (step !== undefined && step.calls === 0 && step.text.trim() !== '') {
      return { text: step.text, steps, limit, isCut: step.isCut };
    }
    if (tools === 'absent' || (tools === 'refused' && steps >= settings.steps)) {
      throw new ModelFailure('noAnswer', NO_ANSWER);
    }
    if (tools === 'refused') tools = 'absent';
    else if (step?.isCut === true || step?.calls === 0) {
      tools = 'refused';
      conversation.say(LAST_STEP);
    }
  }
}

/** Words for people about an answer that a limit ended. */
export function describeLimit(limit: LimitKind, settings: ModelSettings): string {
  const reasons: Record<LimitKind, string> = {
    steps: `it had used its ${settings.steps} steps`,
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
  // One more request is kept for servers that let a model call tools all the same.
  if (steps >= Math.max(1, settings.steps - 1)) return 'steps';
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
