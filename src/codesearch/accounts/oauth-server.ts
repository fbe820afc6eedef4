import { timingSafeEqual } from 'node:crypto';
import OAuth2Server from '@node-oauth/oauth2-server';
import { LIMITS } from '../limits.ts';
import type { OAuthStore } from './oauth-store.ts';
import type { OAuthApp } from './records.ts';
import { isRegisteredRedirect, redirectWith } from './redirect-uris.ts';
import { digestOf, newSecret } from './secrets.ts';

/** The scopes an OAuth app may ask for. Every grant has a refresh token, so `offline_access` adds nothing. */
export const OAUTH_SCOPES = ['user:all', 'offline_access'] as const;

const OF_PEOPLE = ['authorization_code', 'refresh_token'];
const OF_SERVICE_ACCOUNTS = ['client_credentials'];
export const GRANT_TYPES = [...OF_PEOPLE, ...OF_SERVICE_ACCOUNTS];

/** An OAuth request is refused; `error` is a code of RFC 6749. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly status: number;
  readonly error: string;

  constructor(error: string, message: string, status = 400) {
    super(message);
    this.error = error;
    this.status = status;
  }
}

/** The parameters of a request, each at most once. */
export type Parameters = Readonly<Record<string, string>>;

/** A client's request to `/token` or `/revoke`. */
export interface ClientRequest {
  headers: Record<string, string>;
  body: Parameters;
}

export interface OAuthServer {
  /**
   * The app of an authorization request and where to send its answer. Throws {@link OAuthError} when either is not
   * known: then there is no address to send the error to.
   */
  client(parameters: Parameters): { app: OAuthApp; redirectUri: string };
  /** The address with the error that an authorization request is answered with; undefined when it is in order. */
  refusal(app: OAuthApp, redirectUri: string, parameters: Parameters): string | undefined;
  /** The address that carries the code, after the user has agreed. */
  allow(parameters: Parameters, by: { userId: number; tokenDigest: string }): Promise<string>;
  /** The address that carries the refusal, after the user has declined. */
  deny(parameters: Parameters): string;
  /** The reply of the token endpoint; throws {@link OAuthError}. */
  token(request: ClientRequest): Promise<Record<string, unknown>>;
  revoke(request: ClientRequest): Promise<void>;
}

export interface OAuthSetup {
  store: OAuthStore;
  clock: () => number;
  /** Whether a user is a service account that is still there. */
  isServiceAccount: (userId: number) => boolean;
  /** Lifetime of access tokens in seconds. */
  tokenLifetime: number;
}

/** The user as the protocol library carries it from a code or token to the next one. */
interface GrantUser {
  id: number;
  /** Absent: a new grant of a service account. */
  grantId?: string;
  /** The refresh token that the next pair is issued for. */
  refreshToken?: string;
  /** Of the access token of the session in which a code is asked for. */
  tokenDigest?: string;
}

