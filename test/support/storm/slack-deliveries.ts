import { createHmac } from 'node:crypto';

export const signingSecret = 'signing-secret-of-the-chaos';

/** Slack's time limit for an acknowledgement. */
const slackTimeoutMs = 3_000;

/** Slack repeats an unacknowledged event at once, after 1 minute and after 5 minutes; here five times as fast. */
const eventRetriesMs = [0, 12_000, 60_000];

/** A request with Slack's signature and the current time. */
export function signed(body: string, contentType: string): { body: string; headers: Record<string, string> } {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  return {
    body,
    headers: {
      'content-type': contentType,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    },
  };
}

/** What the person who typed a command sees: nothing, a text that it was not accepted, or that the app did not respond. */
export type CommandResult = 'accepted' | 'rejected' | 'noAnswer';

/** Slack's side of HTTP mode, with a load balancer that sends requests to the copies in turn. */
export function createSlackDeliveries(copies: () => string[]) {
  let turn = 0;
  let repeated = 0;

  return { event, command, repeated: () => repeated };

  /** Delivers an event with Slack's retries; returns whether it was acknowledged. */
  async function event(body: Record<string, unknown>): Promise<boolean> {
    const text = JSON.stringify(body);
    for (let attempt = 0; attempt <= eventRetriesMs.length; attempt += 1) {
      if (attempt > 0) {
        repeated += 1;
        await new Promise((resolve) => setTimeout(resolve, eventRetriesMs[attempt - 1]));
      }
      const retry: Record<string, string> =
        attempt === 0 ? {} : { 'x-slack-retry-num': String(attempt), 'x-slack-retry-reason': 'http_error' };
      const reply = await send(text, 'application/json', retry);
      if (reply?.status === 200) return true;
    }
    return false;
  }

  async function command(payload: Record<string, unknown>): Promise<CommandResult> {
    const fields = Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)]);
    const reply = await send(new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded', {});
    if (reply?.status !== 200) return 'noAnswer';
    return reply.text === '' ? 'accepted' : 'rejected';
  }

  async function send(
    text: string,
    contentType: string,
    more: Record<string, string>,
  ): Promise<{ status: number; text: string } | undefined> {
    const urls = copies();
    const patience = AbortSignal.timeout(slackTimeoutMs);
    const { body, headers } = signed(text, contentType);
    // When a copy does not accept the connection, the load balancer tries the next one.
    for (let tries = 0; tries < urls.length; tries += 1) {
      turn += 1;
      try {
        const response = await fetch(`${urls[turn % urls.length]}/slack/events`, {
          method: 'POST',
          body,
          headers: { ...headers, ...more },
          signal: patience,
        });
        return { status: response.status, text: await response.text() };
      } catch (error) {
        if (!isRefusedConnection(error)) return undefined;
      }
    }
    return undefined;
  }
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

export type SlackDeliveries = ReturnType<typeof createSlackDeliveries>;
