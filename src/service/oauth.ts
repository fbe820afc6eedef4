import { z } from 'zod';
import type { AuthorizationServer, IssuedTokens, UsableCredential } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import { sharing } from '../core/pacing.ts';
import type { Clock, Log } from '../core/ports.ts';
import { Secret } from '../core/secret.ts';
import { noTracer, type Tracer } from '../core/tracing.ts';
import { type Auth, noCredential } from './auth.ts';
import { createHttp, type HttpReply, type HttpRequest, startDeadline } from './http.ts';
import type { ProxySettings } from './proxy.ts';
import { isHtml, jsonIn, parseRetryAfterMs } from './replies.ts';

export interface TokenEndpointOptions {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string | undefined;
  tokenUrl: string;
  /** Time limit of one call. */
  timeoutMs?: number | undefined;
  /** Headers that an identity proxy before this server asks for, by their lower-case names. */
  headers?: Record<string, string> | undefined;
  proxy?: ProxySettings | undefined;
  /** PEM of certificate authorities to trust in addition to the usual ones. */
  ca?: string | undefined;
  clock?: Clock | undefined;
  /** Default: nothing is traced. */
  tracer?: Tracer | undefined;
}

export interface OAuthOptions extends TokenEndpointOptions {
  /** May have a query of its own, which is kept (RFC 6749, 3.1). */
  authorizeUrl: string;
  /** Separated by spaces. Absent: the server's default. */
  scopes?: string | undefined;
}

/** Time limit of one call: shorter than the lease of the lock that a refresh holds (`core/accounts/token-refresh.ts`). */
const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Most connections to the token endpoint. Further calls wait within their time limit. */
const MAX_CONNECTIONS = 8;
/** Most bytes of a reply. Tokens that carry signed claims take a few thousand. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Longest token that is accepted, because servers limit the size of all headers, often to 16 KiB. */
const MAX_TOKEN_CHARACTERS = 12_000;
/** Longest lifetime that is believed, in seconds. A longer one is shortened to it. */
const MAX_LIFETIME_SECONDS = 365 * 24 * 60 * 60;
/** An access token is refreshed a minute before it expires, or after four fifths of a short life. */
const EARLY_MS = 60_000;
const EARLY_PART = 1 / 5;

/** A token as a header can carry it (RFC 6750, 2.1 allows less). */
const tokenSchema = z
  .string()
  .max(MAX_TOKEN_CHARACTERS)
  .regex(/^[\x21-\x7e]+$/);

/** The reply of the token endpoint (RFC 6749, 5.1). Everything that may be absent or odd is read in `tokensOf`. */
const replySchema = z.looseObject({
  access_token: tokenSchema,
  token_type: z.string().optional(),
  expires_in: z.unknown().optional(),
  refresh_token: z.union([tokenSchema, z.literal(''), z.null()]).optional(),
});

const errorSchema = z.looseObject({ error: z.string().max(100) });

/** The client of the authorization server, with connections of its own. `close` ends them at once. */
export type OAuthClient = AuthorizationServer & { close(): Promise<void> };

type TokenEndpoint = ReturnType<typeof createTokenEndpoint>;

/**
 * Creates the client of a token endpoint. It follows no redirect, and no error or log line contains a part of a reply's
 * body, except an error code that RFC 6749 defines.
 */
