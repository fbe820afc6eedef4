import type { VoteStore } from '../../core/history/votes.ts';
import type { Acceptance, NewQuestion } from '../../core/intake/accept.ts';
import type { ButtonResult, CancelResult, Requests } from '../../core/intake/requests.ts';
import type { Claims, Log, QuestionStore, ThreadStore } from '../../core/ports.ts';
import { referenceOf } from '../../core/reference.ts';
import type { Notice } from '../../render/notices.ts';
import type { AccessControl } from '../access/access-control.ts';
import type { Audiences } from '../access/audience.ts';
import type { Channels } from '../access/channels.ts';
import type { Memberships } from '../access/membership.ts';
import type { SlackAccessPolicy } from '../access/policy.ts';
import type { Users } from '../access/users.ts';
import type { AgentSessions } from '../agent-sessions/agent-sessions.ts';
import type { Prompts } from '../agent-sessions/suggested-prompts.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { HistoryOf } from '../home/history.ts';
import type { Home } from '../home/home.ts';
import type { AnswerUpdates } from '../messages/answer-updates.ts';
import type { PrivateNotifier } from '../messages/private-notifier.ts';
import type { MessageLog } from '../reports/message-log.ts';
import type { Reports } from '../reports/reports.ts';
import type { ThreadNoteKeeper } from '../threads/thread-note-keeper.ts';
import type { Unfurls } from '../unfurls/unfurls.ts';

/** What every listener works with. */
export interface Desk {
  slack: SlackApi;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  requests: Requests;
  threads: Pick<ThreadStore, 'get' | 'update'>;
  questions: Pick<QuestionStore, 'get'>;
  claims: Claims;
  /** What was done with messages, for those who ask why. */
  messageLog: Pick<MessageLog, 'note'>;
  reports: Reports;
  /** Who may ask where; asked about everybody who asks, presses or sends a form. */
  access: SlackAccessPolicy;
  people: Pick<Users, 'person'>;
  noteChanged: AccessControl['noteChanged'];
  channels: Channels;
  audiences: Audiences;
  memberships: Memberships;
  threadNotes: Pick<ThreadNoteKeeper, 'add' | 'replace' | 'remove'>;
  votes: VoteStore;
  /** Slack's text as people see it, without the app's mention. */
  read: (text: string) => Promise<string>;
  notify: PrivateNotifier['notify'];
  home: Pick<Home, 'show' | 'showAction'>;
  historyOf: HistoryOf;
  prompts: Prompts;
  sessions: Pick<AgentSessions, 'settle'>;
  unfurls: Pick<Unfurls, 'take'>;
  answerUpdates: Pick<AnswerUpdates, 'followUpUsed' | 'endUsed'>;
  log: Log;
}

/** What is said privately to someone whose question was not taken; undefined when it was. */
export function refusalOf(result: Acceptance, text: string): Notice | undefined {
  switch (result.kind) {
    case 'empty':
      return { kind: 'emptyQuestion' };
    case 'tooLong':
      return { kind: 'questionTooLong', text };
    case 'queueFull':
      return { kind: 'queueFull', limit: result.limit, reference: referenceOf(result.questionId) };
    case 'accepted':
    case 'duplicate':
      return undefined;
  }
}

/** What is said privately to someone whose wish to cancel came too late or was about nothing; undefined otherwise. */
export function notCancelledOf(result: CancelResult): Notice | undefined {
  switch (result.kind) {
    case 'answered':
      return { kind: 'answeredBeforeCancel' };
    case 'nothing':
      return { kind: 'nothingToCancel' };
    case 'cancelling':
      return undefined;
  }
}

/** Cancels a question that was taken after its asker had been told that it was not. */
export async function withdraw(desk: Desk, late: ButtonResult, userId: string): Promise<void> {
  if (late.kind !== 'accepted') return;
  const { id, place } = late.question;
  try {
    await desk.requests.cancel(id, { userId, teamId: place.teamId, channelId: place.channelId });
  } catch (error) {
    desk.log.error({ event: 'late_question_not_withdrawn', questionId: id }, error);
  }
}
