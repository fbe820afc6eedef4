import type { ServerResponse } from 'node:http';

/**
 * A call that the server carries out late: a time after the call arrived, after the caller stopped waiting, or after the
 * server broke the connection. The caller gets the reply only if it still waits.
 */
export type LateCall =
  | { carriedOutAfterMs: number }
  | { carriedOutAfterGivenUpMs: number }
  | { brokenAndCarriedOutAfterMs: number };

export function isLateCall(fault: object): fault is LateCall {
  return ['carriedOutAfterMs', 'carriedOutAfterGivenUpMs', 'brokenAndCarriedOutAfterMs'].some((kind) => kind in fault);
}

/** Resolves when the server carries out the call. */
export async function untilCarriedOut(call: LateCall, response: ServerResponse): Promise<void> {
  if ('carriedOutAfterMs' in call) return pass(call.carriedOutAfterMs);
  if ('brokenAndCarriedOutAfterMs' in call) {
    response.destroy();
    return pass(call.brokenAndCarriedOutAfterMs);
  }
  if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
  await pass(call.carriedOutAfterGivenUpMs);
}

function pass(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
}
