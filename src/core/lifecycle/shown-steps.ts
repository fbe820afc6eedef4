import type { Question } from '../question/question.ts';
import { stepCheckLifeMs } from '../settings.ts';

/**
 * Whether the card of a running question shows steps or may begin to show them. `isCrowded`: so many questions run that no
 * card may begin to.
 */
export function mayShowSteps(question: Question, isCrowded = false): boolean {
  return isCardShown(question) && (saysWorking(question) || !isCrowded);
}

/** Steps may name what only some people may see, so a card's readers are checked, also after a clock was set back. */
export function isStepCheckOld({ admittedMs = 0, card: { stepsHiddenMs } }: Question, nowMs: number): boolean {
  return Math.abs(nowMs - (stepsHiddenMs ?? admittedMs)) > stepCheckLifeMs;
}

export function isCardShown({ card }: Question): boolean {
  return card.ts !== undefined && card.gone !== true;
}

/** Whether the card says that the question is being worked on. A card with unknown content may say so. */
export function saysWorking({ card: { shown } }: Pick<Question, 'card'>): boolean {
  return shown === '' || working.some((beginning) => shown?.startsWith(beginning) === true);
}

/** How the content of these cards begins: `digestOf` writes the kind first. */
const working = (['starting', 'running'] as const).map((kind) => JSON.stringify({ kind }).slice(0, -1));
