import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { eventually } from '../eventually.ts';
import { freePort } from '../processes/free-port.ts';

/** Delay before the supervisor restarts an ended process. */
const restartDelayMs = 100;

/** Time limit of a start, which waits for Redis; Redis may be away for 5 s. */
const readyTimeoutMs = 60_000;

/** One copy of the app on a fixed port, restarted each time it ends, as on a container platform. */
export interface SupervisedApp {
  url: string;
  /** Number of starts. */
  starts(): number;
  pid(): number | undefined;
  /** Whether the app accepts requests, even if it is not ready. */
  isListening(): Promise<boolean>;
  /** Its metrics in Prometheus' text format; undefined while the app is down. */
  metrics(): Promise<string | undefined>;
  /** Kills the app, like a crash (SIGKILL); the supervisor restarts it. False when it was not running. */
  kill(): boolean;
  /** Stops the app, like a deploy (SIGTERM), and returns its exit code; the supervisor starts the next one. */
  replace(): Promise<number | null>;
  untilReady(): Promise<void>;
  /** Stops the app and the supervisor (SIGTERM, then SIGKILL). */
  stop(): Promise<void>;
}

/** Starts `mainFile` (built JavaScript) with these settings on a free port; appends its log to `logFile`. */
export async function superviseApp(setup: {
  mainFile: string;
  settings: Record<string, string>;
  logFile: string;
}): Promise<SupervisedApp> {
  const port = await freePort();
  const metricsPort = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = createWriteStream(setup.logFile, { flags: 'a' });
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const env = { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', ...ports, ...setup.settings };
  let child: ChildProcess | undefined;
  let starts = 0;
  let isStopped = false;
  let restart: NodeJS.Timeout | undefined;
  start();

  return {
    url,
    starts: () => starts,
    pid: () => child?.pid,
    isListening: async () => (await get('livez')) !== undefined,
    metrics: () => get('metrics', `http://127.0.0.1:${metricsPort}`),
    kill: () => child?.kill('SIGKILL') ?? false,
    replace: async () => {
      const last = child;
      if (last === undefined) return null;
      const ended = once(last, 'exit');
      last.kill('SIGTERM');
      await ended;
      return last.exitCode;
    },
    untilReady: () =>
      eventually(
        async () => {
          if ((await get('readyz')) === undefined) throw new Error(`the app at ${url} is not ready`);
        },
        { timeoutMs: readyTimeoutMs },
      ),
    stop,
  };

  function start(): void {
    starts += 1;
    const started = spawn(process.execPath, [setup.mainFile], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    started.stdout.pipe(log, { end: false });
    started.stderr.pipe(log, { end: false });
    started.once('exit', () => {
      child = undefined;
      if (!isStopped) restart = setTimeout(start, restartDelayMs);
    });
  }

  async function get(path: string, server = url): Promise<string | undefined> {
    try {
      const response = await fetch(`${server}/${path}`, { signal: AbortSignal.timeout(3_000) });
      const text = await response.text();
      return response.ok ? text : undefined;
    } catch {
      return undefined;
    }
  }

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(restart);
    const last = child;
    if (last === undefined) return;
    const ended = once(last, 'exit');
    last.kill('SIGTERM');
    const impatience = setTimeout(() => last.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(impatience);
  }
}
