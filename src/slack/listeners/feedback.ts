import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Question } from '../../core/question.ts';
import type { Press } from '../../core/requests.ts';
import type { Verdict, Vote } from '../../core/votes.ts';
import { FEEDBACK_FIELDS, FEEDBACK_REASONS, MAX_FEEDBACK_COMMENT, renderFeedbackForm } from '../../render/feedback.ts';
import { ACTIONS, buttonValue, FORMS, parseButtonValue } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import { sayIn } from '../../render/say.ts';
import type { Listener } from '../messenger.ts';
import { localeOf } from '../people.ts';
import { ackBudgetMs, inAckTime } from './ack-time.ts';
import type { Desk } from './desk.ts';
import { onPress, type Pressed, refusalOfPress } from './presses.ts';

/** Time left for saying that a vote was not kept. */
const errorMs = 400;

const { reasons: reasonsField, comment: commentField } = FEEDBACK_FIELDS;

/** What is read of the form that was sent off. */
const submission = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  view: z.object({
    private_metadata: z.string(),
    state: z.object({
      values: z.object({
        [reasonsField]: z.object({
          [reasonsField]: z.object({
            selected_options: z.array(z.object({ value: z.enum(FEEDBACK_REASONS) })).max(10),
          }),
        }),
        [commentField]: z.object({
          [commentField]: z.object({ value: z.string().max(MAX_FEEDBACK_COMMENT).nullish() }),
        }),
      }),
    }),
  }),
});

/** What the form keeps: what was voted on, and where. It comes back through the person's client, so it is only a claim. */
const about = z.object({ value: z.string(), channelId: z.string(), threadTs: z.string().optional() });

/**
 * Votes on answers. A vote against one counts at once; why is asked for in a form, and added when it is sent off. A vote
 * is seen by nobody but its voter, and a later one takes the place of the earlier.
 */
export function registerFeedback(app: App, desk: Desk): void {
  for (const id of [ACTIONS.feedback, ACTIONS.feedbackUp, ACTIONS.feedbackDown]) {
    // A form has to open before anything slow.
    onPress(app, desk, id, press, 'later');
  }

  async function press(pressed: Pressed): Promise<Notice | undefined> {
    const { value, press, listener } = pressed;
    const { verdict } = value;
    if (verdict === undefined) return { kind: 'expiredButton' };
    const hasForm = verdict === 'down' && (await openForm(pressed));
    const refusal = await refusalOfPress(desk, pressed, 'place');
    if (refusal !== undefined) return refusal;
    const question = await find(value.questionId, press);
    if (question === undefined) return { kind: 'expiredButton' };
    const before = await desk.votes.get(question.id, press.userId);
    // Pressed twice, the reasons given before stay.
    if (before?.verdict !== verdict) await desk.votes.put(voteOf(question, press.userId, verdict));
    if (!hasForm) sayNoted(listener);
    return undefined;
  }

  /** Whether it is open: a vote counts without its reasons. */
  async function openForm({ value, listener, triggerId }: Pressed): Promise<boolean> {
    if (triggerId === undefined) return false;
    const { channelId, threadTs, userId } = listener;
    const claim: z.infer<typeof about> = {
      value: buttonValue(value),
      channelId,
      ...(threadTs === undefined ? {} : { threadTs }),
    };
    const view = renderFeedbackForm(JSON.stringify(claim), await localeOf(desk.people, userId));
    try {
      await desk.through('views.open', 'private', () => desk.client.views.open({ trigger_id: triggerId, view }));
      return true;
    } catch (error) {
      desk.journal.warn({ event: 'form_not_opened', questionId: value.questionId }, error);
      return false;
    }
  }

  app.view(FORMS.feedback, async ({ ack, body, context }) => {
    const sent = readSubmission(body, context.teamId ?? desk.identity.teamId);
    if (sent === undefined) {
      desk.journal.warn({ event: 'form_unreadable' });
      return ack();
    }
    const { press, named, listener } = sent;
    let notice: Notice | 'gone' | undefined;
    try {
      // Kept late after all, it is the same vote that sending it once more would leave.
      notice = await inAckTime(keep(), Date.now() + ackBudgetMs - errorMs, async () => {});
    } catch (error) {
      desk.journal.error({ event: 'vote_not_taken', questionId: sent.questionId }, error);
      const say = sayIn(await localeOf(desk.people, press.userId));
      return ack({ response_action: 'errors', errors: { [commentField]: say.feedback.notNoted() } });
    }
    await ack();
    if (notice === undefined) sayNoted(listener);
    else if (notice === 'gone') desk.tell(listener, (locale) => ({ text: sayIn(locale).feedback.gone() }));
    else desk.tell(listener, notice);

    async function keep(): Promise<Notice | 'gone' | undefined> {
      const refusal = await refusalOfPress(desk, { press, named }, 'place');
      if (refusal !== undefined) return refusal;
      const question = await find(sent?.questionId ?? '', press);
      if (question === undefined) return 'gone';
      const vote = voteOf(question, press.userId, 'down');
      const comment = sent?.comment ?? '';
      await desk.votes.put({ ...vote, reasons: sent?.reasons ?? [], ...(comment === '' ? {} : { comment }) });
      return undefined;
    }
  });

  /** An answer that was asked for in the place of the vote. */
  async function find(questionId: string, press: Press): Promise<Question | undefined> {
    const question = await desk.requests.find(questionId, press);
    return question?.outcome?.kind === 'answered' && question.origin !== 'shared' ? question : undefined;
  }

  function sayNoted(listener: Listener): void {
    desk.tell(listener, (locale) => ({ text: sayIn(locale).feedback.noted() }));
  }
}

function voteOf({ id, place, upstream }: Question, userId: string, verdict: Verdict): Vote {
  const { conversationId, questionId: upstreamQuestionId } = upstream;
  return {
    version: 1,
    teamId: place.teamId,
    userId,
    questionId: id,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(upstreamQuestionId === undefined ? {} : { upstreamQuestionId }),
    verdict,
    reasons: [],
    atMs: Date.now(),
  };
}

function readSubmission(body: unknown, teamId: string) {
  const parsed = submission.safeParse(body);
  if (!parsed.success) return undefined;
  const { user, view } = parsed.data;
  const claim = readAbout(view.private_metadata);
  const value = parseButtonValue(claim?.value);
  if (claim === undefined || value === undefined) return undefined;
  const { channelId, threadTs } = claim;
  const { values } = view.state;
  return {
    questionId: value.questionId,
    press: { userId: user.id, teamId, channelId },
    named: { teamId: user.team_id },
    listener: { channelId, userId: user.id, ...(threadTs === undefined ? {} : { threadTs }) },
    reasons: values[reasonsField][reasonsField].selected_options.map((option) => option.value),
    comment: values[commentField][commentField].value?.trim(),
  };
}

function readAbout(raw: string): z.infer<typeof about> | undefined {
  try {
    return about.safeParse(JSON.parse(raw)).data;
  } catch {
    return undefined;
  }
}
