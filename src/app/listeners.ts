import type { Accounts } from '../core/accounts/accounts.ts';
import { createEndDeparted } from '../core/accounts/departed.ts';
import { createOpenIn } from '../core/history/overview.ts';
import { createNoteWorkspaceEnd } from '../core/intake/workspace-end.ts';
import { recallAnswer } from '../core/lifecycle/resharing.ts';
import { createPreviewRule } from '../core/question/link-previews.ts';
import { createBoltApp } from '../slack/bolt-app.ts';
import { createAnswerUpdates } from '../slack/messages/answer-updates.ts';
import { createPrivateNotifier } from '../slack/messages/private-notifier.ts';
import { createReceiver } from '../slack/receivers/receiver.ts';
import type { SlackReceiver } from '../slack/receivers/socket-receiver.ts';
import { createMessageLog } from '../slack/reports/message-log.ts';
import { createReports } from '../slack/reports/reports.ts';
import { createThreadNoteKeeper } from '../slack/threads/thread-note-keeper.ts';
import { createUnfurls } from '../slack/unfurls/unfurls.ts';
import type { AppContext } from './context.ts';
import type { DeepSearchAccess } from './deep-search.ts';
import { shortDigest } from './digest.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { SlackParts } from './slack.ts';

/** The parts that receive events from Slack. */
export interface Listeners {
  start(): Promise<void>;
  /** Whether events from Slack can arrive. */
  isConnected: SlackReceiver['isConnected'];
  /** Handlers of Slack's requests for the app's HTTP server, by path. */
  mounts: ReturnType<typeof createReceiver>['mounts'];
  /** Accepts no new events. */
  stop(): Promise<void>;
}

/**
 * Connects Slack's events, commands, block actions and view submissions to the lifecycle. `given` replaces the
 * receiver.
 */
export function createListeners(
  { config, log, now, storage, audit, outbound, tasks }: AppContext,
  { slack, accessControl, accountViews, messenger, read, clients }: SlackParts,
  deepSearch: DeepSearchAccess,
  { ports, deliveryPriority, accept, requests, presence, overviewOf }: Lifecycle,
  accounts: Accounts,
  given: SlackReceiver | undefined,
): Listeners {
  const { identity } = slack;
  const { questions, threads, claims, votes } = storage;
  const { people, channels, audiences, memberships, access } = accessControl;
  const endDeparted = createEndDeparted({ accounts, overviewOf, requests, log });
  accessControl.departures.listen((userId) => {
    const departed = { teamId: identity.teamId, userId };
    void tasks.run({ event: 'departed_not_ended', userId }, () => endDeparted(departed));
  });
  const messageLog = createMessageLog({ records: storage.messageLogs, tasks, log });
  const privateNotifier = createPrivateNotifier({ sendPrivately: messenger.sendPrivately, tasks });
  const threadNotes = createThreadNoteKeeper({ ...storage, tasks, log });
  const reports = createReports({
    questions,
    threads,
    messageLog,
    deepSearch: deepSearch.deepSearch,
    openIn: createOpenIn({ questions, threads, runSlots: ports.runSlots, now }),
    overviewOf,
    serviceState: deepSearch.state,
    identity,
    log,
    now,
  });
  const unfurls = createUnfurls({
    slack,
    endpoint: config.SRC_ENDPOINT,
    deepSearch: deepSearch.deepSearch,
    mayPreview: createPreviewRule(storage),
    access,
    audiences,
    claims,
    audit,
    digest: shortDigest,
    tasks,
    log,
  });
  const answerUpdates = createAnswerUpdates({
    slack,
    format: config.MESSAGE_FORMAT,
    markUsed: requests.markUsed,
    markAskedAgain: requests.markAskedAgain,
    offerMute: requests.offerMute,
    recall: (question) => recallAnswer(ports, question),
    tasks,
  });
  const { receiver, mounts } = createReceiver({
    given,
    appToken: config.SLACK_APP_TOKEN?.reveal(),
    signingSecret: config.SLACK_SIGNING_SECRET?.reveal(),
    clientOptions: clients.clientOptions,
    outbound,
    logger: clients.logger,
    log,
  });
  const bolt = createBoltApp({
    receiver,
    ...clients,
    deps: {
      slack,
      deliveryPriority,
      accept,
      requests,
      accounts,
      accountViews,
      threads,
      questions,
      claims,
      messageLog,
      reports,
      access,
      people,
      admins: accessControl.admins,
      chosenRules: accessControl.chosenRules,
      channelSettings: storage.channelSettings,
      pendingAudit: accessControl.pendingAudit,
      repositories: deepSearch.repositories,
      refusesUnknownRepositories: accounts.mode === 'shared',
      noteChanged: accessControl.noteChanged,
      channels,
      audiences,
      memberships,
      answerUpdates,
      read,
      threadNotes,
      votes,
      audit,
      notify: privateNotifier.notify,
      ...presence,
      unfurls,
      noteWorkspaceEnd: createNoteWorkspaceEnd({ ...storage, now }),
      tasks,
      log,
    },
  });
  return {
    start: async () => void (await bolt.start()),
    isConnected: () => receiver.isConnected(),
    mounts,
    stop: async () => void (await bolt.stop()),
  };
}
