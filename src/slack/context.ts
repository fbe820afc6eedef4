import type { AccountChanges, Accounts } from '../core/accounts/accounts.ts';
import type { ChannelSettings, RepositoryNames } from '../core/channels/channel-settings.ts';
import type { Doctor } from '../core/doctor.ts';
import type { VoteStore } from '../core/history/votes.ts';
import type { createAccept } from '../core/intake/accept.ts';
import type { Requests } from '../core/intake/requests.ts';
import type { WorkspaceEnd } from '../core/intake/workspace-end.ts';
import type { LifecyclePorts } from '../core/lifecycle/lifecycle-ports.ts';
import type { Records } from '../core/ports.ts';
import type { AccessControl } from './access/access-control.ts';
import type { SlackApi } from './api/slack-api.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import type { AccountViews } from './home/accounts.ts';
import type { Presence } from './home/surfaces.ts';
import type { AnswerUpdates } from './messages/answer-updates.ts';
import type { PrivateNotifier } from './messages/private-notifier.ts';
import type { AttendanceKeeper } from './missed/attendance-keeper.ts';
import type { MessageLog } from './reports/message-log.ts';
import type { Reports } from './reports/reports.ts';
import type { ThreadNoteKeeper } from './threads/thread-note-keeper.ts';
import type { Unfurls } from './unfurls/unfurls.ts';

/** Everything that the listeners of one workspace work with. It is built once and passed whole. */
export interface WorkspaceContext extends LifecyclePorts, AccessControl, Presence, PrivateNotifier {
  slack: SlackApi;
  tasks: BackgroundTasks;
  votes: VoteStore;
  channelSettings: Records<ChannelSettings>;
  /** Gives what is stored of a channel its new id. Returns how many records changed. May be repeated. */
  moveChannel(move: { teamId: string; from: string; to: string }): Promise<number>;
  accept: ReturnType<typeof createAccept>;
  requests: Requests;
  /** When it throws, the event is not acknowledged and Slack sends it again. */
  noteWorkspaceEnd(end: Omit<WorkspaceEnd, 'atMs'>): Promise<void>;
  accounts: Accounts;
  accountViews: AccountViews;
  accountChanges: AccountChanges;
  doctor: Doctor;
  /** Names of the repositories that the service's account knows, for channel settings. */
  repositories: RepositoryNames;
  /** Everyone asks with the account that checks names, so that one it does not know is a mistake. */
  refusesUnknownRepositories: boolean;
  reports: Reports;
  messageLog: MessageLog;
  answerUpdates: AnswerUpdates;
  threadNotes: ThreadNoteKeeper;
  unfurls: Unfurls;
  attendance: AttendanceKeeper;
  /** Slack's text as people see it, without the app's mention. */
  read(text: string): Promise<string>;
}
