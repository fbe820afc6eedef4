import { createEndDeparted } from '../core/accounts/departed.ts';
import { createOpenIn } from '../core/history/overview.ts';
import { createNoteWorkspaceEnd } from '../core/intake/workspace-end.ts';
import { recallAnswer } from '../core/lifecycle/resharing.ts';
import { createPreviewRule } from '../core/question/link-previews.ts';
import { freshAccessMs } from '../core/settings.ts';
import { createBoltApp, type ListenerDeps } from '../slack/bolt-app.ts';
import { createHandleMessage } from '../slack/listeners/message.ts';
import { createAnswerUpdates } from '../slack/messages/answer-updates.ts';
import { createPrivateNotifier } from '../slack/messages/private-notifier.ts';
import { createCatchUp } from '../slack/missed/catch-up.ts';
import type { Processor } from '../slack/receivers/socket-receiver.ts';
import { createMessageLog } from '../slack/reports/message-log.ts';
import { createReports } from '../slack/reports/reports.ts';
import { createThreadNoteKeeper } from '../slack/threads/thread-note-keeper.ts';
import { createUnfurls } from '../slack/unfurls/unfurls.ts';
import { claimLifeMs } from '../storage/lives.ts';
import { DAY_MS } from '../storage/records.ts';
import type { AppContext } from './context.ts';
import { shortDigest } from './digest.ts';
import { createDoctor } from './doctor.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { SharedParts } from './shared.ts';
import { type SlackParts, slackClientOptions } from './slack.ts';

export interface Listeners extends Processor {
  /** Stores until when deliveries were handled. */
  storeAttendance(): Promise<void>;
  /** Looks for what people wrote while Slack could not reach the app. */
  catchUp(): Promise<void>;
}

/**
 * Connects the events, commands, block actions and view submissions of one workspace to its lifecycle. Returns what
 * handles its deliveries.
 */
export function createListeners(
  context: AppContext,
  { slack, accessControl, accountViews, messenger, read, botToken }: SlackParts,
  { accounts, deepSearch, ownService, deliveryPriority }: SharedParts,
  { ports, accept, requests, presence, overviewOf, attendance }: Lifecycle,
): Listeners {
  const { config, log, now, random, storage, audit, tasks } = context;
  const { identity } = slack;
  const { questions, threads, claims, votes } = storage;
  const { people, channels, audiences, memberships, access } = accessControl;
  const endDeparted = createEndDeparted({ accounts, overviewOf, requests, log });
  accessControl.departures.listen((userId) => {
    const departed = { teamId: identity.teamId, userId };
    void tasks.run({ event: 'departed_not_ended', userId }, () => endDeparted(departed));
  });
  const messageLog = createMessageLog({ records: storage.messageLogs, tasks, log });
  const privateNotifier = createPrivateNotifier({ ...messenger, tasks });
  const threadNotes = createThreadNoteKeeper({ ...storage, tasks, log });
  const reports = createReports({
    questions,
    threads,
    claims,
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
    mayPreview: createPreviewRule({
      ...storage,
      claimLifeMs: claimLifeMs((config.RETENTION_DAYS || Number.POSITIVE_INFINITY) * DAY_MS),
      now,
    }),
    access,
    audiences,
    claims,
    audit,
    digest: shortDigest,
    tasks,
    log,
    now,
  });
  const answerUpdates = createAnswerUpdates({
    slack,
    format: config.MESSAGE_FORMAT,
    markUsed: requests.markUsed,
    markAskedAgain: requests.markAskedAgain,
    offerMute: requests.offerMute,
    recall: async (question) => {
      const { shares } = question;
      if (shares?.withheld !== true) return recallAnswer(ports, question);
      const source = await questions.get(shares.questionId);
      const answer = source && (await recallAnswer(ports, source));
      if (answer === undefined) return undefined;
      const { quota: _, ...shown } = answer;
      return shown;
    },
    mayShow: async ({ askerId, place, shares }) => {
      const sinceMs = now() - freshAccessMs;
      return (await access.admit(askerId, place, { confirmed: shares?.confirmed, sinceMs })).may;
    },
    tasks,
  });
  const isOwnService = ownService !== undefined;
  const doctor = createDoctor({ config, claims, slack, botToken, isOwnService, now, random, log });
  const deps: ListenerDeps = {
    slack,
    deliveryPriority,
    accept,
    requests,
    accounts,
    accountViews,
    doctor,
    threads,
    questions,
    claims,
    dailyStorage: ports.dailyStorage,
    messageLog,
    reports,
    access,
    people,
    admins: accessControl.admins,
    chosenRules: accessControl.chosenRules,
    channelSettings: storage.channelSettings,
    pendingAudit: accessControl.pendingAudit,
    repositories: deepSearch.repositories,
    repositoriesFor: ports.repositoriesFor,
    refusesUnknownRepositories: accounts.mode === 'shared',
    noteChanged: accessControl.noteChanged,
    forgetChannel: accessControl.forgetChannel,
    moveChannel: storage.moveChannel,
    channels,
    audiences,
    memberships,
    answerUpdates,
    read,
    threadNotes,
    votes,
    readerChoices: storage.readerChoices,
    audit,
    notify: privateNotifier.notify,
    removePressed: privateNotifier.removePressed,
    accountChanges: context.accountChanges,
    ...presence,
    unfurls,
    noteWorkspaceEnd: createNoteWorkspaceEnd({ ...storage, now }),
    tasks,
    attendance,
    log,
  };
  const bolt = createBoltApp({ ...slackClientOptions(context), deps });
  const catchUp = createCatchUp({
    slack,
    attendance: storage.attendance,
    keeper: attendance,
    questions,
    askedQuestions: ports.askedQuestions,
    claims,
    requests,
    handle: createHandleMessage(deps),
    sendPrivately: messenger.sendPrivately,
    isStopping: tasks.isStopping,
    now,
    log,
  });
  return {
    processEvent: (event) => attendance.during(() => bolt.processEvent(event)),
    missed: attendance.begin,
    storeAttendance: attendance.store,
    catchUp,
  };
}
