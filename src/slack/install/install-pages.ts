import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Installation as Installed, InstallProvider } from '@slack/oauth';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import type { IssuedTokens } from '../../core/accounts/accounts.ts';
import { AppError, isAppError } from '../../core/errors.ts';
import type { Clock, CreateLimiter, Log } from '../../core/ports.ts';
import { Secret } from '../../core/secret.ts';
import {
  type Installation,
  type Installations,
  isOrganization,
  type TokenIssuer,
} from '../../core/workspaces/installations.ts';
import type { Say } from '../../render/say.ts';
import { translatingErrors } from '../api/errors.ts';
import { createTokenlessClient, createWebClient } from '../api/web-client.ts';
import { botTokenEarlyMs, mostInstallRequestsPerSecond } from '../settings.ts';

/** What a page shows. All texts are plain. */
interface InstallPage {
  status: number;
  heading: string;
  paragraphs: readonly string[];
  link?: { href: string; label: string };
}

interface InstallPorts {
  clientId: string;
  clientSecret: string;
  /** Address under which browsers reach the app. May have a path, which no proxy may cut off. */
  publicUrl: string;
  slackApiUrl: string;
  installations: Pick<Installations, 'replace'>;
  /** Ids of the workspaces and organizations that may install the app. */
  allowed: readonly string[];
  clientOptions: WebClientOptions;
  logger: SlackLogger;
  createLimiter: CreateLimiter;
  /** Sends a page in the language of the browser. */
  sendPage(request: IncomingMessage, response: ServerResponse, pageIn: (say: Say) => InstallPage): void;
  now: Clock;
  log: Log;
}

/** Request handlers by exact path. */
type InstallPages = Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

/** Whether the settings allow an installation. A workspace may also be listed by its organization. */
export function isAllowed(
  allowed: readonly string[],
  { workspaceId, enterpriseId }: Pick<Installation, 'workspaceId' | 'enterpriseId'>,
): boolean {
  return allowed.includes(workspaceId) || (enterpriseId !== undefined && allowed.includes(enterpriseId));
}

/**
 * Creates the pages on which workspaces and organizations install the app: `slack/install` sends the browser to Slack, and
 * `slack/oauth_redirect` stores what Slack grants. Slack's installation provider signs the state, binds it to the browser
 * by a cookie for ten minutes, and exchanges the code.
 */
export function createInstallPages(ports: InstallPorts): InstallPages {
  const { clientId, clientSecret, installations, allowed, clientOptions, log, now } = ports;
  const { origin, pathname } = new URL(ports.publicUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const paths = { install: `${prefix}/slack/install`, redirect: `${prefix}/slack/oauth_redirect` };
  const limiter = ports.createLimiter('install', { points: mostInstallRequestsPerSecond, windowSeconds: 1 });
  const provider = new InstallProvider({
    clientId,
    clientSecret,
    stateSecret: createHmac('sha256', clientSecret).update('state of installations').digest('base64'),
    directInstall: true,
    installUrlOptions: { scopes: Object.keys(botScopes), redirectUri: origin + paths.redirect },
    authorizationUrl: new URL('/oauth/v2/authorize', ports.slackApiUrl).href,
    installationStore: {
      storeInstallation: async (installed) => store(installed),
      fetchInstallation: async () => {
        throw new AppError('storage', 'installations are not read through the provider');
      },
    },
    clientOptions: { ...clientOptions },
    logger: ports.logger,
  });

  return {
    [paths.install]: (request, response) =>
      serve(request, response, () => provider.handleInstallPath(request, response)),
    [paths.redirect]: (request, response) => serve(request, response, () => finish(request, response)),
  };

  /** Bounds all requests together, before anything of them is read, and answers each with a page. */
  function serve(request: IncomingMessage, response: ServerResponse, run: () => Promise<void>): void {
    const answering = async (): Promise<void> => {
      if (request.method !== 'GET') {
        response.writeHead(405, { allow: 'GET' }).end();
        return;
      }
      response.setHeader('cache-control', 'no-store');
      const isTooOften = (await limiter.take('all')) > 0;
      await (isTooOften ? page(request, response, 429, 'tooOften') : run());
    };
    answering().catch((error: unknown) => {
      log.error({ event: 'install_failed', outcome: 'page' }, error);
      if (response.headersSent) response.destroy();
      else page(request, response, 500, 'failed');
    });
  }

  async function finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await provider.handleCallback(request, response, {
      afterInstallation: async (installed) => {
        const { workspaceId, enterpriseId } = idsOf(installed);
        if (isAllowed(allowed, { workspaceId, enterpriseId })) return true;
        log.warn({ event: 'install_refused', outcome: 'notListed', workspaceId });
        await giveBack(installed);
        ports.sendPage(request, response, (say) => ({
          status: 403,
          heading: say.install.refusedHeading(),
          paragraphs: [say.install.refused(workspaceId)],
        }));
        return false;
      },
      success: (installed) => {
        const { workspaceId, name } = idsOf(installed);
        ports.sendPage(request, response, (say) => ({
          status: 200,
          heading: say.install.installedHeading(name ?? workspaceId),
          paragraphs: [say.install.installed()],
          link: { href: `https://app.slack.com/client/${workspaceId}`, label: say.install.openSlack() },
        }));
      },
      failure: ({ code }) => {
        const query = new URL(request.url ?? '/', origin).searchParams;
        const isCancelled = query.get('error') === 'access_denied';
        log.warn({ event: 'install_failed', outcome: code });
        if (isCancelled) return page(request, response, 200, 'cancelled');
        const isState = /state|missing_code/i.test(code);
        return isState ? page(request, response, 400, 'expired') : page(request, response, 502, 'failed');
      },
    });
  }

  function page(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    kind: 'cancelled' | 'expired' | 'failed' | 'tooOften',
  ): void {
    ports.sendPage(request, response, (say) => ({
      status,
      heading: say.install[`${kind}Heading`](),
      paragraphs: [say.install[kind]()],
      ...(kind === 'tooOften' ? {} : { link: { href: origin + paths.install, label: say.install.beginAgain() } }),
    }));
  }

  /** A later installation takes the place of an earlier one. Throws `AppError` if nothing was stored. */
  async function store(installed: Installed): Promise<void> {
    const { workspaceId, enterpriseId, name } = idsOf(installed);
    const { bot, user } = installed;
    if (bot === undefined) throw new AppError('refused', 'the installation has no bot token');
    const url = await workspaceUrl(bot.token);
    await installations.replace({
      workspaceId,
      name,
      enterpriseId,
      url,
      botUserId: bot.userId,
      botId: bot.id,
      token: new Secret(bot.token),
      ...(bot.refreshToken === undefined || bot.expiresAt === undefined
        ? {}
        : { refreshToken: new Secret(bot.refreshToken), ...timesOf(bot.expiresAt * 1_000, now()) }),
      scopes: bot.scopes,
      installedMs: now(),
    });
    log.info({ event: 'workspace_installed', outcome: 'ok', workspaceId, userId: user.id });
  }

  async function workspaceUrl(token: string): Promise<string | undefined> {
    const { url } = await translatingErrors('auth.test', () => createWebClient(token, clientOptions).auth.test());
    return url !== undefined && /^https?:\/\/[^\s<>|]+\/$/.test(url) ? url : undefined;
  }

  /** Ends a token that the app must not keep. Best effort: nothing was stored, so nothing can use it. */
  async function giveBack({ bot }: Installed): Promise<void> {
    if (bot === undefined) return;
    try {
      await translatingErrors('auth.revoke', () => createWebClient(bot.token, clientOptions).auth.revoke());
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'install_refused', outcome: 'notRevoked', kind: error.kind }, error);
    }
  }
}

