import type { AccountChanges, Accounts } from '../core/accounts/accounts.ts';
import type { Attendance } from '../core/attendance.ts';
import type { ChannelSettings, RepositoryNames } from '../core/channels/channel-settings.ts';
import type { Core } from '../core/context.ts';
import type { Doctor } from '../core/doctor.ts';
import type { Visit } from '../core/history/lists.ts';
import type { VoteStore } from '../core/history/votes.ts';
import type { Clock, Log, Records, WorkspaceEnds } from '../core/ports.ts';
import type { createPreviewRule } from '../core/question/link-previews.ts';
import type { ThreadNotes } from '../core/question/thread-notes.ts';
import type { SessionMarks } from '../core/session-marks.ts';
import type { MessageFormat } from '../render/blocks.ts';
import type { ServiceState, ShownUsage } from '../render/home.ts';
import type { AccessControl } from './access/access-control.ts';
import type { SlackApi } from './api/slack-api.ts';
import type { Outbound } from './api/web-client.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import type { AttendanceKeeper } from './missed/attendance-keeper.ts';
import type { MessageLog } from './reports/message-log.ts';
import type { ReadFile } from './threads/thread-files.ts';

/** How the app calls Slack in one workspace, and who people are there. */
export interface SlackContext extends AccessControl {
  slack: SlackApi;
  outbound: Outbound;
  /** Address of the Web API. */
  slackApiUrl: string;
  /** The first format that is tried; simpler ones follow while Slack refuses the form of a message. */
  format: Exclude<MessageFormat, 'plain'>;
  tasks: BackgroundTasks;
  log: Log;
  now: Clock;
}

/** Everything that one workspace works with. It is built once and passed whole. */
export interface WorkspaceContext extends SlackContext, Core {
  log: Log;
  now: Clock;
  accounts: Accounts;
  accountChanges: AccountChanges;
  votes: VoteStore;
  visits: Records<Visit>;
  sessionMarks: Records<SessionMarks>;
  threadNotes: Records<ThreadNotes>;
  channelSettings: Records<ChannelSettings>;
  storedAttendance: Records<Attendance>;
  attendance: AttendanceKeeper;
  messageLog: MessageLog;
  /** Gives what is stored of a channel its new id. Returns how many records changed. May be repeated. */
  moveChannel(move: { teamId: string; from: string; to: string }): Promise<number>;
  workspaceEnds: WorkspaceEnds;
  /** The recent use, for people who may see it. Undefined for others. Calls `onCounted` once when newer numbers are there. */
  usageOf(userId: string, onCounted: () => void): ShownUsage | undefined;
  mayPreview: ReturnType<typeof createPreviewRule>;
  doctor: Doctor;
  /** Address of the service. */
  endpoint: string;
  /** The page of the service on which people create and revoke access tokens. */
  tokensUrl: string;
  serviceState(): Promise<ServiceState>;
  /** Names of the repositories that the service's account knows, for channel settings. */
  repositories: RepositoryNames;
  /** Everyone asks with the account that checks names, so that one it does not know is a mistake. */
  refusesUnknownRepositories: boolean;
  /** Slack's text as people see it, without the app's mention. */
  read(text: string): Promise<string>;
  readFile: ReadFile;
}
