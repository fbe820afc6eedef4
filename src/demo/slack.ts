import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from './child.ts';
import type { Exposure } from './exposure.ts';
import { namespaceProblem } from './namespace.ts';
import { openPage, type Page } from './page.ts';
import { DemoProblem } from './problem.ts';
import { type Ground, startLocalSlack } from './programs.ts';

/** Where a local Slack is once it answers. */
export interface SlackReady {
  /** For programs: the Web API and the control API. */
  url: string;
  /** For people. */
  pageUrl: string;
  /** Absent where only this machine reaches it. */
  exposure?: Exposure;
}

/** A local Slack with its page. */
export interface Slack {
  child: Child;
  /** Rejects with a `DemoProblem` when it ends or takes too long. */
  ready: Promise<SlackReady>;
  /** Ends both; resolves when they are gone. */
  stop(): Promise<void>;
}

/** Longer paths do not fit into the address of a unix socket (Linux). */
const longestSocketPath = 107;

/**
 * Starts the local Slack, whose program is at a path, with its page; a port of 0 takes a free one. Unless `namespace` is false
 * it gets a network namespace of its own where that is possible, so that the network can't reach it.
 */
export async function startSlack(
  ground: Ground,
  { program, port, namespace }: { program: string; port: number; namespace: boolean },
): Promise<Slack> {
  const why = namespace ? await namespaceProblem(ground.environment) : '--no-namespace was given';
  return why === undefined ? startInNamespace(ground, program, port) : startOnNetwork(ground, program, port, why);
}

/** The page's port is all that is open, to this machine alone, for people and programs alike. */
async function startInNamespace(ground: Ground, program: string, port: number): Promise<Slack> {
  // Only its owner can open a folder made like this, so the socket in it is private too.
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
    // Its links and its websocket's address are those of the page, because it believes to be on the same port.
    const { child, ready } = startLocalSlack(ground, program, { socketPath, port: Number(new URL(url).port) });
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

/** The local Slack listens on every interface; only its page does not. */
function startOnNetwork(ground: Ground, program: string, port: number, why: string): Slack {
  const { child, ready } = startLocalSlack(ground, program);
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
      // Where it ended before it was ready there is no page.
      const opened = await opening.catch(() => undefined);
      await opened?.page.close();
    },
  };
}
