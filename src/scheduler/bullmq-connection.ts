import { setTimeout as wait } from 'node:timers/promises';
import { createNodeRedisClient, type IRedisClient } from 'bullmq';
import { ErrorReply, TimeoutError } from 'redis';
import { AppError, isAppError } from '../core/errors.ts';
import { withTimeout } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import { createRedisClient, type RedisClient } from '../redis-client.ts';

/**
 * BullMQ's worker would wait up to 10 s for the signal that a job is due. The signal is lost when a process dies after
 * taking it, and whenever the wait fails. Also, a waiting connection must not look dead.
 */
const LONGEST_BLOCK_S = 2;

/**
 * BullMQ's worker retries at once when Redis refuses a command (`-LOADING`, `-READONLY`, `-OOM`). This pause after each
 * failure limits it to a few tries per second instead of thousands.
 */
const FAILURE_PAUSE_MS = 250;

/**
 * While some commands fail, others succeed (reads during `-READONLY`). Redis counts as back only after this time
 * without a failure.
 */
const QUIET_BEFORE_BACK_MS = 2_000;

export interface BullConnectionDeps {
  redisUrl: string;
  log: Log;
  /** In [0, 1). */
  random: () => number;
}

/**
 * One client for commands, and one blocking client per call of `bull.duplicate()`. Each client reconnects
 * automatically.
 */
export interface BullConnection {
  client: RedisClient;
  /** The same client as BullMQ's type. A caller of `duplicate()` owns the duplicate. */
  bull: IRedisClient;
  /** Runs commands of `client` and records whether they succeed, as for BullMQ's own commands. */
  run<T>(commands: () => Promise<T>): Promise<T>;
  /** Closes all connections at once. */
  destroy(): void;
}

/** Connects within `deadlineMs`, or throws `AppError` of kind `storage`. */
export async function openBullConnection(
  { redisUrl, log, random }: BullConnectionDeps,
  deadlineMs: number,
): Promise<BullConnection> {
  const clients = new Set<RedisClient>();
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

  function createRawClient(): RedisClient {
    // Check the URL here, because the client's error would repeat it with its password.
    if (!/^rediss?:\/\//.test(redisUrl) || !URL.canParse(redisUrl)) {
      throw new AppError('storage', 'The URL of Redis is not one');
    }
    const client = createRedisClient(redisUrl, random);
    client.on('error', noteFailure);
    clients.add(client);
    return client;
  }

  /**
   * Reconnects clients that are ready: a server that became a replica has a new primary behind the same name. Other
   * clients are already connecting.
   */
  function reconnect(): void {
    for (const client of clients) {
      if (isDestroyed || !client.isReady) continue;
      client.destroy();
      // Retries until it succeeds. Its failures arrive as `error` events.
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

  function adapt(client: RedisClient): IRedisClient {
    const adapter = createNodeRedisClient(client);
    // BullMQ removes its listener when it closes, and an error without a listener would end the process.
    adapter.on('error', () => {});
    const runCommand = adapter.runCommand.bind(adapter);
    const bzpopmin = adapter.bzpopmin.bind(adapter);
    adapter.runCommand = (name, args) => run(() => runCommand(name, args));
    adapter.bzpopmin = (key, timeoutS) => run(() => bzpopmin(key, Math.min(timeoutS, LONGEST_BLOCK_S)));
    const connect = adapter.connect.bind(adapter);
    // A late connect by BullMQ would leave a connection open forever.
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
    throw new AppError('storage', `The scheduler on Redis: ${what} did not finish within ${deadlineMs} ms`, {
      outcomeUnknown: true,
    });
  });
}

/** Converts any error of BullMQ or the client to `AppError` of kind `storage`. */
export function translateRedisError(error: unknown, what: string): AppError {
  if (isAppError(error)) return error;
  const code = redisCodeOf(error);
  return new AppError('storage', `The scheduler on Redis: ${what} failed${code === undefined ? '' : ` (${code})`}`, {
    cause: error,
    code,
    // The outcome is known if Redis replied or the command was never sent. After any other failure Redis may have
    // executed it.
    outcomeUnknown: !(error instanceof ErrorReply || error instanceof TimeoutError),
  });
}

/**
 * The code of an error: the first word of an error reply (its code in the Redis protocol, RESP), or the `code` of other
 * errors.
 */
function redisCodeOf(error: unknown): string | number | undefined {
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0];
  if (error instanceof Error && 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) {
    return error.code;
  }
  return undefined;
}
