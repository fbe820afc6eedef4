import { AppError } from '../core/errors.ts';
import type { HttpReply, HttpRequest } from './http.ts';
import { parseRetryAfterMs } from './retry.ts';

/**
 * What a reply without success means; undefined for a success. Its body plays no part: error bodies of the service are
 * not specified and those of proxies are HTML.
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
    // Never followed: the next origin must not see the credential. The address in the settings has to be corrected.
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
  // A path stays on this origin; only the origin is named, since the rest may carry secrets.
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}
