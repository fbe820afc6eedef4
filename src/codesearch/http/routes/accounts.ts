import type { Authentication, Session } from '../../accounts/authentication.ts';
import type { OAuthStore } from '../../accounts/oauth-store.ts';
import { AccountError, type Accounts } from '../../accounts/store.ts';
import { AccessError, isScope, type Scope } from '../../accounts/viewer.ts';
import { LIMITS } from '../../limits.ts';
import {
  oauthAppsPage,
  signInPage,
  TOKEN_LIFETIMES,
  type TokensContent,
  tokensPage,
} from '../../pages/account-pages.ts';
import type { Page } from '../../pages/page.ts';
import { ownPath, readForm, readSignedInForm, redirect, requireSameOrigin } from '../forms.ts';
import { HttpError } from '../http-error.ts';
import { createRateLimit } from '../rate-limit.ts';
import type { Reply } from '../reply.ts';
import { notFound, type Route, type RouteRequest, requireMethod } from '../route.ts';

export interface AccountRouteSetup {
  accounts: Accounts;
  oauth: OAuthStore;
  authentication: Authentication;
  clock: () => number;
}

const DAY_MS = 24 * 3_600_000;

/**
 * `/sign-in`, `/sign-out` and the settings: access tokens, apps that may act for a person, OAuth apps. Every change is
 * a form that must come from a page of this service; all but sign-in and sign-out carry the form token of the session.
 */
