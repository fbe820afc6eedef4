import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Child } from '../../../src/demo/child.ts';
import {
  type BaseSetup,
  type CodeSearchReady,
  type Program,
  startApp,
  startCodeSearch,
  startLocalSlack,
} from '../../../src/demo/programs.ts';
import { createLocalSlack, type LocalSlack } from '../local-slack/local-slack.ts';
import { builtSource } from './built-programs.ts';
import { createSampleRepository } from './sample-repository.ts';
import { createTempDir } from './temp-dir.ts';

/** The three processes of the demo; tests can crash and restart each one. */
export interface Stack {
  slack: LocalSlack;
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
  /** Fails if the app did what Slack does not allow. */
  stop(): Promise<void>;
}

/** Starts all programs with the sample repository (or the given ones) and free ports. */
export async function startStack(
  setup: {
    repositories?: string[];
    stepDelayMs?: number;
    /** Settings of the app, added to those of the demo. */
    settings?: Record<string, string>;
  } = {},
): Promise<Stack> {
  const folder = await createTempDir();
  const base: BaseSetup = {
    folder: folder.path,
    environment: { PATH: process.env.PATH ?? '' },
    dist: await builtSource(),
  };
  const token = randomUUID();
  const live = new Set<Child>();
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

  const runCodeSearch = (port: number) =>
    ready(startCodeSearch(base, { repositories, port, tokens: [token], stepDelayMs: setup.stepDelayMs ?? 0 }));

  try {
    let [{ ready: slack }, codeSearch] = await Promise.all([ready(startLocalSlack(base, 0)), runCodeSearch(0)]);
    const runApp = () =>
      ready(
        startApp(base, {
          slack,
          serviceUrl: codeSearch.ready.url,
          token,
          port: 0,
          settings: setup.settings ?? {},
        }),
      );
    let app = await runApp();
    return {
      slack: createLocalSlack(slack.url),
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
      stop: async () => {
        const violations = await createLocalSlack(slack.url).violations();
        await stop();
        expect(violations).toEqual([]);
      },
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
  return conversations.map(({ questions }) => questions.map(({ question }) => question));
}
