import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ButtonResult, Requester } from '../../core/intake/find-question.ts';
import { followUpOf } from '../../core/intake/follow-ups.ts';
import { isBetweenTwo, isInThread, type Place } from '../../core/question/question.ts';
import { ACTIONS, type ButtonValue, FOLLOW_UP_PATTERN, FORMS, parseButtonValue } from '../../render/ids.ts';
import { FIELDS, PLACES, renderEditForm, renderWords } from '../../render/modals.ts';
import { localeOf } from '../access/users.ts';
import { notify, openDirect } from '../messages/private-messages.ts';
import {
  assertInTime,
  type BlockAction,
  expired,
  expiredProblem,
  expiredView,
  type Handled,
  handledResult,
  type ListenerContext,
  onBlockAction,
  onViewSubmission,
  problemOf,
  type Reply,
  refusalOfAction,
  refusedProblem,
  refusedView,
  type Sent,
} from './frame.ts';
import { setMuted } from './verbs.ts';

/** A follow-up after a person edited it. */
interface Edited {
  questionId: string;
  index: number;
  requester: Requester;
  /** Absent when the text was not changed. */
  text?: string;
}

/** Asks the follow-ups under an answer unchanged, edited or privately, and handles the other entries of their menu. */
export function registerFollowUps(app: App, w: ListenerContext): void {
  const { requests } = w;

  onBlockAction(app, w, FOLLOW_UP_PATTERN, async ({ value, requester, byMs }) => {
    const result = await requests.followUp(value.questionId, value.index ?? -1, requester, { byMs });
    return { ...handledResult(w, result, { value }), after: () => noteUsed(value, result) };
  });
  // Forms open before the check whether the person may ask.
  onBlockAction(app, w, ACTIONS.followUpMenu, choose, 'later');
  onViewSubmission(app, w, FORMS.editFollowUp, {
    errorField: FIELDS.question,
    failed: (say) => say.modals.notTaken(),
    handle: askEdited,
  });

  async function choose(action: BlockAction): Promise<Handled> {
    switch (action.value.choice) {
      case 'edit':
        return { modal: () => editForm(action) };
      case 'mute':
        return mute(action);
      default:
        return expired(w, action.value);
    }
  }

  /** Does what the verb `mute` does. */
  async function mute(action: BlockAction): Promise<Handled> {
    const { value, requester, byMs } = action;
    const refusal = await refusalOfAction(w, action, 'place');
    if (refusal !== undefined) return { notice: refusal };
    const question = await requests.find(value.questionId, requester);
    if (question === undefined || !isInThread(question.place)) return expired(w, value);
    assertInTime(byMs);
    await setMuted(w.threads, question.place, true);
    return { notice: { kind: 'muted' } };
  }

  async function editForm({ value, requester, named }: BlockAction): Promise<ModalView> {
    const { userId, teamId, channelId } = requester;
    const [question, admission, locale] = await Promise.all([
      requests.find(value.questionId, requester),
      // The form decides where the answer goes. Here it only counts whether the person may ask at all.
      w.access.admit(userId, { teamId, channelId }, { ...named, personOnly: true }),
      localeOf(w.people, userId),
    ]);
    const text = followUpOf(question, value.index ?? -1, userId);
    const about = { userId, channelId, questionId: value.questionId };
    if (!admission.may) return refusedView(w, { ...about, reason: admission.reason }, locale);
    if (question === undefined || text === undefined) return expiredView(w, value.questionId, locale);
    const used = question.usedFollowUps?.find(({ index }) => index === value.index);
    if (used === undefined) {
      const form = { value: plainValue(value), text, isDirect: isBetweenTwo({ channelId }) };
      return renderEditForm(form, locale);
    }
    const { byUserId } = used;
    return renderWords(
      ({ notices }) => (byUserId === userId ? notices.alreadyAskedByYou() : notices.alreadyAsked(`<@${byUserId}>`)),
      locale,
    );
  }

  async function askEdited(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, entered } = sent;
    const value = parseButtonValue(sent.metadata);
    const text = entered.isUntouched(FIELDS.question) ? undefined : entered.text(FIELDS.question);
    if (text === '') return wrong(say.modals.empty());
    const question = value === undefined ? undefined : await w.questions.get(value.questionId);
    const gone = (): Reply => wrong(expiredProblem(w, value?.questionId, say));
    if (value?.index === undefined || question?.place.teamId !== teamId) return gone();
    const { channelId } = question.place;
    const privately = entered.choice(FIELDS.where) === PLACES.privately;
    const [membership, admission] = await Promise.all([
      w.memberships.of(userId, channelId),
      // A private question is checked for the place in which it is asked.
      w.access.admit(userId, { teamId, channelId }, { ...named, personOnly: privately }),
    ]);
    // To a person who can't see the answer, it looks like one that is gone.
    if (membership === 'none' || membership === 'hidden') return gone();
    if (!admission.may) {
      const refused = { userId, channelId, questionId: question.id, reason: admission.reason };
      return wrong(refusedProblem(w, refused, say));
    }
    const edited: Edited = {
      questionId: value.questionId,
      index: value.index,
      requester: { userId, teamId, channelId },
      text,
    };
    return privately ? askPrivately(edited, question.place, sent) : askInThread(edited, sent);
  }

  async function askInThread({ questionId, index, requester, text }: Edited, { say, byMs }: Sent): Promise<Reply> {
    const result = await requests.followUp(questionId, index, requester, {
      text,
      byMs,
    });
    if (result.kind === 'expired') return wrong(expiredProblem(w, questionId, say));
    const isOwn =
      result.kind === 'duplicate' &&
      result.question.askerId === requester.userId &&
      (text === undefined || result.question.text === text);
    if (result.kind === 'duplicate' && !isOwn) {
      return wrong(say.modals.askedMeanwhile(await nameOf(result.question.askerId)));
    }
    const problem = problemOf(result, text ?? '', say);
    return problem === undefined
      ? { kind: 'done', after: () => noteUsed({ questionId, index }, result) }
      : wrong(problem);
  }

  /** Does not use the follow-up up: other people can still ask it. Each person asks it once. */
  async function askPrivately(
    { questionId, index, requester, text }: Edited,
    { channelId, threadTs }: Place,
    { say, byMs }: Sent,
  ): Promise<Reply> {
    const place = { teamId: requester.teamId, channelId: await openDirect(w, requester.userId, byMs) };
    const result = await requests.followUpPrivately(questionId, index, place, requester, {
      text,
      byMs,
    });
    if (result.kind === 'expired') return wrong(expiredProblem(w, questionId, say));
    if (result.kind === 'duplicate' && text !== undefined && result.question.text !== text) {
      return wrong(say.notices.alreadyAskedByYou());
    }
    const problem = problemOf(result, text ?? '', say);
    if (problem !== undefined) return wrong(problem);
    if (place.channelId === channelId) return { kind: 'done' };
    const recipient = { channelId, userId: requester.userId, threadTs };
    return { kind: 'done', after: () => notify(w, recipient, { kind: 'askedPrivately' }) };
  }

  /** Only for a question that is stored: a question that was not taken does not use the follow-up up. */
  function noteUsed({ questionId, index }: Pick<ButtonValue, 'questionId' | 'index'>, result: ButtonResult): void {
    if (index === undefined || (result.kind !== 'accepted' && result.kind !== 'duplicate')) return;
    w.answerUpdates.followUpUsed(questionId, index, result.question.askerId);
  }

  /** Errors in forms are plain text without mentions, so they show a name. */
  async function nameOf(userId: string): Promise<string | undefined> {
    return w.people.person(userId).then(
      ({ name }) => name,
      () => undefined,
    );
  }
}

function plainValue({ questionId, index }: ButtonValue): ButtonValue {
  return index === undefined ? { questionId } : { questionId, index };
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [FIELDS.question]: problem } };
}