/** Creates the OAuth server: authorization codes with PKCE (S256), short-lived tokens, rotating refresh tokens. */
export function createOAuthServer({ store, clock, isServiceAccount, tokenLifetime }: OAuthSetup): OAuthServer {
  /** `null` as a secret: the authorization endpoint, where the client is not authenticated. */
  function findClient(clientId: string, secret: string | null | undefined): OAuth2Server.Client | undefined {
    const app = store.app(clientId);
    if (app === undefined) return undefined;
    if (secret !== null && app.secretDigest !== undefined && !isSecret(secret ?? '', app.secretDigest))
      return undefined;
    return {
      id: app.clientId,
      // An app of a service account acts for no person else.
      grants: app.serviceAccount === undefined ? OF_PEOPLE : OF_SERVICE_ACCOUNTS,
      redirectUris: app.redirectUris,
      isPublic: app.secretDigest === undefined,
    };
  }

  const known = (clientId: string): OAuth2Server.Client => findClient(clientId, null) ?? { id: clientId, grants: [] };

  /** Our clock decides about expiry; the library compares this with its own clock. */
  const notExpired = (): Date => new Date(Date.now() + 60_000);

  const model: OAuth2Server.AuthorizationCodeModel &
    OAuth2Server.RefreshTokenModel &
    OAuth2Server.ClientCredentialsModel = {
    getUserFromClient: async ({ id }) => {
      const account = store.app(id)?.serviceAccount;
      return account !== undefined && isServiceAccount(account) && { id: account };
    },
    getClient: async (clientId, secret) => findClient(clientId, secret),
    validateRedirectUri: async (uri, client) => isRegisteredRedirect(uri, [client.redirectUris ?? []].flat()),
    validateScope: async (_user, { id }, scopes = ['user:all']) =>
      (store.app(id)?.serviceAccount === undefined ? areAllowed(scopes) : scopes.every(isServiceScope))
        ? scopes
        : false,
    generateAuthorizationCode: async () => newSecret('oauthCode'),
    generateAccessToken: async () => newSecret('oauthAccessToken'),
    generateRefreshToken: async () => newSecret('oauthRefreshToken'),
    async saveAuthorizationCode(code, client, user) {
      const { id: userId, tokenDigest = '' } = user as GrantUser;
      await store.putCode(code.authorizationCode, {
        clientId: client.id,
        userId,
        madeWith: tokenDigest,
        redirectUri: code.redirectUri,
        scopes: code.scope ?? [],
        expiresMs: clock() + LIMITS.oauthCodeSeconds * 1000,
        ...(code.codeChallenge === undefined ? {} : { codeChallenge: code.codeChallenge }),
      });
      return { ...code, client, user };
    },
    async getAuthorizationCode(text) {
      const record = await store.code(text);
      if (record === undefined) return undefined;
      const user: GrantUser = { id: record.userId, grantId: record.grantId };
      const { redirectUri, scopes: scope, codeChallenge, clientId } = record;
      const challenge = codeChallenge === undefined ? {} : { codeChallenge, codeChallengeMethod: 'S256' };
      const client = known(clientId);
      return { authorizationCode: text, expiresAt: notExpired(), redirectUri, scope, client, user, ...challenge };
    },
    revokeAuthorizationCode: ({ authorizationCode }) => store.useCode(authorizationCode),
    async saveToken(token, client, user) {
      const now = clock();
      const scopes = token.scope ?? [];
      const { id, grantId, refreshToken: issuedFor } = user as GrantUser;
      const accessTokenExpiresAt = new Date(Date.now() + tokenLifetime * 1000 + 900);
      if (grantId === undefined) {
        await store.putServiceToken(token.accessToken, {
          clientId: client.id,
          userId: id,
          scopes,
          expiresMs: now + tokenLifetime * 1000,
        });
        return { ...token, client, user, accessTokenExpiresAt };
      }
      const isStored = await store.putTokens({
        grantId,
        ...(issuedFor === undefined ? {} : { issuedFor }),
        accessToken: token.accessToken,
        accessExpiresMs: now + tokenLifetime * 1000,
        refreshToken: token.refreshToken ?? '',
        refreshExpiresMs: now + LIMITS.oauthRefreshSeconds * 1000,
        scopes,
      });
      if (!isStored) throw new OAuth2Server.InvalidGrantError('Invalid grant: it has been revoked');
      // The library makes `expires_in` of this date and rounds down.
      return { ...token, client, user, accessTokenExpiresAt };
    },
    async getRefreshToken(text) {
      const record = await store.refreshToken(text);
      if (record === undefined) return undefined;
      const user: GrantUser = { id: record.userId, grantId: record.grantId, refreshToken: text };
      return { refreshToken: text, scope: record.scopes, client: known(record.clientId), user };
    },
    revokeToken: ({ refreshToken }) => store.useRefreshToken(refreshToken),
    async getAccessToken(text) {
      const record = store.accessToken(text);
      if (record === undefined) return undefined;
      const user: GrantUser = { id: record.userId, grantId: record.grantId };
      return { accessToken: text, accessTokenExpiresAt: notExpired(), client: known(record.clientId), user };
    },
  };

  const protocol = new OAuth2Server({
    model,
    allowEmptyState: true,
    authorizationCodeLifetime: LIMITS.oauthCodeSeconds,
    accessTokenLifetime: tokenLifetime,
    refreshTokenLifetime: LIMITS.oauthRefreshSeconds,
    // `getClient` decides: a confidential client needs its secret, a public one has none.
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  });

  const server: OAuthServer = {
    client(parameters) {
      const app = store.app(parameters.client_id ?? '');
      if (app === undefined || app.serviceAccount !== undefined) {
        throw new OAuthError('invalid_client', 'The app of this request is not registered for signing in.');
      }
      const redirectUri = parameters.redirect_uri ?? '';
      if (!isRegisteredRedirect(redirectUri, app.redirectUris)) {
        throw new OAuthError('invalid_request', 'The redirect_uri of this request is not registered for the app.');
      }
      return { app, redirectUri };
    },
    refusal(app, redirectUri, parameters) {
      const problem = problemOf(app, parameters);
      if (problem === undefined) return undefined;
      const { error, message } = problem;
      return redirectWith(redirectUri, { error, error_description: message, state: parameters.state });
    },
    async allow(parameters, { userId, tokenDigest }) {
      const { app, redirectUri } = server.client(parameters);
      const refused = server.refusal(app, redirectUri, parameters);
      if (refused !== undefined) return refused;
      const request = new OAuth2Server.Request({ method: 'POST', headers: {}, query: {}, body: { ...parameters } });
      const authenticateHandler = { handle: () => ({ id: userId, tokenDigest }) };
      const code = await protocol
        .authorize(request, new OAuth2Server.Response(), { authenticateHandler })
        .catch(throwOAuthError);
      return redirectWith(redirectUri, { code: code.authorizationCode, state: parameters.state });
    },
    deny(parameters) {
      const { redirectUri } = server.client(parameters);
      const error_description = 'The user did not allow the access.';
      return redirectWith(redirectUri, { error: 'access_denied', error_description, state: parameters.state });
    },
    async token({ headers, body }) {
      if (!body.grant_type) throw new OAuthError('invalid_request', 'Missing parameter: `grant_type`');
      if (!GRANT_TYPES.includes(body.grant_type)) {
        throw new OAuthError('unsupported_grant_type', `grant_type must be ${GRANT_TYPES.join(' or ')}.`);
      }
      const request = new OAuth2Server.Request({ method: 'POST', headers, query: {}, body: { ...body } });
      const response = new OAuth2Server.Response();
      await protocol.token(request, response).catch(throwOAuthError);
      return response.body as Record<string, unknown>;
    },
    async revoke({ headers, body }) {
      const { id, secret } = clientCredentials(headers, body);
      const client = findClient(id, secret);
      if (client === undefined) throw new OAuthError('invalid_client', 'The client is not known.', 401);
      if (!body.token) throw new OAuthError('invalid_request', 'Missing parameter: `token`');
      await store.revoke(body.token, client.id);
    },
  };
  return server;
}

