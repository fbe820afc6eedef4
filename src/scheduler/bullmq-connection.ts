import { setTimeout as wait } from 'node:timers/promises';
import { createNodeRedisClient, type IRedisClient } from 'bullmq';
import { createClient, ErrorReply, type RedisClientType, TimeoutError } from 'redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { withTimeout } from '../core/timeout.ts';

const CONNECT_TIMEOUT_MS = 1_500;
const LONGEST_RECONNECT_WAIT_MS = 1_000;
/** A command not yet sent after this time is taken back; one that was sent is not touched by it. */
const QUEUE_TIMEOUT_MS = 1_500;
const QUEUE_LENGTH = 10_000;

/** A connection silent for so long is dead and made anew; pings keep a quiet one from looking dead. */
const SILENCE_LIMIT_MS = 5_000;
const PING_INTERVAL_MS = 2_000;
/**
 * BullMQ's worker would wait up to 10 s for a sign that a job is due. The sign is lost with a process that dies after
 * taking it, and with every failure of the waiting itself; and a waiting connection must not look dead.
 */
const LONGEST_BLOCK_S = 2;

/**
 * BullMQ's worker asks again at once when Redis refuses a command (`-LOADING`, `-READONLY`, `-OOM`): as each of its
 * failures takes this long, it asks a few times per second and not thousands of times.
 */
const FAILURE_PAUSE_MS = 250;

/** Some commands succeed while others fail (reading while `-READONLY`); that is not yet the end of the trouble. */
const QUIET_BEFORE_BACK_MS = 2_000;

type None = Record<never, never>;
type Client = RedisClientType<None, None, None, 2, None>;

export interface BullConnectionDeps {
  redisUrl: string;
  log: Log;
  /** In [0, 1). */
  random: () => number;
}

/** One client for commands, and as many for blocking as `bull.duplicate()` is called; each finds its way back by itself. */
export interface BullConnection {
  client: Client;
  /** The same client in the shape that BullMQ takes. Its duplicates belong to whoever asked for them. */
  bull: IRedisClient;
  /** Runs commands of `client`, and notes how they end as it does for those of BullMQ. */
  run<T>(commands: () => Promise<T>): Promise<T>;
  /** Ends every connection at once. */
  destroy(): void;
}

/** Connects within `deadlineMs`, or throws `AppError` of kind `storage`. */
export async function openBullConnection(
  { redisUrl, log, random }: BullConnectionDeps,
  deadlineMs: number,
): Promise<BullConnection> {
  const clients = new Set<Client>();
  let isFailing = false;
  let lastFailureMs = 0;
  let isDestroyed = false;

  function noteFailure(error: unknown): void {
    lastFailureMs = performance.now();
    if (isFailing || isDestroyed) return;
    isFailing = true;
    log.warn({ event: 'scheduler.redis', outcome: 'lost' }, error);
  }

  function noteSuccess(): void {
    if (!isFailing || isDestroyed || performance.now() - lastFailureMs < QUIET_BEFORE_BACK_MS) return;
    isFailing = false;
    log.info({ event: 'scheduler.redis', outcome: 'back' });
  }

  function createRawClient(): Client {
    // The client's own errors about a URL repeat it, with its password.
    if (!/^rediss?:\/\//.test(redisUrl) || !URL.canParse(redisUrl)) {
      throw new AppError('storage', 'The URL of Redis is not one');
    }
    const client: Client = createClient<None, None, None, 2, None>({
      url: redisUrl,
      commandsQueueMaxLength: QUEUE_LENGTH,
      commandOptions: { timeout: QUEUE_TIMEOUT_MS },
      pingInterval: PING_INTERVAL_MS,
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SILENCE_LIMIT_MS,
        reconnectStrategy: (attempt) =>
          Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + random() / 2)),
      },
    });
    client.on('error', noteFailure);
    clients.add(client);
    return client;
  }

  /** A server that became a replica has a successor behind the same name. Clients that are not ready connect already. */
  function reconnect(): void {
    for (const client of clients) {
      if (isDestroyed || !client.isReady) continue;
      client.destroy();
      // Tries until it succeeds; its failures are reported as `error` events.
      client.connect().catch(() => {});
    }
  }

  async function run<T>(command: () => Promise<T>): Promise<T> {
    try {
      const result = await command();
      noteSuccess();
      return result;
    } catch (error) {
      noteFailure(error);
      if (redisCodeOf(error) === 'READONLY') reconnect();
      if (!isDestroyed) await wait(FAILURE_PAUSE_MS);
      throw error;
    }
  }

  function adapt(client: Client): IRedisClient {
    const adapter = createNodeRedisClient(client);
    // BullMQ stops listening when it closes, and an error without a listener would end the process.
    adapter.on('error', () => {});
    const runCommand = adapter.runCommand.bind(adapter);
    const bzpopmin = adapter.bzpopmin.bind(adapter);
    adapter.runCommand = (name, args) => run(() => runCommand(name, args));
    adapter.bzpopmin = (key, timeoutS) => run(() => bzpopmin(key, Math.min(timeoutS, LONGEST_BLOCK_S)));
    const connect = adapter.connect.bind(adapter);
    // A late attempt of BullMQ would leave a connection open for good.
    adapter.connect = async () => (isDestroyed ? undefined : connect());
    adapter.duplicate = () => adapt(createRawClient());
    return adapter;
  }

  function destroy(): void {
    isDestroyed = true;
    for (const client of clients) {
      if (client.isOpen) client.destroy();
    }
  }

  const client = createRawClient();
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
  });
  isFailing = true;
  try {
    await withinDeadline(client.connect(), deadlineMs, 'Connecting');
  } catch (error) {
    destroy();
    throw translateRedisError(lastError ?? error, 'Connecting');
  }
  isFailing = false;
  return { client, bull: adapt(client), run, destroy };
}

/** The result of `operation`, or `AppError` of kind `storage` with an unknown outcome after `deadlineMs`. */
export function withinDeadline<T>(operation: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  return withTimeout(operation, deadlineMs, () => {
    throw new AppError('storage', `Looks on Redis: ${what} did not finish within ${deadlineMs} ms`, {
      outcomeUnknown: true,
    });
  });
}

/** Whatever BullMQ or the client threw, as `AppError` of kind `storage`. */
export function translateRedisError(error: unknown, what: string): AppError {
  if (isAppError(error)) return error;
  const code = redisCodeOf(error);
  return new AppError('storage', `Looks on Redis: ${what} failed${code === undefined ? '' : ` (${code})`}`, {
    cause: error,
    code,
    // Redis answered, or the command never left; after any other failure it may have been carried out.
    outcomeUnknown: !(error instanceof ErrorReply || error instanceof TimeoutError),
  });
}

/** Of an error reply its first word, which by the Redis protocol (RESP) is its code; of other errors their `code`. */
function redisCodeOf(error: unknown): string | number | undefined {
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0];
  if (error instanceof Error && 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) {
    return error.code;
  }
  return undefined;
}
