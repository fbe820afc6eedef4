import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

/** Checks the text of a question, which both generations call `label`; throws 400 with a message that does not quote it. */
export function readQuestionText(value: unknown, label: string): string {
  if (value === undefined || value === null) throw new HttpError(400, `${label} is required.`);
  if (typeof value !== 'string') throw new HttpError(400, `${label} must be a string.`);
  if (value.trim() === '') throw new HttpError(400, `${label} must not be empty.`);
  if (value.includes('\0')) throw new HttpError(400, `${label} must not contain a NUL character.`);
  if (/\p{Surrogate}/u.test(value)) throw new HttpError(400, `${label} must be valid Unicode text.`);
  if (isTooLong(value)) {
    throw new HttpError(400, `${label} must have at most ${LIMITS.questionCharacters} characters.`);
  }
  return value;
}

/** Counts Unicode characters, and only where the length in UTF-16 leaves it open. */
function isTooLong(text: string): boolean {
  return text.length > LIMITS.questionCharacters && [...text].length > LIMITS.questionCharacters;
}
