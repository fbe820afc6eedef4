import { randomUUID } from 'node:crypto';
import type { DemoOptions } from './arguments.ts';
import { type Child, describeEnd } from './child.ts';
import { openPage, type Page } from './page.ts';
import { DemoProblem } from './problem.ts';
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
  /** The local Slack's web page. */
  pageUrl: string;
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
  let page: Page | undefined;
  let stopping = false;
  let tellBroken: (what: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    tellBroken = resolve;
  });

  return { start, broken, stop };

  async function start(): Promise<RunningDemo> {
    const token = randomUUID();
    const [slack, codeSearch] = await Promise.all([
      run(startLocalSlack(ground, options.localSlack)),
      run(startCodeSearch(ground, { ...options, port: options.servicePort ?? 0, token })),
    ]);
    const app = { slackUrl: slack.url, serviceUrl: codeSearch.url, token, port: options.appPort ?? 0 };
    const opened = await openPage(slack.url, options.slackPort ?? 0);
    page = opened;
    // A stop while all this was starting must not be followed by more.
    if (stopping) {
      await opened.close();
      throw new DemoProblem('The demo was stopped while it started.');
    }
    await run(startApp(ground, app));
    return { pageUrl: opened.url, codeSearch };
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
    await page?.close();
    // The app first: it may still have something to say to the other two.
    for (const child of children.toReversed()) await child.stop();
  }
}
