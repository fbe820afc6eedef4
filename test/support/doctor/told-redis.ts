import { onTestFinished } from 'vitest';
import { bulk, type ScriptedReply, startScriptedRedis } from '../processes/scripted-redis.ts';

/** What a Redis says of itself; a healthy one by default. */
export interface Told {
  version?: string;
  policy?: string;
  isLogged?: boolean;
  sync?: string;
  lastSave?: 'ok' | 'err';
  /** The reply to INFO and CONFIG, instead of what it says. */
  refusal?: ScriptedReply;
}

/** Starts a Redis that says this of itself; stopped at the end of the test. Returns its URL. */
export async function startToldRedis(told: Told = {}): Promise<string> {
  const { version = '7.2.4', policy = 'noeviction', isLogged = true, sync = 'always', lastSave = 'ok' } = told;
  const info = [
    '# Server',
    `redis_version:${version}`,
    `maxmemory_policy:${policy}`,
    `aof_enabled:${isLogged ? 1 : 0}`,
    `rdb_last_bgsave_status:${lastSave}`,
  ].join('\r\n');
  const settings: Record<string, string> = { appendfsync: sync };
  const server = await startScriptedRedis((name, args) => {
    if ((name === 'INFO' || name === 'CONFIG') && told.refusal !== undefined) return told.refusal;
    if (name === 'INFO') return bulk(`${info}\r\n`);
    if (name !== 'CONFIG') return undefined;
    const setting = args.at(-1) ?? '';
    return `*2\r\n${bulk(setting)}${bulk(settings[setting] ?? '')}`;
  });
  onTestFinished(() => server.stop());
  return server.url;
}
