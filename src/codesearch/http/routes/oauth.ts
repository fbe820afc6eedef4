import type { Authentication } from '../../accounts/authentication.ts';
import { GRANT_TYPES, OAUTH_SCOPES, OAuthError, type OAuthServer } from '../../accounts/oauth-server.ts';
import { consentPage, problemPage } from '../../pages/account-pages.ts';
import { readForm, readSignedInForm, redirect, singleValues } from '../forms.ts';
import { HttpError } from '../http-error.ts';
import { json, type Reply } from '../reply.ts';
import { type Route, type RouteRequest, requireMethod } from '../route.ts';
import { pageReply } from './accounts.ts';

const PREFIX = '.auth/idp/oauth/';
const PARAMETERS = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
]);

/**
 * The OAuth endpoints, at the addresses of the public service: `/.auth/idp/oauth/authorize`, `/token` and `/revoke`,
 * and the metadata of RFC 8414 at `/.well-known/oauth-authorization-server`.
 */
export function createOAuthRoute(server: OAuthServer, authentication: Authentication, baseUrl: () => string): Route {
  return async (request) => {
    const path = request.segments.join('/');
    if (path === '.well-known/oauth-authorization-server') {
      requireMethod(request.method, ['GET']);
      return json(200, metadata(baseUrl()));
    }
    if (path === `${PREFIX}authorize`) return authorize(request);
    if (path === `${PREFIX}token`) return answerClient(request, async (sent) => json(200, await server.token(sent)));
    if (path !== `${PREFIX}revoke`) return undefined;
    return answerClient(request, async (sent) => {
      await server.revoke(sent);
      return { kind: 'json', status: 200 };
    });
  };

  async function authorize(request: RouteRequest): Promise<Reply> {
    requireMethod(request.method, ['GET', 'POST']);
    try {
      return request.method === 'GET' ? askConsent(request) : await decide(request);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return pageReply(error.status, problemPage('This request can’t be allowed', error.message));
    }
  }

  /** Checks the request before the person signs in, so that no form leads to the error address of an app. */
  function askConsent({ headers, incoming, search }: RouteRequest): Reply {
    const parameters = readParameters(new URLSearchParams(search));
    const { app, redirectUri } = server.client(parameters);
    const refusal = server.refusal(app, redirectUri, parameters);
    if (refusal !== undefined) return redirect(refusal);
    const session = authentication.session(headers);
    if (session === undefined) return redirect(`/sign-in?${new URLSearchParams({ returnTo: incoming.url ?? '/' })}`);
    return pageReply(200, consentPage(session, app, redirectUri, parameters));
  }

  async function decide({ incoming }: RouteRequest): Promise<Reply> {
    const { fields, session } = await readSignedInForm(incoming, authentication);
    const parameters = readParameters(fields);
    if (fields.get('decision') !== 'allow') return redirect(server.deny(parameters));
    return redirect(
      await server.allow(parameters, { userId: session.viewer.userId, tokenDigest: session.tokenDigest }),
    );
  }
}

function readParameters(fields: URLSearchParams): Record<string, string> {
  const own = [...fields].filter(([name, value]) => PARAMETERS.has(name) && value !== '');
  if (own.some(([, value]) => value.includes('\0'))) throw new HttpError(400, 'A parameter has a NUL character.');
  return singleValues(new URLSearchParams(own));
}

/** Answers a client at the token or revocation endpoint; errors have the form of RFC 6749, 5.2. */
async function answerClient(
  { method, headers, incoming }: RouteRequest,
  answer: (sent: { headers: Record<string, string>; body: Record<string, string> }) => Promise<Reply>,
): Promise<Reply> {
  requireMethod(method, ['POST']);
  try {
    const single = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    return await answer({ headers: Object.fromEntries(single), body: singleValues(await readForm(incoming)) });
  } catch (error) {
    if (error instanceof HttpError && error.status < 500)
      return refusal(error.status, 'invalid_request', error.message);
    if (error instanceof OAuthError) return refusal(error.status, error.error, error.message);
    throw error;
  }
}

function refusal(status: number, error: string, error_description: string): Reply {
  const headers: Record<string, string> = status === 401 ? { 'WWW-Authenticate': 'Basic realm="OAuth"' } : {};
  return { kind: 'json', status, body: { error, error_description }, headers };
}

function metadata(issuer: string) {
  const endpoint = (name: string): string => `${issuer}/${PREFIX}${name}`;
  return {
    issuer,
    authorization_endpoint: endpoint('authorize'),
    token_endpoint: endpoint('token'),
    revocation_endpoint: endpoint('revoke'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    scopes_supported: OAUTH_SCOPES,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  };
}
