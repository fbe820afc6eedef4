import { createAccountChanges } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import { noteWorkspaceEnd } from '../core/intake/workspace-end.ts';
import { delist } from '../core/lifecycle/steps.ts';
import { endsQuietly, type Question, withQuietEnd } from '../core/question/question.ts';
import { Secret } from '../core/secret.ts';
import { uninstalledPatienceMs, uninstalledRetryMs } from '../core/settings.ts';
import { createBotTokens, type Installation } from '../core/workspaces/installations.ts';
import type { FarSide } from '../observability/health.ts';
import type { Mounts } from '../observability/http-server.ts';
import { createFormats } from '../render/formats.ts';
import { sayIn } from '../render/say.ts';
import { repeat } from '../scheduler/repeat.ts';
import { pageHeaders, pageHtml } from '../sign-in/page.ts';
import { languageOf } from '../sign-in/requests.ts';
import { isTokenRefused, translatingErrors } from '../slack/api/errors.ts';
import { createWebClient } from '../slack/api/web-client.ts';
import {
  endedInstallationIdsOf,
  installationIdsOf,
  mentionedIdsOf,
  type NotInstalledDeps,
  tellNotInstalled,
} from '../slack/install/deliveries.ts';
import { createInstallPages, createTokenIssuer, isAllowed } from '../slack/install/install-pages.ts';
import { endedBy } from '../slack/listeners/events.ts';
import type { Processor } from '../slack/receivers/socket-receiver.ts';
import type { AppContext } from './context.ts';
import {
  connectInstallation,
  connectWithToken,
  createWorkspace,
  noteStandIn,
  type SharedParts,
  slackClientOptions,
  type Workspace,
} from './workspace.ts';

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
  return {
    processEvent: workspace.processEvent,
    missed: () => workspace.missed?.(),
    async advance(questionId) {
      const question = await questions.get(questionId);
      if (question === undefined || question.place.teamId === teamId) return workspace.advance(questionId);
      // Of a workspace that installed the app before it was served by a token. It may be served again soon.
      return advanceAbsent(context, question, () => {
        const connection = connectInstallation(context, absentInstallation(question.place.teamId), noToken);
        // Its own, because the parts are used once, and a listener stays.
        return createWorkspace({ ...context, accountChanges: createAccountChanges() }, shared, connection);
      });
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
 * and then ends without a message. `parts` gives parts that call nothing in Slack.
 */
async function advanceAbsent(
  { now, storage: { questions } }: AppContext,
  question: Question,
  parts: () => Workspace,
): Promise<number | undefined> {
  if (!endsQuietly(question)) {
    if (now() - question.acceptedMs < uninstalledPatienceMs) return uninstalledRetryMs;
    await questions.update(question.id, (stored) => withQuietEnd(stored, now()));
  }
  return parts().advance(question.id);
}

/** Stands in for the installation of a workspace that has none, for parts that call nothing in Slack. */
function absentInstallation(workspaceId: string): Installation {
  return { workspaceId, botUserId: '', token: new Secret(''), scopes: [], installedMs: 0 };
}

/** How often the app looks for workspaces that removed it and have parts in this process, in milliseconds. */
const closeEveryMs = 5_000;

type Delivery = Parameters<Workspaces['processEvent']>[0];

/** A workspace whose parts exist in this process. A later installation gets new parts. */
interface Opened extends Pick<Installation, 'installedMs'> {
  workspace: Workspace;
  accountChanges: AppContext['accountChanges'];
}

/** The workspaces and organizations that installed the app and that the settings allow. */
export function createInstalledWorkspaces(context: AppContext, shared: SharedParts): Workspaces {
  const { config, storage, log, now } = context;
  const { installations, questions } = storage;
  const allowed = config.SLACK_WORKSPACES ?? [];
  const opened = new Map<string, Opened>();
  const botToken = createInstalledTokens(context);
  let isStarted = false;
  let closing: ReturnType<typeof repeat> | undefined;
  context.accountChanges.listen((person) => opened.get(person.teamId)?.accountChanges.changed(person));

  return {
    processEvent,
    missed() {
      for (const { workspace } of opened.values()) workspace.missed?.();
    },
    advance,
    state,
    mounts: createInstalling(context),
    isStillInstalled,
    start,
    stop() {
      closing?.stop();
      for (const { workspace } of opened.values()) workspace.stop();
    },
    describe: () => ({ workspaces: opened.size }),
  };

  async function start(): Promise<void> {
    isStarted = true;
    closing = repeat('close_workspaces', closeEveryMs, closeRemoved, log);
    noteStandIn(context);
    for (const id of await installations.ids()) {
      try {
        await find(id);
      } catch (error) {
        if (!isAppError(error)) throw error;
        log.error({ event: 'workspace_not_opened', outcome: error.kind, teamId: id }, error);
      }
    }
  }

  /** Ends the parts of workspaces whose installation is gone, also if another copy of the app removed it. */
  async function closeRemoved(): Promise<void> {
    for (const id of [...opened.keys()]) {
      try {
        await find(id);
      } catch (error) {
        if (!isAppError(error)) throw error;
        log.debug({ event: 'workspace_not_checked', outcome: error.kind, teamId: id });
      }
    }
  }

  /** Passes a delivery on to the workspace where the app is installed that it is for. */
  async function processEvent(event: Delivery): Promise<void> {
    const endId = endedBy(event.body);
    if (endId !== undefined) {
      await noteEnds(endedInstallationIdsOf(event.body), endId);
      return event.ack();
    }
    const ids = [...mentionedInstallations(event.body), ...installationIdsOf(event.body)];
    for (const id of ids) {
      const workspace = await find(id);
      if (workspace !== undefined) return workspace.processEvent(event);
    }
    log.warn({ event: 'delivery_of_unknown_workspace', outcome: 'ignored', teamId: ids[0] });
    const { outbound } = context;
    await tellNotInstalled({ outbound, slackApiUrl: config.SLACK_API_URL, openModal, log }, event);
  }

  /**
   * In a channel of several organizations that installed the app, Slack delivers a mention once, with any of their
   * authorizations. The user id that is mentioned says whose app is meant.
   */
  function mentionedInstallations(body: unknown): string[] {
    const mentioned = new Set(mentionedIdsOf(body));
    if (mentioned.size === 0) return [];
    return [...opened].flatMap(([id, { workspace }]) =>
      mentioned.has(workspace.slack.identity.botUserId) ? [id] : [],
    );
  }

  /** Does nothing if no workspace of the organization has the app. */
  async function openModal(enterpriseId: string, modal: Parameters<NotInstalledDeps['openModal']>[1]): Promise<void> {
    const all = [...opened.values()].map(({ workspace }) => workspace.slack);
    const slack = all.find(({ identity }) => identity.enterpriseId === enterpriseId);
    await slack?.call('views.open', modal, { priority: 'private' });
  }

  /** Slack is asked about each before anything is erased, so one too many ends nothing. */
  async function noteEnds([first, ...others]: string[], eventId: string): Promise<void> {
    const noting = { ...storage, now };
    if (first !== undefined) await noteWorkspaceEnd(noting, { teamId: first, eventId });
    const installed = others.length === 0 ? [] : await installations.ids();
    for (const teamId of others.filter((id) => installed.includes(id))) {
      await noteWorkspaceEnd(noting, { teamId, eventId: `${eventId}-${teamId}` });
    }
  }

  async function advance(questionId: string): Promise<number | undefined> {
    const question = await questions.get(questionId);
    if (question === undefined) {
      await delist(questions, questionId);
      return undefined;
    }
    const { teamId } = question.place;
    const workspace = await readable(find(teamId));
    if (workspace !== undefined) return workspace.advance(questionId);
    // The workspace may install the app again soon, or for the first time after it was served by a token. What can't be
    // decrypted may be again with the right keys.
    return advanceAbsent(context, question, () => {
      close(teamId);
      return open(absentInstallation(teamId)).workspace;
    });
  }

  /** The parts of a workspace. Undefined if it has no installation, or none that the settings allow. */
  async function find(id: string): Promise<Workspace | undefined> {
    const installation = await installations.get(id);
    const known = opened.get(id);
    if (installation === undefined || !isAllowed(allowed, installation)) {
      close(id);
      return undefined;
    }
    if (known?.installedMs === installation.installedMs) return known.workspace;
    known?.workspace.stop();
    const next = open(installation);
    opened.set(id, next);
    if (isStarted) next.workspace.start();
    return next.workspace;
  }

  function close(id: string): void {
    opened.get(id)?.workspace.stop();
    opened.delete(id);
  }

  function open(installation: Installation): Opened {
    const { workspaceId, installedMs } = installation;
    const accountChanges = createAccountChanges();
    const token = async (): Promise<string> => (await botToken(workspaceId)).reveal();
    const connection = connectInstallation(context, installation, token);
    const workspace = createWorkspace({ ...context, accountChanges }, shared, connection);
    return { workspace, accountChanges, installedMs };
  }

  async function isStillInstalled(teamId: string): Promise<boolean> {
    const installation = await readable(installations.get(teamId));
    if (installation === undefined || !isAllowed(allowed, installation)) return false;
    try {
      const client = createWebClient((await botToken(teamId)).reveal(), slackClientOptions(context).clientOptions);
      await translatingErrors('auth.test', () => client.auth.test());
      return true;
    } catch (error) {
      if (isTokenRefused(error)) return false;
      throw error;
    }
  }

  /** `refused` or `unreachable` if one of the workspaces is. */
  async function state(): ReturnType<Workspace['state']> {
    const states = await Promise.all([...opened.values()].map(({ workspace }) => workspace.state()));
    return states.find((each) => each !== 'fine') ?? 'fine';
  }
}

/** Undefined for a record that can't be decrypted. It is not known to work. */
async function readable<T>(found: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return undefined;
  }
}

/** How to get the bot token of an installed workspace for one call. */
function createInstalledTokens(context: AppContext): ReturnType<typeof createBotTokens> {
  const { config, storage, now, log } = context;
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret } = config;
  const { clientOptions } = slackClientOptions(context);
  const issuer = createTokenIssuer({ clientId, clientSecret: clientSecret?.reveal() ?? '', clientOptions, now });
  return createBotTokens({ ...storage, issuer, now, log });
}

/** The pages on which workspaces install the app, by exact path. */
export function createInstalling(context: AppContext): Mounts {
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
