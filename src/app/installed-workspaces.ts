import { createAccountChanges } from '../core/accounts/account-changes.ts';
import { isAppError } from '../core/errors.ts';
import { createNoteWorkspaceEnd } from '../core/intake/workspace-end.ts';
import type { Installation } from '../core/workspaces/installations.ts';
import type { WorkspaceService } from '../core/workspaces/own-service.ts';
import { repeat } from '../scheduler/repeat.ts';
import { isTokenRefused, translatingErrors } from '../slack/api/errors.ts';
import { createWebClient } from '../slack/api/web-client.ts';
import { isAllowed } from '../slack/install/install-pages.ts';
import { endedInstallationIdsOf, installationIdsOf, mentionedIdsOf } from '../slack/install/installation-ids.ts';
import { type NotInstalledDeps, tellNotInstalled } from '../slack/install/not-installed.ts';
import { endedBy } from '../slack/listeners/app-uninstalled.ts';
import { absentInstallation, createAdvanceAbsent } from './absent-workspace.ts';
import type { AppContext } from './context.ts';
import { createInstalledTokens, createInstalling } from './installing.ts';
import type { OwnServices } from './services.ts';
import { connectInstallation, noteStandIn, slackClientOptions } from './slack.ts';
import { createWorkspace, type Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/** How often the app looks for workspaces that removed it and have parts in this process, in milliseconds. */
const closeEveryMs = 5_000;

type Delivery = Parameters<Workspaces['processEvent']>[0];

/** A workspace whose parts exist in this process. A later installation or another service gets new parts. */
interface Opened extends Pick<Installation, 'installedMs'> {
  /** When the workspace last changed its service. 0 if it never did. */
  serviceMs: number;
  workspace: Workspace;
  accountChanges: AppContext['accountChanges'];
}

/** The workspaces and organizations that installed the app and that the settings allow. */
export function createInstalledWorkspaces(context: AppContext, services: OwnServices): Workspaces {
  const { config, storage, log, now } = context;
  const { installations, workspaceServices, questions } = storage;
  const allowed = config.SLACK_WORKSPACES ?? [];
  const opened = new Map<string, Opened>();
  const noteWorkspaceEnd = createNoteWorkspaceEnd({ ...storage, now });
  const botToken = createInstalledTokens(context);
  // The workspace may install the app again soon, or for the first time after it was served by a token. What can't be
  // decrypted may be again with the right keys. Without a readable service a question ends in the storage only.
  const advanceAbsent = createAdvanceAbsent({ now, questions }, async (teamId, advance) => {
    close(teamId);
    const parts = open(absentInstallation(teamId), await readable(workspaceServices.get(teamId)));
    return advance(parts.workspace).finally(() => {
      // The workspace may have installed the app again meanwhile.
      if (!opened.has(teamId)) services.release(teamId);
    });
  });
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
    if (first !== undefined) await noteWorkspaceEnd({ teamId: first, eventId });
    const installed = others.length === 0 ? [] : await installations.ids();
    for (const teamId of others.filter((id) => installed.includes(id))) {
      await noteWorkspaceEnd({ teamId, eventId: `${eventId}-${teamId}` });
    }
  }

  async function advance(questionId: string): Promise<number | undefined> {
    const question = await questions.get(questionId);
    if (question === undefined) {
      await questions.markClosed(questionId);
      return undefined;
    }
    const { teamId } = question.place;
    const workspace = await readable(find(teamId));
    if (workspace !== undefined) return workspace.advance(questionId);
    return advanceAbsent(question);
  }

  /** The parts of a workspace. Undefined if it has no installation, or none that the settings allow. */
  async function find(id: string): Promise<Workspace | undefined> {
    const [installation, service] = await Promise.all([installations.get(id), workspaceServices.get(id)]);
    const known = opened.get(id);
    if (installation === undefined || !isAllowed(allowed, installation)) {
      close(id);
      return undefined;
    }
    const isSame = known?.installedMs === installation.installedMs && known.serviceMs === (service?.changedMs ?? 0);
    if (known !== undefined && isSame) return known.workspace;
    known?.workspace.stop();
    const next = open(installation, service);
    opened.set(id, next);
    if (isStarted) next.workspace.start();
    return next.workspace;
  }

  function close(id: string): void {
    opened.get(id)?.workspace.stop();
    opened.delete(id);
    services.release(id);
  }

  function open(installation: Installation, service: WorkspaceService | undefined): Opened {
    const { workspaceId, installedMs } = installation;
    const accountChanges = createAccountChanges();
    const token = async (): Promise<string> => (await botToken(workspaceId)).reveal();
    const connection = connectInstallation(context, installation, token);
    const parts = services.partsOf(workspaceId, service);
    const workspace = createWorkspace({ ...parts.context, accountChanges }, parts.shared, connection);
    return { workspace, accountChanges, installedMs, serviceMs: service?.changedMs ?? 0 };
  }

  /** The workspace's service plays no part in this, so it may be unreadable. */
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
