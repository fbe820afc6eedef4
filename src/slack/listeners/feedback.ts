import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { voteEntry } from '../../core/history/audit.ts';
import type { Verdict, Vote } from '../../core/history/votes.ts';
import { findQuestion } from '../../core/intake/find-question.ts';
import { isSharedWithOthers, type Question } from '../../core/question/question.ts';
import { maySeeAnswer } from '../../core/question/readers.ts';
import { FEEDBACK_FIELDS, FEEDBACK_REASONS, MAX_FEEDBACK_COMMENT, renderFeedbackForm } from '../../render/feedback.ts';
import { ACTIONS, FORMS, parseButtonValue } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import { sayIn } from '../../render/say.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { notify, type Recipient } from '../messages/private-messages.ts';
import {
  type BlockAction,
  expired,
  type Handled,
  modalAbout,
  onBlockAction,
  onViewSubmission,
  type Reply,
  refusalOfAction,
  refusedProblem,
  type Sent,
} from './frame.ts';

/**
 * Votes on answers. A vote against an answer counts at once; a form then asks for the reasons and adds them. Only the
 * voter sees their vote, and a later vote replaces an earlier one.
 */
export function registerFeedback(app: App, w: WorkspaceContext): void {
  for (const id of [ACTIONS.feedback, ACTIONS.feedbackUp, ACTIONS.feedbackDown]) {
    // A form has to open before anything slow happens.
    onBlockAction(app, w, id, vote, 'later');
  }
  onViewSubmission(app, w, FORMS.feedback, {
    errorField: FEEDBACK_FIELDS.comment,
    failed: (say) => say.feedback.notNoted(),
    handle: explain,
  });

  async function vote(action: BlockAction): Promise<Handled> {
    const { value, requester, recipient } = action;
    if (value.verdict === 'down') return { modal: () => voteAgainst(action) };
    if (value.verdict === undefined) return expired(w, value);
    const refusal = await refusalOfAction(w, action, 'place');
    if (refusal !== undefined) return { notice: refusal };
    const question = votedOn(await findQuestion(w, value.questionId, requester), requester.userId);
    if (question === undefined) return expired(w, value);
    // A press that changes nothing makes no further entry in the audit log.
    const asked = await askedAs(question);
    const before = await w.votes.get(asked.id, requester.userId);
    if (before?.verdict !== 'up') await put(asked, voteOf(asked, requester.userId, 'up'));
    return { after: () => sayNoted(recipient) };
  }

  /** The vote counts even if the form is never sent. A second press keeps the reasons of the first. */
  function voteAgainst(action: BlockAction): Promise<ModalView> {
    const { userId } = action.requester;
    return modalAbout(w, action, form, { so: (say) => say.refusals.soNothingDone() });

    async function form(found: Question | undefined, locale: string | undefined): Promise<ModalView> {
      const question = votedOn(found, userId);
      if (question === undefined) return goneView(action.value.questionId, locale);
      const asked = await askedAs(question);
      const before = await w.votes.get(asked.id, userId);
      if (before?.verdict !== 'down') await put(asked, voteOf(asked, userId, 'down'));
      return renderFeedbackForm(question.id, locale, w.slack.identity.contact);
    }
  }

  async function explain({ userId, teamId, named, say, locale, metadata, entered }: Sent): Promise<Reply> {
    const questionId = parseButtonValue(metadata)?.questionId;
    const found = questionId === undefined ? undefined : await w.questions.get(questionId);
    const question = votedOn(found, userId);
    const gone = (): Reply => ({ kind: 'view', view: goneView(questionId, locale) });
    if (question?.place.teamId !== teamId) return gone();
    const { channelId, threadTs } = question.place;
    const [membership, admission] = await Promise.all([
      w.memberships.of(userId, channelId),
      w.access.admit(userId, { teamId, channelId }, named),
    ]);
    // To a person who can't see the answer, it looks like one that is gone.
    if (membership === 'none' || membership === 'hidden') return gone();
    if (!admission.may) {
      const refused = { userId, channelId, questionId: question.id, reason: admission.reason };
      return wrong(refusedProblem(w, refused, say, say.refusals.soNothingDone()));
    }
    const chosen = entered.choices(FEEDBACK_FIELDS.reasons);
    const comment = entered.text(FEEDBACK_FIELDS.comment);
    if (comment.length > MAX_FEEDBACK_COMMENT) return wrong(say.feedback.tooLong(MAX_FEEDBACK_COMMENT));
    const asked = await askedAs(question);
    await put(asked, {
      ...voteOf(asked, userId, 'down'),
      reasons: FEEDBACK_REASONS.filter((reason) => chosen.includes(reason)),
      ...(comment === '' ? {} : { comment }),
    });
    const recipient = { channelId, userId, threadTs };
    return { kind: 'done', after: () => sayNoted(recipient) };
  }

  /** A copy in direct messages shows the answer of another question, which the vote is about. */
  async function askedAs(question: Question): Promise<Question> {
    const { shares } = question;
    return (shares && (await w.questions.get(shares.questionId))) ?? question;
  }

  /** A vote that only adds reasons is the same vote, but the log has both times. */
  async function put(question: Question, vote: Vote): Promise<void> {
    await w.votes.put(vote);
    w.audit.note(voteEntry(question, vote));
  }

  function goneView(questionId: string | undefined, locale: string | undefined): ModalView {
    const reference = logFailure(w.log, 'info', { event: 'vote_expired', questionId });
    return renderWords((say) => say.feedback.gone(), locale, reference);
  }

  function sayNoted(recipient: Recipient): void {
    notify(w, recipient, (locale) => ({ text: sayIn(locale).feedback.noted() }));
  }
}

/** People vote only on answers that they may see, and not on shared copies. */
function votedOn(question: Question | undefined, userId: string): Question | undefined {
  if (question?.outcome?.kind !== 'answered' || isSharedWithOthers(question)) return undefined;
  return maySeeAnswer(question, userId) ? question : undefined;
}

function voteOf({ id, place, upstream }: Question, userId: string, verdict: Verdict): Vote {
  const { conversationId, questionId: upstreamQuestionId } = upstream;
  return {
    version: 1,
    teamId: place.teamId,
    userId,
    questionId: id,
    conversationId,
    upstreamQuestionId,
    verdict,
    reasons: [],
    atMs: Date.now(),
  };
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [FEEDBACK_FIELDS.comment]: problem } };
}
