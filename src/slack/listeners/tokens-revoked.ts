import type { App } from '@slack/bolt';
import { endedBy, noteEnd, type WorkspaceEndDeps } from './app-uninstalled.ts';

/** Without its bot token the app can do nothing more in the workspace. Tokens of people are none of the app's. */
export function registerRevocation(app: App, deps: WorkspaceEndDeps): void {
  app.event('tokens_revoked', async ({ body }) => {
    if (endedBy(body) === undefined) {
      return deps.log.debug({ event: 'revocation_ignored', reason: 'noBotToken' });
    }
    await noteEnd(deps, body);
  });
}
