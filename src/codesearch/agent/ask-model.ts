import { setMaxListeners } from 'node:events';
import {
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type StepResult,
  streamText,
  type ToolSet,
} from 'ai';
import { estimateTokens, LIMITS } from '../limits.ts';
import { ModelFailure, modelFailureOf, NO_ANSWER } from './failure.ts';
import { LAST_STEP } from './prompts.ts';
import { costOf, type LimitKind, type Meter, type RequestTokens } from './report.ts';
import type { ModelSettings } from './settings.ts';
import type { Tools } from './tools.ts';

// The library would print warnings about parameters that a server ignores.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** What the model wrote at last. */
export interface ModelText {
  text: string;
  /** Undefined when the model ended by itself. */
  limit: LimitKind | undefined;
  /** Whether the text ends where the output reached its limit. */
  isCut: boolean;
}

export interface AskModelSetup {
  model: LanguageModel;
  system: string;
  prompt: string;
  tools: Tools;
  meter: Meter;
  settings: ModelSettings;
  /** Ends the request under way. */
  signal: AbortSignal;
  /** Throws what ended the question, if it has ended: the library would tell it to the model. */
  throwIfEnded: () => void;
  clock: () => number;
  /** Called before the model must write its answer. */
  onLimit: (limit: LimitKind) => Promise<void>;
  /** Called with the number of requests, before each of them. */
  onStep: (steps: number) => void;
  /** Called when the meter has counted a request, also one that failed. */
  onUse: () => void;
}

/** The share of the time after which the model writes its answer. */
const TIME_TO_SEARCH = 0.7;
const REPEATS = 3;
/** What an answer needs at least; and what a step writes as a rule. */
const LEAST_OUTPUT = 500;
const USUAL_OUTPUT = 2_000;
/** Characters per token vary: so many times the limit of tokens is surely beyond it. */
const MOST_OUTPUT = 2;

/** One call of the library: what happened in it. */
interface Call {
  /** The request under way. */
  request?: { sent: number; outputTokens: number; written: number };
  /** The last step that ended. */
  step?: StepResult<ToolSet>;
  failure?: ModelFailure;
}

/**
 * Lets the model search until it answers, or until it nears a limit: the last two requests are kept for the answer. Throws a
 * {@link ModelFailure} when there is none.
 */
