import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ButtonResult, Requester } from '../../core/intake/find-question.ts';
import { followUpOf } from '../../core/intake/follow-ups.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { QuestionStore, ThreadStore } from '../../core/ports.ts';
import { isBetweenTwo, isInThread, type Place } from '../../core/question/question.ts';
import { ACTIONS, type ButtonValue, FOLLOW_UP_PATTERN, FORMS, parseButtonValue } from '../../render/ids.ts';
import { FIELDS, PLACES, renderEditForm, renderWords } from '../../render/modals.ts';
import type { Memberships } from '../access/membership.ts';
import { localeOf } from '../access/users.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { AnswerUpdates } from '../messages/answer-updates.ts';
import { assertInTime } from './ack-time.ts';
import {
  type BlockAction,
  type BlockActionDeps,
  expired,
  type Handled,
  handledResult,
  onBlockAction,
  openDirect,
  refusalOfAction,
} from './block-actions.ts';
import { setMuted } from './muting.ts';
import { refusedProblem, refusedView } from './refusals.ts';
import {
  expiredProblem,
  expiredView,
  onViewSubmission,
  problemOf,
  type Reply,
  type Sent,
  type ViewSubmissionDeps,
} from './view-submissions.ts';

/** A follow-up after a person edited it. */
interface Edited {
  questionId: string;
  index: number;
  requester: Requester;
  /** Absent when the text was not changed. */
  text?: string;
}

export type FollowUpButtonDeps = BlockActionDeps &
  ViewSubmissionDeps & {
    slack: SlackApi;
    requests: Pick<Requests, 'find' | 'followUp' | 'followUpPrivately'>;
    questions: Pick<QuestionStore, 'get'>;
    threads: Pick<ThreadStore, 'update'>;
    memberships: Pick<Memberships, 'of'>;
    answerUpdates: Pick<AnswerUpdates, 'followUpUsed'>;
  };

