import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from './child.ts';
import type { Exposure } from './exposure.ts';
import { namespaceProblem } from './namespace.ts';
import { openPage, type Page } from './page.ts';
import { DemoProblem } from './problem.ts';
import { type BaseSetup, startLocalSlack } from './programs.ts';

/** The addresses of a local Slack that is ready. */
export interface SlackReady {
  /** Base URL for programs: the Web API and the control API. */
  url: string;
  /** The web page, for people. */
  pageUrl: string;
  /** Absent when only this machine can reach it. */
  exposure?: Exposure;
}

/** A local Slack with its page. */
export interface Slack {
  child: Child;
  /** Rejects with a `DemoProblem` when it ends or takes too long. */
  ready: Promise<SlackReady>;
  /** Stops both; resolves when they have ended. */
  stop(): Promise<void>;
}

/** Maximum length of the path of a unix socket on Linux. */
const longestSocketPath = 107;

/**
 * Starts the local Slack program at the given path, with its page; port 0 chooses a free one. Unless `namespace` is false,
 * it runs in a separate network namespace if possible, so that the network cannot reach it.
 */
export async function startSlack(
  base: BaseSetup,
  { program, port, namespace }: { program: string; port: number; namespace: boolean },
): Promise<Slack> {
  const why = namespace ? await namespaceProblem(base.environment) : '--no-namespace was given';
  return why === undefined ? startInNamespace(base, program, port) : startOnNetwork(base, program, port, why);
}

/** Only the port of the page is open, and only to this machine; people and programs use the same port. */
async function startInNamespace(base: BaseSetup, program: string, port: number): Promise<Slack> {
  // Only this user can open the folder, so the socket in it is private.
  const folder = mkdtempSync(join(tmpdir(), 'deepsearch-demo-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const socketPath = join(folder, 'slack');
  let page: Page | undefined;
  try {
    if (Buffer.byteLength(socketPath) > longestSocketPath) {
      throw new DemoProblem(`The path of the temporary folder is too long for a socket (TMPDIR): ${tmpdir()}`);
    }
    page = await openPage({ socketPath }, port);
    const { url, close } = page;
    // The same port number as the page, so that its links and its WebSocket address lead to the page.
    const { child, ready } = startLocalSlack(base, program, { socketPath, port: Number(new URL(url).port) });
    return {
      child,
      ready: ready.then(() => ({ url, pageUrl: url })),
      stop: async () => {
        await close();
        await child.stop();
        remove();
      },
    };
  } catch (error) {
    await page?.close();
    remove();
    throw error;
  }
}

/** The local Slack listens on every network interface; its page listens on this machine only. */
function startOnNetwork(base: BaseSetup, program: string, port: number, why: string): Slack {
  const { child, ready } = startLocalSlack(base, program);
  const opening = ready.then(async ({ url }) => {
    const slackPort = Number(new URL(url).port);
    const page = await openPage({ host: '127.0.0.1', port: slackPort }, port);
    return { page, slack: { url, pageUrl: page.url, exposure: { port: slackPort, why } } };
  });
  return {
    child,
    ready: opening.then(({ slack }) => slack),
    stop: async () => {
      await child.stop();
      // There is no page if the local Slack ended before it was ready.
      const opened = await opening.catch(() => undefined);
      await opened?.page.close();
    },
  };
}
