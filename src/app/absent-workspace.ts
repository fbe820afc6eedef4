import type { QuestionStore } from '../core/ports.ts';
import { endsQuietly, withQuietEnd } from '../core/question/cancellation.ts';
import type { Question } from '../core/question/question.ts';
import { Secret } from '../core/secret.ts';
import { uninstalledPatienceMs, uninstalledRetryMs } from '../core/settings.ts';
import type { Installation } from '../core/workspaces/installations.ts';
import type { AppContext } from './context.ts';
import type { Workspace } from './workspace.ts';

/**
 * Runs a question of a workspace that the app does not serve now. It waits for its workspace until the patience is over,
 * and then ends without a message. `withParts` runs it with parts that call nothing in Slack.
 */
export function createAdvanceAbsent(
  { now, questions }: Pick<AppContext, 'now'> & { questions: Pick<QuestionStore, 'update'> },
  withParts: (
    teamId: string,
    advance: (parts: Workspace) => ReturnType<Workspace['advance']>,
  ) => Promise<number | undefined>,
) {
  return async function advanceAbsent(question: Question): Promise<number | undefined> {
    if (!endsQuietly(question)) {
      if (now() - question.acceptedMs < uninstalledPatienceMs) return uninstalledRetryMs;
      await questions.update(question.id, (stored) => withQuietEnd(stored, now()));
    }
    return withParts(question.place.teamId, (parts) => parts.advance(question.id));
  };
}

/** Stands in for the installation of a workspace that has none, for parts that call nothing in Slack. */
export function absentInstallation(workspaceId: string): Installation {
  return { workspaceId, botUserId: '', token: new Secret(''), scopes: [], installedMs: 0 };
}
