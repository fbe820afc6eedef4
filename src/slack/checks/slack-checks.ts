import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { FetchFunction, WebClient } from '@slack/web-api';
import { z } from 'zod';
import { type Check, errorCode, type Finding, failureOf, once, type Says } from '../../core/doctor.ts';
import type { Claims, Clock } from '../../core/ports.ts';
import { sayIn } from '../../render/say.ts';
import { isTokenRefused, translatingErrors } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import {
  clientFetch,
  type createLibraryLogger,
  createTokenlessClient,
  createWebClient,
  type Outbound,
  webClientOptions,
} from '../api/web-client.ts';
import type { WorkspaceContext } from '../context.ts';
import { botScopes } from '../install/install-pages.ts';
import {
  clockFailMs,
  clockWarnMs,
  doctorEventMs,
  doctorLooksEveryMs,
  mostChallengeBytes,
  slackWaitsMs,
} from '../settings.ts';

interface SlackCheckOptions {
  slackApiUrl: string;
  /** Undefined: each workspace has its own token, which only the running app knows. */
  botToken: (() => Promise<string>) | undefined;
  /** Present: events arrive through Socket Mode. */
  appToken: string | undefined;
  signingSecret: string | undefined;
  /** The address to which Slack posts signed requests. Undefined: not known. */
  requestUrl: string | undefined;
  outbound: Outbound;
  logger: ReturnType<typeof createLibraryLogger>;
  now: Clock;
}

/** What Slack's reply to `auth.test` shows, also when Slack refuses the token. */
interface Authentication {
  /** Undefined if the call failed. */
  bot: { userId: string; teamId: string; isBot: boolean } | undefined;
  error: unknown;
  /** `x-oauth-scopes`. Undefined if Slack did not send it. */
  scopes: string[] | undefined;
  /** By how much our clock is ahead. Undefined without Slack's time. */
  aheadMs: number | undefined;
}

