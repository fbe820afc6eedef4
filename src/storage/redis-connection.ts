import { setTimeout as wait } from 'node:timers/promises';
import { createClient, ErrorReply, type RedisClientType, TimeoutError } from 'redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { OPERATION_DEADLINE_MS, withDeadline } from './deadline.ts';

/** Redis must answer within this time at the start of the app; it may itself just be starting. */
const START_DEADLINE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 1_500;
const CLOSE_DEADLINE_MS = 1_000;
const LONGEST_RECONNECT_WAIT_MS = 1_000;
/** A command not yet sent after this time is taken back, well before its caller is told that it failed. */
const QUEUE_TIMEOUT_MS = 1_500;
const QUEUE_LENGTH = 10_000;

/**
 * A connection on which nothing is sent or received for `SILENCE_LIMIT_MS` is dead and made anew; pings keep a quiet one
 * from looking dead. Without this a peer that vanished without closing would hold the client for many minutes.
 */
const PING_INTERVAL_MS = 2_000;
const SILENCE_LIMIT_MS = 5_000;

const LOADING_WAIT_MS = 100;

/** Replies to a handshake that trying again does not change. */
const REFUSALS = new Set(['ERR', 'NOAUTH', 'NOPERM', 'WRONGPASS']);

type None = Record<never, never>;
/** A client without Redis' modules, which is what the adapter of Keyv takes. */
export type Client = RedisClientType<None, None, None, 2, None>;

/** One shared client that makes a lost connection again by itself. */
export interface RedisConnection {
  client: Client;
  /** Host and port, for messages. */
  where: string;
  /** Connects and waits for the first answer. */
  prove(): Promise<void>;
  /** Runs one operation within the deadline, with every failure translated. */
  run<T>(command: string, operation: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Not yet connected. Throws `AppError` of kind `storage` when the URL is impossible; it is never repeated in an error. */
export function createRedisConnection(redisUrl: string, log: Log): RedisConnection {
  const where = describeUrl(redisUrl);
  let isProven = false;
  let isLost = false;
  let closing: Promise<void> | undefined;
  let lastError: unknown;
  const running = new Set<Promise<unknown>>();

  const client: Client = createClient<None, None, None, 2, None>({
    url: redisUrl,
    commandsQueueMaxLength: QUEUE_LENGTH,
    commandOptions: { timeout: QUEUE_TIMEOUT_MS },
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_LIMIT_MS,
      reconnectStrategy(attempt, cause) {
        // Wrong credentials at the start stay wrong; later they may be in the middle of a rotation.
        if (!isProven && REFUSALS.has(codeOf(cause) ?? '')) return cause;
        return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2));
      },
    },
  });
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

  /** Only for a client that is ready: one that is not is connecting already, and would then do so twice at once. */
  function reconnect(): void {
    if (closing !== undefined || !client.isReady) return;
    client.destroy();
    // Tries until it succeeds; its failures are reported as `error` events.
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
      // A server that stays silent may be gone, and one that became a replica has a successor behind the same name.
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
        // Redis answers so while it reads its data from disk.
        if (!isAppError(error) || error.code !== 'LOADING' || performance.now() >= deadlineMs) throw error;
        await wait(LOADING_WAIT_MS);
      }
    }
    isProven = true;
  }

  async function close(): Promise<void> {
    // Not left to the client: the adapter of Keyv connects a closed client again for an operation that comes late.
    await Promise.allSettled(running);
    // Redis answers in order: with this answer, everything sent before has its own. `client.close()` waits for that too,
    // but can't be given up: after it, the client refuses to be destroyed.
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

/** Host and port. Looked at before the client does, whose own errors repeat the URL. */
function describeUrl(redisUrl: string): string {
  const url = URL.canParse(redisUrl) ? new URL(redisUrl) : undefined;
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && /^\/?\d*$/.test(url.pathname) && isDecodable(url)) {
    return `${url.hostname}:${url.port || '6379'}`;
  }
  throw new AppError(
    'storage',
    'REDIS_URL must look like redis://[user:password@]host[:port][/number] (rediss: for TLS; special characters of the password percent-encoded)',
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
    // Redis answered, or the command never left; after any other failure it may have been carried out.
    outcomeUnknown: !(error instanceof ErrorReply || error instanceof TimeoutError),
  });
}

/** Of an error reply its first word, which by the Redis protocol (RESP) is its code; of a socket's error its `code`. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0];
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
