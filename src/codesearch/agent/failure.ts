import { APICallError, RetryError, ToolChoiceViolationError } from 'ai';
import type { ModelFailureKind } from './report.ts';

export const NO_ANSWER = 'it wrote no answer';

/** The model gave no answer. Its message is for people: it holds no text of the server, which could repeat a key or foreign text. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: ModelFailureKind;
  /** HTTP status of the server, when it answered with one. */
  readonly status: number | undefined;

  constructor(kind: ModelFailureKind, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
  }
}

/** Translates what the library throws, by its class and status. */
export function modelFailureOf(error: unknown): ModelFailure {
  if (RetryError.isInstance(error)) return modelFailureOf(error.lastError);
  const causes = causesOf(error);
  const known = causes.find((one) => one instanceof ModelFailure);
  if (known !== undefined) return known;
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status !== undefined && status >= 400) {
    return new ModelFailure('status', describeStatus(status), { status, cause: error });
  }
  if (ToolChoiceViolationError.isInstance(error)) return new ModelFailure('noAnswer', NO_ANSWER, { cause: error });
  const isBroken = causes.some((one) => one instanceof TypeError);
  if (APICallError.isInstance(error) && status === undefined) {
    return new ModelFailure('unreachable', 'its server could not be reached', { cause: error });
  }
  if (isBroken) return new ModelFailure('cut', 'its reply was cut off', { cause: error });
  return new ModelFailure('badReply', 'its server sent a reply that is not understood', { cause: error });
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `its server refused the key (HTTP ${status})`;
  if (status === 429) return 'its server has too many requests at the moment (HTTP 429)';
  if (status >= 500) return `its server failed (HTTP ${status})`;
  return `its server refused the request (HTTP ${status})`;
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let one = error; one instanceof Error && causes.length < 10; one = one.cause) causes.push(one);
  return causes;
}
