import type { ModalView } from '@slack/types';
import type { Refusal } from '../../core/question/question.ts';
import { plainContact, privateContact } from '../../render/contact.ts';
import { renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import type { Say } from '../../render/say.ts';
import { logFailure } from '../failure-log.ts';
import type { Desk } from './desk.ts';
import { problemWith } from './view-submissions.ts';

/** Someone who may not do what they asked for; `questionId`: the question it was about, where there was one. */
interface Refused {
  userId: string;
  channelId: string;
  reason: Refusal;
  questionId?: string | undefined;
}

/** Logs that someone was refused, and returns the reference they are shown. */
export function logRefusal({ log }: Pick<Desk, 'log'>, refused: Refused): string {
  const { userId, channelId, reason, questionId } = refused;
  const about = questionId === undefined ? {} : { questionId };
  return logFailure(log, 'info', { event: 'action_refused', outcome: reason, userId, channelId, ...about });
}

/** What a modal shows to someone who may not see what they asked for. */
export function refusedView(
  desk: Pick<Desk, 'log' | 'slack'>,
  refused: Refused,
  locale: string | undefined,
): ModalView {
  const contact = privateContact(desk.slack.identity.contact);
  return renderWords((say) => refusalSentence(say, refused.reason, contact), locale, logRefusal(desk, refused));
}

/** What a form says at its field to someone who may not do what it is for; `so`: what came of it. */
export function refusedProblem(desk: Pick<Desk, 'log' | 'slack'>, refused: Refused, say: Say, so?: string): string {
  const sentence = refusalSentence(say, refused.reason, plainContact(desk.slack.identity.contact), so);
  return problemWith(say, sentence, logRefusal(desk, refused));
}
