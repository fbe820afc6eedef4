import { isAppError } from '../errors.ts';
import type { QuestionStore } from '../ports.ts';
import type { Question } from './question.ts';

/**
 * Reads a stored question. Undefined if it does not exist or its record is corrupt. Throws `AppError` of kind
 * `storage`.
 */
export async function getReadable(questions: Pick<QuestionStore, 'get'>, id: string): Promise<Question | undefined> {
  try {
    return await questions.get(id);
  } catch (error) {
    if (isAppError(error, 'corrupt')) return undefined;
    throw error;
  }
}
