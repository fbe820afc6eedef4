import { randomUUID } from 'node:crypto';
import { type AccountsSetup, accountSettings, freePort, prepareAccounts } from './accounts.ts';
import type { DemoOptions } from './arguments.ts';
import { type Child, describeEnd, endGuard } from './child.ts';
import { DemoProblem } from './problem.ts';
import {
  type BaseSetup,
  type CodeSearchReady,
  type Program,
  registerOAuthApp,
  type SlackReady,
  startApp,
  startCodeSearch,
  startLocalSlack,
} from './programs.ts';
import { goodQuestions, questionCount } from './questions.ts';

/** The addresses of a running demo. */
export interface RunningDemo {
  slack: SlackReady;
  codeSearch: CodeSearchReady;
  /** The people with accounts at the service. Absent where everyone asks with the app's. */
  people?: AccountsSetup['people'];
  /** Questions to which the service has good answers; with a model, none is asked before a person does. */
  questions: readonly string[];
}

export interface Demo {
  /** Starts the three programs. Rejects with a `DemoProblem` when one of them cannot. */
  start(): Promise<RunningDemo>;
  /** Resolves with a description when a program ends unexpectedly. */
  broken: Promise<string>;
  /** Stops every program, also during a start; resolves when all have ended. */
  stop(): Promise<void>;
}

/** Runs the local Slack, the code search service and the app as three processes. `suggested`: questions, the best first. */
export function createDemo(base: BaseSetup, options: DemoOptions, suggested: readonly string[]): Demo {
  const started: Pick<Child, 'stop'>[] = [];
  let stopping = false;
  let reportBroken: (what: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    reportBroken = resolve;
  });

  return { start, broken, stop };

  async function start(): Promise<RunningDemo> {
    const accounts = options.accounts ? await prepareAccounts(base.folder) : undefined;
    const token = accounts?.appToken ?? randomUUID();
    const service = {
      repositories: [...options.repositories, ...(accounts?.repositories ?? [])],
      port: options.servicePort ?? 0,
      tokens: accounts?.tokens ?? [token],
      ...(accounts === undefined ? {} : { accessFile: accounts.accessFile }),
      ...(options.model === undefined ? {} : { model: options.model }),
    };
    const [slack, codeSearch] = await Promise.all([
      run(startLocalSlack(base, options.slackPort ?? 0)),
      run(startCodeSearch(base, service)),
    ]);
    // If `stop` was called during the start, start nothing more.
    if (stopping) throw new DemoProblem('The demo was stopped while it started.');
    const app = { slack, serviceUrl: codeSearch.url, token };
    const choosing = chooseQuestions(codeSearch.url, accounts?.people[0]?.token ?? token);
    if (accounts === undefined) {
      await run(startApp(base, { ...app, port: options.appPort ?? 0 }));
      return { slack, codeSearch, questions: await choosing };
    }
    const port = options.appPort ?? (await freePort());
    const publicUrl = `http://127.0.0.1:${port}`;
    const registering = registerOAuthApp(base, `${publicUrl}/accounts/callback`);
    started.push(registering.child);
    const clientId = await registering.ready;
    const settings = accountSettings({ serviceUrl: codeSearch.url, publicUrl, clientId });
    if (stopping) throw new DemoProblem('The demo was stopped while it started.');
    await run(startApp(base, { ...app, port, settings }));
    return { slack, codeSearch, people: accounts.people, questions: await choosing };
  }

  async function chooseQuestions(url: string, token: string): Promise<readonly string[]> {
    const isModel = options.model !== undefined;
    return isModel ? suggested.slice(0, questionCount) : goodQuestions(suggested, { url, token });
  }

  function run<Ready>({ child, ready }: Program<Ready>): Promise<Ready> {
    started.push(child);
    void child.ended.then((how) => {
      if (!stopping) reportBroken(describeEnd(child, how));
    });
    return ready;
  }

  async function stop(): Promise<void> {
    stopping = true;
    // Stop the app first: it may still send requests to the other two.
    for (const part of started.toReversed()) await part.stop();
    await endGuard();
  }
}