export async function askModel(setup: AskModelSetup): Promise<ModelText> {
  const { model, system, tools, meter, settings, signal } = setup;
  const startedMs = setup.clock();
  const toolTokens =
    estimateTokens(JSON.stringify(Object.values(tools.tools).map(({ description }) => description))) + 1_000;
  let messages: ModelMessage[] = [{ role: 'user', content: setup.prompt }];
  /** `refused`: tools are offered, but none may be called; `absent`: for servers that do not know this choice. */
  let choice: 'offered' | 'refused' | 'absent' = 'offered';
  let limit: LimitKind | undefined;
  let steps = 0;
  /** How many tokens the server counted for each that was estimated; code has fewer characters per token than prose. */
  let ratio = 1;

  /** Goes on from the messages so far, until the model calls no more tools or has to end. */
  async function converse(): Promise<StepResult<ToolSet> | undefined> {
    const before = messages;
    const call: Call = {};
    const tooLong = new AbortController();
    const abortSignal = AbortSignal.any([signal, tooLong.signal]);
    // Each request leaves listeners on it. They are as few as the steps, and end with it.
    setMaxListeners(0, abortSignal);

    function count(usage?: LanguageModelUsage): void {
      const { request } = call;
      if (request === undefined) return;
      delete call.request;
      const output = Math.ceil(request.written / LIMITS.charactersPerToken);
      const tokens = tokensOf(usage, { input: request.sent, output });
      meter.add(tokens);
      ratio = Math.max(ratio, (tokens.input / request.sent) * ratio);
      setup.onUse();
    }

    const fail = (error: unknown): void => {
      call.failure ??= modelFailureOf(error);
    };

    const result = streamText({
      model,
      system,
      messages: before,
      tools: tools.tools,
      maxRetries: settings.retries,
      abortSignal,
      async prepareStep({ messages: all }) {
        signal.throwIfAborted();
        setup.throwIfEnded();
        const known = estimateTokens(system) + toolTokens + estimateTokens(JSON.stringify(all));
        const sent = Math.ceil(known * ratio);
        const outputTokens = roomForOutput(sent, setup);
        if (outputTokens < LEAST_OUTPUT) {
          throw new ModelFailure('limit', 'the question needs more than one question may use');
        }
        if (choice === 'offered') {
          limit = limitOf({ sent, steps: steps + 1, elapsedMs: setup.clock() - startedMs }, setup);
          if (limit !== undefined) {
            await setup.onLimit(limit);
            choice = 'refused';
          }
        }
        steps += 1;
        setup.onStep(steps);
        const isLast = choice !== 'offered';
        tools.beginStep(isLast ? 0 : Math.max(0, settings.contextTokens - sent) * LIMITS.charactersPerToken);
        call.request = { sent, outputTokens, written: 0 };
        return {
          maxOutputTokens: outputTokens,
          toolChoice: isLast ? 'none' : 'auto',
          ...(choice === 'absent' ? { activeTools: [] } : {}),
          ...(isLast ? { messages: [...all, { role: 'user', content: LAST_STEP }] } : {}),
        };
      },
      // A call that was cut has no result: servers refuse a conversation that holds one.
      stopWhen: () => choice !== 'offered' || call.failure !== undefined || call.step?.finishReason === 'length',
      onChunk({ chunk }) {
        const { request } = call;
        if (request === undefined) return;
        if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') request.written += chunk.text.length;
        else if (chunk.type === 'tool-input-delta') request.written += chunk.delta.length;
        // Not every server keeps to the limit that it is sent.
        if (request.written > MOST_OUTPUT * request.outputTokens * LIMITS.charactersPerToken) tooLong.abort();
      },
      // By default it would be printed, with the request.
      onError: ({ error }) => fail(error),
      onStepFinish(step) {
        count(step.usage);
        call.step = step;
        if (step.finishReason === 'stop' || step.finishReason === 'tool-calls') {
          messages = [...before, ...step.response.messages];
        } else if (step.finishReason === 'content-filter') {
          call.failure ??= new ModelFailure('filtered', 'its server held the answer back');
        } else if (step.finishReason !== 'length') {
          call.failure ??= new ModelFailure('cut', 'its reply was cut off');
        }
      },
    });
    await result.consumeStream({ onError: fail });
    if (tooLong.signal.aborted) call.failure = new ModelFailure('tooLarge', 'it wrote without end');
    // A request that was refused costs nothing; one that was ended or cut off is paid for as far as it came.
    if (call.failure?.kind !== 'status' && call.failure?.kind !== 'unreachable') count();
    signal.throwIfAborted();
    setup.throwIfEnded();
    if (call.failure !== undefined) throw call.failure;
    return call.step;
  }

  for (;;) {
    const step = await converse().catch((error: unknown) => {
      const canTryAgain = choice === 'refused' && steps < settings.steps;
      if (canTryAgain && error instanceof ModelFailure && error.kind === 'noAnswer') return undefined;
      throw error;
    });
    if (step !== undefined && step.toolCalls.length === 0 && step.text.trim() !== '') {
      return { text: step.text, limit, isCut: step.finishReason === 'length' };
    }
    if (choice === 'absent' || (choice === 'refused' && steps >= settings.steps)) {
      throw new ModelFailure('noAnswer', NO_ANSWER);
    }
    choice = choice === 'refused' ? 'absent' : 'refused';
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

/** What the server reports. What it leaves out or reports as zero is estimated: no request is free of tokens. */
function tokensOf(usage: LanguageModelUsage | undefined, estimated: { input: number; output: number }): RequestTokens {
  const count = (reported: number | undefined): number => Math.max(0, Math.trunc(reported ?? 0));
  return {
    input: count(usage?.inputTokens) || estimated.input,
    cached: count(usage?.inputTokenDetails.cacheReadTokens),
    cacheCreation: count(usage?.inputTokenDetails.cacheWriteTokens),
    output: count(usage?.outputTokens) || estimated.output,
  };
}
