import type { Question } from '../question/question.ts';
import type { Person } from './accounts.ts';

/** The account with which a question uses the service. Everything that is done for the question uses this account only. */
export function accountOf({ access, place, askerId }: Pick<Question, 'access' | 'place' | 'askerId'>): 'app' | Person {
  return access === 'own' ? { teamId: place.teamId, userId: askerId } : 'app';
}
