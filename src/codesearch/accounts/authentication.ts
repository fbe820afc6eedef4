import { timingSafeEqual } from 'node:crypto';
import { type AuthorizationHeader, readAuthorization } from './authorization-header.ts';
import type { AccessToken } from './command-line-tokens.ts';
import type { User } from './records.ts';
import type { RepoAccess } from './repo-access.ts';
import { digestOf, isOAuthToken } from './secrets.ts';
import type { Accounts } from './store.ts';
import { type Accepts, AccessError, isScope, type Scope, type Viewer } from './viewer.ts';

const SCHEMES = 'Send "Authorization: token <ACCESS_TOKEN>".';

/** The headers that authentication reads. */
export interface RequestHeaders {
  authorization?: string | undefined;
  cookie?: string | undefined;
  host?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

export interface AuthenticationSetup {
  accounts: Accounts;
  /** Tokens of the command line; the first belongs to the site admin. */
  tokens: readonly AccessToken[];
  access: RepoAccess;
  /** The OAuth access token of this text, when it is known and has not expired. */
  oauthToken: (token: string) => { userId: number; scopes: readonly string[] } | undefined;
  clock: () => number;
  /** Whether pages are shown to people who are not signed in. */
  openPages: boolean;
  /** The service's own address: its origin, and whether cookies need https. */
  baseUrl: () => string;
  onProblem: (error: unknown) => void;
}

/** A signed-in browser. */
export interface Session {
  viewer: Viewer;
  /** Every form sends this back; it can't be made without the cookie. */
  formToken: string;
  secret: string;
  /** Of the access token that was used to sign in. */
  tokenDigest: string;
}

/** Finds out who sends a request. Every refusal is an {@link AccessError}. */
export interface Authentication {
  /** The viewer of an API request. */
  authenticate(headers: RequestHeaders, accepts?: Accepts): Promise<Viewer>;
  /** The viewer of a page; undefined when the person must sign in first. */
  pageViewer(headers: RequestHeaders): Promise<Viewer | undefined>;
  /** The session of the cookie; undefined when there is none or it has ended. */
  session(headers: RequestHeaders): Session | undefined;
  /** The user of an access token that may open a session, and how to open it. */
  signIn(token: string): Promise<{ cookie: string; viewer: Viewer }>;
  /** Ends the session; returns the header that removes the cookie. */
  signOut(headers: RequestHeaders): Promise<string>;
  /** Whether a form or a script of this service sent the request, by the headers that browsers add. */
  isSameOrigin(headers: RequestHeaders): boolean;
  /** Whether the access token of this digest is known and has not ended, nor one that it was made with. */
  isUsableToken(digest: string): boolean;
  /** Whether this user may read a repository; for work that goes on after the request. */
  canRead(userId: number, repository: string): boolean;
}

/** A known access token. */
interface KnownToken {
  user: User;
  scopes: readonly Scope[];
  digest: string;
}

/** Creates the authentication of a service; makes the first user of `tokens` site admin. */
export async function createAuthentication(setup: AuthenticationSetup): Promise<Authentication> {
  const { accounts, clock } = setup;
  const ofCommandLine = new Map<string, { userId: number; scopes: Scope[] }>();
  const admin = setup.tokens.find(({ kind }) => kind === undefined);
  for (const given of setup.tokens) {
    const { token, username, kind } = given;
    const user = await accounts.ensureUser(username, kind);
    if (given === admin) await accounts.setCommandLineAdmin(user.id);
    const isAdmin = username === admin?.username;
    ofCommandLine.set(digestOf(token), {
      userId: user.id,
      scopes: isAdmin ? ['user:all', 'site-admin:sudo'] : ['user:all'],
    });
  }

  const cookieName = (): string => (isSecure() ? '__Host-codesearch_session' : 'codesearch_session');
  const isSecure = (): boolean => setup.baseUrl().startsWith('https:');

  function makeViewer(user: User, scopes: readonly Scope[], credential: Viewer['credential']): Viewer {
    const { id: userId, username, displayName, kind, siteAdmin } = user;
    const canRead = (repository: string): boolean => setup.access.canRead(user, repository);
    return { userId, username, displayName, kind, siteAdmin, scopes: new Set(scopes), credential, canRead };
  }

  /** Throws when the token can't be used any more. */
  function knownToken(digest: string): KnownToken {
    const fromCommandLine = ofCommandLine.get(digest);
    const stored = fromCommandLine === undefined ? accounts.tokenByDigest(digest) : undefined;
    const record = fromCommandLine ?? stored;
    const user = record === undefined ? undefined : accounts.userById(record.userId);
    if (record === undefined || user === undefined) throw unauthorized('The access token is not known.');
    if (stored?.expiresMs !== undefined && stored.expiresMs <= clock()) {
      throw unauthorized('The access token has expired.');
    }
    if (stored?.madeWith !== undefined) knownToken(stored.madeWith);
    return { user, scopes: record.scopes, digest };
  }

  function useToken(token: string): KnownToken {
    const known = knownToken(digestOf(token));
    accounts.noteTokenUse(known.digest).catch(setup.onProblem);
    return known;
  }

  function sudo(header: Extract<AuthorizationHeader, { scheme: 'token-sudo' }>): Viewer {
    const { user, scopes } = useToken(header.token);
    if (!scopes.includes('site-admin:sudo')) {
      throw forbidden('The access token does not carry the scope site-admin:sudo.');
    }
    if (!user.siteAdmin) throw forbidden('The owner of the access token is not a site admin.');
    const target = accounts.userByName(header.user);
    if (target === undefined) throw forbidden('The user named for sudo does not exist.');
    return makeViewer(target, ['user:all'], 'sudo');
  }

  function fromHeader(header: string, accepts: Accepts): Viewer {
    const read = readAuthorization(header);
    if (read.scheme === 'unknown') throw unauthorized(`The Authorization header is not understood. ${SCHEMES}`);
    if (read.scheme === 'token-sudo') return sudo(read);
    if (isOAuthToken(read.credential)) {
      if (read.scheme === 'token') throw unauthorized('Send an OAuth token as "Authorization: Bearer <OAUTH_TOKEN>".');
      const grant = setup.oauthToken(read.credential);
      const user = grant === undefined ? undefined : accounts.userById(grant.userId);
      if (user === undefined) throw unauthorized('The OAuth token is not known or has expired.');
      return withScope(makeViewer(user, grant?.scopes.filter(isScope) ?? [], 'oauth'), accepts);
    }
    if (read.scheme === 'bearer' && accepts.bearerTakesAccessTokens !== true) {
      throw unauthorized(`Bearer takes OAuth tokens only. ${SCHEMES}`);
    }
    const { user, scopes } = useToken(read.credential);
    return withScope(makeViewer(user, scopes, 'token'), accepts);
  }

  function withScope(viewer: Viewer, { scope }: Accepts): Viewer {
    if (viewer.scopes.has('user:all') || (scope !== undefined && viewer.scopes.has(scope))) return viewer;
    throw forbidden(`The access token does not carry the scope ${scope ?? 'user:all'}.`);
  }

  const authentication: Authentication = {
    async authenticate(headers, accepts = {}) {
      const header = headers.authorization ?? '';
      if (header.trim() !== '') return fromHeader(header, accepts);
      throw unauthorized(`No access token was given. ${SCHEMES}`);
    },
    async pageViewer(headers) {
      if ((headers.authorization ?? '').trim() !== '') return authentication.authenticate(headers);
      const session = authentication.session(headers);
      if (session !== undefined) return session.viewer;
      if (!setup.openPages) return undefined;
      return {
        userId: 0,
        username: '',
        displayName: 'Not signed in',
        kind: 'user',
        siteAdmin: false,
        scopes: new Set(),
        credential: 'none',
        canRead: (repository) => setup.access.canRead(undefined, repository),
      };
    },
    session(headers) {
      const secret = readCookie(headers.cookie, cookieName());
      const record = secret === undefined ? undefined : accounts.session(secret);
      if (secret === undefined || record === undefined) return undefined;
      try {
        // A session ends with the token that opened it.
        const { user, scopes } = knownToken(record.tokenDigest);
        if (user.id !== record.userId || !scopes.includes('user:all')) return undefined;
        return {
          viewer: makeViewer(user, scopes, 'session'),
          formToken: formTokenOf(secret),
          secret,
          tokenDigest: record.tokenDigest,
        };
      } catch (error) {
        if (error instanceof AccessError) return undefined;
        throw error;
      }
    },
    async signIn(token) {
      const { user, scopes, digest } = useToken(token);
      if (user.kind === 'serviceAccount') throw forbidden('A service account can’t sign in.');
      if (!scopes.includes('user:all')) throw forbidden('Signing in needs an access token with the scope user:all.');
      const secret = await accounts.createSession(user.id, digest);
      return { cookie: cookie(secret), viewer: makeViewer(user, scopes, 'session') };
    },
    async signOut(headers) {
      const secret = readCookie(headers.cookie, cookieName());
      if (secret !== undefined) await accounts.endSession(secret);
      return `${cookie('')}; Max-Age=0`;
    },
    isSameOrigin({ origin, host, 'sec-fetch-site': site }) {
      if (site !== undefined && site !== 'same-origin') return false;
      if (origin === undefined || !URL.canParse(origin)) return false;
      const own = new URL(setup.baseUrl());
      return origin === own.origin || new URL(origin).host === host?.toLowerCase();
    },
    isUsableToken(digest) {
      try {
        return knownToken(digest) !== undefined;
      } catch (error) {
        if (error instanceof AccessError) return false;
        throw error;
      }
    },
    canRead: (userId, repository) => setup.access.canRead(accounts.userById(userId), repository),
  };
  return authentication;

  function cookie(secret: string): string {
    return `${cookieName()}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}`;
  }
}

/** Whether two form tokens are the same; takes equally long for every wrong one. */
export function isFormToken(expected: string, given: string | undefined): boolean {
  const [a, b] = [Buffer.from(digestOf(expected)), Buffer.from(digestOf(given ?? ''))];
  return timingSafeEqual(a, b);
}

function formTokenOf(secret: string): string {
  return digestOf(`form:${secret}`);
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && /^[0-9a-f]{64}$/.test(value)) return value;
  }
  return undefined;
}

function unauthorized(message: string): AccessError {
  return new AccessError('unauthenticated', message);
}

function forbidden(message: string): AccessError {
  return new AccessError('forbidden', message);
}
