import type { Question } from '../core/question/question.ts';
import type { Say } from './say.ts';
import { inertCut, oneLine } from './text.ts';

/** A name is only named, so it is cut to this length. */
const MAX_NAME = 60;

/**
 * Whose access a question uses. Nothing where all people share one account. Names the asker without a mention, which
 * would notify them.
 */
export function accessWords({ access, askerName }: Pick<Question, 'access' | 'askerName'>, { words }: Say): string[] {
  if (access === undefined) return [];
  const name = inertCut(oneLine(askerName ?? ''), MAX_NAME);
  return [access === 'app' ? words.appAccess() : words.ownAccess(name === '' ? undefined : name)];
}
