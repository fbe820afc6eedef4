import type { WebClient } from '@slack/web-api';
import type { Acceptance, NewQuestion } from '../../core/accept.ts';
import type { Claims, Journal, QuestionStore, ThreadStore } from '../../core/ports.ts';
import type { ButtonResult, CancelResult, Requests } from '../../core/requests.ts';
import type { VoteStore } from '../../core/votes.ts';
import type { Notice } from '../../render/notices.ts';
import type { Through } from '../calls/through.ts';
import type { Identity } from '../calls/web-client.ts';
import type { Repainting } from '../messages/repainting.ts';
import type { Teller } from '../messages/teller.ts';
import type { Access } from '../people/access.ts';
import type { Audiences } from '../people/audience.ts';
import type { Channels } from '../people/channels.ts';
import type { Gatehouse } from '../people/gatehouse.ts';
import type { People } from '../people/people.ts';
import type { Reaches } from '../people/reaches.ts';
import type { AgentSessions } from '../presence/agent-sessions.ts';
import type { HistoryOf } from '../presence/history.ts';
import type { Home } from '../presence/home.ts';
import type { Prompts } from '../presence/prompts.ts';
import type { Unfurls } from '../previews/unfurls.ts';
import type { DiaryKeeper } from '../reports/diary.ts';
import type { Reports } from '../reports/reports.ts';
import type { Hearing } from '../threads/hearing.ts';

/** What every listener works with. */
export interface Desk {
  client: WebClient;
  through: Through;
  identity: Identity;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  requests: Requests;
  threads: Pick<ThreadStore, 'get' | 'update'>;
  questions: Pick<QuestionStore, 'get'>;
  claims: Claims;
  /** What was done with messages, for those who ask why. */
  diary: Pick<DiaryKeeper, 'note'>;
  reports: Reports;
  /** Who may ask where; asked about everybody who asks, presses or sends a form. */
  access: Access;
  people: Pick<People, 'person'>;
  noteChanged: Gatehouse['noteChanged'];
  channels: Channels;
  audiences: Audiences;
  reaches: Reaches;
  heard: Pick<Hearing, 'hear' | 'replace' | 'forget'>;
  votes: VoteStore;
  /** Slack's text as people see it, without the app's mention. */
  read: (text: string) => Promise<string>;
  tell: Teller['tell'];
  home: Pick<Home, 'show' | 'showPress'>;
  historyOf: HistoryOf;
  prompts: Prompts;
  sessions: Pick<AgentSessions, 'settle'>;
  unfurls: Pick<Unfurls, 'take'>;
  repainting: Pick<Repainting, 'suggestionUsed' | 'endUsed'>;
  journal: Journal;
}

/** What is said privately to someone whose question or press was not taken; undefined when it was. */
export function refusalOf(result: ButtonResult, text: string): Notice | undefined {
  switch (result.kind) {
    case 'empty':
      return { kind: 'emptyQuestion' };
    case 'tooLong':
      return { kind: 'questionTooLong', text };
    case 'lineFull':
      return { kind: 'queueFull', limit: result.limit };
    case 'expired':
      return { kind: 'expiredButton' };
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
    desk.journal.error({ event: 'late_question_not_withdrawn', questionId: id }, error);
  }
}
