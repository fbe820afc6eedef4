import { z } from 'zod';
import type { Records } from '../ports.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';
import { isOverCap } from './daily-caps.ts';
import { hasNoWords } from './prompt.ts';
import type { Question, Refusal } from './question.ts';

/** The text of a refused question. Kept for a short time, for the button that asks it in a direct message. */
export const refusedTextType = defineRecord({
  key: (questionId) => `ds:refused-text:${questionId}`,
  ttlMs: dayMs / 24,
  schema: z.looseObject({ version: z.literal(1), text: z.string() }),
});
export type RefusedText = RecordOf<typeof refusedTextType>;

/** Whether the notice of the refusal has a button that needs the question's text. */
export function canAskElsewhere(reason: Refusal): boolean {
  return !isAboutPerson(reason) && reason !== 'repositoryRefused' && reason !== 'repositoryUnknown';
}

/** The stored texts, by question id. */
interface RefusedTexts {
  refusedTexts: Records<RefusedText>;
}

const aboutPerson: ReadonlySet<Refusal> = new Set([
  'guest',
  'outsider',
  'unknownPerson',
  'notConnected',
  'tooManyWaiting',
  'noKeys',
]);

/** Whether the refusal is about the person, so that asking in another place does not help. */
export function isAboutPerson(reason: Refusal): boolean {
  return aboutPerson.has(reason);
}

/**
 * Stores the text for the button of the private notice before the question is closed without its text. Stores nothing
 * if the notice has no button for it.
 */
export async function keepForButton({ refusedTexts }: RefusedTexts, question: Question): Promise<void> {
  const { id, outcome, text, shares } = question;
  if (outcome?.kind !== 'notAllowed' || !canAskElsewhere(outcome.reason)) return;
  if (isOverCap(outcome.reason) || wasAsked(question) || shares !== undefined || hasNoWords(text)) return;
  await refusedTexts.update(id, () => ({ version: 1, text }));
}

/** The text of a question, if it is still stored. Otherwise empty. */
export async function keptText({ refusedTexts }: RefusedTexts, { id, text }: Question): Promise<string> {
  return text === '' ? ((await refusedTexts.get(id))?.text ?? '') : text;
}

/**
 * Removes the text and its context from a refused question. The record then shows only who was refused, where and why.
 * If only the answer was withheld from a channel, or a daily cap was reached, keeps the text for the asker's list of
 * questions and for the button that asks again.
 */
export function withoutRefusedText(question: Question): Question {
  const { outcome } = question;
  if (outcome?.kind !== 'notAllowed' || isOverCap(outcome.reason)) return question;
  if (wasAsked(question) && !isAboutPerson(outcome.reason)) return question;
  const {
    files: _files,
    forwarded: _forwarded,
    context: _context,
    follows: _follows,
    edited: _edited,
    ...rest
  } = question;
  return { ...rest, text: '' };
}

function wasAsked({ upstream }: Question): boolean {
  return upstream.askedMs !== undefined;
}
