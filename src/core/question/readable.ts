import { isAppError } from '../errors.ts';
import type { QuestionStore } from '../ports.ts';
import type { Question } from './question.ts';

/** A stored question. Undefined if there is none, or if its record is corrupt. Throws `AppError` of kind `storage`. */
export async function getReadable(questions: Pick<QuestionStore, 'get'>, id: string): Promise<Question | undefined> {
  try {
    return await questions.get(id);
  } catch (error) {
    if (isAppError(error, 'corrupt')) return undefined;
    throw error;
  }
}
