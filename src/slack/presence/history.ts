import { isAppError } from '../../core/errors.ts';
import type { Overview } from '../../core/overview.ts';
import type { Journal } from '../../core/ports.ts';
import { renderHistory } from '../../render/home.ts';
import { anyWorkspaceUrl, type Identity } from '../calls/web-client.ts';
import type { Word } from '../messages/messenger.ts';

/** What a person asked lately, for them alone. Never throws `AppError`: questions that can't be read are said to be so. */
export type HistoryOf = (person: { teamId: string; userId: string }) => Promise<Word>;

/** Writes the list that Home shows as a private message. */
export function createHistoryOf(deps: {
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  identity: Pick<Identity, 'workspaceUrl'>;
  journal: Journal;
}): HistoryOf {
  const { overviewOf, identity, journal } = deps;
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
      journal.warn({ event: 'history_not_read', kind: error.kind }, error);
      return undefined;
    }
  }
}
