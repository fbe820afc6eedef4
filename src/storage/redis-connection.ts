import { setTimeout as wait } from 'node:timers/promises';
import { ErrorReply, TimeoutError } from 'redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { createRedisClient, type RedisClient } from '../redis-client.ts';
import { OPERATION_DEADLINE_MS, withDeadline } from './key-value-store.ts';

/** Redis must answer within this time when the app starts, because Redis may be starting too. */
const START_DEADLINE_MS = 5_000;
const CLOSE_DEADLINE_MS = 1_000;
const LOADING_WAIT_MS = 100;

/** Error replies to a handshake that a retry does not change. */
const REFUSALS = new Set(['ERR', 'NOAUTH', 'NOPERM', 'WRONGPASS']);

/** One shared client that reconnects automatically. */
export interface RedisConnection {
  client: RedisClient;
  /** Host and port, for error messages. */
  where: string;
  /** Connects and waits for the first reply. */
  prove(): Promise<void>;
  /** Runs one operation within the deadline and translates every failure. */
  run<T>(command: string, operation: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Creates a connection that is not connected yet. Throws `AppError` of kind `storage` for an unusable URL, and never
 * repeats the URL in an error.
 */
export function createRedisConnection(redisUrl: string, log: Log): RedisConnection {
  const where = describeUrl(redisUrl);
  let isProven = false;
  let isLost = false;
  let closing: Promise<void> | undefined;
  let lastError: unknown;
  const running = new Set<Promise<unknown>>();

  const client = createRedisClient(
    redisUrl,
    Math.random,
    // Wrong credentials at the start stay wrong. Later they may be wrong only during a rotation.
    (cause) => !isProven && REFUSALS.has(codeOf(cause) ?? ''),
  );
  client.on('error', (error) => {
    lastError = error;
    if (!isProven || isLost || closing !== undefined) return;
    isLost = true;
    log.warn({ event: 'storage.redis', outcome: 'lost' }, error);
  });
  client.on('ready', () => {
    if (!isLost) return;
    isLost = false;
    log.info({ event: 'storage.redis', outcome: 'back' });
  });

  /**
   * Reconnects a client that is ready. A client that is not ready is already connecting, and must not connect twice at
   * once.
   */
  function reconnect(): void {
    if (closing !== undefined || !client.isReady) return;
    client.destroy();
    // Retries until it succeeds. Its failures arrive as `error` events.
    client.connect().catch(() => {});
  }

  async function run<T>(command: string, operation: () => Promise<T>): Promise<T> {
    if (closing !== undefined) throw new AppError('storage', 'The Redis store is closed');
    const result = withDeadline(operation(), OPERATION_DEADLINE_MS, `Redis at ${where}: ${command}`);
    running.add(result);
    try {
      return await result;
    } catch (error) {
      const failure = translate(error, command, where);
      // A silent server may be gone. A server that became a replica has a new primary behind the same name.
      if (isAppError(error) || failure.code === 'READONLY') reconnect();
      throw failure;
    } finally {
      running.delete(result);
    }
  }

  async function prove(): Promise<void> {
    const deadlineMs = performance.now() + START_DEADLINE_MS;
    try {
      await withDeadline(client.connect(), START_DEADLINE_MS, 'Connecting');
    } catch {
      const code = codeOf(lastError);
      throw new AppError(
        'storage',
        `Redis at ${where} can't be connected to${code === undefined ? '' : ` (${code})`}`,
        { cause: lastError, code },
      );
    }
    for (;;) {
      try {
        await run('PING', () => client.ping());
        break;
      } catch (error) {
        // Redis answers. Whether it takes writes is checked after this.
        if (isAppError(error) && error.code === 'MISCONF') break;
        // Redis replies `LOADING` while it reads its data from disk.
        if (!isAppError(error) || error.code !== 'LOADING' || performance.now() >= deadlineMs) throw error;
        await wait(LOADING_WAIT_MS);
      }
    }
    isProven = true;
  }

  async function close(): Promise<void> {
    // Waits here, because Keyv's adapter reconnects a closed client for an operation that comes late.
    await Promise.allSettled(running);
    // Redis replies in order, so this reply comes after the replies to all earlier commands. `client.close()` waits for
    // them too, but can't be given up: after it, the client refuses to be destroyed.
    if (client.isReady) await withDeadline(client.ping(), CLOSE_DEADLINE_MS, 'Closing').catch(() => {});
    if (client.isOpen) client.destroy();
  }

  return {
    client,
    where,
    prove,
    run,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Returns host and port. Parses the URL before the client does, because the client's errors repeat the URL. */
function describeUrl(redisUrl: string): string {
  const url = URL.canParse(redisUrl) ? new URL(redisUrl) : undefined;
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && /^\/?\d*$/.test(url.pathname) && isDecodable(url)) {
    return `${url.hostname}:${url.port || '6379'}`;
  }
  throw new AppError(
    'storage',
    'REDIS_URL must be an address such as redis://host:6379/0 or redis://name:password@host:6379/0 (rediss:// for TLS, special characters of name and password percent-encoded)',
  );
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function translate(error: unknown, command: string, where: string): AppError {
  if (isAppError(error)) return error;
  const code = codeOf(error);
  return new AppError('storage', `Redis at ${where}: ${command} failed${code === undefined ? '' : ` (${code})`}`, {
    cause: error,
    code,
    // The outcome is known if Redis replied or the command was never sent. After any other failure Redis may have
    // executed it.
    outcomeUnknown: !(error instanceof ErrorReply || error instanceof TimeoutError),
  });
}

/**
 * The code of an error: the first word of an error reply (its code in the Redis protocol, RESP), or the `code` of a
 * socket error. It is shown on terminals, so a reply that begins with anything but a word has none.
 */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof ErrorReply) return /^\w{1,60}(?= |$)/.exec(error.message)?.[0];
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
