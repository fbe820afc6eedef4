import { AppError, serviceCodes } from '../core/errors.ts';
import type { DeepSearch } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';

/** A generation of the conversation API: 1 is `/.api/deepsearch/v1`, 2 is `/api/deepsearch.v1.Service`. */
export type GenerationNumber = 1 | 2;

/** The core's port, with what only programs beside the app use. */
export interface DeepSearchAdapter extends DeepSearch {
  /** Deletes a conversation for good. Succeeds when it is already gone. */
  delete(conversationId: ConversationId): Promise<void>;
}

/** One generation of the conversation API, as one account sees it. */
export interface Generation {
  number: GenerationNumber;
  deepSearch: DeepSearchAdapter;
}

const gone = 'apiGone';

/**
 * Whether the error says that the instance does not offer this generation of the API, at least not now. The call had no
 * effect.
 */
export function isApiGone(error: unknown): boolean {
  return error instanceof AppError && error.code === gone;
}

/** The same error, with the code that {@link isApiGone} recognizes. */
export function apiGone(error: AppError): AppError {
  return new AppError(error.kind, error.message, { cause: error, code: gone });
}

/** The error of a search that ended before it looked at all conversations. It says nothing about the service. */
export function searchCut(why: string): AppError {
  return new AppError('unavailable', `the search for a conversation ended early: ${why}`, {
    code: serviceCodes.searchCut,
  });
}

export function isSearchCut(error: unknown): boolean {
  return error instanceof AppError && error.code === serviceCodes.searchCut;
}

const busy = 'busyConversation';

/** When a follow-up is tried again that came while its conversation had a question in progress. */
const busyRetryMs = 5_000;

/**
 * The error of a follow-up that the service refused because the conversation has a question in progress. It says nothing
 * about the other conversations of the account.
 */
export function busyConversation(cause: AppError): AppError {
  return new AppError('rateLimited', 'the conversation has a question in progress', {
    cause,
    code: busy,
    retryAfterMs: busyRetryMs,
  });
}

export function isBusyConversation(error: unknown): boolean {
  return error instanceof AppError && error.code === busy;
}
