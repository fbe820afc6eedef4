import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type LanguageModel, type LanguageModelUsage, type ModelMessage, stepCountIs, streamText } from 'ai';
import { estimateTokens, LIMITS } from '../limits.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { ModelFailure, modelFailureOf } from './failure.ts';
import type { Meter, RequestTokens } from './meter.ts';
import type { ModelSettings } from './settings.ts';
import { renamingTokenLimit } from './token-limit.ts';
import type { Tools } from './tools.ts';

// The library would print warnings about parameters that a server ignores.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Characters per token vary: so many times the limit of tokens is surely beyond it. */
const MOST_OUTPUT = 2;

/** What one step of the model brought. */
export interface ModelStep {
  text: string;
  /** Calls of tools, with those that were wrong. */
  calls: number;
  /** Whether the output ended at its limit. */
  isCut: boolean;
}

/** How a step is asked for. */
export interface StepOptions {
  /** `refused`: they are offered, but none may be called; `absent`: for servers that do not know this choice. */
  tools: 'offered' | 'refused' | 'absent';
  outputTokens: number;
  /** What the results of its tools may have together. */
  resultCharacters: number;
}

/** A model at an OpenAI-compatible server. */
export function createLanguageModel(settings: ModelSettings): LanguageModel {
  return createOpenAICompatible({
    name: 'model',
    baseURL: settings.baseUrl,
    includeUsage: true,
    fetch: renamingTokenLimit(createBoundedFetch(settings.silenceMs)),
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
  })(settings.model);
}

export interface ModelConversationSetup {
  model: LanguageModel;
  system: string;
  tools: Tools;
  meter: Meter;
  /** How often a request is repeated that failed before its reply began. */
  retries: number;
  /** Ends the request under way. */
  signal: AbortSignal;
  /** Called after each request, also one that failed. */
  onUse: () => void;
}

/** One conversation with a model, step by step: each step is one request, with the tools that the model calls in it. */
export function createModelConversation(setup: ModelConversationSetup) {
  const { model, system, tools, meter, signal } = setup;
  const messages: ModelMessage[] = [];
  const toolTokens =
    estimateTokens(JSON.stringify(Object.values(tools.tools).map(({ description }) => description))) + 1_000;

  /** How many tokens the server counted for each that was estimated; code has fewer characters per token than prose. */
  let ratio = 1;

  const estimate = (): number =>
    Math.ceil((estimateTokens(system) + toolTokens + estimateTokens(JSON.stringify(messages))) * ratio);

  /** Sends all so far. Throws a {@link ModelFailure}, or the reason of the signal. */
  async function step({ tools: choice, outputTokens, resultCharacters }: StepOptions): Promise<ModelStep> {
    tools.beginStep(choice === 'offered' ? resultCharacters : 0);
    const sent = estimate();
    let text = '';
    let written = 0;
    let reported: LanguageModelUsage | undefined;
    let reason: string | undefined;
    let calls = 0;
    let failure: ModelFailure | undefined;
    const added: ModelMessage[] = [];
    const tooLong = new AbortController();
    try {
      const result = streamText({
        model,
        system,
        messages,
        tools: choice === 'absent' ? {} : tools.tools,
        toolChoice: choice === 'offered' ? 'auto' : 'none',
        stopWhen: stepCountIs(1),
        maxOutputTokens: outputTokens,
        maxRetries: setup.retries,
        // A signal of its own for each step: the library leaves listeners on it.
        abortSignal: AbortSignal.any([signal, tooLong.signal]),
        // The failure is read from the stream; by default it would be printed, with the request.
        onError: () => {},
        onStepFinish: ({ response }) => void added.push(...response.messages),
      });
      for await (const part of result.fullStream) {
        if (part.type === 'text-delta') text += part.text;
        if (part.type === 'text-delta' || part.type === 'reasoning-delta') written += part.text.length;
        else if (part.type === 'tool-input-delta') written += part.delta.length;
        else if (part.type === 'tool-call') calls += 1;
        else if (part.type === 'error') failure ??= modelFailureOf(part.error);
        else if (part.type === 'finish-step') {
          reported = part.usage;
          reason = part.finishReason;
        }
        // Not every server keeps to the limit that it is sent.
        if (written > MOST_OUTPUT * outputTokens * LIMITS.charactersPerToken) {
          tooLong.abort();
          break;
        }
      }
    } catch (error) {
      failure ??= modelFailureOf(error);
    }
    if (tooLong.signal.aborted) failure = new ModelFailure('tooLarge', 'it wrote without end');
    const tokens = tokensOf(reported, { input: sent, output: Math.ceil(written / LIMITS.charactersPerToken) });
    // A request that was refused costs nothing; one that was ended or cut off is paid for as far as it came.
    if (failure?.kind !== 'status' && failure?.kind !== 'unreachable') {
      meter.add(tokens);
      ratio = Math.max(ratio, (tokens.input / sent) * ratio);
    }
    setup.onUse();
    signal.throwIfAborted();
    tools.throwIfEnded();
    if (failure !== undefined) throw failure;
    if (reason === 'content-filter') throw new ModelFailure('filtered', 'its server held the answer back');
    const isCut = reason === 'length';
    if (!isCut && reason !== 'stop' && reason !== 'tool-calls') throw new ModelFailure('cut', 'its reply was cut off');
    // A call that was cut has no result: servers refuse a conversation that holds one.
    if (!isCut) messages.push(...added);
    return { text, calls, isCut };
  }

  return {
    step,
    say: (content: string): unknown => messages.push({ role: 'user', content }),
    /** Estimated tokens that the next request sends. */
    estimate,
  };
}

export type ModelConversation = ReturnType<typeof createModelConversation>;

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
