import { isAppError } from '../errors.ts';

/** Codes of libraries that say only that a request failed, not why. */
const saysNothing = /^slack_|^ERR_INVALID_STATE$/;
/** Codes of errors are words. Anything else might be a text of the far side, and is not shown. */
const isCode = /^[\w.-]{1,60}$/;
const deepestCause = 8;

/**
 * Why something failed, in one word for an operator: the code of the innermost cause that has one (`ECONNREFUSED`,
 * `CERT_HAS_EXPIRED`, `invalid_auth`, `401`), else the kind or the name of the error.
 */
export function errorCode(error: unknown): string {
  let found: string | undefined;
  for (let current = error, depth = 0; current instanceof Error && depth < deepestCause; depth += 1) {
    const code = codeIn(current);
    if (isCode.test(code) && !saysNothing.test(code)) found = code;
    current = innerOf(current);
  }
  if (found !== undefined) return found;
  if (isAppError(error)) return error.kind;
  return error instanceof Error && isCode.test(error.name) ? error.name : 'unknown';
}

/** A number is a status only in an error of this app. The platform's old errors have numbers that say nothing. */
function codeIn(error: Error): string {
  if (isAppError(error)) return String(error.code ?? '');
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function innerOf(error: Error): unknown {
  if (error.cause !== undefined) return error.cause;
  if ('original' in error) return error.original;
  return error instanceof AggregateError ? error.errors[0] : undefined;
}

/** Whether a connection failed because of the far side's certificate (codes of OpenSSL and of Node). */
export function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|^ERR_TLS_|ERR_SSL_/.test(code);
}