/** The checks of the app in Slack, except those of events. They change nothing there. */
export function createSlackChecks(options: SlackCheckOptions): Check[] {
  const { slackApiUrl, botToken, appToken, outbound, logger, now } = options;
  const { host } = new URL(slackApiUrl);
  const authenticate = once(authenticateNow);

  return [
    { name: 'token', run: token },
    { name: 'scopes', run: scopes },
    {
      name: 'delivery',
      run: async (say) => [await (appToken === undefined ? endpoint(say) : socketMode(appToken, say))],
    },
    { name: 'clock', run: clock },
  ];

  async function authenticateNow(): Promise<Authentication> {
    let headers: Pick<Headers, 'get'> | undefined;
    let repliedMs = 0;
    const noting: FetchFunction = async (address, init) => {
      const sentMs = now();
      const response = await clientFetch(outbound)(address, init);
      repliedMs = (sentMs + now()) / 2;
      headers = response.headers;
      return response;
    };
    const seen = (): Pick<Authentication, 'scopes' | 'aheadMs'> => {
      const slackMs = Date.parse(headers?.get('date') ?? '');
      return {
        scopes: headers
          ?.get('x-oauth-scopes')
          ?.split(/[\s,]+/)
          .filter((scope) => scope !== ''),
        // Slack's time has no fractions of a second.
        aheadMs: Number.isNaN(slackMs) ? undefined : repliedMs - (slackMs + 500),
      };
    };
    try {
      const api = await clientOfBot(noting);
      const {
        user_id: userId = '',
        team_id: teamId = '',
        bot_id: botId,
      } = await translatingErrors('auth.test', () => api.auth.test());
      return { bot: { userId, teamId, isBot: botId !== undefined }, error: undefined, ...seen() };
    } catch (error) {
      return { bot: undefined, error, ...seen() };
    }
  }

  /** Without a token, Slack refuses every call, and its reply still tells the time. */
  async function clientOfBot(fetch: FetchFunction): Promise<WebClient> {
    const settings = { ...webClientOptions(slackApiUrl, logger), fetch };
    return botToken === undefined ? createTokenlessClient(settings) : createWebClient(await botToken(), settings);
  }

  async function token(say: Says): Promise<Finding[]> {
    const { bot, error } = await authenticate();
    if (bot !== undefined) {
      if (!bot.isBot) return [say('tokenOfNoBot', {})];
      return [say('tokenAccepted', { botUserId: idOf(bot.userId), teamId: idOf(bot.teamId) })];
    }
    if (botToken === undefined && isTokenRefused(error)) return [say('tokenOfEachWorkspace', {})];
    return [failureOf(error, say, { host, settings: 'SLACK_BOT_TOKEN' })];
  }

  async function scopes(say: Says): Promise<Finding[]> {
    const { bot, scopes: granted } = await authenticate();
    if (bot === undefined) return [say('notChecked', { because: 'token' })];
    if (granted === undefined) return [say('notTold', { reason: 'the reply has no x-oauth-scopes' })];
    const missing = Object.keys(botScopes).filter((scope) => !granted.includes(scope));
    const needed = missing.filter((scope) => botScopes[scope] === 'needed').join(', ');
    const optional = missing.filter((scope) => botScopes[scope] === 'optional').join(', ');
    if (missing.length === 0) return [say('scopesGranted', { count: Object.keys(botScopes).length })];
    return [
      ...(needed === '' ? [] : [say('scopesMissing', { scopes: needed })]),
      ...(optional === '' ? [] : [say('scopesOptionalMissing', { scopes: optional })]),
    ];
  }

  /** Asks for the address of a connection and does not connect: Slack would send some of the app's events there. */
  async function socketMode(ofApp: string, say: Says): Promise<Finding> {
    const api = createWebClient(ofApp, { ...webClientOptions(slackApiUrl, logger), fetch: clientFetch(outbound) });
    try {
      const { url = '' } = await translatingErrors('apps.connections.open', () => api.apps.connections.open({}));
      return say('socketOpens', { host: URL.canParse(url) ? new URL(url).host : host });
    } catch (error) {
      return failureOf(error, say, { host, settings: 'SLACK_APP_TOKEN' });
    }
  }

  /**
   * Sends the request with which Slack verifies an address, signed like Slack's own. The app answers it before any
   * listener, so nothing happens there.
   */
  async function endpoint(say: Says): Promise<Finding> {
    const { signingSecret = '', requestUrl } = options;
    if (requestUrl === undefined) return say('endpointNotGiven', {});
    const { host: ofApp } = new URL(requestUrl);
    const challenge = randomUUID();
    const body = JSON.stringify({ type: 'url_verification', challenge, token: 'doctor' });
    const timestamp = String(Math.floor(now() / 1000));
    const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
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
        signal: AbortSignal.timeout(slackWaitsMs),
      });
      const text = await beginningOf(response);
      if (response.status === 200 && text.includes(challenge)) return say('endpointAnswers', { host: ofApp });
      // This app refuses a signature with 401.
      const settings = response.status === 401 ? 'SLACK_SIGNING_SECRET' : 'PUBLIC_URL';
      return say('refused', { reason: `POST ${ofApp} answered ${response.status}`, settings });
    } catch (error) {
      return say('noReply', { host: ofApp, reason: errorCode(error) });
    }
  }

  async function clock(say: Says): Promise<Finding[]> {
    const { aheadMs } = await authenticate();
    if (aheadMs === undefined) return [say('notChecked', { because: 'token' })];
    const offMs = Math.abs(aheadMs);
    const seconds = Math.round(offMs / 1000);
    if (offMs >= clockFailMs) return [say('clockFarOff', { seconds })];
    return [offMs > clockWarnMs ? say('clockOff', { seconds }) : say('clockRight', {})];
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

/** Ids of Slack are shown. Anything else is not one. */
function idOf(text: string): string {
  return /^[A-Z0-9]{1,30}$/.test(text) ? text : 'unknown';
}

const marker = /\bdoctor-[0-9a-f]{16}\b/;

/** What is read of the event of a message. */
const ownMessage = z.object({
  event: z.object({
    type: z.literal('message'),
    text: z.string(),
    user: z.string().optional(),
    bot_id: z.string().nullish(),
  }),
});

/** What a program beside the app says about events. */
export const eventsNeedApp: Check = {
  name: 'events',
  run: async (say) => [say('eventsNeedApp', {})],
};

/**
 * Posts a message into the person's direct messages with the app, waits until any copy of the app got the event of it,
 * and deletes the message. This is all that the doctor changes in Slack.
 */
export function createEventCheck(deps: {
  slack: Pick<SlackApi, 'call'>;
  claims: Pick<Claims, 'ownerOf'>;
  userId: string;
  locale: string | undefined;
}): Check {
  const { slack, claims, userId, locale } = deps;
  return { name: 'events', run };

  async function run(say: Says): Promise<Finding[]> {
    const mark = `doctor-${randomBytes(8).toString('hex')}`;
    let posted: { channel: string; ts: string };
    try {
      const { channel = userId, ts = '' } = await slack.call(
        'chat.postMessage',
        { channel: userId, text: sayIn(locale).doctor.eventMessage(mark), unfurl_links: false, unfurl_media: false },
        { priority: 'private', channelId: userId },
      );
      posted = { channel, ts };
    } catch (error) {
      return [failureOf(error, say, { host: 'Slack', settings: 'App Home' })];
    }
    let left: string | undefined;
    const hasArrived = await arrives(mark).finally(async () => {
      left = await remove(posted);
    });
    if (!hasArrived) return [say('eventMissing', { seconds: doctorEventMs / 1000 })];
    return [left === undefined ? say('eventArrived', {}) : say('eventMessageLeft', { code: left })];
  }

  async function arrives(mark: string): Promise<boolean> {
    const untilMs = performance.now() + doctorEventMs;
    while ((await claims.ownerOf(keyOf(mark))) === undefined) {
      if (performance.now() >= untilMs) return false;
      await wait(doctorLooksEveryMs);
    }
    return true;
  }

  /** Returns why the message is still there. */
  async function remove({ channel, ts }: { channel: string; ts: string }): Promise<string | undefined> {
    try {
      await slack.call('chat.delete', { channel, ts }, { priority: 'private' });
      return undefined;
    } catch (error) {
      return errorCode(error);
    }
  }
}

/** Notes the event of a doctor's message, for the copy of the app that waits for it. Never throws. */
export async function noteDoctorEvent(
  body: unknown,
  { claims, slack: { identity }, log }: WorkspaceContext,
): Promise<void> {
  const parsed = ownMessage.safeParse(body);
  if (!parsed.success) return;
  const { text, user, bot_id: botId } = parsed.data.event;
  const isOwn = user === identity.botUserId || (botId != null && botId === identity.botId);
  const mark = isOwn ? marker.exec(text)?.[0] : undefined;
  if (mark === undefined) return;
  try {
    await claims.claim(keyOf(mark), 'arrived');
  } catch (error) {
    log.warn({ event: 'doctor_event_not_noted' }, error);
  }
}

function keyOf(mark: string): string {
  return `doctor:${mark}`;
}
