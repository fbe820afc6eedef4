import { randomUUID } from 'node:crypto';
import type { DemoOptions } from './arguments.ts';
import { type Child, describeEnd } from './child.ts';
import { DemoProblem } from './problem.ts';
import { type CodeSearchReady, type Ground, type Program, startApp, startCodeSearch } from './programs.ts';
import { type SlackReady, startSlack } from './slack.ts';

/** Where the parts of a running demo are. */
export interface RunningDemo {
  slack: SlackReady;
  codeSearch: CodeSearchReady;
}

export interface Demo {
  /** Starts the three programs. Rejects with a `DemoProblem` when one of them cannot. */
  start(): Promise<RunningDemo>;
  /** Resolves with what to tell when a program ends that nobody asked to. */
  broken: Promise<string>;
  /** Ends every program that was started, also in the middle of a start; resolves when all are gone. */
  stop(): Promise<void>;
}

/** The local Slack, the code search service and the app, as three processes. */
export function createDemo(ground: Ground, options: DemoOptions & { localSlack: string }): Demo {
  const started: Pick<Child, 'stop'>[] = [];
  let stopping = false;
  let tellBroken: (what: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    tellBroken = resolve;
  });

  return { start, broken, stop };

  async function start(): Promise<RunningDemo> {
    const token = randomUUID();
    const [slack, codeSearch] = await Promise.all([
      runSlack(),
      run(startCodeSearch(ground, { ...options, port: options.servicePort ?? 0, token })),
    ]);
    // A stop while all this was starting must not be followed by more.
    if (stopping) throw new DemoProblem('The demo was stopped while it started.');
    const app = { slackUrl: slack.url, serviceUrl: codeSearch.url, token, port: options.appPort ?? 0 };
    await run(startApp(ground, app));
    return { slack, codeSearch };
  }

  async function runSlack(): Promise<SlackReady> {
    const { localSlack: program, slackPort: port = 0, namespace } = options;
    const starting = startSlack(ground, { program, port, namespace });
    started.push({ stop: async () => (await starting.catch(() => undefined))?.stop() });
    return watch(await starting);
  }

  function run<Ready>(program: Program<Ready>): Promise<Ready> {
    started.push(program.child);
    return watch(program);
  }

  function watch<Ready>({ child, ready }: Program<Ready>): Promise<Ready> {
    void child.ended.then((how) => {
      if (!stopping) tellBroken(describeEnd(child, how));
    });
    return ready;
  }

  async function stop(): Promise<void> {
    stopping = true;
    // The app first: it may still have something to say to the other two.
    for (const part of started.toReversed()) await part.stop();
  }
}
