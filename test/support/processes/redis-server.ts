import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:net';
import { createClient } from 'redis';
import { eventually } from '../eventually.ts';
import { canRun, redisBinary, redisLayer } from '../layers.ts';
import { freePort } from './free-port.ts';

/** A real redis-server of this machine, without persistence: what it held is gone after `kill` or `stop`. */
export interface RedisServer {
  /** Stays the same over a restart. */
  url: string;
  /** Forgets all it holds. */
  flush(): Promise<void>;
  /** Ends the process at once, as a crash would (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Freezes the process: connections stay open, nothing is answered. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Whether a redis-server is installed; throws without one where `REQUIRE_REDIS=1` (CI). */
export function hasRedisServer(): boolean {
  return canRun(redisLayer);
}

/** Starts a redis-server on a free port of 127.0.0.1 and waits until it answers; `args` are further arguments of it. */
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
    // A paused process would not act on anything milder than SIGKILL, and there is nothing to save.
    stop: kill,
  };
}

/** Lets a stand-in for Redis listen on a free port of 127.0.0.1; returns its URL. */
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
    // Connecting is enough: a server with a password answers nothing to this client.
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

/** Ends the server however this process ends, even by SIGKILL: the pipe to a small watcher closes with us. */
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
