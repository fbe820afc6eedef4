import { AppError } from '../core/errors.ts';

const code = 'busyConversation';

/** When a follow-up is tried again that came while its conversation had a question in progress. */
const busyRetryMs = 5_000;

/**
 * The error of a follow-up that the service refused because the conversation has a question in progress. It says nothing
 * about the other conversations of the account.
 */
export function busyConversation(cause: AppError): AppError {
  return new AppError('rateLimited', 'the conversation has a question in progress', {
    cause,
    code,
    retryAfterMs: busyRetryMs,
  });
}

export function isBusyConversation(error: unknown): boolean {
  return error instanceof AppError && error.code === code;
}