export function createTokenEndpoint(options: TokenEndpointOptions) {
  const { clientId, clientSecret, timeoutMs = TIMEOUT_MS, clock = Date.now } = options;
  const endpoint = new URL(options.tokenUrl);
  const closing = new AbortController();
  const http = createHttp({
    origin: endpoint.origin,
    headers: options.headers,
    maxConnections: MAX_CONNECTIONS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    proxy: options.proxy,
    ca: options.ca,
    tracer: options.tracer ?? noTracer,
    // The server may belong to someone else than the service.
    sendsTrace: false,
  });

  return {
    request,
    /** Ends the connections at once. */
    async close() {
      closing.abort(new AppError('unavailable', 'the client is closed', { code: 'closed' }));
      await http.close();
    },
  };

  /** `label` names the request in error messages. */
  async function request(label: string, parameters: Record<string, string>): Promise<IssuedTokens> {
    const deadline = startDeadline(timeoutMs, closing.signal);
    const sentMs = clock();
    const sent: HttpRequest = {
      method: 'POST',
      path: endpoint.pathname + endpoint.search,
      label,
      template: endpoint.pathname,
      safe: false,
      readsFailure: () => true,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(clientSecret === undefined ? {} : { authorization: basicAuthorization(clientId, clientSecret) }),
      },
      body: new URLSearchParams({
        ...parameters,
        // A client that authenticates with a secret is identified by it (RFC 6749, 3.2.1).
        ...(clientSecret === undefined ? { client_id: clientId } : {}),
      }).toString(),
    };
    try {
      return tokensOf(label, await http.send(sent, deadline.signal), sentMs);
    } catch (error) {
      throw isAppError(error, 'badReply') ? noUsableReply(error.message, error.code) : error;
    } finally {
      deadline.stop();
    }
  }
}

/** Creates the client of an OAuth 2 authorization server: authorization codes with PKCE, and refreshing. */
export function createOAuthClient(options: OAuthOptions): OAuthClient {
  const { clientId } = options;
  const { request, close } = createTokenEndpoint(options);
  return {
    authorizeUrl({ state, codeChallenge, redirectUri }) {
      const url = new URL(options.authorizeUrl);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        ...(options.scopes === undefined ? {} : { scope: options.scopes }),
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    exchange: ({ code, codeVerifier, redirectUri }) =>
      request('the exchange of an authorization code', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }),
    refresh: (refreshToken) =>
      request('the refresh of an access token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken.reveal(),
      }),
    close,
  };
}

