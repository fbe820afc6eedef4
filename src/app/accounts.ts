import type { Accounts, Person } from '../core/accounts/accounts.ts';
import { createAccounts, createStoreConnected } from '../core/accounts/connecting.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { createDeepSearchClient } from '../deepsearch/client.ts';
import type { AppContext } from './context.ts';
import { serviceOptions } from './deep-search.ts';

/** Longest check of a token, in ms, so that the form in Slack, which must be answered within 3 s, can show its result. */
const checkMs = 1_800;
/** Most checks of one person's tokens in a minute. */
const checksPerMinute = 10;

/** The parts that people's own accounts need. */
export interface AccountParts {
  accounts: Accounts;
}

/** Creates what people need to connect their own accounts. */
export function createAccountParts(context: AppContext): AccountParts {
  const { config, storage, accountChanges, audit, now, log } = context;
  const hasKeys = config.ENCRYPTION_KEYS !== undefined;
  if (config.ACCOUNTS !== 'shared' && !hasKeys) log.warn({ event: 'accounts_without_keys', mode: config.ACCOUNTS });
  const ports = { store: storage.accounts, changed: accountChanges.changed, audit, now };
  const storeConnected = createStoreConnected(ports);
  return {
    accounts: createAccounts({
      ...ports,
      mode: config.ACCOUNTS,
      hasKeys,
      storeConnected,
      checkToken: createTokenCheck(context),
    }),
  };
}

/** Asks the service whose token it is, with a client that lives as long as the check. */
function createTokenCheck(context: AppContext): (person: Person, token: Secret) => Promise<{ username: string }> {
  const limiter = context.createLimiter('account-checks', { points: checksPerMinute, windowSeconds: 60 });
  return async function checkToken({ teamId, userId }, token) {
    const waitMs = await limiter.take(`${teamId}:${userId}`);
    if (waitMs > 0) throw new AppError('rateLimited', 'too many checks of tokens', { retryAfterMs: waitMs });
    const client = createDeepSearchClient({
      ...serviceOptions(context),
      auth: { kind: 'token', token: token.reveal() },
      timeoutMs: checkMs,
      connectTimeoutMs: checkMs,
      maxConnections: 1,
    });
    try {
      return await client.currentUser();
    } finally {
      await client.close();
    }
  };
}
