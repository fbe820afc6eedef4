import { LIMITS } from '../limits.ts';
import { ModelFailure } from './failure.ts';

/**
 * `fetch` for one server: follows no redirect, since another server would get the question, and fails with a {@link ModelFailure}
 * when the reply is too large or nothing arrives for `silenceMs`.
 */
export function createBoundedFetch(silenceMs: number): typeof fetch {
  return async (input, init = {}) => {
    const silence = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const listen = (): void => {
      clearTimeout(timer);
      const seconds = Math.ceil(silenceMs / 1_000);
      const failure = new ModelFailure('silent', `nothing came from its server for ${seconds} seconds`);
      timer = setTimeout(() => silence.abort(failure), silenceMs).unref();
    };
    const stop = (): void => clearTimeout(timer);
    const outer = init.signal ?? undefined;
    outer?.addEventListener('abort', stop, { once: true });
    const signal = outer === undefined ? silence.signal : AbortSignal.any([outer, silence.signal]);
    listen();
    try {
      const response = await fetch(input, { ...init, redirect: 'manual', signal });
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        throw new ModelFailure('status', 'its server redirects to another address', { status: response.status });
      }
      if (response.body === null) {
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
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
    } catch (error) {
      stop();
      throw error;
    }
  };
}
