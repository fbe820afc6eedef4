import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:net';
import { createClient } from 'redis';
import { eventually } from '../eventually.ts';
import { canRun, redisBinary, redisLayer } from '../layers.ts';
import { freePort } from './free-port.ts';

/** A real redis-server without persistence: its data is lost after `kill` or `stop`. */
export interface RedisServer {
  /** Stays the same after a restart. */
  url: string;
  /** Deletes all data. */
  flush(): Promise<void>;
  /** Kills the process, like a crash (SIGKILL). */
  kill(): Promise<void>;
  /** Starts the server again on the same port. */
  restart(): Promise<void>;
  /** Freezes the process: connections stay open but get no replies. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Whether a redis-server is installed; without one, throws when `REQUIRE_REDIS=1` (CI). */
export function hasRedisServer(): boolean {
  return canRun(redisLayer);
}

/** Starts a redis-server with additional `args` on a free port of 127.0.0.1 and waits until it replies. */
export async function startRedisServer(args: string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await spawnServer(port, url, args);

  const kill = () => end(server);
  return {
    url,
    flush: () => withClient(url, (client) => client.flushAll()),
    kill,
    async restart() {
      await kill();
      server = await spawnServer(port, url, args);
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    // A paused process reacts only to SIGKILL, and there is no data to save.
    stop: kill,
  };
}

/** Makes a fake Redis listen on a free port of 127.0.0.1; returns its URL. */
export async function listenAsRedis(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `redis://127.0.0.1:${address.port}`;
}

async function spawnServer(port: number, url: string, args: string[]): Promise<ChildProcess> {
  const server = spawn(
    redisBinary,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...args],
    { stdio: 'ignore' },
  );
  killWithUs(server);
  await eventually(async () => {
    if (server.exitCode !== null) throw new Error(`redis-server ended with exit code ${server.exitCode}`);
    // Connecting is enough: a server with a password would refuse commands of this client.
    await withClient(url, async () => {});
  });
  return server;
}

async function withClient(
  url: string,
  use: (client: ReturnType<typeof createClient>) => Promise<unknown>,
): Promise<void> {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  try {
    await client.connect();
    await use(client);
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** Kills the server when this process ends, even by SIGKILL: the pipe to a small watcher closes then. */
function killWithUs(server: ChildProcess): void {
  const watcher = spawn('sh', ['-c', `read _; kill -9 ${server.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.unref();
  server.once('exit', () => watcher.kill('SIGKILL'));
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await ended;
}
