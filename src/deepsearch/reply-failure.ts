import { AppError } from '../core/errors.ts';
import type { HttpReply, HttpRequest } from './http.ts';
import { parseRetryAfterMs } from './retry.ts';

/**
 * The error of an unsuccessful reply; undefined for a success. The body is not read: the service does not specify its
 * error bodies, and those of proxies are HTML.
 */
export function replyFailure(
  { status, headers }: HttpReply,
  { label, safe }: Pick<HttpRequest, 'label' | 'safe'>,
  nowMs: number,
): AppError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const said = `${label} answered ${status}`;
  const outcomeUnknown = !safe;
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs);
  if (status < 400) {
    // Redirects are never followed, because the next origin must not see the credential. The operator has to correct
    // the address in the settings.
    return new AppError('badReply', `${said}, a redirect to ${originOf(headers.location)}; it is not followed`, {
      code: status,
      outcomeUnknown,
    });
  }
  switch (status) {
    case 401:
    case 403:
    case 407:
      return new AppError('unauthorized', said, { code: status });
    case 404:
      return new AppError('notFound', said, { code: status });
    case 429:
      return new AppError('rateLimited', said, { code: status, retryAfterMs });
    case 408:
    case 425:
      return new AppError('unavailable', said, { code: status, outcomeUnknown, retryAfterMs });
  }
  if (status < 500) return new AppError('refused', said, { code: status });
  return new AppError('unavailable', said, { code: status, outcomeUnknown, retryAfterMs });
}

function originOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  // Names only the origin, because the rest of the address may contain secrets. A path without an origin stays on this
  // origin.
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}
