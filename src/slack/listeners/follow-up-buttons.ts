import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ButtonResult } from '../../core/intake/requests.ts';
import { ACTIONS, type ButtonValue, FOLLOW_UP_PATTERN, FORMS, parseButtonValue } from '../../render/ids.ts';
import { FIELDS, renderEditForm, renderWords } from '../../render/modals.ts';
import { localeOf } from '../access/users.ts';
import { assertInTime } from './ack-time.ts';
import {
  type BlockAction,
  expired,
  type Handled,
  onBlockAction,
  openDirect,
  refusalOfAction,
  told,
} from './block-actions.ts';
import type { Desk } from './desk.ts';
import { refusedProblem, refusedView } from './refusals.ts';
import { expiredProblem, expiredView, onViewSubmission, problemOf, type Reply, type Sent } from './view-submissions.ts';

/** The suggestions under an answer: asked as they are, in other words, or privately. */
export function registerFollowUps(app: App, desk: Desk): void {
  const { requests } = desk;

  onBlockAction(app, desk, FOLLOW_UP_PATTERN, async ({ value, requester, byMs }) => {
    const result = await requests.followUp(value.questionId, value.index ?? -1, requester, { byMs });
    return { ...told(desk, result, { value }), after: () => noteUsed(value, result) };
  });
  // Forms open before it is asked who may; what is private is checked where it is asked.
  onBlockAction(app, desk, ACTIONS.followUpMenu, choose, 'later');
  onViewSubmission(app, desk, FORMS.editFollowUp, {
    errorField: FIELDS.question,
    failed: (say) => say.modals.notTaken(),
    handle: askEdited,
  });

  async function choose(action: BlockAction): Promise<Handled> {
    const { value, requester, byMs } = action;
    if (value.choice === 'edit') return { modal: () => editForm(action) };
    if (value.choice !== 'private') return expired(desk, value);
    const refusal = await refusalOfAction(desk, action, 'person');
    if (refusal !== undefined) return { notice: refusal };
    // Only where the press belongs to the question a direct message is opened for it.
    if ((await requests.find(value.questionId, requester)) === undefined) return expired(desk, value);
    const place = { teamId: requester.teamId, channelId: await openDirect(desk, requester.userId) };
    assertInTime(byMs);
    const result = await requests.followUpPrivately(value.questionId, value.index ?? -1, place, requester, byMs);
    return result.kind === 'accepted' && place.channelId !== requester.channelId
      ? { asked: result, notice: { kind: 'askedPrivately' } }
      : told(desk, result, { value });
  }

  async function editForm({ value, requester, named }: BlockAction): Promise<ModalView> {
    const [question, admission, locale] = await Promise.all([
      requests.find(value.questionId, requester),
      desk.access.admit(requester.userId, { teamId: requester.teamId, channelId: requester.channelId }, named),
      localeOf(desk.people, requester.userId),
    ]);
    const text =
      question?.outcome?.kind === 'answered' ? question.outcome.answer.followUps[value.index ?? -1] : undefined;
    const { userId, channelId } = requester;
    const about = { userId, channelId, questionId: value.questionId };
    if (!admission.may) return refusedView(desk, { ...about, reason: admission.reason }, locale);
    if (question === undefined || text === undefined) return expiredView(desk, value.questionId, locale);
    const used = question.usedFollowUps?.find(({ index }) => index === value.index);
    if (used === undefined) return renderEditForm(plainValue(value), text, locale);
    const { byUserId } = used;
    return renderWords(
      ({ notices }) =>
        byUserId === requester.userId ? notices.alreadyAskedByYou() : notices.alreadyAsked(`<@${byUserId}>`),
      locale,
    );
  }

  async function askEdited(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, entered } = sent;
    const value = parseButtonValue(sent.metadata);
    const text = entered.isUntouched(FIELDS.question) ? undefined : entered.text(FIELDS.question);
    if (text === '') return wrong(say.modals.empty());
    const question = value === undefined ? undefined : await desk.questions.get(value.questionId);
    const gone = (): Reply => wrong(expiredProblem(desk, value?.questionId, say));
    if (value?.index === undefined || question?.place.teamId !== teamId) return gone();
    const { channelId } = question.place;
    const [membership, admission] = await Promise.all([
      desk.memberships.of(userId, channelId),
      desk.access.admit(userId, { teamId, channelId }, named),
    ]);
    // Whoever can't see the answer learns no more than that of one that is gone.
    if (membership === 'none' || membership === 'hidden') return gone();
    if (!admission.may) {
      const refused = { userId, channelId, questionId: question.id, reason: admission.reason };
      return wrong(refusedProblem(desk, refused, say));
    }
    const requester = { userId, teamId, channelId };
    const result = await requests.followUp(value.questionId, value.index, requester, {
      ...(text === undefined ? {} : { text }),
      byMs: sent.byMs,
    });
    if (result.kind === 'expired') return gone();
    const isOwn =
      result.kind === 'duplicate' &&
      result.question.askerId === userId &&
      (text === undefined || result.question.text === text);
    if (result.kind === 'duplicate' && !isOwn) {
      return wrong(say.modals.askedMeanwhile(await nameOf(result.question.askerId)));
    }
    const problem = problemOf(result, text ?? '', say);
    return problem === undefined ? { kind: 'done', result, after: () => noteUsed(value, result) } : wrong(problem);
  }

  /** Only once it stands: what was called not taken uses no suggestion up. */
  function noteUsed({ questionId, index }: ButtonValue, result: ButtonResult): void {
    if (index === undefined || (result.kind !== 'accepted' && result.kind !== 'duplicate')) return;
    desk.answerUpdates.followUpUsed(questionId, index, result.question.askerId);
  }

  /** Errors in forms are plain text, which knows no mentions. */
  async function nameOf(userId: string): Promise<string | undefined> {
    return desk.people.person(userId).then(
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
