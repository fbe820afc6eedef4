import { createClient, type RedisClientType } from 'redis';

const CONNECT_TIMEOUT_MS = 1_500;
const LONGEST_RECONNECT_WAIT_MS = 1_000;
/**
 * A command that is not sent within this time is dropped, well before its caller is told that it failed. It does not affect
 * commands that were sent.
 */
const QUEUE_TIMEOUT_MS = 1_500;
const QUEUE_LENGTH = 10_000;
/**
 * A connection without any traffic for `SILENCE_LIMIT_MS` is dead and is replaced. Pings keep an idle connection from
 * looking dead. Without this limit, a peer that disappeared without closing would block the client for many minutes.
 */
const PING_INTERVAL_MS = 2_000;
const SILENCE_LIMIT_MS = 5_000;

type None = Record<never, never>;
/** A client without Redis modules, as Keyv's adapter requires. */
export type RedisClient = RedisClientType<None, None, None, 2, None>;

/** For each new set of options the library builds a class of 400 commands, which takes 90 ms. Duplicates share one. */
let template: RedisClient | undefined;

/**
 * Creates a client that is not connected yet and reconnects without end. `permanent`: whether a failure to connect is not worth
 * another try. Throws if the URL is unusable, with the URL and its password in the error.
 */
export function createRedisClient(
  url: string,
  random: () => number,
  permanent: (cause: Error) => boolean = () => false,
): RedisClient {
  template ??= createClient<None, None, None, 2, None>();
  return template.duplicate({
    url,
    commandsQueueMaxLength: QUEUE_LENGTH,
    commandOptions: { timeout: QUEUE_TIMEOUT_MS },
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_LIMIT_MS,
      reconnectStrategy: (attempt, cause) =>
        permanent(cause)
          ? cause
          : Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + random() / 2)),
    },
  });
}
