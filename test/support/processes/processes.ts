import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Child } from '../../../src/demo/child.ts';
import {
  type BaseSetup,
  type CodeSearchReady,
  type Program,
  startApp,
  startCodeSearch,
} from '../../../src/demo/programs.ts';
import { type SlackReady, startSlack } from '../../../src/demo/slack.ts';
import { createLocalSlack, type LocalSlack } from '../local-slack/local-slack.ts';
import { withoutChannel } from '../without-channel.ts';
import { createSampleRepository } from './sample-repository.ts';
import { createTempDir } from './temp-dir.ts';

export const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));

/** The three processes of the demo; tests can crash and restart each one. */
export interface Stack {
  slack: LocalSlack;
  /** The page of the local Slack, as in the demo. */
  pageUrl: string;
  codeSearch: CodeSearchReady;
  /** Access token of the code search service. */
  token: string;
  appUrl: () => string;
  /** Kills the app, like a crash (SIGKILL). */
  crashApp(): Promise<void>;
  /** Starts the app again with the same data. */
  restartApp(): Promise<void>;
  crashCodeSearch(): Promise<void>;
  /** Starts the service again with the same data and port. */
  restartCodeSearch(): Promise<void>;
  stop(): Promise<void>;
}

/** Shorter intervals than in production, so that tests are quick. */
const fastSettings = { CARD_EDIT_MS: '100', POLL_FIRST_MS: '100', POLL_MIN_MS: '100', POLL_MAX_MS: '500' };

/** Starts all programs with the sample repository (or the given ones) and free ports. */
export async function startStack(setup: {
  localSlack: string;
  repositories?: string[];
  stepDelayMs?: number;
  /** Settings of the app, added to those of the demo. */
  settings?: Record<string, string>;
}): Promise<Stack> {
  const folder = await createTempDir();
  const base: BaseSetup = { folder: folder.path, environment: { PATH: process.env.PATH ?? '' } };
  const token = randomUUID();
  const live = new Set<Pick<Child, 'stop'>>();
  const sample = setup.repositories ? undefined : await createSampleRepository();
  const repositories = setup.repositories ?? (sample ? [sample.path] : []);

  async function stop(): Promise<void> {
    await Promise.all([...live].map((child) => child.stop()));
    await sample?.remove();
    await folder.remove();
  }

  async function ready<Ready>(program: Program<Ready>): Promise<{ child: Child; ready: Ready }> {
    live.add(program.child);
    void program.child.ended.then(() => live.delete(program.child));
    return { child: program.child, ready: await program.ready };
  }

  /** Reachable from this machine only, if possible, as in the demo. */
  async function runSlack(): Promise<SlackReady> {
    const starting = startSlack(base, { program: setup.localSlack, port: 0, namespace: true });
    live.add({ stop: async () => (await starting.catch(() => undefined))?.stop() });
    return (await starting).ready;
  }

  const runCodeSearch = (port: number) =>
    ready(startCodeSearch(base, { repositories, port, tokens: [token], stepDelayMs: setup.stepDelayMs ?? 0 }));

  try {
    let [slack, codeSearch] = await Promise.all([runSlack(), runCodeSearch(0)]);
    const runApp = () =>
      ready(
        startApp(base, {
          slackUrl: slack.url,
          serviceUrl: codeSearch.ready.url,
          token,
          port: 0,
          settings: { ...fastSettings, ...setup.settings },
        }),
      );
    let app = await runApp();
    return {
      slack: createLocalSlack(slack.url),
      pageUrl: slack.pageUrl,
      codeSearch: codeSearch.ready,
      token,
      appUrl: () => app.ready.url,
      crashApp: () => app.child.kill(),
      restartApp: async () => {
        app = await runApp();
      },
      crashCodeSearch: () => codeSearch.child.kill(),
      restartCodeSearch: async () => {
        codeSearch = await runCodeSearch(Number(new URL(codeSearch.ready.url).port));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const conversationPage = z.object({
  conversations: z.array(z.object({ questions: z.array(z.object({ question: z.string() })) })),
});

/** The questions of each of the newest hundred conversations in the code search service. */
export async function conversationsOf({ codeSearch, token }: Stack): Promise<string[][]> {
  const response = await fetch(`${codeSearch.url}/.api/deepsearch/v1?page_first=100`, {
    headers: { authorization: `token ${token}`, 'x-requested-with': 'e2e' },
  });
  const { conversations } = conversationPage.parse(await response.json());
  return conversations.map(({ questions }) => questions.map(({ question }) => withoutChannel(question)));
}

/** A running program, its output and its exit code. */
export interface Run {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves with the exit code or the signal, after the last output. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** Kills the program if it still runs. */
  stop(): Promise<void>;
}

/** Runs a source file of the project (TypeScript or built JavaScript) with exactly this environment. */
export function runProgram(file: string, args: string[], environment: Record<string, string> = {}): Run {
  const loader = file.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
  return run(process.execPath, [...loader, file, ...args], environment);
}

/** Runs a command; the default folder is the project's. */
export function run(
  command: string,
  args: string[],
  environment: Record<string, string> = {},
  cwd: string = projectFolder,
): Run {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return {
    child,
    output: () => output,
    ended,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Builds the programs into a temporary folder: they start twice as fast as from source. */
export async function buildPrograms(): Promise<{ mainFile: string; remove(): Promise<void> }> {
  const folder = await createTempDir();
  const dist = join(folder.path, 'dist');
  await Promise.all([
    copyFile(join(projectFolder, 'package.json'), join(folder.path, 'package.json')),
    symlink(join(projectFolder, 'node_modules'), join(folder.path, 'node_modules')),
  ]);
  const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const build = run(process.execPath, [compiler, '-p', 'tsconfig.json', '--outDir', dist, '--sourceMap', 'false']);
  const code = await build.ended;
  if (code !== 0) {
    await folder.remove();
    throw new Error(`the build ended with ${code}: ${build.output()}`);
  }
  return { mainFile: join(dist, 'main.js'), remove: folder.remove };
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
