import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createClient } from 'redis';
import { eventually } from '../eventually.ts';
import { freePort } from './free-port.ts';

const BINARY = 'redis-server';

/** A real redis-server of this machine, without persistence: what it held is gone after `kill` or `stop`. */
export interface RedisServer {
  /** Stays the same over a restart. */
  url: string;
  /** Ends the process at once, as a crash would (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Freezes the process: connections stay open, nothing is answered. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Whether a redis-server is installed; without one says so loudly, or throws where `REQUIRE_REDIS=1` (CI). */
export function hasRedisServer(): boolean {
  try {
    execFileSync(BINARY, ['--version'], { stdio: 'ignore' });
    return true;
  } catch (cause) {
    const message = 'redis-server is not installed on this machine';
    if (process.env.REQUIRE_REDIS === '1') throw new Error(`${message}, and REQUIRE_REDIS=1`, { cause });
    process.stderr.write(`\n*** ${message}: TESTS ON REDIS ARE SKIPPED ***\n\n`);
    return false;
  }
}

/** Starts a redis-server on a free port of 127.0.0.1 and waits until it answers; `args` are further arguments of it. */
export async function startRedisServer(args: string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await spawnServer(port, url, args);

  const kill = () => end(server);
  return {
    url,
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

async function spawnServer(port: number, url: string, args: string[]): Promise<ChildProcess> {
  const server = spawn(
    BINARY,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...args],
    { stdio: 'ignore' },
  );
  killWithUs(server);
  await eventually(
    async () => {
      if (server.exitCode !== null) throw new Error(`redis-server ended with exit code ${server.exitCode}`);
      const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
      client.on('error', () => {});
      try {
        await client.connect();
      } finally {
        if (client.isOpen) client.destroy();
      }
    },
    { timeoutMs: 15_000 },
  );
  return server;
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
