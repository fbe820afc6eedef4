import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, describeEnd, startChild } from './child.ts';
import { inNamespace } from './namespace.ts';
import { DemoProblem } from './problem.ts';
import { SLACK_TOKENS, workspaceConfig } from './workspace.ts';

/** Everything listens for this machine only, as far as it can be told to. */
const host = '127.0.0.1';

/** A program that takes longer than this to begin is taken for broken. */
const readyDeadlineMs = 30_000;
const readyPollMs = 25;

/** A program of the demo: the process at once, and what is known of it when it is ready. */
export interface Program<Ready> {
  child: Child;
  /** Rejects with a `DemoProblem` when the process ends or takes too long. */
  ready: Promise<Ready>;
}

/** What every program of the demo is started with. */
export interface Ground {
  /** An existing folder for data and logs. */
  folder: string;
  /** What of the environment is handed on: nothing that could configure the app. */
  environment: Record<string, string>;
}

/**
 * Starts the local Slack, whose program is at a path. Where `relay` is given it runs in a network namespace, as if on this
 * port, and is reached through a unix socket; else it listens on a free port of every interface.
 */
export function startLocalSlack(
  ground: Ground,
  program: string,
  relay?: { socketPath: string; port: number },
): Program<{ url: string }> {
  const config = join(ground.folder, 'workspace.json');
  writeFileSync(config, JSON.stringify(workspaceConfig(), undefined, 2));
  const port = String(relay?.port ?? 0);
  const slack = [program, '--config', config, '--port', port, '--base-host', host];
  const command =
    relay === undefined
      ? ownProgram('demo/local-slack-process', slack)
      : inNamespace(ownProgram('demo/local-slack-process', ['--relay', relay.socketPath, port, ...slack]));
  const child = start(ground, { name: 'The local Slack', log: 'local-slack', ...command });
  const ready = child.firstLine((line) => /Web UI:\s+(http:\S+)/.exec(line)?.[1], readyDeadlineMs);
  return { child, ready: ready.then((url) => ({ url })) };
}

/** What the code search service tells about itself once it answers. */
export interface CodeSearchReady {
  url: string;
  repositories: string[];
  files: number;
}

/** Starts the embedded code search service. A port of 0 takes a free one. */
export function startCodeSearch(
  ground: Ground,
  setup: { repositories: readonly string[]; port: number; token: string; stepDelayMs: number },
): Program<CodeSearchReady> {
  const args = [
    ...setup.repositories.flatMap((repository) => ['--repo', repository]),
    ...['--port', String(setup.port), '--token', setup.token, '--data-dir', join(ground.folder, 'codesearch')],
    ...['--step-delay', String(setup.stepDelayMs)],
  ];
  const child = start(ground, {
    name: 'The code search service',
    log: 'codesearch',
    ...ownProgram('codesearch/main', args),
  });
  return { child, ready: child.firstLine(readCodeSearchReady, readyDeadlineMs) };
}

/** Starts the app, and waits until Slack reaches it. `settings` are added to those the demo needs. */
export function startApp(
  ground: Ground,
  setup: { slackUrl: string; serviceUrl: string; token: string; port: number; settings?: Record<string, string> },
): Program<{ url: string }> {
  const child = start(
    {
      ...ground,
      environment: {
        ...ground.environment,
        SLACK_BOT_TOKEN: SLACK_TOKENS.botToken,
        SLACK_APP_TOKEN: SLACK_TOKENS.appToken,
        SLACK_API_URL: `${setup.slackUrl}/api/`,
        // It tells of no person whether they are a guest, and of no channel whether others share it.
        SLACK_STAND_IN: 'true',
        SRC_ENDPOINT: setup.serviceUrl,
        SRC_ACCESS_TOKEN: setup.token,
        DATA_DIR: join(ground.folder, 'app'),
        HOST: host,
        PORT: String(setup.port),
        // Two demos on one machine must not want the same port.
        METRICS_PORT: '0',
        // The local Slack does not draw Slack's own Markdown blocks.
        MESSAGE_FORMAT: 'mrkdwn',
        // It has no rate limits either, so cards may move sooner than Slack would like.
        CARD_EDIT_MS: '2000',
        ...setup.settings,
      },
    },
    { name: 'The app', log: 'app', ...ownProgram('main', []) },
  );
  return { child, ready: child.firstLine(readAppPort, readyDeadlineMs).then((port) => untilReady(child, port)) };
}

/** A program of this project, run from source or as built, like the demo itself. */
function ownProgram(path: string, args: string[]): { command: string; args: string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`../${path}.${isSource ? 'ts' : 'js'}`, import.meta.url));
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, file, ...args] };
}

function start(
  ground: Ground,
  { name, log, command, args }: { name: string; log: string; command: string; args: string[] },
): Child {
  return startChild({
    name,
    command,
    args,
    env: ground.environment,
    cwd: ground.folder,
    logFile: join(ground.folder, `${log}.log`),
  });
}

function readCodeSearchReady(line: string): CodeSearchReady | undefined {
  const said = parseLine(line);
  if (said.event !== 'ready') return undefined;
  const { url, repositories, files } = said;
  if (typeof url !== 'string' || typeof files !== 'number' || !Array.isArray(repositories)) return undefined;
  return { url, files, repositories: repositories.map(String) };
}

function readAppPort(line: string): number | undefined {
  const said = parseLine(line);
  return said.event === 'app_started' && typeof said.port === 'number' ? said.port : undefined;
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The app says that it started before Slack has connected; `/readyz` knows when it has. */
async function untilReady(child: Child, port: number): Promise<{ url: string }> {
  const url = `http://${host}:${port}`;
  const deadlineMs = performance.now() + readyDeadlineMs;
  let ending: string | undefined;
  void child.ended.then((how) => {
    ending = how;
  });
  for (;;) {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(readyDeadlineMs) }).catch(
      () => undefined,
    );
    await response?.body?.cancel();
    if (response?.ok) return { url };
    if (ending !== undefined) throw new DemoProblem(describeEnd(child, ending));
    if (performance.now() > deadlineMs) {
      throw new DemoProblem(describeEnd(child, `was not ready after ${readyDeadlineMs / 1000} s`));
    }
    await new Promise((resolve) => setTimeout(resolve, readyPollMs));
  }
}
