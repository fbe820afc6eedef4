import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, describeEnd, startChild } from './child.ts';
import { inNamespace } from './namespace.ts';
import { DemoProblem } from './problem.ts';
import { SLACK_TOKENS, WORKSPACE, workspaceConfig } from './workspace.ts';

/** The programs listen on this machine only, except the local Slack, which has no such setting. */
const host = '127.0.0.1';

/** A program that takes longer than this to start counts as failed. */
const readyDeadlineMs = 60_000;
const readyPollMs = 25;

/** A program of the demo: its process, and details once it is ready. */
export interface Program<Ready> {
  child: Child;
  /** Rejects with a `DemoProblem` when the process ends or takes too long. */
  ready: Promise<Ready>;
}

/** The setup that all programs of the demo share. */
export interface BaseSetup {
  /** An existing folder for data and logs. */
  folder: string;
  /** Environment variables passed to the programs; none of them configures the app. */
  environment: Record<string, string>;
  /** Environment variables of the model, for the code search service alone; used with a model only. */
  modelEnvironment?: Record<string, string>;
  /** Starts the programs from this built form of `src`. By default they are started like the demo itself. */
  dist?: string | undefined;
}

/**
 * Starts the local Slack program at the given path. With `relay` it runs in a network namespace, uses this port there
 * and is reached through a unix socket. Otherwise it listens on a free port of every network interface.
 */
export function startLocalSlack(
  base: BaseSetup,
  program: string,
  relay?: { socketPath: string; port: number },
): Program<{ url: string }> {
  const config = join(base.folder, 'workspace.json');
  writeFileSync(config, JSON.stringify(workspaceConfig(), undefined, 2));
  const port = String(relay?.port ?? 0);
  const slack = [program, '--config', config, '--port', port, '--base-host', host];
  const command =
    relay === undefined
      ? ownProgram(base, 'demo/local-slack-process', slack)
      : inNamespace(ownProgram(base, 'demo/local-slack-process', ['--relay', relay.socketPath, port, ...slack]));
  const child = start(base, { name: 'The local Slack', log: 'local-slack', ...command });
  const ready = child.firstLine((line) => /Web UI:\s+(http:\S+)/.exec(line)?.[1], readyDeadlineMs);
  return { child, ready: ready.then((url) => ({ url })) };
}

/** What the code search service reports once it is ready. */
export interface CodeSearchReady {
  url: string;
  repositories: string[];
  files: number;
}

/** Starts the embedded code search service. Port 0 chooses a free one. */
export function startCodeSearch(
  base: BaseSetup,
  setup: {
    repositories: readonly string[];
    port: number;
    /** The first token is that of the site admin. */
    tokens: readonly string[];
    /** Holds up each step of an answer, for tests that watch or cancel one. */
    stepDelayMs?: number;
    /** A file of `--repo-access`. */
    accessFile?: string;
    model?: { baseUrl: string; name: string };
  },
): Program<CodeSearchReady> {
  const args = [
    ...setup.repositories.flatMap((repository) => ['--repo', repository]),
    ...setup.tokens.flatMap((token) => ['--token', token]),
    ...['--port', String(setup.port), '--data-dir', dataOfCodeSearch(base)],
    ...(setup.model === undefined ? [] : ['--llm-base-url', setup.model.baseUrl, '--llm-model', setup.model.name]),
    ...(setup.accessFile === undefined ? [] : ['--repo-access', setup.accessFile]),
    // The links to conversations in the local Slack open in a browser that is not signed in.
    '--sharing',
    ...(setup.stepDelayMs === undefined ? [] : ['--step-delay', String(setup.stepDelayMs)]),
  ];
  const environment = { ...base.environment, ...(setup.model === undefined ? {} : base.modelEnvironment) };
  const child = start(
    { ...base, environment },
    {
      name: 'The code search service',
      log: 'codesearch',
      ...ownProgram(base, 'codesearch/main', args),
    },
  );
  return { child, ready: child.firstLine(readCodeSearchReady, readyDeadlineMs) };
}