export function createAccountRoute({ accounts, oauth, authentication, clock }: AccountRouteSetup): Route {
  const failures = createRateLimit(LIMITS.failedSignInsPerMinute, clock, LIMITS.signInAddresses);
  return async (request) => {
    const { method, segments } = request;
    const [first, ...rest] = segments;
    if (first === 'sign-in' && rest.length === 0) return signIn(request);
    if (first === 'sign-out' && rest.length === 0) {
      requireMethod(method, ['POST']);
      requireSameOrigin(request.headers, authentication);
      return redirect('/', { 'Set-Cookie': await authentication.signOut(request.headers) });
    }
    // The address of the public service, to which its clients send people.
    if (segments.join('/') === 'user/settings/tokens') {
      requireMethod(method, ['GET']);
      return redirect('/settings/tokens');
    }
    if (first !== 'settings') return undefined;
    return settings(request, rest);
  };

  async function signIn({ method, headers, incoming, search }: RouteRequest): Promise<Reply> {
    requireMethod(method, ['GET', 'POST']);
    if (method !== 'POST') {
      return pageReply(200, signInPage(ownPath(new URLSearchParams(search).get('returnTo'))));
    }
    requireSameOrigin(headers, authentication);
    const address = networkOf(incoming.socket.remoteAddress ?? '');
    failures.check(address);
    const fields = await readForm(incoming);
    const returnTo = ownPath(fields.get('returnTo'));
    try {
      const { cookie } = await authentication.signIn((fields.get('token') ?? '').trim());
      // Every sign-in begins a session, and an earlier one of this browser ends.
      await authentication.signOut(headers);
      return redirect(returnTo, { 'Set-Cookie': cookie });
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      failures.take(address);
      return pageReply(error.kind === 'forbidden' ? 403 : 401, signInPage(returnTo, error.message));
    }
  }

  async function settings(request: RouteRequest, rest: readonly string[]): Promise<Reply | undefined> {
    const [section, id, action, ...more] = rest;
    if (more.length > 0) return undefined;
    if (section === undefined) {
      requireMethod(request.method, ['GET']);
      return redirect('/settings/tokens');
    }
    const isRoot = id === undefined;
    if (section === 'tokens' && isRoot) return tokens(request);
    if (section === 'tokens' && action === 'revoke') {
      const { session } = await changeForm(request);
      if (!(await accounts.revokeToken(Number(id), session.viewer.userId))) throw notFound();
      return redirect('/settings/tokens');
    }
    if (section === 'authorizations' && action === 'revoke' && id !== undefined) {
      const { session } = await changeForm(request);
      if (!(await oauth.endGrant(id, session.viewer.userId))) throw notFound();
      return redirect('/settings/tokens');
    }
    if (section === 'oauth-apps' && isRoot) return oauthApps(request);
    if (section === 'oauth-apps' && action === 'remove' && id !== undefined) {
      const { session } = await changeForm(request);
      requireSiteAdmin(session);
      if (!(await oauth.removeApp(id))) throw notFound();
      return redirect('/settings/oauth-apps');
    }
    return undefined;
  }

  async function tokens(request: RouteRequest): Promise<Reply> {
    requireMethod(request.method, ['GET', 'POST']);
    if (request.method !== 'POST') return pageReply(200, tokensPage(tokensContent(requireSession(request))));
    const { fields, session } = await readSignedInForm(request.incoming, authentication);
    const { viewer } = session;
    try {
      const scopes = readScopes(fields.getAll('scope'), viewer.scopes);
      const days = Number(fields.get('days'));
      if (!TOKEN_LIFETIMES.some((known) => known === days)) throw new AccountError('Choose when the token expires.');
      const { token } = await accounts.createToken({
        userId: viewer.userId,
        scopes,
        note: (fields.get('note') ?? '').trim(),
        madeWith: session.tokenDigest,
        expiresMs: days === 0 ? undefined : clock() + days * DAY_MS,
      });
      return pageReply(200, tokensPage({ ...tokensContent(session), created: token }));
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return pageReply(400, tokensPage({ ...tokensContent(session), problem: error.message }));
    }
  }

  function tokensContent({ viewer, formToken }: Session): TokensContent {
    const { userId } = viewer;
    return { viewer, formToken, tokens: accounts.tokens(userId), authorizations: oauth.grantsOf(userId) };
  }

  async function oauthApps(request: RouteRequest): Promise<Reply> {
    requireMethod(request.method, ['GET', 'POST']);
    if (request.method !== 'POST') {
      const session = requireSession(request);
      requireSiteAdmin(session);
      return pageReply(200, oauthAppsPage({ ...session, apps: oauth.apps() }));
    }
    const { fields, session } = await readSignedInForm(request.incoming, authentication);
    requireSiteAdmin(session);
    try {
      const created = await oauth.createApp({
        name: fields.get('name') ?? '',
        redirectUris: (fields.get('redirectUris') ?? '').split(/\s+/).filter((uri) => uri !== ''),
        confidential: fields.get('confidential') === 'yes',
      });
      return pageReply(200, oauthAppsPage({ ...session, apps: oauth.apps(), created }));
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return pageReply(400, oauthAppsPage({ ...session, apps: oauth.apps(), problem: error.message }));
    }
  }

  function changeForm(request: RouteRequest) {
    requireMethod(request.method, ['POST']);
    return readSignedInForm(request.incoming, authentication);
  }

  function requireSession({ headers, incoming }: RouteRequest): Session {
    const session = authentication.session(headers);
    if (session !== undefined) return session;
    const query = new URLSearchParams({ returnTo: incoming.url ?? '/' });
    throw new HttpError(303, 'Sign in first.', { Location: `/sign-in?${query}` });
  }
}

/** The scopes of a new token; a token never carries more than the one that was used to sign in. */
function readScopes(given: readonly string[], own: ReadonlySet<Scope>): Scope[] {
  const scopes = [...new Set(given.filter(isScope))];
  if (scopes.length < new Set(given).size) throw new AccountError('There is no scope of this name.');
  if (scopes.includes('site-admin:sudo') && !own.has('site-admin:sudo')) {
    throw new AccountError('Sign in with a token that carries site-admin:sudo to create another one.');
  }
  return scopes;
}

/** An IPv4 address, or the network of an IPv6 one: a single machine has all addresses of it. */
function networkOf(address: string): string {
  return address.includes('.') ? address : address.split(':').slice(0, 4).join(':');
}

function requireSiteAdmin({ viewer }: Session): void {
  if (!viewer.siteAdmin) throw new HttpError(403, 'Only site admins manage OAuth apps.');
}

export function pageReply(status: number, page: Page): Reply {
  return { kind: 'page', ...page, status };
}
