import type { ActionsBlock, ContextActionsBlock, FeedbackButtons, ModalView } from '@slack/types';
import { actions, button, section } from './blocks.ts';
import { privateContact } from './contact.ts';
import { ACTIONS, buttonValue, FORMS } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Say, sayIn } from './say.ts';

/** Reasons for a "Not helpful" vote, in the order in which the form shows them. */
export const FEEDBACK_REASONS = ['wrong', 'outdated', 'incomplete', 'missedSource', 'offTopic', 'other'] as const;

/** The fields of the form. Each name is both block id and action id. */
export const FEEDBACK_FIELDS = { reasons: 'reasons', comment: 'comment' } as const;

export const MAX_FEEDBACK_COMMENT = 1_000;

/**
 * Slack's own feedback buttons. Only messages with native Markdown are sure to show them, so other messages get plain
 * buttons.
 */
export function feedbackBlock(
  questionId: string,
  format: 'markdown' | 'mrkdwn',
  say: Say,
): ContextActionsBlock | ActionsBlock {
  if (format === 'mrkdwn') {
    return actions([
      button(say.feedback.helpful(), ACTIONS.feedbackUp, { questionId, verdict: 'up' }),
      button(say.feedback.notHelpful(), ACTIONS.feedbackDown, { questionId, verdict: 'down' }),
    ]);
  }
  const buttons: FeedbackButtons = {
    type: 'feedback_buttons',
    action_id: ACTIONS.feedback,
    positive_button: {
      text: { type: 'plain_text', text: say.feedback.helpful() },
      accessibility_label: say.feedback.helpfulLabel(),
      value: buttonValue({ questionId, verdict: 'up' }),
    },
    negative_button: {
      text: { type: 'plain_text', text: say.feedback.notHelpful() },
      accessibility_label: say.feedback.notHelpfulLabel(),
      value: buttonValue({ questionId, verdict: 'down' }),
    },
  };
  return { type: 'context_actions', elements: [buttons] };
}

/** The most that {@link feedbackBlock} weighs, in `messageWeight`. */
export function feedbackWeight(say: Say): number {
  const { helpful, notHelpful, helpfulLabel, notHelpfulLabel } = say.feedback;
  const words = [helpful, notHelpful, helpfulLabel, notHelpfulLabel].reduce((sum, each) => sum + each().length, 0);
  return words + 3 * LIMITS.blockWeight;
}

/** The form that asks why an answer was not helpful. */
export function renderFeedbackForm(
  questionId: string,
  locale: string | undefined,
  contact?: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const { feedback } = say;
  return {
    type: 'modal',
    callback_id: FORMS.feedback,
    private_metadata: buttonValue({ questionId }),
    title: { type: 'plain_text', text: feedback.whyTitle() },
    submit: { type: 'plain_text', text: feedback.send() },
    close: { type: 'plain_text', text: say.buttons.close() },
    blocks: [
      section(feedback.why(privateContact(contact))),
      {
        type: 'input',
        block_id: FEEDBACK_FIELDS.reasons,
        optional: true,
        label: { type: 'plain_text', text: feedback.reasons() },
        element: {
          type: 'checkboxes',
          action_id: FEEDBACK_FIELDS.reasons,
          options: FEEDBACK_REASONS.map((reason) => ({
            text: { type: 'plain_text', text: feedback[reason]() },
            value: reason,
          })),
        },
      },
      {
        type: 'input',
        block_id: FEEDBACK_FIELDS.comment,
        optional: true,
        label: { type: 'plain_text', text: feedback.comment() },
        element: {
          type: 'plain_text_input',
          action_id: FEEDBACK_FIELDS.comment,
          multiline: true,
          max_length: MAX_FEEDBACK_COMMENT,
        },
      },
    ],
  };
}