/** HTTP Basic with both parts encoded as form values first (RFC 6749, 2.3.1). */
function basicAuthorization(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}`;
}

function formEncoded(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}

/** Throws the error of a reply without usable tokens. */
function tokensOf(label: string, reply: HttpReply, sentMs: number): IssuedTokens {
  const { status, body } = reply;
  const value = jsonIn(body);
  const failure = failureOf(label, reply, errorSchema.safeParse(value).data?.error, sentMs);
  if (failure !== undefined) throw failure;
  const parsed = replySchema.safeParse(value);
  if (!parsed.success) {
    const type = isHtml(reply) ? 'an HTML page' : 'the wrong shape';
    throw noUsableReply(`${label} was answered with ${type}`, status);
  }
  const { access_token, token_type, refresh_token, expires_in } = parsed.data;
  if (token_type !== undefined && token_type.toLowerCase() !== 'bearer') {
    throw noUsableReply(`${label} was answered with a token of another type than Bearer`, 'tokenType');
  }
  return {
    accessToken: new Secret(access_token),
    ...(refresh_token ? { refreshToken: new Secret(refresh_token) } : {}),
    ...timesOf(expires_in, sentMs),
  };
}

/**
 * When the access token expires, counted from when the request was sent. A lifetime that is no positive number counts as
 * unknown: the token is then used until the service refuses it.
 */
function timesOf(expiresIn: unknown, sentMs: number): Pick<IssuedTokens, 'expiresAtMs' | 'refreshAtMs'> {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || !(seconds > 0)) return {};
  const lifetimeMs = Math.min(seconds, MAX_LIFETIME_SECONDS) * 1_000;
  const expiresAtMs = Math.floor(sentMs + lifetimeMs);
  return { expiresAtMs, refreshAtMs: Math.floor(expiresAtMs - Math.min(EARLY_MS, lifetimeMs * EARLY_PART)) };
}

/** The error of a reply, by its status and its OAuth error code, which some servers send with the status 200. */
function failureOf(
  label: string,
  { status, headers }: HttpReply,
  error: string | undefined,
  nowMs: number,
): AppError | undefined {
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && error === undefined) return undefined;
  const known = error !== undefined && KNOWN_ERRORS.has(error) ? error : undefined;
  const said = `${label} was answered with ${known ?? status}`;
  const code = known ?? status;
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs);
  if (status === 429 || known === 'slow_down') return new AppError('rateLimited', said, { code, retryAfterMs });
  if (known === 'invalid_grant' || known === 'invalid_token' || known === 'expired_token') {
    return new AppError('unauthorized', said, { code });
  }
  if (known === 'temporarily_unavailable' || known === 'server_error' || status >= 500 || status === 408) {
    return new AppError('unavailable', said, { code, outcomeUnknown: true, retryAfterMs });
  }
  if (isSuccess && known === undefined) return noUsableReply(said, code);
  return new AppError('refused', said, { code });
}

/** Codes of RFC 6749, 5.2, and others in use. Any other text in a reply is not repeated. */
const KNOWN_ERRORS = new Set([
  'expired_token',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_token',
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/** The server may have replaced the refresh token, although its reply is of no use. */
function noUsableReply(message: string, code: string | number | undefined): AppError {
  return new AppError('unavailable', message, { code, outcomeUnknown: true });
}

/** How long the app waits after a failed request for a token, unless the server says how long, in milliseconds. */
const pauseMs = 5_000;
/** The same after a refusal, and the longest wait that the server may ask for. */
const longestPauseMs = 60_000;
/** A new token that is refused within this time is not replaced again: the account is refused, not only one token. */
const provingMs = 60_000;

/**
 * Acts as the app's own account at the service, with access tokens of the grant `client_credentials` (RFC 6749, 4.4). They
 * are kept in memory only. All callers share one request for a token.
 */
export function createMachineAccount({
  endpoint,
  now,
  log,
}: {
  endpoint: Pick<TokenEndpoint, 'request'>;
  now: Clock;
  log: Log;
}): Auth {
  let tokens: IssuedTokens | undefined;
  const obtaining = sharing(request);
  let failure: { error: AppError; untilMs: number } | undefined;
  /** When a new token took the place of a refused one. */
  let replacedMs = Number.NEGATIVE_INFINITY;

  return { kind: 'account', current, renewed };

  async function current(): Promise<UsableCredential> {
    const { expiresAtMs = Number.POSITIVE_INFINITY, refreshAtMs = Number.POSITIVE_INFINITY } = tokens ?? {};
    if (tokens === undefined || now() >= expiresAtMs) return obtain();
    // The token is still good, so no call waits for the next one.
    if (now() >= refreshAtMs) obtain().catch(() => undefined);
    return usable(tokens);
  }

  async function renewed({ secret }: UsableCredential): Promise<UsableCredential | undefined> {
    if (tokens !== undefined && tokens.accessToken.reveal() !== secret.reveal()) return usable(tokens);
    if (now() - replacedMs < provingMs) return undefined;
    const next = await obtain();
    replacedMs = now();
    return next;
  }

  async function obtain(): Promise<UsableCredential> {
    if (failure !== undefined && now() < failure.untilMs) throw failure.error;
    return obtaining();
  }

  /** Nothing was sent to the service, so a failure never leaves open whether the service carried out a call. */
  async function request(): Promise<UsableCredential> {
    try {
      tokens = await endpoint.request("the request for the app's access token", { grant_type: 'client_credentials' });
      failure = undefined;
      return usable(tokens);
    } catch (cause) {
      if (!isAppError(cause)) throw cause;
      const { kind, code, retryAfterMs } = cause;
      log.warn({ event: 'deepsearch.token', outcome: kind, code });
      const isRefused = kind === 'unauthorized' || kind === 'refused';
      const error = new AppError(isRefused ? 'unauthorized' : 'unavailable', 'the app gets no access token', {
        cause,
        code: noCredential,
        retryAfterMs,
      });
      const waitMs = retryAfterMs ?? (isRefused ? longestPauseMs : pauseMs);
      failure = { error, untilMs: now() + Math.min(waitMs, longestPauseMs) };
      throw error;
    }
  }
}

function usable({ accessToken }: IssuedTokens): UsableCredential {
  return { scheme: 'Bearer', secret: accessToken };
}
