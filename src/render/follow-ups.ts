import type { KnownBlock } from '@slack/types';
import { type Answer, isBetweenTwo, type Question } from '../core/question/question.ts';
import { actions, button, context } from './blocks.ts';
import { ACTIONS, buttonValue, type FollowUpChoice, followUpAction } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { Say } from './say.ts';
import { inertCut, oneLine } from './text.ts';

const SHOWN_FOLLOW_UPS = 3;
/** Of a suggestion that was asked, with who asked it around it. */
const MAX_USED_TEXT = 120;

/** What a row may weigh, asked or not, so that the messages of an answer never depend on what was asked since. */
const ROW_WEIGHT = LIMITS.blockWeight * 3 + LIMITS.buttonText + 100;

/**
 * One row per suggestion of an answer: a button that asks it, with a menu of what else can be done; or who asked it. Their
 * number is the same whatever was asked.
 */
export function renderFollowUps(question: Question, answer: Answer, say: Say): KnownBlock[] {
  return shown(answer).map(({ text, index }) => {
    const used = question.usedFollowUps?.find((each) => each.index === index);
    if (used !== undefined) {
      return context(say.answer.usedFollowUp(`<@${used.byUserId}>`, inertCut(text, MAX_USED_TEXT)));
    }
    const value = { questionId: question.id, index };
    const choices: [string, FollowUpChoice][] = [
      [say.buttons.editFirst(), 'edit'],
      // In direct messages every answer is private; what is left of it is that it starts anew.
      [isBetweenTwo(question.place) ? say.buttons.askNew() : say.buttons.askPrivately(), 'private'],
    ];
    return actions([
      button(plainLabel(text), followUpAction(index), value),
      {
        type: 'overflow',
        action_id: ACTIONS.followUpMenu,
        options: choices.map(([label, choice]) => ({
          text: { type: 'plain_text', text: label, emoji: false },
          value: buttonValue({ ...value, choice }),
        })),
      },
    ]);
  });
}

/** How many rows an answer gets, and what they weigh at most in whatever state. */
export function followUpsWeight(answer: Answer): { rows: number; weight: number } {
  const rows = shown(answer).length;
  return { rows, weight: rows * ROW_WEIGHT };
}

function shown({ followUps }: Answer): { text: string; index: number }[] {
  return followUps
    .map((text, index) => ({ text, index }))
    .slice(0, SHOWN_FOLLOW_UPS)
    .filter(({ text }) => oneLine(plainLabel(text)) !== '');
}

/** Button labels know no formatting; the backticks around names would be shown. The full text is asked all the same. */
function plainLabel(text: string): string {
  return text.replaceAll('`', '');
}
