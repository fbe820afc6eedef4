import { createAccountChanges } from '../core/accounts/accounts.ts';
import { AppError } from '../core/errors.ts';
import type { QuestionStore } from '../core/ports.ts';
import { endsQuietly, withQuietEnd } from '../core/question/cancellation.ts';
import type { Question } from '../core/question/question.ts';
import { Secret } from '../core/secret.ts';
import { uninstalledPatienceMs, uninstalledRetryMs } from '../core/settings.ts';
import type { Installation } from '../core/workspaces/installations.ts';
import type { FarSide } from '../observability/health.ts';
import type { Mounts } from '../observability/http-server.ts';
import type { Processor } from '../slack/receivers/socket-receiver.ts';
import type { AppContext } from './context.ts';
import type { SharedParts } from './shared.ts';
import { connectInstallation, connectWithToken, createWorkspace, type Workspace } from './workspace.ts';

/** The workspaces that the app serves: the one of its token, or all that installed it. */
export interface Workspaces extends Processor {
  /** Runs a question in its workspace, as `advance` says. */
  advance: Workspace['advance'];
  /** For operators. */
  state: FarSide['state'];
  /** Pages of the app's HTTP server, by path. */
  mounts: Mounts;
  /** Whether the app can still call Slack in a workspace that reported its end. Throws `AppError` if that is not known. */
  isStillInstalled(teamId: string): Promise<boolean>;
  /** Begins the work that needs no event from Slack. */
  start(): Promise<void>;
  stop(): void;
  /** For the log. */
  describe(): Record<string, unknown>;
}

/** The one workspace that the bot token of the settings belongs to. Throws `AppError` if Slack refuses the token. */
export async function createOnlyWorkspace(
  context: AppContext,
  shared: SharedParts,
  botToken: Secret,
): Promise<Workspaces> {
  const { questions } = context.storage;
  const workspace = createWorkspace(context, shared, await connectWithToken(context, botToken));
  const { teamId } = workspace.slack.identity;
  // Those of workspaces that installed the app before it was served by a token. They may be served again soon.
  const advanceAbsent = createAdvanceAbsent({ ...context, questions }, (absentId, advance) => {
    const connection = connectInstallation(context, absentInstallation(absentId), noToken);
    // Its own, because the parts are used once, and a listener stays.
    return advance(createWorkspace({ ...context, accountChanges: createAccountChanges() }, shared, connection));
  });
  return {
    processEvent: workspace.processEvent,
    missed: () => workspace.missed?.(),
    async advance(questionId) {
      const question = await questions.get(questionId);
      const isOther = question !== undefined && question.place.teamId !== teamId;
      return isOther ? advanceAbsent(question) : workspace.advance(questionId);
    },
    state: workspace.state,
    mounts: {},
    // The settings hold the token. An operator has to change them before the app can call Slack again.
    isStillInstalled: async () => false,
    start: async () => workspace.start(),
    stop: () => workspace.stop(),
    describe: () => ({ teamId }),
  };
}

async function noToken(): Promise<never> {
  throw new AppError('unauthorized', 'the settings have no token of this workspace', { code: 'account_inactive' });
}

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