/** Asks the follow-ups under an answer unchanged, edited or privately, and handles the other entries of their menu. */
export function registerFollowUps(app: App, deps: FollowUpButtonDeps): void {
  const { requests } = deps;

  onBlockAction(app, deps, FOLLOW_UP_PATTERN, async ({ value, requester, byMs }) => {
    const result = await requests.followUp(value.questionId, value.index ?? -1, requester, { byMs });
    return { ...handledResult(deps, result, { value }), after: () => noteUsed(value, result) };
  });
  // Forms open before the check whether the person may ask.
  onBlockAction(app, deps, ACTIONS.followUpMenu, choose, 'later');
  onViewSubmission(app, deps, FORMS.editFollowUp, {
    errorField: FIELDS.question,
    failed: (say) => say.modals.notTaken(),
    handle: askEdited,
  });

  async function choose(action: BlockAction): Promise<Handled> {
    switch (action.value.choice) {
      case 'edit':
      case 'private':
        return { modal: () => editForm(action) };
      case 'mute':
        return mute(action);
      default:
        return expired(deps, action.value);
    }
  }

  /** Does what the verb `mute` does. */
  async function mute(action: BlockAction): Promise<Handled> {
    const { value, requester, byMs } = action;
    const refusal = await refusalOfAction(deps, action, 'place');
    if (refusal !== undefined) return { notice: refusal };
    const question = await requests.find(value.questionId, requester);
    if (question === undefined || !isInThread(question.place)) return expired(deps, value);
    assertInTime(byMs);
    await setMuted(deps.threads, question.place, true);
    return { notice: { kind: 'muted' } };
  }

  async function editForm({ value, requester, named }: BlockAction): Promise<ModalView> {
    const { userId, teamId, channelId } = requester;
    const [question, admission, locale] = await Promise.all([
      requests.find(value.questionId, requester),
      // The form decides where the answer goes. Here it only counts whether the person may ask at all.
      deps.access.admit(userId, { teamId, channelId }, { ...named, personOnly: true }),
      localeOf(deps.people, userId),
    ]);
    const text = followUpOf(question, value.index ?? -1, userId);
    const about = { userId, channelId, questionId: value.questionId };
    if (!admission.may) return refusedView(deps, { ...about, reason: admission.reason }, locale);
    if (question === undefined || text === undefined) return expiredView(deps, value.questionId, locale);
    const used = question.usedFollowUps?.find(({ index }) => index === value.index);
    if (used === undefined) {
      const startsPrivately = value.choice === 'private';
      const form = { value: plainValue(value), text, isDirect: isBetweenTwo({ channelId }), startsPrivately };
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
    const question = value === undefined ? undefined : await deps.questions.get(value.questionId);
    const gone = (): Reply => wrong(expiredProblem(deps, value?.questionId, say));
    if (value?.index === undefined || question?.place.teamId !== teamId) return gone();
    const { channelId } = question.place;
    const privately = entered.choice(FIELDS.where) === PLACES.privately;
    const [membership, admission] = await Promise.all([
      deps.memberships.of(userId, channelId),
      // A private question is checked for the place in which it is asked.
      deps.access.admit(userId, { teamId, channelId }, { ...named, personOnly: privately }),
    ]);
    // To a person who can't see the answer, it looks like one that is gone.
    if (membership === 'none' || membership === 'hidden') return gone();
    if (!admission.may) {
      const refused = { userId, channelId, questionId: question.id, reason: admission.reason };
      return wrong(refusedProblem(deps, refused, say));
    }
    const edited: Edited = {
      questionId: value.questionId,
      index: value.index,
      requester: { userId, teamId, channelId },
      ...(text === undefined ? {} : { text }),
    };
    return privately ? askPrivately(edited, question.place, sent) : askInThread(edited, sent);
  }

  async function askInThread({ questionId, index, requester, text }: Edited, { say, byMs }: Sent): Promise<Reply> {
    const result = await requests.followUp(questionId, index, requester, {
      ...(text === undefined ? {} : { text }),
      byMs,
    });
    if (result.kind === 'expired') return wrong(expiredProblem(deps, questionId, say));
    const isOwn =
      result.kind === 'duplicate' &&
      result.question.askerId === requester.userId &&
      (text === undefined || result.question.text === text);
    if (result.kind === 'duplicate' && !isOwn) {
      return wrong(say.modals.askedMeanwhile(await nameOf(result.question.askerId)));
    }
    const problem = problemOf(result, text ?? '', say);
    return problem === undefined
      ? { kind: 'done', result, after: () => noteUsed({ questionId, index }, result) }
      : wrong(problem);
  }

  /** Does not use the follow-up up: other people can still ask it. Each person asks it once. */
  async function askPrivately(
    { questionId, index, requester, text }: Edited,
    { channelId, threadTs }: Place,
    { say, byMs }: Sent,
  ): Promise<Reply> {
    const place = { teamId: requester.teamId, channelId: await openDirect(deps.slack, requester.userId) };
    assertInTime(byMs);
    const result = await requests.followUpPrivately(questionId, index, place, requester, {
      ...(text === undefined ? {} : { text }),
      byMs,
    });
    if (result.kind === 'expired') return wrong(expiredProblem(deps, questionId, say));
    if (result.kind === 'duplicate' && text !== undefined && result.question.text !== text) {
      return wrong(say.notices.alreadyAskedByYou());
    }
    const problem = problemOf(result, text ?? '', say);
    if (problem !== undefined) return wrong(problem);
    if (place.channelId === channelId) return { kind: 'done', result };
    const recipient = { channelId, userId: requester.userId, ...(threadTs === undefined ? {} : { threadTs }) };
    return { kind: 'done', result, after: () => deps.notify(recipient, { kind: 'askedPrivately' }) };
  }

  /** Only for a question that is stored: a question that was not taken does not use the follow-up up. */
  function noteUsed({ questionId, index }: Pick<ButtonValue, 'questionId' | 'index'>, result: ButtonResult): void {
    if (index === undefined || (result.kind !== 'accepted' && result.kind !== 'duplicate')) return;
    deps.answerUpdates.followUpUsed(questionId, index, result.question.askerId);
  }

  /** Errors in forms are plain text without mentions, so they show a name. */
  async function nameOf(userId: string): Promise<string | undefined> {
    return deps.people.person(userId).then(
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
