import { isAppError } from '../../core/errors.ts';
import type { Overview } from '../../core/history/overview.ts';
import type { Log } from '../../core/ports.ts';
import { type ReadOverview, renderHistory } from '../../render/home.ts';
import { anyWorkspaceUrl, type Identity } from '../api/identity.ts';
import { logFailure } from '../failure-log.ts';
import type { PrivateMessage } from '../messages/messenger.ts';

/** Lists a person's recent questions for them. Never throws `AppError`: the list says when questions can't be read. */
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
    const read = await readOverview(teamId, userId);
    return (locale) => renderHistory(read, { locale, workspaceUrl });
  };

  async function readOverview(teamId: string, userId: string): Promise<ReadOverview> {
    try {
      return { overview: await overviewOf(teamId, userId) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { unreadable: logFailure(log, 'warn', { event: 'history_not_read', kind: error.kind }, error) };
    }
  }
}
