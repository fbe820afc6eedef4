import type { AccountCredentials, Accounts, Person } from '../core/accounts/accounts.ts';
import { createAccounts, createStoreConnected, type StoreConnected } from '../core/accounts/connecting.ts';
import { createAccountCredentials } from '../core/accounts/credentials.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { type Auth, ofAccessToken } from '../service/auth.ts';
import { createGraphql } from '../service/graphql.ts';
import { createOAuthClient, type OAuthClient } from '../service/oauth.ts';
import { createServiceClient } from '../service/service-client.ts';
import { createSignIn, type SignIn } from '../sign-in/sign-in.ts';
import type { AppContext } from './context.ts';
import { caOf, headersFor, proxyOf, serviceOptions } from './deep-search.ts';

/** Longest check of a token, in ms, so that the form in Slack, which must be answered within 3 s, can show its result. */
const checkMs = 1_800;
/** Longest check of whose account someone signed in to, in ms. They wait for it in their browser. */
const signInCheckMs = 10_000;
/** Most checks of one person's tokens in a minute. */
const checksPerMinute = 10;

/** The parts that people's own accounts need. */
interface AccountParts {
  accounts: Accounts;
  /** What requests with people's own accounts carry. */
  credentials: AccountCredentials;
  /** The pages on which people sign in, by exact path. None if the operator configured no sign-in. */
  mounts: SignIn['mounts'];
}

/** Creates what people need to connect their own accounts. */
export function createAccountParts(context: AppContext): AccountParts {
  const { config, storage, accountChanges, audit, now, log } = context;
  const hasKeys = config.ENCRYPTION_KEYS !== undefined;
  if (config.ACCOUNTS !== 'shared' && !hasKeys) log.warn({ event: 'accounts_without_keys', mode: config.ACCOUNTS });
  const ports = { store: storage.accounts, changed: accountChanges.changed, audit, now };
  const storeConnected = createStoreConnected(ports);
  const server = createAuthorizationServer(context);
  const signIn = server && hasKeys ? createSignInPages(context, server, storeConnected) : undefined;
  return {
    mounts: signIn?.mounts ?? {},
    credentials: createAccountCredentials({
      accounts: storage.accounts,
      locks: storage.locks,
      server,
      changed: accountChanges.changed,
      now,
      log,
    }),
    accounts: createAccounts({
      ...ports,
      mode: config.ACCOUNTS,
      hasKeys,
      storeConnected,
      checkToken: createTokenCheck(context),
      signInUrl: signIn?.url,
    }),
  };
}

/** The client of the service's authorization server, if the operator registered an app there. */
export function createAuthorizationServer({
  config,
  tracer,
  now,
  onStop,
}: Pick<AppContext, 'config' | 'now' | 'onStop'> & Partial<Pick<AppContext, 'tracer'>>): OAuthClient | undefined {
  const { SRC_OAUTH_CLIENT_ID: clientId, SRC_OAUTH_AUTHORIZE_URL: authorizeUrl } = config;
  const { SRC_OAUTH_TOKEN_URL: tokenUrl, PUBLIC_URL: publicUrl } = config;
  if (config.ACCOUNTS === 'shared') return undefined;
  if (clientId === undefined || authorizeUrl === undefined) return undefined;
  if (tokenUrl === undefined || publicUrl === undefined) return undefined;
  const server = createOAuthClient({
    clientId,
    clientSecret: config.SRC_OAUTH_CLIENT_SECRET?.reveal(),
    authorizeUrl,
    tokenUrl,
    scopes: config.SRC_OAUTH_SCOPES,
    headers: headersFor(tokenUrl, config),
    proxy: proxyOf(config),
    ...caOf(config),
    clock: now,
    tracer,
  });
  onStop(() => server.close());
  return server;
}

function createSignInPages(
  context: AppContext,
  server: OAuthClient,
  storeConnected: StoreConnected,
): SignIn | undefined {
  const { config, storage, createLimiter, now, log } = context;
  if (config.PUBLIC_URL === undefined) return undefined;
  return createSignIn({
    publicUrl: config.PUBLIC_URL,
    records: storage.signInTickets,
    server,
    usernameOf: async (accessToken) => (await currentUser(context, ofAccessToken(accessToken), signInCheckMs)).username,
    storeConnected,
    createLimiter,
    now,
    log,
  });
}

/** Asks the service whose token it is. */
function createTokenCheck(context: AppContext): (person: Person, token: Secret) => Promise<{ username: string }> {
  const limiter = context.createLimiter('account-checks', { points: checksPerMinute, windowSeconds: 60 });
  return async function checkToken({ teamId, userId }, token) {
    const waitMs = await limiter.take(`${teamId}:${userId}`);
    if (waitMs > 0) throw new AppError('rateLimited', 'too many checks of tokens', { retryAfterMs: waitMs });
    return currentUser(context, { kind: 'token', token: token.reveal() }, checkMs);
  };
}

/** Asks the service who this is, with a client that lives as long as the call. */
async function currentUser(context: AppContext, auth: Auth, timeoutMs: number): Promise<{ username: string }> {
  const options = { timeoutMs, connectTimeoutMs: timeoutMs, maxConnections: 1 };
  const client = createServiceClient({ ...serviceOptions(context), ...options, auth });
  try {
    return await createGraphql(client).currentUser();
  } finally {
    await client.close();
  }
}
