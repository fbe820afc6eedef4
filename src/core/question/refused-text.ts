import type { Records } from '../ports.ts';
import { threadQuestion } from './prompt.ts';
import type { Question, Refusal } from './question.ts';

/** What a refused question asked, kept for a short time for the button that asks it in the direct messages. */
export interface RefusedText {
  version: 1;
  text: string;
}

/** Where those words are kept, by the id of the question. */
interface RefusedTexts {
  refusedTexts: Records<RefusedText>;
}

/** Whether it is about who asks, so that asking in another place does not help. */
export function isAboutPerson(reason: Refusal): boolean {
  return reason === 'guest' || reason === 'outsider' || reason === 'unknownPerson';
}

/**
 * Puts the text where the button of the private notice finds it, before the question is closed without it. Nothing is put
 * there where the notice has no such button.
 */
export async function keepForButton({ refusedTexts }: RefusedTexts, question: Question): Promise<void> {
  const { id, outcome, text, shares } = question;
  if (outcome?.kind !== 'notAllowed' || isAboutPerson(outcome.reason)) return;
  if (wasAsked(question) || shares !== undefined || text === threadQuestion) return;
  await refusedTexts.update(id, () => ({ version: 1, text }));
}

/** What a question asked, where that is still kept. */
export async function keptText({ refusedTexts }: RefusedTexts, { id, text }: Question): Promise<string> {
  return text === '' ? ((await refusedTexts.get(id))?.text ?? '') : text;
}

/**
 * A closed question without what was asked, if it was refused: it then says only who was refused where, and why. One
 * whose answer alone was withheld from a channel keeps its words, for its asker's own list of questions.
 */
export function forgetRefused(question: Question): Question {
  const { outcome } = question;
  if (outcome?.kind !== 'notAllowed') return question;
  if (wasAsked(question) && !isAboutPerson(outcome.reason)) return question;
  const {
    files: _files,
    context: _context,
    follows: _follows,
    edited: _edited,
    asFollowUp: _whole,
    ...rest
  } = question;
  return { ...rest, text: '' };
}

function wasAsked({ upstream }: Question): boolean {
  return upstream.askedMs !== undefined;
}
