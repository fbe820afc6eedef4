import { randomInt } from 'node:crypto';
import type { Config } from '../config.ts';
import type { AccountCredentials, AccountStore, Accounts, Locks, Person } from '../core/accounts/accounts.ts';
import { createAccounts, createStoreConnected, type StoreConnected } from '../core/accounts/connecting.ts';
import { createAccountCredentials } from '../core/accounts/credentials.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import type { Secret } from '../core/secret.ts';
import { type Auth, ofAccessToken } from '../service/auth.ts';
import { createBothGenerations } from '../service/both-generations.ts';
import type { DeepSearchAdapter } from '../service/generation.ts';
import { createGraphql } from '../service/graphql.ts';
import { createMethods } from '../service/methods.ts';
import { createOAuthClient, type OAuthClient } from '../service/oauth.ts';
import { createServiceClient, type ServiceClient } from '../service/service-client.ts';
import { createSignIn, type SignIn } from '../sign-in/sign-in.ts';
import type { AppContext } from './context.ts';
import { appAuth, caOf, createChoice, headersFor, proxyOf, serviceOptions } from './deep-search.ts';

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

/** Deletes conversations at the service, for a program beside the app. */
interface ConversationDeletion {
  /** Succeeds when the conversation is already gone. Throws `AppError` of the service or of the person's credential. */
  remove(account: 'app' | Person, conversationId: ConversationId): Promise<void>;
  close(): Promise<void>;
}

/** Uses the app's account, or a person's own one as long as it is connected. */
export function createConversationDeletion(
  config: Config,
  { accounts, locks, log }: { accounts: AccountStore; locks: Locks; log: Log },
): ConversationDeletion {
  const closers: (() => Promise<void>)[] = [];
  const onStop = (close: () => Promise<void>): void => void closers.push(close);
  const now = Date.now;
  const random = (): number => randomInt(2 ** 32) / 2 ** 32;
  const server = createAuthorizationServer({ config, now, onStop });
  const credentials = createAccountCredentials({ accounts, locks, server, changed: () => {}, now, log });
  const client = clientOf(appAuth({ config, now, log, onStop }));
  const choice = createChoice(config, client, log);
  const overEither = createBothGenerations({ baseUrl: config.SRC_ENDPOINT, choice, now, log });
  const deepSearchOf = (each: ServiceClient): DeepSearchAdapter => createMethods(overEither(each));
  const app = deepSearchOf(client);

  return {
    remove: (account, conversationId) => (account === 'app' ? app : ofPerson(account)).delete(conversationId),
    async close() {
      for (const close of closers) await close();
    },
  };

  function ofPerson(person: Person): DeepSearchAdapter {
    return deepSearchOf(
      clientOf({
        kind: 'account',
        current: () => credentials.current(person),
        renewed: (rejected) => credentials.renewed(person, rejected),
      }),
    );
  }

  function clientOf(auth: Auth): ServiceClient {
    const created = createServiceClient({ ...serviceOptions({ config, now, random }), auth });
    onStop(() => created.close());
    return created;
  }
}
