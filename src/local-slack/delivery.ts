import { createHmac } from 'node:crypto';

/** Deliveries by kind, as Socket Mode names them. */
export type Kind = 'events_api' | 'slash_commands' | 'interactive';

/** How often an attempt was made before, and why the one before it failed. */
interface Retry {
  attempt: number;
  reason: string;
}

/** What became of one attempt. `reason`: why it failed, in Slack's words for retries. */
export type Attempt =
  | { acknowledged: true; response?: unknown }
  | { acknowledged: false; reason: string; isFinal?: boolean };

export type Send = (kind: Kind, payload: Record<string, unknown>, retry?: Retry) => Promise<Attempt>;

/** The app must acknowledge within this time (docs.slack.dev/apis/events-api). */
export const acknowledgeMs = 3_000;

/** When Slack repeats an event that was not acknowledged. */
const retriesMs = [0, 60_000, 300_000];

/** Sends payloads to the app and repeats events. A delivery resolves with the outcome of its first attempt. */
export function createDelivery(send: Send) {
  const timers = new Set<NodeJS.Timeout>();
  let hasStopped = false;

  return {
    deliver: async (kind: Kind, payload: Record<string, unknown>): Promise<Attempt> => {
      const attempt = await send(kind, payload);
      if (!attempt.acknowledged && kind === 'events_api') repeat(payload, attempt, 1);
      return attempt;
    },
    stop: () => {
      hasStopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };

  function repeat(payload: Record<string, unknown>, failed: Attempt, attempt: number): void {
    const waitMs = retriesMs[attempt - 1];
    if (failed.acknowledged || failed.isFinal === true || hasStopped || waitMs === undefined) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void send('events_api', payload, { attempt, reason: failed.reason }).then((next) =>
        repeat(payload, next, attempt + 1),
      );
    }, waitMs);
    timers.add(timer);
  }
}

/** Signed requests to the app's address (docs.slack.dev/authentication/verifying-requests-from-slack). */
export function createHttpSender({ url, signingSecret }: { url: string; signingSecret: string }): Send {
  return async (kind, payload, retry) => {
    const isEvent = kind === 'events_api';
    const form = kind === 'slash_commands' ? new URLSearchParams(payload as Record<string, string>) : undefined;
    const body = isEvent
      ? JSON.stringify(payload)
      : `${form ?? new URLSearchParams({ payload: JSON.stringify(payload) })}`;
    const at = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex');
    try {
      const reply = await fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': at,
          'x-slack-signature': `v0=${signature}`,
          ...(retry && { 'x-slack-retry-num': String(retry.attempt), 'x-slack-retry-reason': retry.reason }),
        },
        signal: AbortSignal.timeout(acknowledgeMs),
      });
      const text = await reply.text();
      if (reply.ok) return { acknowledged: true, ...(text === '' ? {} : { response: parsed(text) }) };
      return { acknowledged: false, reason: 'http_error', isFinal: reply.headers.get('x-slack-no-retry') === '1' };
    } catch (error) {
      const isSlow = error instanceof Error && error.name === 'TimeoutError';
      return { acknowledged: false, reason: isSlow ? 'http_timeout' : 'connection_failed' };
    }
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
