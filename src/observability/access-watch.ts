import { isAppError } from '../core/errors.ts';
import type { Clock, CodeSearch } from '../core/ports.ts';

/** After the service refused our credentials, how often it is asked whether it takes them again, in milliseconds. */
const probeEveryMs = 15_000;

/** Wraps the service so that refused credentials show on `/readyz` until the service takes them again. */
export function watchAccess(
  codeSearch: CodeSearch,
  now: Clock,
): { codeSearch: CodeSearch; isAuthorized: () => Promise<boolean> } {
  let refused = false;
  let probedMs = 0;

  async function noting<Result>(result: Promise<Result>): Promise<Result> {
    try {
      const value = await result;
      refused = false;
      return value;
    } catch (error) {
      if (isAppError(error, 'unauthorized')) refused = true;
      throw error;
    }
  }

  return {
    codeSearch: {
      create: (text) => noting(codeSearch.create(text)),
      followUp: (conversationId, text) => noting(codeSearch.followUp(conversationId, text)),
      read: (conversationId) => noting(codeSearch.read(conversationId)),
      newest: (limit, sinceMs) => noting(codeSearch.newest(limit, sinceMs)),
      cancel: (conversationId, questionId) => noting(codeSearch.cancel(conversationId, questionId)),
    },
    isAuthorized: async () => {
      if (refused && now() - probedMs >= probeEveryMs) {
        probedMs = now();
        await noting(codeSearch.newest(1)).catch(() => undefined);
      }
      return !refused;
    },
  };
}
