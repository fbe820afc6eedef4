import { AppError } from '../../core/errors.ts';
import { respondTimeoutMs } from '../settings.ts';
import type { Outbound } from './outbound-fetch.ts';

/** Where Slack takes responses, also those of GovSlack. */
const responseHosts = /^hooks\.slack(?:-gov)?\.com$/;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a message may be sent to a `response_url`: to Slack, or to the server of the Web API, `apiUrl`. It comes from a
 * payload or from the storage, and must not become a way to reach other programs.
 */
export function isResponseAddress(responseUrl: string, apiUrl: string): boolean {
  if (!URL.canParse(responseUrl)) return false;
  const { protocol, host, hostname, port, username, password } = new URL(responseUrl);
  if (username !== '' || password !== '') return false;
  if (responseHosts.test(hostname)) return protocol === 'https:' && port === '';
  const api = new URL(apiUrl);
  // A stand-in for Slack on this machine may use several names and ports.
  const areHere = loopback.test(hostname) && loopback.test(api.hostname);
  return protocol === api.protocol && (host === api.host || areHere);
}

/** Posts to the `response_url` of a payload, valid for 30 minutes and five uses. Throws `AppError`. */
export async function respond(
  { outbound, slackApiUrl }: { outbound: Pick<Outbound, 'fetch'>; slackApiUrl: string },
  responseUrl: string,
  message: object,
): Promise<void> {
  if (!isResponseAddress(responseUrl, slackApiUrl))
    throw new AppError('refused', 'response_url: not an address of Slack');
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
