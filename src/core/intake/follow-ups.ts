import type { Core } from '../context.ts';
import { AppError } from '../errors.ts';
import { linkOf } from '../question/conversations.ts';
import type { Place, Question } from '../question/question.ts';
import { maySeeAnswer } from '../question/readers.ts';
import { accept } from './accept.ts';
import { attemptKeys, attemptUnder, type ButtonResult, findQuestion, type Requester } from './find-question.ts';

/*
 * What people can do with an answer: ask its follow-ups there or privately, and share it.
 * Every function here throws `AppError` of kind `storage` if nothing was done.
 */

/**
 * Asks a follow-up of an answer for the requester. `text` replaces its words. Each follow-up is asked once, even with
 * other words.
 */
export async function followUp(
  w: Core,
  questionId: string,
  index: number,
  requester: Requester,
  { text, byMs }: { text?: string; byMs?: number } = {},
): Promise<ButtonResult> {
  const question = await findQuestion(w, questionId, requester);
  const suggested = followUpOf(question, index, requester.userId);
  if (question === undefined || suggested === undefined) return { kind: 'expired' };
  const { key } = await attemptUnder(w, attemptKeys.followUp(questionId, index));
  return accept(
    w,
    {
      key,
      place: question.place,
      askerId: requester.userId,
      text: text ?? suggested,
      origin: 'followUp',
    },
    byMs,
  );
}

/** Asks a follow-up in another place, as a new conversation, once per person. `text` replaces its words. */
export async function followUpPrivately(
  w: Core,
  questionId: string,
  index: number,
  place: Place,
  requester: Requester,
  { text, byMs }: { text?: string; byMs?: number } = {},
): Promise<ButtonResult> {
  const question = await findQuestion(w, questionId, requester);
  const suggested = followUpOf(question, index, requester.userId);
  if (question === undefined || suggested === undefined) return { kind: 'expired' };
  const link = linkOf(question, { userId: requester.userId });
  const { key } = await attemptUnder(w, attemptKeys.followUpPrivately(questionId, index, requester.userId));
  return accept(
    w,
    {
      key,
      place,
      askerId: requester.userId,
      text: text ?? suggested,
      origin: 'followUp',
      beginsThread: true,
      follows: { text: question.text, ...link },
    },
    byMs,
  );
}

/** Stores who asked a follow-up. The answer shows it. Returns the question if this was not stored before. */
export async function markUsed(
  w: Core,
  questionId: string,
  index: number,
  byUserId: string,
): Promise<Question | undefined> {
  let isNews = false;
  const question = await w.questions.update(questionId, (stored) => {
    const used = stored.usedFollowUps ?? [];
    isNews = !used.some((each) => each.index === index);
    return isNews ? { ...stored, usedFollowUps: [...used, { index, byUserId }] } : stored;
  });
  return isNews ? question : undefined;
}

/** Stores who asked the question of an incomplete answer or a cancelled card again. Returns the question if this was not stored before. */
export async function markAskedAgain(w: Core, questionId: string, byUserId: string): Promise<Question | undefined> {
  let isNews = false;
  const question = await w.questions.update(questionId, (stored) => {
    isNews = stored.askedAgain === undefined;
    return isNews ? { ...stored, askedAgain: { byUserId } } : stored;
  });
  return isNews ? question : undefined;
}

/**
 * Stores that an answer offers "Only when mentioned". Returns the question if it did not offer it yet. Throws
 * `unavailable` while the answer is being posted: all its messages are rendered from the same state.
 */
export async function offerMute(w: Core, questionId: string): Promise<Question | undefined> {
  let isNews = false;
  const question = await w.questions.update(questionId, (stored) => {
    isNews = stored.phase === 'closed' && stored.outcome?.kind === 'answered' && stored.offersMute !== true;
    return isNews ? { ...stored, offersMute: true } : stored;
  });
  if (question?.phase === 'delivering') {
    throw new AppError('unavailable', 'the answer is being posted', { retryAfterMs: 2_000 });
  }
  return isNews ? question : undefined;
}

/** Shows the answer of a person's own question again in another place. `key` is the same as in `accept`. */
export async function shareAnswer(
  w: Core,
  questionId: string,
  sharing: { key: string; userId: string; place: Place; withLink: boolean; confirmed: string[] },
  byMs?: number,
): Promise<ButtonResult> {
  const { key, userId, place, withLink, confirmed } = sharing;
  const question = await findOwnAnswered(w, questionId, { userId, teamId: place.teamId });
  if (question === undefined) return { kind: 'expired' };
  return accept(
    w,
    {
      key,
      place,
      askerId: userId,
      text: question.text,
      origin: 'shared',
      access: question.access,
      shares: { questionId, withLink, confirmed },
    },
    byMs,
  );
}

/** A person's own question, if it was answered. A shared answer does not count as a question. */
export async function findOwnAnswered(
  w: Core,
  questionId: string,
  person: Pick<Requester, 'userId' | 'teamId'>,
): Promise<Question | undefined> {
  const question = await w.questions.get(questionId);
  if (question?.askerId !== person.userId || question.place.teamId !== person.teamId) return undefined;
  return question.outcome?.kind === 'answered' && question.shares === undefined ? question : undefined;
}

/** The text that an answer suggests. Undefined if there is none, or if the person may not see the answer. */
export function followUpOf(question: Question | undefined, index: number, userId: string): string | undefined {
  if (question?.outcome?.kind !== 'answered' || !maySeeAnswer(question, userId)) return undefined;
  return question.outcome.answer.followUps[index];
}
