import { AppError, type AppErrorDetails, serviceCodes } from '../core/errors.ts';
import type { HttpReply } from './http.ts';

/** Words in the host or path of addresses at which people sign in. */
const signInWords =
  /(?:^|[^a-z])(?:(?:sign|log)[-_]?(?:in|on)|sso|saml2?|oauth2?|openid|auth[nz]?|authorize|idp|identity|accounts?|cdn-cgi)(?:$|[^a-z])/;

/** The error of a call that a page for people answered. */
export function signInPage(message: string, details: AppErrorDetails = {}): AppError {
  return new AppError('badReply', message, { ...details, code: serviceCodes.signInPage });
}

/** Whether the reply is a page for people. */
export function isHtml({ headers }: Pick<HttpReply, 'headers'>): boolean {
  return headers['content-type']?.toLowerCase().includes('html') ?? false;
}

/** Whether a redirect leads to where people sign in. */
export function leadsToSignIn({ status, headers: { location = '' } }: Pick<HttpReply, 'status' | 'headers'>): boolean {
  const base = 'http://same.invalid';
  if (status < 300 || status >= 400 || location === '' || !URL.canParse(location, base)) return false;
  const { host, pathname } = new URL(location, base);
  return signInWords.test(`${host}${pathname}`.toLowerCase());
}
