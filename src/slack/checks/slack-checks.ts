import type { FetchFunction, WebClient } from '@slack/web-api';
import { errorCode } from '../../core/doctor/error-code.ts';
import type { Check, Feature, Finding, Says } from '../../core/doctor/finding.ts';
import { once } from '../../core/doctor/run-checks.ts';
import { isAppError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { isTokenRefused, translatingErrors } from '../api/errors.ts';
import type { createLibraryLogger } from '../api/library-logger.ts';
import { lacking } from '../api/optional-features.ts';
import { clientFetch, type Outbound } from '../api/outbound-fetch.ts';
import { createTokenlessClient, createWebClient, webClientOptions } from '../api/web-client.ts';
import { botScopes } from '../scopes.ts';
import { clockFailMs, clockWarnMs } from '../settings.ts';
import { checkEndpoint } from './endpoint.ts';

export interface SlackCheckOptions {
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

/** Calls that change nothing, because there is no conversation with this id. Their refusal shows whether the workspace has the feature. */
const nowhere = 'D00000000';
const featureCalls: Record<Feature, (client: WebClient) => Promise<unknown>> = {
  agentSessions: (client) =>
    client.apiCall('agents.sessions.setStatus', { channel_id: nowhere, thread_ts: '1.000000', status: 'active' }),
  suggestedPrompts: (client) =>
    client.apiCall('assistant.threads.setSuggestedPrompts', {
      channel_id: nowhere,
      prompts: [{ title: 'Check', message: 'Check' }],
    }),
};

/** The checks of the app in Slack, except those of events. They change nothing there. */
export function createSlackChecks(options: SlackCheckOptions): Check[] {
  const { slackApiUrl, botToken, appToken, outbound, logger, now } = options;
  const { host } = new URL(slackApiUrl);
  const authenticate = once(authenticateNow);

  return [
    { name: 'token', run: token },
    { name: 'scopes', run: scopes },
    { name: 'delivery', run: delivery },
    { name: 'features', run: features },
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
  async function clientOfBot(fetch: FetchFunction = clientFetch(outbound)): Promise<WebClient> {
    const settings = { ...webClientOptions(slackApiUrl, logger), fetch };
    return botToken === undefined ? createTokenlessClient(settings) : createWebClient(await botToken(), settings);
  }

  async function token(say: Says): Promise<Finding[]> {
    const { bot, error } = await authenticate();
    if (bot !== undefined) {
      if (!bot.isBot) return [say('fail', 'tokenOfNoBot', {})];
      return [say('pass', 'tokenAccepted', { botUserId: idOf(bot.userId), teamId: idOf(bot.teamId) })];
    }
    const code = errorCode(error);
    if (botToken === undefined && isTokenRefused(error)) return [say('warn', 'tokenOfEachWorkspace', {})];
    if (isTokenRefused(error)) return [say('fail', 'tokenRefused', { code })];
    // A reply of Slack has a code or a status.
    const isUnreachable = isAppError(error, 'unavailable') && error.code === undefined;
    return [isUnreachable ? say('fail', 'slackUnreachable', { host, code }) : say('warn', 'tokenNotChecked', { code })];
  }

  async function scopes(say: Says): Promise<Finding[]> {
    const { bot, scopes: granted } = await authenticate();
    if (bot === undefined) return [say('warn', 'notChecked', { because: 'token' })];
    if (granted === undefined) return [say('warn', 'scopesNotTold', {})];
    const missing = Object.keys(botScopes).filter((scope) => !granted.includes(scope));
    const needed = missing.filter((scope) => botScopes[scope] === 'needed').join(', ');
    const optional = missing.filter((scope) => botScopes[scope] === 'optional').join(', ');
    if (missing.length === 0) return [say('pass', 'scopesGranted', { count: Object.keys(botScopes).length })];
    return [
      ...(needed === '' ? [] : [say('fail', 'scopesMissing', { scopes: needed })]),
      ...(optional === '' ? [] : [say('warn', 'scopesOptionalMissing', { scopes: optional })]),
    ];
  }

  async function delivery(say: Says): Promise<Finding[]> {
    return appToken === undefined ? checkEndpoint(options, say) : socketMode(appToken, say);
  }

  /** Asks for the address of a connection and does not connect: Slack would send some of the app's events there. */
  async function socketMode(ofApp: string, say: Says): Promise<Finding[]> {
    const api = createWebClient(ofApp, { ...webClientOptions(slackApiUrl, logger), fetch: clientFetch(outbound) });
    try {
      const { url = '' } = await translatingErrors('apps.connections.open', () => api.apps.connections.open({}));
      return [say('pass', 'socketOpens', { host: URL.canParse(url) ? new URL(url).host : host })];
    } catch (error) {
      const code = errorCode(error);
      if (code === 'not_allowed_token_type') return [say('fail', 'appTokenOfOtherKind', {})];
      if (code === 'missing_scope') return [say('fail', 'appTokenWithoutScope', {})];
      if (isTokenRefused(error)) return [say('fail', 'appTokenRefused', { code })];
      if (isAppError(error, 'rateLimited')) return [say('warn', 'socketLimited', {})];
      const { bot } = await authenticate();
      if (bot === undefined && !isAppError(error, 'refused')) return [say('warn', 'notChecked', { because: 'token' })];
      return [say('fail', 'socketNotChecked', { code })];
    }
  }

  async function features(say: Says): Promise<Finding[]> {
    const { bot } = await authenticate();
    if (bot === undefined) return [say('warn', 'notChecked', { because: 'token' })];
    const found = await Promise.all([feature('agentSessions', say), feature('suggestedPrompts', say)]);
    const problems = found.filter((each) => each !== undefined);
    return problems.length === 0 ? [say('pass', 'featuresThere', {})] : problems;
  }

  /** Undefined if the workspace has it. */
  async function feature(name: Feature, say: Says): Promise<Finding | undefined> {
    try {
      await translatingErrors(name, async () => featureCalls[name](await clientOfBot()));
      return undefined;
    } catch (error) {
      const code = errorCode(error);
      if (isAppError(error) && lacking.has(error.code)) return say('warn', 'featureMissing', { feature: name, code });
      const isKnown = !isAppError(error, 'unavailable', 'rateLimited', 'unauthorized');
      return isKnown ? undefined : say('warn', 'featureNotChecked', { feature: name, code });
    }
  }

  async function clock(say: Says): Promise<Finding[]> {
    const { aheadMs } = await authenticate();
    if (aheadMs === undefined) return [say('warn', 'clockNotTold', {})];
    const offMs = Math.abs(aheadMs);
    const seconds = Math.round(offMs / 1000);
    if (offMs >= clockFailMs) return [say('fail', 'clockFarOff', { seconds })];
    return [offMs > clockWarnMs ? say('warn', 'clockOff', { seconds }) : say('pass', 'clockRight', {})];
  }
}

/** Ids of Slack are shown. Anything else is not one. */
function idOf(text: string): string {
  return /^[A-Z0-9]{1,30}$/.test(text) ? text : 'unknown';
}
