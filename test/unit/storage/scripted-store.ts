import { openRedisStore } from '../../../src/storage/redis-store.ts';
import {
  bulk,
  type ScriptedRedis,
  type ScriptedReply,
  startScriptedRedis,
} from '../../support/processes/scripted-redis.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const closers: (() => Promise<void>)[] = [];

/** Ends the stores and servers of a test. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export type Answer = (name: string, args: string[]) => ScriptedReply | undefined;

const fit = 'redis_version:7.2.4\r\nmaxmemory_policy:noeviction\r\n';

/** A Redis that is fit for the store as far as its `info` is, and answers as given. */
export async function serve(answer: Answer = () => undefined, info = fit): Promise<ScriptedRedis> {
  const server = await startScriptedRedis(
    (name, args) => answer(name, args) ?? (name === 'INFO' ? bulk(info) : undefined),
  );
  closers.push(() => server.stop());
  return server;
}

/** The store in `server`; what was sent to open it is not among the commands. */
export async function open(server: ScriptedRedis, recording = createRecordingLog(), credentials = '') {
  const store = await openRedisStore(server.url.replace('redis://', `redis://${credentials}`), recording.log);
  closers.push(() => store.close());
  server.commands.length = 0;
  return store;
}

/** A store whose server answers `command` as given, once the store is open. */
export async function openAnswering(command: string, reply: ScriptedReply) {
  let isOpen = false;
  const server = await serve((name) => (isOpen && name === command ? reply : undefined));
  const recording = createRecordingLog();
  const store = await open(server, recording);
  isOpen = true;
  return { server, store, recording };
}
