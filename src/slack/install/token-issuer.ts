import type { WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import type { IssuedTokens } from '../../core/accounts/accounts.ts';
import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { Secret } from '../../core/secret.ts';
import type { TokenIssuer } from '../../core/workspaces/bot-tokens.ts';
import { translatingErrors } from '../api/errors.ts';
import { createTokenlessClient } from '../api/web-client.ts';
import { botTokenEarlyMs } from '../settings.ts';

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
export function timesOf(
  expiresAtMs: number,
  nowMs: number,
): Required<Pick<IssuedTokens, 'expiresAtMs' | 'refreshAtMs'>> {
  return { expiresAtMs, refreshAtMs: expiresAtMs - Math.min(botTokenEarlyMs, Math.max(0, expiresAtMs - nowMs) / 5) };
}
