import { AppError } from '../core/errors.ts';

/** When a follow-up is tried again that came while its conversation had a question in progress. */
const busyRetryMs = 5_000;

/** The error of a follow-up that the service refused because the conversation has a question in progress. */
export function busyConversation(cause: AppError): AppError {
  return new AppError('rateLimited', 'the conversation has a question in progress', {
    cause,
    retryAfterMs: busyRetryMs,
  });
}
