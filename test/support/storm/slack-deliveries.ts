import { createHmac } from 'node:crypto';

export const signingSecret = 'signing-secret-of-the-chaos';

/** Slack's time for an answer. */
const slackPatienceMs = 3_000;

/** Slack repeats an event that was not acknowledged at once, after a minute and after five, and no more; here five times as soon. */
const eventRetriesMs = [0, 12_000, 60_000];

/** A request as Slack signs it, now. */
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

/** What whoever typed a command saw: nothing, words that it was not taken, or that the app did not answer. */
export type CommandResult = 'taken' | 'notTaken' | 'noAnswer';

/** Slack's side of HTTP mode, before a balancer that hands requests to any of the copies in turn. */
export function createSlackDeliveries(copies: () => string[]) {
  let turn = 0;
  let repeated = 0;

  return { event, command, repeated: () => repeated };

  /** Delivers an event as often as Slack would; whether it was acknowledged in the end. */
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
    return reply.text === '' ? 'taken' : 'notTaken';
  }

  async function send(
    text: string,
    contentType: string,
    more: Record<string, string>,
  ): Promise<{ status: number; text: string } | undefined> {
    const urls = copies();
    const patience = AbortSignal.timeout(slackPatienceMs);
    const { body, headers } = signed(text, contentType);
    // A balancer hands a request to the next copy where one does not take the connection.
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
