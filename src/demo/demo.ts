import { randomUUID } from 'node:crypto';
import type { DemoOptions } from './arguments.ts';
import { type Child, describeEnd } from './child.ts';
import {
  type CodeSearchReady,
  type Ground,
  type Program,
  startApp,
  startCodeSearch,
  startLocalSlack,
} from './programs.ts';

/** Where the parts of a running demo are. */
export interface RunningDemo {
  slackUrl: string;
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
  const children: Child[] = [];
  let stopping = false;
  let tellBroken: (what: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    tellBroken = resolve;
  });

  return { start, broken, stop };

  async function start(): Promise<RunningDemo> {
    const token = randomUUID();
    const [slack, codeSearch] = await Promise.all([
      run(startLocalSlack(ground, { program: options.localSlack, port: options.slackPort ?? 0 })),
      run(startCodeSearch(ground, { ...options, port: options.servicePort ?? 0, token })),
    ]);
    const app = { slackUrl: slack.url, serviceUrl: codeSearch.url, token, port: options.appPort ?? 0 };
    // A stop while the two were starting must not be followed by a third.
    if (!stopping) await run(startApp(ground, app));
    return { slackUrl: slack.url, codeSearch };
  }

  function run<Ready>({ child, ready }: Program<Ready>): Promise<Ready> {
    children.push(child);
    void child.ended.then((how) => {
      if (!stopping) tellBroken(describeEnd(child, how));
    });
    return ready;
  }

  async function stop(): Promise<void> {
    stopping = true;
    // The app first: it may still have something to say to the other two.
    for (const child of children.reverse()) await child.stop();
  }
}
