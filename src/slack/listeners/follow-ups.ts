import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ButtonResult } from '../../core/requests.ts';
import { ACTIONS, type ButtonValue, FOLLOW_UP_PATTERN, FORMS, parseButtonValue } from '../../render/ids.ts';
import { FIELDS, renderEditForm, renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import { localeOf } from '../people/people.ts';
import { assertInTime } from './ack-time.ts';
import type { Desk } from './desk.ts';
import { onForm, problemOf, type Reply, type Sent } from './forms.ts';
import { type Handled, onPress, openDirect, type Pressed, refusalOfPress, told } from './presses.ts';

/** The suggestions under an answer: asked as they are, in other words, or privately. */
export function registerFollowUps(app: App, desk: Desk): void {
  const { requests } = desk;

  onPress(app, desk, FOLLOW_UP_PATTERN, async ({ value, press, byMs }) => {
    const result = await requests.followUp(value.questionId, value.index ?? -1, press, { byMs });
    return { ...told(result), after: () => noteUsed(value, result) };
  });
  // Forms open before it is asked who may; what is private is checked where it is asked.
  onPress(app, desk, ACTIONS.followUpMenu, choose, 'later');
  onForm(app, desk, FORMS.editFollowUp, {
    errorField: FIELDS.question,
    failed: (say) => say.modals.notTaken(),
    handle: askEdited,
  });

  async function choose(pressed: Pressed): Promise<Handled> {
    const { value, press, byMs } = pressed;
    if (value.choice === 'edit') return { modal: () => editForm(pressed) };
    if (value.choice !== 'private') return { notice: { kind: 'expiredButton' } };
    const refusal = await refusalOfPress(desk, pressed, 'person');
    if (refusal !== undefined) return { notice: refusal };
    // Only where the press belongs to the question a direct message is opened for it.
    if ((await requests.find(value.questionId, press)) === undefined) return { notice: { kind: 'expiredButton' } };
    const place = { teamId: press.teamId, channelId: await openDirect(desk, press.userId) };
    assertInTime(byMs);
    const result = await requests.followUpPrivately(value.questionId, value.index ?? -1, place, press, byMs);
    return result.kind === 'accepted' && place.channelId !== press.channelId
      ? { asked: result, notice: { kind: 'askedPrivately' } }
      : told(result);
  }

  async function editForm({ value, press, named }: Pressed): Promise<ModalView> {
    const [question, admission, locale] = await Promise.all([
      requests.find(value.questionId, press),
      desk.access.admit(press.userId, { teamId: press.teamId, channelId: press.channelId }, named),
      localeOf(desk.people, press.userId),
    ]);
    const text =
      question?.outcome?.kind === 'answered' ? question.outcome.answer.followUps[value.index ?? -1] : undefined;
    if (!admission.may) return renderWords((say) => refusalSentence(say, admission.reason), locale);
    if (question === undefined || text === undefined) return renderWords((say) => say.modals.expired(), locale);
    const used = question.usedFollowUps?.find(({ index }) => index === value.index);
    if (used === undefined) return renderEditForm(plainValue(value), text, locale);
    const { byUserId } = used;
    return renderWords(
      ({ notices }) =>
        byUserId === press.userId ? notices.alreadyAskedByYou() : notices.alreadyAsked(`<@${byUserId}>`),
      locale,
    );
  }

  async function askEdited(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, entered } = sent;
    const value = parseButtonValue(sent.metadata);
    const text = entered.isUntouched(FIELDS.question) ? undefined : entered.text(FIELDS.question);
    if (text === '') return wrong(say.modals.empty());
    const question = value === undefined ? undefined : await desk.questions.get(value.questionId);
    if (value?.index === undefined || question?.place.teamId !== teamId) return wrong(say.modals.expired());
    const { channelId } = question.place;
    const [reach, admission] = await Promise.all([
      desk.reaches.of(userId, channelId),
      desk.access.admit(userId, { teamId, channelId }, named),
    ]);
    // Whoever can't see the answer learns no more than that of one that is gone.
    if (reach === 'none' || reach === 'hidden') return wrong(say.modals.expired());
    if (!admission.may) return wrong(refusalSentence(say, admission.reason));
    const press = { userId, teamId, channelId };
    const result = await requests.followUp(value.questionId, value.index, press, {
      ...(text === undefined ? {} : { text }),
      byMs: sent.byMs,
    });
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
    desk.repainting.suggestionUsed(questionId, index, result.question.askerId);
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
