import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { team } from '../../src/local-slack/people.ts';
import { eventually } from '../../test/support/eventually.ts';
import { serviceToken } from '../../test/support/fake-service/fake-service.ts';
import { type Run, runProgram } from '../../test/support/processes/run.ts';
import { signingSecret } from '../../test/support/storm/slack-deliveries.ts';

const startDeadlineMs = 60_000;

export interface Measured {
  run: Run;
  url: string;
}

const fakeServersSchema = z.object({ slackUrl: z.string(), serviceUrl: z.string(), deskUrl: z.string() });
export type FakeServers = z.infer<typeof fakeServersSchema> & { stop(): Promise<void> };

/** A storage for the app, as settings of the app. */
export interface Store {
  name: 'embedded' | 'Redis';
  settings: Record<string, string>;
}

/** Starts the fake Slack and the fake service together in a separate process. */
export async function startFakeServers(): Promise<FakeServers> {
  const run = runProgram(fileOf('fake-servers-process.ts'), []);
  return { ...fakeServersSchema.parse(await firstJson(run)), stop: run.stop };
}

export async function startBareBolt(): Promise<Measured> {
  const run = runProgram(fileOf('bare-bolt-process.ts'), []);
  return { run, ...z.object({ url: z.string() }).parse(await firstJson(run)) };
}

/** Settings of an app that uses the fake servers, with limits too high to affect the measurement. */
export function appSettings(fakeServers: FakeServers, store: Store): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: team.botToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_API_URL: fakeServers.slackUrl,
    SRC_ENDPOINT: fakeServers.serviceUrl,
    SRC_ACCESS_TOKEN: serviceToken,
    SRC_REQUESTS_PER_SECOND: '10000',
    RUNNING_PER_WORKSPACE: '100000',
    RUNNING_PER_PERSON: '100000',
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    ...store.settings,
  };
}

const portsSchema = z.object({ port: z.number(), metricsPort: z.number() });

/** Starts the built app and waits until it reports its start. */
export async function startApp(
  mainFile: string,
  settings: Record<string, string>,
): Promise<Measured & { metricsUrl: string }> {
  const run = runProgram(mainFile, [], settings);
  const { port, metricsPort } = portsSchema.parse(await firstJson(run, 'app_started'));
  return { run, url: `http://127.0.0.1:${port}`, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

/** Runs a file of this folder. */
export function runBench(name: string, args: string[], settings: Record<string, string> = {}): Run {
  return runProgram(fileOf(name), args, settings);
}

/** The first JSON line that a process prints, or the first one with this `event`. `workMs`: what it does before that. */
export async function firstJson(run: Run, event?: string, workMs = 0): Promise<unknown> {
  return eventually(
    () => {
      const line = run
        .output()
        .split('\n')
        .slice(0, -1)
        .find((text) => text.startsWith('{') && (event === undefined || text.includes(`"event":"${event}"`)));
      if (line === undefined) throw new Error(`no word from the process yet: ${run.output().slice(-2_000)}`);
      return JSON.parse(line);
    },
    { timeoutMs: startDeadlineMs + workMs },
  );
}

/** Kills a process. */
export async function kill({ child, ended }: Run): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await ended;
}

function fileOf(name: string): string {
  return join(fileURLToPath(new URL('.', import.meta.url)), name);
}
