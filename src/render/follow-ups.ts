import type { Button, KnownBlock, Overflow, PlainTextOption } from '@slack/types';
import { type Answer, isBetweenTwo, type Question } from '../core/question/question.ts';
import { actions, button, context } from './blocks.ts';
import { ACTIONS, type ButtonValue, buttonValue, followUpAction } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { Say } from './say.ts';
import { cut, inertCut, oneLine } from './text.ts';

const SHOWN_FOLLOW_UPS = 3;
/** Most characters of a follow-up that was asked, shown with the name of the person who asked it. */
const MAX_USED_TEXT = 120;

/** Most rows: the buttons, and the lines that say which follow-ups were asked. */
const FOLLOW_UP_ROWS = 2;

/**
 * Most weight of one follow-up, asked or not: its button and its menu entry, or the line that says who asked it. The
 * bound is the same in both states, so the division of an answer into messages never depends on what was asked since.
 */
const FOLLOW_UP_WEIGHT = LIMITS.blockWeight * 2 + LIMITS.buttonText + LIMITS.optionText + 100;

/**
 * Renders the follow-ups of an answer: one row with a button for each, the `more` buttons and one menu. Below it, a
 * line per asked follow-up says who asked it.
 */
export function renderFollowUps(question: Question, answer: Answer, more: readonly Button[], say: Say): KnownBlock[] {
  const used = question.usedFollowUps ?? [];
  const open = shown(answer).filter(({ index }) => !used.some((each) => each.index === index));
  const asked = shown(answer).flatMap(({ text, index }) => {
    const use = used.find((each) => each.index === index);
    return use === undefined ? [] : [say.answer.usedFollowUp(`<@${use.byUserId}>`, inertCut(text, MAX_USED_TEXT))];
  });
  const buttons = open.map(({ text, index }) =>
    button(plainLabel(text), followUpAction(index), { questionId: question.id, index }),
  );
  const menu = renderMenu(question, open, say);
  const row = [...buttons, ...more, ...(menu === undefined ? [] : [menu])];
  return [...(row.length === 0 ? [] : [actions(row)]), ...(asked.length === 0 ? [] : [context(asked.join('\n'))])];
}

/** The most that the follow-ups of an answer weigh, asked or not. */
export function followUpsWeight(answer: Answer): number {
  const menu = LIMITS.blockWeight + 2 * LIMITS.optionText;
  return FOLLOW_UP_ROWS * LIMITS.blockWeight + menu + shown(answer).length * FOLLOW_UP_WEIGHT;
}

/**
 * The menu has an entry to edit each open follow-up or ask it elsewhere, and one to mute the thread. At most five
 * entries.
 */
function renderMenu(question: Question, open: readonly FollowUp[], say: Say): Overflow | undefined {
  const { id, place, offersMute = false } = question;
  const label = isBetweenTwo(place) ? say.buttons.editFirst : say.buttons.editOrAskPrivately;
  const options = [
    ...open.map(({ text, index }) => menuOption(label(plainLabel(text)), { questionId: id, index, choice: 'edit' })),
    ...(offersMute ? [menuOption(say.buttons.onlyMentions(), { questionId: id, choice: 'mute' })] : []),
  ];
  return options.length === 0 ? undefined : { type: 'overflow', action_id: ACTIONS.followUpMenu, options };
}

function menuOption(label: string, value: ButtonValue): PlainTextOption {
  return {
    text: { type: 'plain_text', text: cut(oneLine(label), LIMITS.optionText), emoji: false },
    value: buttonValue(value),
  };
}

/** A follow-up and its index among all follow-ups of its answer. */
interface FollowUp {
  text: string;
  index: number;
}

function shown({ followUps }: Answer): FollowUp[] {
  return followUps
    .map((text, index) => ({ text, index }))
    .slice(0, SHOWN_FOLLOW_UPS)
    .filter(({ text }) => oneLine(plainLabel(text)) !== '');
}

/** Removes backticks, because button labels show them as characters. The full text is asked. */
function plainLabel(text: string): string {
  return text.replaceAll('`', '');
}
