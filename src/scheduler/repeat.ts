import type { Log } from '../core/ports.ts';

/**
 * Runs `task` after `firstMs` and then every `intervalMs` until stopped, never twice at once. Logs a failure and
 * continues.
 */
export function repeat(
  name: string,
  intervalMs: number,
  task: () => Promise<void>,
  log: Log,
  firstMs = intervalMs,
): { stop(): void } {
  let stopped = false;
  let timer = setTimeout(run, firstMs);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };

  async function run(): Promise<void> {
    try {
      await task();
    } catch (error) {
      log.warn({ event: name, outcome: 'failed' }, error);
    }
    if (!stopped) timer = setTimeout(run, intervalMs);
  }
}
