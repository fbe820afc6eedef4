import { AppError } from '../core/errors.ts';

const code = 'apiGone';

/**
 * Whether the error says that the instance does not offer this generation of the API, at least not now. The call had no
 * effect.
 */
export function isApiGone(error: unknown): boolean {
  return error instanceof AppError && error.code === code;
}

/** The same error, with the code that {@link isApiGone} recognizes. */
export function apiGone(error: AppError): AppError {
  return new AppError(error.kind, error.message, { cause: error, code });
}