/** Registers the app at the running service, so that people can sign in there. Resolves to the id of the OAuth app. */
export function registerOAuthApp(base: BaseSetup, redirectUri: string): Program<string> {
  const data = ['--data-dir', dataOfCodeSearch(base)];
  const command = ['oauth-app', 'create', '--name', 'Deep Search for Slack', '--redirect-uri', redirectUri, ...data];
  const child = start(base, {
    name: 'The registration of the app',
    log: 'oauth-app',
    ...ownProgram(base, 'codesearch/main', command),
  });
  return { child, ready: child.firstLine(readClientId, readyDeadlineMs) };
}

function dataOfCodeSearch({ folder }: BaseSetup): string {
  return join(folder, 'codesearch');
}

/** Starts the app and waits until it is connected to Slack. `settings` are added to those of the demo. */
export function startApp(
  base: BaseSetup,
  setup: { slackUrl: string; serviceUrl: string; token: string; port: number; settings?: Record<string, string> },
): Program<{ url: string }> {
  const child = start(
    {
      ...base,
      environment: {
        ...base.environment,
        SLACK_BOT_TOKEN: SLACK_TOKENS.botToken,
        SLACK_APP_TOKEN: SLACK_TOKENS.appToken,
        SLACK_API_URL: `${setup.slackUrl}/api/`,
        // The local Slack does not report guests or shared channels.
        SLACK_STAND_IN: 'true',
        SRC_ENDPOINT: setup.serviceUrl,
        SRC_ACCESS_TOKEN: setup.token,
        DATA_DIR: join(base.folder, 'app'),
        // The local Slack has no admins.
        ADMINS: WORKSPACE.alice,
        HOST: host,
        PORT: String(setup.port),
        // Any free port, so that two demos can run on one machine.
        METRICS_PORT: '0',
        // The local Slack does not render Markdown blocks.
        MESSAGE_FORMAT: 'mrkdwn',
        // The local Slack has no rate limits, so cards may change more often than in Slack.
        CARD_EDIT_MS: '2000',
        ...setup.settings,
      },
    },
    { name: 'The app', log: 'app', ...ownProgram(base, 'main', []) },
  );
  return { child, ready: child.firstLine(readAppPort, readyDeadlineMs).then((port) => untilReady(child, port)) };
}

/** The command for a program of this project: from source or built, like the demo itself. */
function ownProgram({ dist }: BaseSetup, path: string, args: string[]): { command: string; args: string[] } {
  const isSource = dist === undefined && import.meta.url.endsWith('.ts');
  const folder = dist ?? fileURLToPath(new URL('..', import.meta.url));
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, join(folder, `${path}.${isSource ? 'ts' : 'js'}`), ...args] };
}

function start(
  base: BaseSetup,
  { name, log, command, args }: { name: string; log: string; command: string; args: string[] },
): Child {
  return startChild({
    name,
    command,
    args,
    env: base.environment,
    cwd: base.folder,
    logFile: join(base.folder, `${log}.log`),
  });
}

function readCodeSearchReady(line: string): CodeSearchReady | undefined {
  const entry = parseLine(line);
  if (entry.event !== 'ready') return undefined;
  const { url, repositories, files } = entry;
  if (typeof url !== 'string' || typeof files !== 'number' || !Array.isArray(repositories)) return undefined;
  return { url, files, repositories: repositories.map(String) };
}

function readClientId(line: string): string | undefined {
  const { clientId } = parseLine(line);
  return typeof clientId === 'string' ? clientId : undefined;
}

function readAppPort(line: string): number | undefined {
  const entry = parseLine(line);
  return entry.event === 'app_started' && typeof entry.port === 'number' ? entry.port : undefined;
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The app reports its start before it is connected to Slack; `/readyz` shows when it is connected. */
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
