import { ErrorReply } from 'redis';
import { AppError, isAppError } from '../core/errors.ts';
import { codeOf, type RedisConnection } from './redis-connection.ts';

/** The key of test writes, and one that never holds anything. Neither moves with a store. */
const PROBE_KEY = 'ds:ping';
const NO_KEY = 'ds:ping:none';
/** How long a test write stays, in milliseconds. */
const PROBE_LIFE_MS = 10_000;

/** Tests scripts and writes in one command, because every change of a question is a script that writes. */
const TEST_WRITE = `return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

/**
 * The commands that the store, the scheduler (BullMQ) and the limits send or use in scripts, each with arguments that
 * change nothing where `PROBE_KEY` holds a text: Redis checks their number before the rights of the user. docs/operations.md
 * lists them. Without `INFO` and `CONFIG GET`, whose absence is no failure.
 */
const trials: Record<string, string[]> = {
  BZPOPMIN: [PROBE_KEY, '0.01'],
  DEL: [NO_KEY],
  EVAL: ['return 1', '0'],
  EVALSHA: ['0'.repeat(40), '0'],
  EXISTS: [PROBE_KEY],
  GET: [PROBE_KEY],
  HDEL: [PROBE_KEY, 'x'],
  HEXISTS: [PROBE_KEY, 'x'],
  HGET: [PROBE_KEY, 'x'],
  HGETALL: [PROBE_KEY],
  HINCRBY: [PROBE_KEY, 'x', 'x'],
  HMGET: [PROBE_KEY, 'x'],
  HMSET: [PROBE_KEY, 'x', 'x'],
  HSET: [PROBE_KEY, 'x', 'x'],
  INCR: [PROBE_KEY],
  INCRBY: [PROBE_KEY, 'x'],
  LINDEX: [PROBE_KEY, '0'],
  LLEN: [PROBE_KEY],
  LPOP: [PROBE_KEY],
  LPOS: [PROBE_KEY, 'x'],
  LPUSH: [PROBE_KEY, 'x'],
  LRANGE: [PROBE_KEY, '0', '0'],
  LREM: [PROBE_KEY, '0', 'x'],
  LTRIM: [PROBE_KEY, '0', '-1'],
  PERSIST: [NO_KEY],
  PEXPIRE: [PROBE_KEY, 'x'],
  PEXPIREAT: [PROBE_KEY, 'x'],
  PING: [],
  PTTL: [PROBE_KEY],
  RPOP: [PROBE_KEY],
  RPOPLPUSH: [PROBE_KEY, PROBE_KEY],
  SADD: [PROBE_KEY, 'x'],
  SCAN: ['0', 'COUNT', '1'],
  SCARD: [PROBE_KEY],
  SET: [PROBE_KEY, 'x', 'PX', 'x'],
  SISMEMBER: [PROBE_KEY, 'x'],
  SMEMBERS: [PROBE_KEY],
  SREM: [PROBE_KEY, 'x'],
  SSCAN: [PROBE_KEY, '0'],
  TIME: [],
  UNLINK: [NO_KEY],
  XADD: [PROBE_KEY, '*', 'x', 'x'],
  XTRIM: [PROBE_KEY, 'MAXLEN', '0'],
  ZADD: [PROBE_KEY, 'x', 'x'],
  ZCARD: [PROBE_KEY],
  ZCOUNT: [PROBE_KEY, '0', '0'],
  ZPOPMIN: [PROBE_KEY],
  ZRANGE: [PROBE_KEY, '0', '0'],
  ZRANGEBYSCORE: [PROBE_KEY, '0', '0'],
  ZREM: [PROBE_KEY, 'x'],
  ZREMRANGEBYRANK: [PROBE_KEY, '0', '0'],
  ZREMRANGEBYSCORE: [PROBE_KEY, '0', '0'],
  ZREVRANGE: [PROBE_KEY, '0', '0'],
  ZREVRANGEBYSCORE: [PROBE_KEY, '0', '0'],
  ZSCORE: [PROBE_KEY, 'x'],
};

/** Tested together, because a lone `MULTI` would swallow what else is sent over the connection. */
const transaction = ['EXEC', 'MULTI'];

export const neededCommands: readonly string[] = [...Object.keys(trials), ...transaction].toSorted();

/** What a code of Redis says about its writes. */
const writeProblems: Record<string, string> = {
  READONLY: 'it is a read-only replica: REDIS_URL must name the primary',
  OOM: 'its memory is full',
  MISCONF: 'it can not write to its own disk',
  NOREPLICAS: 'too few of its replicas are there',
};

/** Codes with which a server in cluster mode answers a command about keys. */
const clusterCodes = new Set(['MOVED', 'ASK', 'CROSSSLOT', 'CLUSTERDOWN']);

/** Whether Redis is in cluster mode, by its reply to `INFO`. */
export function isCluster(info: string): boolean {
  return /^(?:cluster_enabled:1|redis_mode:cluster)\s*$/m.test(info);
}

export function clusterRefusal(where: string): AppError {
  return new AppError(
    'storage',
    `Redis at ${where} is in cluster mode, where a script can not change several keys: use one without it (one primary, with any number of replicas)`,
    { code: 'CLUSTER' },
  );
}

/** A command that is renamed or switched off. The code of this reply, `ERR`, is also that of wrong arguments. */
const unknownCommand = 'unknown command';

/** What {@link refusalOf} tells of a command that can't be run. */
const refusals: ReadonlySet<string> = new Set(['NOPERM', 'EXECABORT', unknownCommand]);

/** Which of {@link neededCommands} Redis does not have, or does not let this user run. Leaves nothing behind. */
export function refusedCommands({ client, run, where }: RedisConnection): Promise<string[]> {
  return run('trying its commands', async () => {
    const send = (...command: string[]) => refusalOf(client.sendCommand(command));
    await send('SET', PROBE_KEY, '', 'PX', String(PROBE_LIFE_MS));
    const tried = await Promise.all([
      ...Object.entries(trials).map(async ([name, args]) => ({ names: [name], code: await send(name, ...args) })),
      refusalOf(client.multi().ping().exec()).then((code) => ({ names: transaction, code })),
    ]);
    await send('UNLINK', PROBE_KEY);
    if (tried.some(({ code }) => clusterCodes.has(code))) throw clusterRefusal(where);
    return tried.flatMap(({ names, code }) => (refusals.has(code) ? names : [])).toSorted();
  });
}

export function commandsRefusal(where: string, names: readonly string[]): AppError {
  const rest = names.length > 8 ? ` and ${names.length - 8} more` : '';
  return new AppError(
    'storage',
    `Redis at ${where} does not let this user run ${names.slice(0, 8).join(', ')}${rest}: docs/operations.md lists the commands that the app needs, on the keys ds:*`,
    { code: 'NOPERM' },
  );
}

/** Stores something for some seconds, as the app stores a question. Throws `AppError` of kind `storage` that says why not. */
export async function proveWrites({ client, run, where }: RedisConnection): Promise<void> {
  const write = { keys: [PROBE_KEY], arguments: ['', String(PROBE_LIFE_MS)] };
  try {
    await run('EVAL', () => client.eval(TEST_WRITE, write));
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (clusterCodes.has(String(error.code))) throw clusterRefusal(where);
    const why = writeProblems[String(error.code)];
    if (why === undefined) throw error;
    throw new AppError('storage', `Redis at ${where} takes no writes (${error.code}): ${why}`, {
      cause: error,
      code: error.code,
    });
  }
}

/**
 * The code with which Redis refused a command, or {@link unknownCommand}. Empty if it ran it. Passes on failures of the
 * connection.
 */
async function refusalOf(reply: Promise<unknown>): Promise<string> {
  try {
    await reply;
    return '';
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    return /^ERR unknown command/i.test(error.message) ? unknownCommand : (codeOf(error) ?? 'ERR');
  }
}
