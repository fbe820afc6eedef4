import { AppError } from '../../core/errors.ts';
import { respondTimeoutMs } from '../settings.ts';
import type { Outbound } from './outbound-fetch.ts';

/** Posts to the `response_url` of a payload, valid for 30 minutes and five uses. Throws `AppError`. */
export async function respond(outbound: Outbound, responseUrl: string, message: object): Promise<void> {
  let status: number;
  try {
    const response = await outbound.fetch(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
      redirect: 'error',
      signal: AbortSignal.timeout(respondTimeoutMs),
    });
    status = response.status;
    await response.body?.cancel();
  } catch (error) {
    throw new AppError('unavailable', 'response_url: no answer', { cause: error, outcomeUnknown: true });
  }
  if (status >= 300) {
    throw new AppError(status >= 500 ? 'unavailable' : 'refused', `response_url: HTTP ${status}`, { code: status });
  }
}
