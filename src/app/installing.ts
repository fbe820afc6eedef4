import { createBotTokens } from '../core/workspaces/bot-tokens.ts';
import type { Mounts } from '../observability/http-server.ts';
import { createFormats } from '../render/formats.ts';
import { sayIn } from '../render/say.ts';
import { pageHeaders, pageHtml } from '../sign-in/page.ts';
import { languageOf } from '../sign-in/requests.ts';
import { createInstallPages } from '../slack/install/install-pages.ts';
import { createTokenIssuer } from '../slack/install/token-issuer.ts';
import type { AppContext } from './context.ts';
import { slackClientOptions } from './slack.ts';

/** How to get the bot token of an installed workspace for one call. */
export function createInstalledTokens(context: AppContext): ReturnType<typeof createBotTokens> {
  const { config, storage, now, log } = context;
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret } = config;
  const { clientOptions } = slackClientOptions(context);
  const issuer = createTokenIssuer({ clientId, clientSecret: clientSecret?.reveal() ?? '', clientOptions, now });
  return createBotTokens({ ...storage, issuer, now, log });
}

/** What the pages of an installation need. */
type InstallingContext = Pick<AppContext, 'config' | 'log' | 'now' | 'outbound' | 'createLimiter'> & {
  storage: Pick<AppContext['storage'], 'installations'>;
};

/** The pages on which workspaces install the app, by exact path. */
export function createInstalling(context: InstallingContext): Mounts {
  const { config, storage, createLimiter, now, log } = context;
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret, PUBLIC_URL: publicUrl } = config;
  if (clientId === undefined || clientSecret === undefined || publicUrl === undefined) return {};
  return createInstallPages({
    clientId,
    clientSecret: clientSecret.reveal(),
    publicUrl,
    slackApiUrl: config.SLACK_API_URL,
    installations: storage.installations,
    allowed: config.SLACK_WORKSPACES ?? [],
    ...slackClientOptions(context),
    createLimiter,
    sendPage(request, response, pageIn) {
      const locale = languageOf(request);
      const say = sayIn(locale);
      const page = pageIn(say);
      response.writeHead(page.status, pageHeaders(page, new URL(config.SLACK_API_URL).origin));
      response.end(pageHtml(page, createFormats(locale).language, say));
    },
    now,
    log,
  });
}
