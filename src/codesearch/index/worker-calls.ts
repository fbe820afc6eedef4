import { Worker } from 'node:worker_threads';

/** The call took too long or too much memory; the worker was ended, and the next call starts another. */
export class WorkerLimitError extends Error {
  override readonly name = 'WorkerLimitError';
}

const MEMORY_MB = 512;

/** What a module posts once it is loaded. On a busy machine that takes seconds, which are no work of a call. */
export const LOADED = 'loaded';
const LOAD_MS = 60_000;

/** A thread does not inherit the loader of `tsx`. */
const WITH_LOADER = `
  const { workerData } = require('node:worker_threads');
  import(workerData.loader).then(({ register }) => { register(); return import(workerData.module); });
`;

/**
 * Calls a module in a thread of its own, so that long work does not stop the server from answering; one call at a time.
 * The module is a `.ts` file, named from here, when the service runs from source (then it needs the `tsx` loader, also under
 * vitest), and a `.js` file when it is built. A thread starts with the first call.
 */
export function createWorkerCalls<Input, Output>(name: string, timeoutMs: number) {
  let worker: Worker | undefined;

  function start(): Worker {
    const options = { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } };
    if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, import.meta.url), options);
    const module = new URL(`./${name}.ts`, import.meta.url);
    return new Worker(WITH_LOADER, {
      ...options,
      eval: true,
      workerData: { module: module.href, loader: import.meta.resolve('tsx/esm/api') },
    });
  }

  function startOnce(): Worker {
    if (worker !== undefined) return worker;
    const started = start();
    // Also between two calls: an error event without a listener would end the service.
    started.on('error', () => {
      if (worker === started) worker = undefined;
    });
    worker = started;
    return started;
  }

  async function close(): Promise<void> {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  return {
    /** The module posts {@link LOADED}, then answers each message with one message. Throws {@link WorkerLimitError}, or what the module throws. */
    async call(input: Input): Promise<Output> {
      const isLoaded = worker !== undefined;
      const current = startOnce();
      let stopListening = (): void => {};
      try {
        return await new Promise<Output>((resolve, reject) => {
          const stop = (): void => reject(new WorkerLimitError('The work took too long.'));
          let timer = setTimeout(stop, isLoaded ? timeoutMs : LOAD_MS);
          const onMessage = (output: Output | typeof LOADED): void => {
            clearTimeout(timer);
            if (output === LOADED) timer = setTimeout(stop, timeoutMs);
            else resolve(output);
          };
          const onError = (error: Error & { code?: string }): void =>
            reject(
              error.code === 'ERR_WORKER_OUT_OF_MEMORY'
                ? new WorkerLimitError('The work took too much memory.')
                : error,
            );
          stopListening = () => {
            clearTimeout(timer);
            current.off('message', onMessage);
            current.off('error', onError);
          };
          current.on('message', onMessage);
          current.on('error', onError);
          current.postMessage(input);
        });
      } catch (error) {
        await close();
        throw error;
      } finally {
        stopListening();
      }
    },
    close,
  };
}
