import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Child, describeEnd, startChild } from './child.ts';
import { DemoProblem } from './problem.ts';

/** The programs listen on this machine only. */
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

const slackReady = z.object({
  event: z.literal('ready'),
  /** The address of the page, for people. */
  url: z.string(),
  apiUrl: z.string(),
  botToken: z.string(),
  appToken: z.string(),
  /** Ids of the workspace's admins. */
  admins: z.array(z.string()),
});

/** What the local Slack reports once it is ready. */
export type SlackReady = z.infer<typeof slackReady>;

/** Starts a Slack workspace on this machine. Port 0 chooses a free one. */
export function startLocalSlack(base: BaseSetup, port: number): Program<SlackReady> {
  const child = start(base, { name: 'The local Slack', log: 'local-slack', path: 'local-slack/main' }, [
    '--port',
    String(port),
  ]);
  return { child, ready: child.firstLine(slackReady, readyDeadlineMs) };
}

const codeSearchReady = z.object({
  event: z.literal('ready'),
  url: z.string(),
  repositories: z.array(z.string()),
  files: z.number(),
});

/** What the code search service reports once it is ready. */
export type CodeSearchReady = z.infer<typeof codeSearchReady>;

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
  const more = setup.model === undefined ? {} : base.modelEnvironment;
  const child = start(
    base,
    { name: 'The code search service', log: 'codesearch', path: 'codesearch/main' },
    args,
    more,
  );
  return { child, ready: child.firstLine(codeSearchReady, readyDeadlineMs) };
}

const registered = z.object({ clientId: z.string() });

/** Registers the app at the running service, so that people can sign in there. Resolves to the id of the OAuth app. */
export function registerOAuthApp(base: BaseSetup, redirectUri: string): Program<string> {
  const data = ['--data-dir', dataOfCodeSearch(base)];
  const command = ['oauth-app', 'create', '--name', 'Deep Search for Slack', '--redirect-uri', redirectUri, ...data];
  const child = start(
    base,
    { name: 'The registration of the app', log: 'oauth-app', path: 'codesearch/main' },
    command,
  );
  return { child, ready: child.firstLine(registered, readyDeadlineMs).then(({ clientId }) => clientId) };
}

function dataOfCodeSearch({ folder }: BaseSetup): string {
  return join(folder, 'codesearch');
}

const appStarted = z.object({ event: z.literal('app_started'), port: z.number() });

/** Starts the app and waits until it is connected to Slack. `settings` are added to those of the demo. */
export function startApp(
  base: BaseSetup,
  setup: {
    slack: Pick<SlackReady, 'apiUrl' | 'botToken' | 'appToken' | 'admins'>;
    serviceUrl: string;
    token: string;
    port: number;
    settings?: Record<string, string>;
  },
): Program<{ url: string }> {
  const child = start(base, { name: 'The app', log: 'app', path: 'main' }, [], {
    SLACK_BOT_TOKEN: setup.slack.botToken,
    SLACK_APP_TOKEN: setup.slack.appToken,
    SLACK_API_URL: setup.slack.apiUrl,
    SRC_ENDPOINT: setup.serviceUrl,
    SRC_ACCESS_TOKEN: setup.token,
    DATA_DIR: join(base.folder, 'app'),
    ADMINS: setup.slack.admins.join(','),
    HOST: host,
    PORT: String(setup.port),
    // Any free port, so that two demos can run on one machine.
    METRICS_PORT: '0',
    ...setup.settings,
  });
  return { child, ready: child.firstLine(appStarted, readyDeadlineMs).then(({ port }) => untilReady(child, port)) };
}

/** Starts a program of this project: from source or built, like the demo itself. */
function start(
  base: BaseSetup,
  { name, log, path }: { name: string; log: string; path: string },
  args: string[],
  more: Record<string, string> = {},
): Child {
  const isSource = base.dist === undefined && import.meta.url.endsWith('.ts');
  const folder = base.dist ?? fileURLToPath(new URL('..', import.meta.url));
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return startChild({
    name,
    command: process.execPath,
    args: [...loader, join(folder, `${path}.${isSource ? 'ts' : 'js'}`), ...args],
    env: { ...base.environment, ...more },
    cwd: base.folder,
    logFile: join(base.folder, `${log}.log`),
  });
}

/** The app reports its start before it is connected to Slack; `/readyz` shows when it is connected. */
async function untilReady(child: Child, port: number): Promise<{ url: string }> {
  const url = `http://${host}:${port}`;
  const late = AbortSignal.timeout(readyDeadlineMs);
  const ending = child.ended.then((how) => ({ how }));
  for (;;) {
    const response = await fetch(`${url}/readyz`, { signal: late }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return { url };
    const over = late.aborted ? { how: `was not ready after ${readyDeadlineMs / 1000} s` } : undefined;
    const end = over ?? (await Promise.race([ending, setTimeout(readyPollMs)]));
    if (end !== undefined) throw new DemoProblem(describeEnd(child, end.how));
  }
}
