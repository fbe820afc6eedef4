import { setTimeout as wait } from 'node:timers/promises';
import { createKeyv } from '@keyv/redis';
import { createClient, ErrorReply, type RedisClientType, TimeoutError } from 'redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Journal } from '../core/ports.ts';
import { OPERATION_DEADLINE_MS, withDeadline } from './deadline.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { textSerialization } from './text-serialization.ts';

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

const OLDEST_VERSION = [6, 2] as const;

/** `SET` of `ARGV[2]` while the key holds `ARGV[1]`; expiry in ms in `ARGV[3]`, empty for none. */
const COMPARE_AND_SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

type None = Record<never, never>;
type Client = RedisClientType<None, None, None, 2, None>;

/**
 * The store in Redis, shared by any number of processes. Resolves once Redis has answered and is fit for us: version 6.2
 * or later, and never evicting keys. Lost connections are made again by themselves. Throws `AppError` of kind `storage`,
 * which never names the URL, because it may hold a password.
 */
export async function openRedisStore(redisUrl: string, journal: Journal): Promise<KeyValueStore> {
  const connection = createConnection(redisUrl, journal);
  const { client, run, close } = connection;
  try {
    await connection.prove();
    await checkFitness(connection, journal);
  } catch (error) {
    await close();
    throw error;
  }

  const keyv = createKeyv(client, { throwOnErrors: true });
  keyv.serialize = textSerialization.serialize;
  keyv.deserialize = textSerialization.deserialize;

  async function setIfAbsent(key: string, value: string, ttlMs?: number): Promise<boolean> {
    const expiration = ttlMs === undefined ? {} : { expiration: { type: 'PX' as const, value: ttlMs } };
    return (await run('SET NX', () => client.set(key, value, { condition: 'NX', ...expiration }))) !== null;
  }

  return {
    get: (key) => run('GET', () => keyv.get<string>(key)),
    async set(key, value, ttlMs) {
      await run('SET', () => keyv.set(key, value, ttlMs));
    },
    delete: (key) => run('DEL', () => keyv.delete(key)),
    setIfAbsent,
    async compareAndSet(key, expected, next, ttlMs) {
      if (expected === undefined) return setIfAbsent(key, next, ttlMs);
      const done = await run('EVAL', () =>
        client.eval(COMPARE_AND_SET, { keys: [key], arguments: [expected, next, ttlMs?.toString() ?? ''] }),
      );
      return done === 1;
    },
    async addMember(set, member) {
      await run('SADD', () => client.sAdd(set, member));
    },
    async removeMember(set, member) {
      await run('SREM', () => client.sRem(set, member));
    },
    members: (set) => run('SMEMBERS', () => client.sMembers(set)),
    async ping() {
      await run('PING', () => client.ping());
    },
    close,
  };
}

interface Connection {
  client: Client;
  /** Host and port, for messages. */
  where: string;
  /** Connects and waits for the first answer. */
  prove(): Promise<void>;
  /** Runs one operation within the deadline, with every failure translated. */
  run<T>(command: string, operation: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

function createConnection(redisUrl: string, journal: Journal): Connection {
  const where = describeUrl(redisUrl);
  let isProven = false;
  let isLost = false;
  let isClosed = false;
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
    if (!isProven || isLost || isClosed) return;
    isLost = true;
    journal.warn({ event: 'storage.redis', outcome: 'lost' }, error);
  });
  client.on('ready', () => {
    if (!isLost) return;
    isLost = false;
    journal.info({ event: 'storage.redis', outcome: 'back' });
  });

  /** Only for a client that is ready: one that is not is connecting already, and would then do so twice at once. */
  function reconnect(): void {
    if (isClosed || !client.isReady) return;
    client.destroy();
    // Tries until it succeeds; its failures are reported as `error` events.
    client.connect().catch(() => {});
  }

  async function run<T>(command: string, operation: () => Promise<T>): Promise<T> {
    if (isClosed) throw new AppError('storage', 'The Redis store is closed');
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
        {
          cause: lastError,
          code,
        },
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
    if (isClosed) return;
    isClosed = true;
    // Not left to the client: the adapter of Keyv connects a closed client again for an operation that comes late.
    await Promise.allSettled(running);
    if (client.isReady) {
      try {
        await withDeadline(client.close(), CLOSE_DEADLINE_MS, 'Closing');
        return;
      } catch {
        // Commands without an answer until now will not get one.
        client.destroy();
      }
    } else if (client.isOpen) {
      client.destroy();
    }
  }

  return { client, where, prove, run, close };
}

/** Where Redis does not tell (`INFO` is forbidden on some managed ones), only warns. */
async function checkFitness({ client, run, where }: Connection, journal: Journal): Promise<void> {
  const info = await readInfo();
  const version = /^redis_version:(\d+)\.(\d+)/m.exec(info);
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];

  if (version === null || policy === undefined) {
    journal.warn({ event: 'storage.redis', outcome: 'unchecked', version: version?.[0], policy });
  }
  if (version !== null && compareVersions([Number(version[1]), Number(version[2])], OLDEST_VERSION) < 0) {
    throw new AppError(
      'storage',
      `Redis at ${where} is too old: at least version ${OLDEST_VERSION.join('.')} is needed`,
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    throw new AppError(
      'storage',
      `Redis at ${where} would drop questions when its memory is full: set its maxmemory-policy to noeviction (it is ${policy})`,
    );
  }

  async function readInfo(): Promise<string> {
    try {
      return await run('INFO', () => client.info());
    } catch (error) {
      if (isAppError(error) && (error.code === 'NOPERM' || error.code === 'ERR')) return '';
      throw error;
    }
  }
}

function compareVersions(left: readonly [number, number], right: readonly [number, number]): number {
  return left[0] - right[0] || left[1] - right[1];
}

function describeUrl(redisUrl: string): string {
  // Looked at before the client does, whose own errors repeat the URL.
  const url = URL.canParse(redisUrl) ? new URL(redisUrl) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || !/^\/?\d*$/.test(url.pathname)) {
    throw new AppError(
      'storage',
      'REDIS_URL must look like redis://[user:password@]host[:port][/number] (rediss: for TLS)',
    );
  }
  return `${url.hostname}:${url.port || '6379'}`;
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
