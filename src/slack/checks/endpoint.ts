import { createHmac, randomUUID } from 'node:crypto';
import { errorCode } from '../../core/doctor/error-code.ts';
import type { Finding, Says } from '../../core/doctor/finding.ts';
import type { Clock } from '../../core/ports.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import { doctorWaitsMs, mostChallengeBytes, slackWaitsMs } from '../settings.ts';

/**
 * Sends the request with which Slack verifies an address, signed like Slack's own. The app answers it before any
 * listener, so nothing happens there.
 */
export async function checkEndpoint(
  options: {
    signingSecret: string | undefined;
    requestUrl: string | undefined;
    outbound: Pick<Outbound, 'fetch'>;
    now: Clock;
  },
  say: Says,
): Promise<Finding[]> {
  const { signingSecret = '', requestUrl, outbound, now } = options;
  if (requestUrl === undefined) return [say('warn', 'endpointNotGiven', {})];
  const { host, protocol } = new URL(requestUrl);
  const challenge = randomUUID();
  const body = JSON.stringify({ type: 'url_verification', challenge, token: 'doctor' });
  const timestamp = String(Math.floor(now() / 1000));
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  const startedMs = performance.now();
  try {
    const response = await outbound.fetch(requestUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${digest}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(doctorWaitsMs),
    });
    const text = await beginningOf(response);
    const { status } = response;
    if (status === 401) return [say('fail', 'endpointRefusesSignature', { host })];
    if (status !== 200 || !text.includes(challenge)) return [say('fail', 'endpointIsOther', { host, status })];
    if (performance.now() - startedMs > slackWaitsMs) return [say('fail', 'endpointSlow', { host })];
    if (protocol !== 'https:') return [say('warn', 'endpointNotHttps', {})];
    return [say('pass', 'endpointAnswers', { host })];
  } catch (error) {
    const code = errorCode(error);
    if (code === 'TimeoutError') return [say('fail', 'endpointSlow', { host })];
    return [say('fail', 'endpointUnreachable', { host, code })];
  }
}

async function beginningOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostChallengeBytes) break;
  }
  return text;
}