/** Checks what the protocol library leaves open: PKCE for public clients, and S256 as the only method. */
function problemOf(app: OAuthApp, parameters: Parameters): OAuthError | undefined {
  const { response_type, scope, state, code_challenge, code_challenge_method } = parameters;
  if (response_type !== 'code') return new OAuthError('unsupported_response_type', 'response_type must be code.');
  if (state !== undefined && !/^[\x20-\x7e]*$/.test(state))
    return new OAuthError('invalid_request', 'state is not valid.');
  if (scope !== undefined && !areAllowed(scope.trim().split(/\s+/))) {
    return new OAuthError('invalid_scope', 'The scope must be user:all.');
  }
  if (code_challenge === undefined) {
    if (code_challenge_method !== undefined) return new OAuthError('invalid_request', 'code_challenge is missing.');
    if (app.secretDigest === undefined)
      return new OAuthError('invalid_request', 'This app must send a code_challenge.');
    return undefined;
  }
  if (code_challenge_method !== 'S256') return new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  // SHA-256 in base64url has always this form.
  if (!/^[A-Za-z0-9_-]{43}$/.test(code_challenge))
    return new OAuthError('invalid_request', 'code_challenge is not valid.');
  return undefined;
}

function areAllowed(scopes: readonly string[]): boolean {
  return scopes.includes('user:all') && scopes.every((scope) => OAUTH_SCOPES.some((known) => known === scope));
}

/** The scopes of a token that an app gets of a service account; `offline_access` changes nothing, as elsewhere. */
function isServiceScope(scope: string): boolean {
  return ['user:all', 'externalapi:read', 'externalapi:write', 'offline_access'].includes(scope);
}

function isSecret(secret: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(secret)), Buffer.from(digest));
}

/** HTTP Basic or the body, as at the token endpoint (RFC 6749, 2.3.1). */
function clientCredentials(headers: Record<string, string>, body: Parameters): { id: string; secret: string } {
  const basic = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (basic === undefined) return { id: body.client_id ?? '', secret: body.client_secret ?? '' };
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return { id, secret: secret.join(':') };
}

/** The library's error classes are no export that TypeScript can narrow, but their fields are documented. */
function throwOAuthError(error: unknown): never {
  if (!(error instanceof OAuth2Server.OAuthError) || error.code >= 500) throw error;
  const status = error.name === 'invalid_client' ? 401 : error.code;
  throw new OAuthError(error.name, error.message, status);
}
