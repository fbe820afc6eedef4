import type { Button, KnownBlock, Overflow, PlainTextOption } from '@slack/types';
import { type Answer, isBetweenTwo, type Question } from '../core/question/question.ts';
import { actions, button, context } from './blocks.ts';
import { ACTIONS, type ButtonValue, buttonValue, followUpAction } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { Say } from './say.ts';
import { cut, inertCut, oneLine } from './text.ts';

const SHOWN_FOLLOW_UPS = 3;
/** Of a suggestion that was asked, with who asked it around it. */
const MAX_USED_TEXT = 120;

/** At most: the row of buttons, and the lines that say what was asked. */
const FOLLOW_UP_ROWS = 2;

/**
 * What a suggestion may weigh, asked or not, so that the messages of an answer never depend on what was asked since: its
 * button and its entry in the menu, or the line that says who asked it.
 */
const FOLLOW_UP_WEIGHT = LIMITS.blockWeight * 2 + LIMITS.buttonText + LIMITS.optionText + 100;

/**
 * The suggestions of an answer: one row with a button for each, then `more` buttons and one menu of what else can be done;
 * and below it who asked which.
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

/** What the suggestions of an answer weigh at most, asked or not. */
export function followUpsWeight(answer: Answer): number {
  const menu = LIMITS.blockWeight + 2 * LIMITS.optionText;
  return FOLLOW_UP_ROWS * LIMITS.blockWeight + menu + shown(answer).length * FOLLOW_UP_WEIGHT;
}

/** Each open suggestion can be asked in other words or elsewhere; and the thread be left to people. At most five entries. */
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

/** A suggestion, and its place among all of its answer. */
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

/** Button labels know no formatting; the backticks around names would be shown. The full text is asked all the same. */
function plainLabel(text: string): string {
  return text.replaceAll('`', '');
}
