import { AppError, serviceCodes } from '../core/errors.ts';

/** The error of a search that ended before it looked at all conversations. It says nothing about the service. */
export function searchCut(why: string): AppError {
  return new AppError('unavailable', `the search for a conversation ended early: ${why}`, {
    code: serviceCodes.searchCut,
  });
}

export function isSearchCut(error: unknown): boolean {
  return error instanceof AppError && error.code === serviceCodes.searchCut;
}
