import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { ModelFailure } from './failure.ts';
import type { ModelSettings } from './settings.ts';

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

/**
 * `fetch` for one server: follows no redirect, since another server would get the question, and fails with a {@link ModelFailure}
 * when the reply is too large or nothing arrives for `silenceMs`.
 */
function createBoundedFetch(silenceMs: number): typeof fetch {
  return async (input, init = {}) => {
    const silence = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => clearTimeout(timer);
    const listen = (): void => {
      stop();
      const seconds = Math.ceil(silenceMs / 1_000);
      const failure = new ModelFailure('silent', `nothing came from its server for ${seconds} seconds`);
      timer = setTimeout(() => silence.abort(failure), silenceMs).unref();
    };
    const outer = init.signal ?? undefined;
    outer?.addEventListener('abort', stop, { once: true });
    const signal = outer === undefined ? silence.signal : AbortSignal.any([outer, silence.signal]);
    listen();
    try {
      const response = await fetch(input, { ...init, redirect: 'manual', signal });
      const { status, statusText, headers, body } = response;
      if (status >= 300 && status < 400) {
        await body?.cancel();
        throw new ModelFailure('status', 'its server redirects to another address', { status });
      }
      if (body === null) {
        stop();
        return response;
      }
      let bytes = 0;
      const bounded = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length;
          if (bytes > LIMITS.modelReplyBytes) {
            stop();
            return controller.error(new ModelFailure('tooLarge', 'its reply was too large'));
          }
          listen();
          controller.enqueue(chunk);
        },
        flush: stop,
      });
      return new Response(body.pipeThrough(bounded), { status, statusText, headers });
    } catch (error) {
      stop();
      throw error;
    }
  };
}

const REFUSAL = z.object({ error: z.object({ param: z.literal('max_tokens') }) });

/**
 * Newer models of OpenAI refuse the limit of output under its old name `max_tokens`, and older servers refuse the new one. Sends the
 * old name until a server refuses it, and the new one from then on.
 */
function renamingTokenLimit(send: typeof fetch): typeof fetch {
  let isNew = false;
  return async (input, init = {}) => {
    if (isNew) return send(input, renamed(init));
    const response = await send(input, init);
    if (response.status !== 400) return response;
    const text = await response.text();
    if (!REFUSAL.safeParse(parse(text)).success) {
      return new Response(text, { status: response.status, headers: response.headers });
    }
    isNew = true;
    return send(input, renamed(init));
  };
}

function renamed(init: RequestInit): RequestInit {
  const { max_tokens, ...others } = parse(String(init.body)) as Record<string, unknown>;
  return { ...init, body: JSON.stringify({ ...others, max_completion_tokens: max_tokens }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
