import { createHmac, randomUUID } from 'node:crypto';
import { createEmulator } from 'emulate';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { blockSchema } from '../local-slack/local-slack.ts';

import { freePort } from '../processes/free-port.ts';

/** The Slack app, as its pages at Slack show it. */
export const emulatedApp = {
  clientId: '111.222',
  clientSecret: 'client-secret-of-the-test',
  signingSecret: 'signing-secret-of-the-test',
};

/** emulate has one workspace, with this id. */
export const emulatedTeam = { id: 'T000000001', name: 'Acme' };

/** Who uses the workspace, besides the admin that emulate has by itself. */
const person = { name: 'alice', realName: 'Alice Anderson', token: 'xoxp-alice' };
const channelName = 'payments';

const messageSchema = z.object({
  ts: z.string(),
  user: z.string(),
  text: z.string().optional(),
  blocks: z.array(blockSchema).optional(),
});
const replySchema = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

/** A message as emulate stores it. */
type EmulatedMessage = z.infer<typeof messageSchema>;

/**
 * Starts the Slack of the package `emulate`, without an installation of the app. It has the pages and the exchange of an
 * installation, and most of the Web API; it answers 404 to other methods. It has no subscriptions to events and no
 * `app_mention`: `say` posts a person's message there, and `deliver` sends the app a signed event of it. See decision 34.
 */
export async function startEmulatedSlack({ redirectUri, eventsUrl }: { redirectUri: string; eventsUrl: string }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { clientId, clientSecret, signingSecret } = emulatedApp;
  const emulator = await createEmulator({
    service: 'slack',
    port,
    baseUrl: url,
    seed: {
      slack: {
        team: { name: emulatedTeam.name, domain: 'acme' },
        users: [{ name: person.name, real_name: person.realName }],
        channels: [{ name: channelName }],
        tokens: [
          {
            token: person.token,
            type: 'user',
            user: person.name,
            scopes: ['chat:write', 'channels:read', 'channels:history'],
          },
        ],
        oauth_apps: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            name: 'Deep Search',
            redirect_uris: [redirectUri],
          },
        ],
        strict_scopes: true,
        signing_secret: signingSecret,
      },
    },
  });

  return {
    apiUrl: `${url}/api/`,
    /** The person allows on the open page what the app asks for. */
    allow: async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: person.realName }).click();
    },
    say,
    deliver,
    inThread,
    /** The bot user to which a token belongs; undefined if emulate does not take the token. */
    botOf: async (token: string): Promise<string | undefined> => {
      const reply = await send('auth.test', {}, token);
      return reply.ok ? z.object({ user_id: z.string() }).parse(reply).user_id : undefined;
    },
    /** Forgets installations, tokens and messages. emulate can't end a single token. */
    forget: () => emulator.reset(),
    stop: () => emulator.close(),
  };

  /** The person writes in the channel, or in a thread there. Slack's event of it is not delivered yet. */
  async function say(
    text: string,
    threadTs?: string,
  ): Promise<Record<string, unknown> & { channel: string; ts: string }> {
    const channel = await channelId();
    const message = { channel, text, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) };
    const posted = z.object({ ts: z.string(), message: messageSchema }).parse(await call('chat.postMessage', message));
    return { ...message, ts: posted.ts, event_ts: posted.ts, user: posted.message.user };
  }

  /** Delivers an event to the app. Resolves to the status of the app's reply. */
  async function deliver(event: object): Promise<number> {
    const body = JSON.stringify({
      type: 'event_callback',
      team_id: emulatedTeam.id,
      event_id: `Ev${randomUUID()}`,
      event_time: Math.floor(Date.now() / 1000),
      event,
    });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
    const reply = await fetch(eventsUrl, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${digest}`,
      },
      signal: AbortSignal.timeout(20_000),
    });
    await reply.body?.cancel();
    return reply.status;
  }

  /** What stands in a thread below its first message. */
  async function inThread(ts: string): Promise<EmulatedMessage[]> {
    const reply = await call('conversations.replies', { channel: await channelId(), ts });
    const { messages } = z.object({ messages: z.array(messageSchema) }).parse(reply);
    return messages.filter((message) => message.ts !== ts);
  }

  async function channelId(): Promise<string> {
    const reply = await call('conversations.list', {});
    const { channels } = z.object({ channels: z.array(z.object({ id: z.string(), name: z.string() })) }).parse(reply);
    const channel = channels.find(({ name }) => name === channelName);
    if (channel === undefined) throw new Error(`no channel ${channelName}`);
    return channel.id;
  }

  async function call(method: string, args: object): Promise<object> {
    const reply = await send(method, args, person.token);
    if (!reply.ok) throw new Error(`${method}: ${reply.error}`);
    return reply;
  }

  async function send(method: string, args: object, token: string): Promise<z.infer<typeof replySchema>> {
    const reply = await fetch(`${url}/api/${method}`, {
      method: 'POST',
      body: JSON.stringify(args),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    });
    return replySchema.parse(await reply.json());
  }
}

export type EmulatedSlack = Awaited<ReturnType<typeof startEmulatedSlack>>;
