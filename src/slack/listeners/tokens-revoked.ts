import type { App } from '@slack/bolt';
import { z } from 'zod';
import { noteEnd, type WorkspaceEndDeps } from './app-uninstalled.ts';

/** What is read of `tokens_revoked` events: ids of the users whose tokens were revoked, by kind of token. */
const revokedEvent = z.object({ tokens: z.object({ bot: z.array(z.string()).default([]) }) });

/** Without its bot token the app can do nothing more in the workspace. Tokens of people are none of the app's. */
export function registerRevocation(app: App, deps: WorkspaceEndDeps): void {
  app.event('tokens_revoked', async ({ event, body }) => {
    const parsed = revokedEvent.safeParse(event);
    if (!parsed.success || parsed.data.tokens.bot.length === 0) {
      return deps.log.debug({ event: 'revocation_ignored', reason: 'noBotToken' });
    }
    await noteEnd(deps, body);
  });
}