function idsOf({ team, enterprise, isEnterpriseInstall }: Installed): {
  workspaceId: string;
  enterpriseId: string | undefined;
  name: string | undefined;
} {
  const owner = isEnterpriseInstall === true ? enterprise : team;
  if (owner === undefined || isOrganization(owner.id) !== (isEnterpriseInstall === true)) {
    throw new AppError('badReply', 'oauth.v2.access: names no workspace');
  }
  return { workspaceId: owner.id, enterpriseId: enterprise?.id, name: owner.name };
}

/**
 * The scopes of the bot, as manifest.yml requests them: the image has no manifest. `optional` ones are in `bot_optional`
 * there. A test compares both.
 */
export const botScopes: Readonly<Record<string, 'needed' | 'optional'>> = {
  'app_mentions:read': 'needed',
  'assistant:write': 'needed',
  'channels:history': 'needed',
  'channels:join': 'optional',
  'channels:read': 'needed',
  'chat:write': 'needed',
  commands: 'needed',
  'files:read': 'optional',
  'files:write': 'optional',
  'groups:history': 'needed',
  'groups:read': 'needed',
  'im:history': 'needed',
  'im:read': 'optional',
  'im:write': 'needed',
  'links:read': 'optional',
  'links:write': 'optional',
  'mpim:history': 'needed',
  'mpim:read': 'needed',
  'usergroups:read': 'optional',
  'users:read': 'needed',
};

/** The reply of `oauth.v2.access` to a refresh (docs.slack.dev/authentication/using-token-rotation). */
const reply = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.number().positive(),
});

/** Slack, for apps with token rotation: each refresh token is exchanged once, for a token of 12 hours and the next one. */
export function createTokenIssuer(options: {
  clientId: string;
  clientSecret: string;
  clientOptions: WebClientOptions;
  now: Clock;
}): TokenIssuer {
  const { clientId, clientSecret, clientOptions, now } = options;
  const client = createTokenlessClient(clientOptions);
  return {
    async refresh(refreshToken) {
      const sentMs = now();
      const parsed = reply.safeParse(
        await translatingErrors('oauth.v2.access', () =>
          client.oauth.v2.access({
            client_id: clientId,
            client_secret: clientSecret,
            grant_type: 'refresh_token',
            refresh_token: refreshToken.reveal(),
          }),
        ),
      );
      if (!parsed.success) {
        throw new AppError('unavailable', 'oauth.v2.access: no usable tokens', { outcomeUnknown: true });
      }
      const { access_token, refresh_token, expires_in } = parsed.data;
      return {
        accessToken: new Secret(access_token),
        refreshToken: new Secret(refresh_token),
        ...timesOf(sentMs + expires_in * 1_000, sentMs),
      };
    },
  };
}

/** When a bot token expires, and when it is refreshed: two hours before, or after four fifths of a shorter life. */
function timesOf(expiresAtMs: number, nowMs: number): Required<Pick<IssuedTokens, 'expiresAtMs' | 'refreshAtMs'>> {
  return { expiresAtMs, refreshAtMs: expiresAtMs - Math.min(botTokenEarlyMs, Math.max(0, expiresAtMs - nowMs) / 5) };
}
