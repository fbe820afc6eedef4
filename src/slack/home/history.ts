import { isAppError } from '../../core/errors.ts';
import type { Overview } from '../../core/history/overview.ts';
import type { Log } from '../../core/ports.ts';
import { renderHistory } from '../../render/home.ts';
import { anyWorkspaceUrl, type Identity } from '../api/web-client.ts';
import type { PrivateMessage } from '../messages/messenger.ts';

/** What a person asked lately, for them alone. Never throws `AppError`: questions that can't be read are said to be so. */
export type HistoryOf = (person: { teamId: string; userId: string }) => Promise<PrivateMessage>;

/** Writes the list that Home shows as a private message. */
export function createHistoryOf(deps: {
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  identity: Pick<Identity, 'workspaceUrl'>;
  log: Log;
}): HistoryOf {
  const { overviewOf, identity, log } = deps;
  const { workspaceUrl = anyWorkspaceUrl } = identity;

  return async ({ teamId, userId }) => {
    const overview = await readable(teamId, userId);
    return (locale) => renderHistory(overview, { locale, workspaceUrl });
  };

  async function readable(teamId: string, userId: string): Promise<Overview | undefined> {
    try {
      return await overviewOf(teamId, userId);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'history_not_read', kind: error.kind }, error);
      return undefined;
    }
  }
}
