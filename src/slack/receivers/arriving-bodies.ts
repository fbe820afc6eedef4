import type { IncomingMessage } from 'node:http';
import { mostArrivingBytes } from '../settings.ts';

/**
 * Bounds the memory for bodies of requests whose sender is not verified yet. If all that are arriving together take more
 * than `mostBytes`, the request that began first is cut off: those of Slack arrive within milliseconds.
 */
export function createArrivingBodies(mostBytes = mostArrivingBytes) {
  const arriving = new Map<IncomingMessage, number>();
  let total = 0;

  /** Counts the body of a request while `reading` it. Call it before anything else listens to the request. */
  return async function count<Result>(request: IncomingMessage, reading: () => Promise<Result>): Promise<Result> {
    const add = (chunk: Buffer): void => {
      arriving.set(request, (arriving.get(request) ?? 0) + chunk.length);
      total += chunk.length;
      for (const oldest of arriving.keys()) {
        if (total <= mostBytes) return;
        forget(oldest);
        oldest.destroy();
      }
    };
    arriving.set(request, 0);
    request.on('data', add);
    try {
      return await reading();
    } finally {
      request.off('data', add);
      forget(request);
    }
  };

  function forget(request: IncomingMessage): void {
    total -= arriving.get(request) ?? 0;
    arriving.delete(request);
  }
}
