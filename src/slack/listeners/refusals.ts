import type { ModalView } from '@slack/types';
import type { AuditLog } from '../../core/history/audit.ts';
import type { Log } from '../../core/ports.ts';
import type { DailyStorage } from '../../core/question/daily-storage.ts';
import type { Refusal } from '../../core/question/question.ts';
import { plainContact, privateContact } from '../../render/contact.ts';
import { renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import type { Say } from '../../render/say.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { logFailure } from '../failure-log.ts';
import { problemWith } from './view-submissions.ts';

/** A person who may not do what they asked for; `questionId` is the question it was about, if there was one. */
interface Refused {
  userId: string;
  channelId: string;
  reason: Refusal;
  questionId?: string | undefined;
}

export interface RefusalDeps {
  slack: Pick<SlackApi, 'identity'>;
  dailyStorage: Pick<DailyStorage, 'take'>;
  audit: AuditLog;
  log: Log;
}

/**
 * Logs a refusal, and returns the reference that the person is shown. The audit log notes as many of a person as are
 * stored for a day.
 */
export function logRefusal(deps: RefusalDeps, refused: Refused): string {
  const { userId, channelId, reason, questionId } = refused;
  const { audit, dailyStorage, log } = deps;
  const { teamId } = deps.slack.identity;
  const about = questionId === undefined ? {} : { questionId };
  const atMs = Date.now();
  const id = `refused:${channelId}:${userId}:${atMs}`;
  // Not awaited: nothing was done, so there is nothing that the entry must not miss, and a form must open in time.
  dailyStorage.take('refused', { teamId, userId }, id, atMs).then(
    (mayStore) =>
      mayStore
        ? audit.note({ id, atMs, action: 'refused', teamId, userId, channelId, ...about, detail: reason })
        : undefined,
    (error: unknown) => log.warn({ event: 'refusal_not_counted', userId }, error),
  );
  return logFailure(log, 'info', { event: 'action_refused', outcome: reason, userId, channelId, ...about });
}

/** The modal for a person who may not see what they asked for. */
export function refusedView(deps: RefusalDeps, refused: Refused, locale: string | undefined): ModalView {
  const contact = privateContact(deps.slack.identity.contact);
  return renderWords((say) => refusalSentence(say, refused.reason, contact), locale, logRefusal(deps, refused));
}

/** The error in a form for a person who may not do what it is for; `so` says what follows from it. */
export function refusedProblem(deps: RefusalDeps, refused: Refused, say: Say, so?: string): string {
  const sentence = refusalSentence(say, refused.reason, plainContact(deps.slack.identity.contact), so);
  return problemWith(say, sentence, logRefusal(deps, refused));
}
