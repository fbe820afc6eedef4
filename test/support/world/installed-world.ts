import { randomBytes } from 'node:crypto';
import { createApp, type RunningApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { eventually } from '../eventually.ts';
import { serviceToken, startFakeService } from '../fake-service/fake-service.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import { type InstallingSlack, slackApp, startInstallingSlack } from '../fake-slack/installing-slack.ts';
import { createMemoryReceiver, type Delivery } from '../fake-slack/memory-receiver.ts';
import { freePort } from '../processes/free-port.ts';
import { createTempDir } from '../processes/temp-dir.ts';
import { createActions, fastLifecycle } from './world.ts';

/** The key of the installations. */
export const installationKey = { id: 'k1', key: randomBytes(32).toString('base64') };

/** The settings of an app that workspaces install, besides where its parts are. */
function installedSettings(slack: InstallingSlack, service: { url: string; token: string }) {
  return {
    SLACK_CLIENT_ID: slackApp.clientId,
    SLACK_CLIENT_SECRET: slackApp.clientSecret,
    SLACK_WORKSPACES: 'T0ONE,T0TWO,E0ORG',
    SLACK_SIGNING_SECRET: 'unused-with-a-memory-receiver',
    SLACK_API_URL: slack.url,
    ENCRYPTION_KEYS: `${installationKey.id}:${installationKey.key}`,
    SRC_ENDPOINT: service.url,
    SRC_ACCESS_TOKEN: service.token,
    METRICS_PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    SHUTDOWN_SECONDS: '2',
  };
}

/** Starts the whole app with a fake Slack of several workspaces. */
export async function startInstalledWorld({
  slack,
  service,
  settings = {},
}: {
  slack: InstallingSlack;
  service: { url: string; token: string };
  settings?: Record<string, string>;
}) {
  const data = await createTempDir();
  const port = await freePort();
  const pages = `http://127.0.0.1:${port}`;
  let receiver = createMemoryReceiver();
  let app: RunningApp | undefined;
  let metricsPort = 0;
  await startApp();

  return {
    pages,
    dataDir: settings.DATA_DIR ?? data.path,
    startApp,
    stopApp,
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    readyz: async () => (await fetch(`${pages}/readyz`)).text(),
    /** An admin of the workspace installs the app in a browser. */
    install: (id: string) => slack.install(pages, id),
    deliver: (id: string, body: Record<string, unknown>): Promise<Delivery> =>
      receiver.deliver(slack.deliverable(id, body)),
    /** What people do in a workspace. */
    within: (id: string, fake: FakeSlack) => ({
      id,
      slack: fake,
      ...createActions(
        fake,
        (body) => receiver.deliver(slack.deliverable(id, body)),
        (name) => slack.responseUrl(fake, name),
      ),
    }),
    /** Waits until the app handled this many ends of workspaces. */
    untilEnded: (count: number) =>
      eventually(async () => {
        const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        const counted = [...text.matchAll(/event="workspace_ended"[^}]*\} (\d+)/g)].map(([, each]) => Number(each));
        const sum = counted.reduce((one, other) => one + other, 0);
        if (sum < count) throw new Error(`${sum} ends`);
      }),
    stop: async () => {
      await stopApp();
      await data.remove();
    },
  };

  function environment(): Record<string, string> {
    return {
      ...installedSettings(slack, service),
      DATA_DIR: data.path,
      PORT: String(port),
      PUBLIC_URL: pages,
      ...settings,
    };
  }

  async function startApp(): Promise<void> {
    receiver = createMemoryReceiver();
    const config = parseConfig(environment());
    let scrapes = 0;
    app = createApp(config, createLogger(config.LOG_LEVEL), {
      receiver,
      settings: fastLifecycle,
      // One second between scrapes, so that each one is computed.
      metricsClock: () => {
        scrapes += 1;
        return scrapes * 1_000;
      },
    });
    ({ metricsPort } = await app.start());
  }

  async function stopApp(): Promise<void> {
    await app?.stop();
    app = undefined;
  }
}

/** Starts the app, the fake service and a fake Slack with the workspace `T0ONE`, where the app is not installed yet. */
export async function startInstallable(options: { lifeSeconds?: number } = {}) {
  const slack = await startInstallingSlack(options);
  const first = await slack.add('T0ONE');
  const service = await startFakeService();
  const world = await startInstalledWorld({ slack, service: { url: service.url, token: serviceToken } });
  return {
    slack,
    first,
    service,
    world,
    /** Ends all of them. Returns what the app did that Slack does not allow. */
    stop: async (): Promise<string[]> => {
      await world.stop();
      await service.stop();
      const violations = slack.violations();
      await slack.stop();
      return violations;
    },
  };
}

export type InstalledWorld = Awaited<ReturnType<typeof startInstalledWorld>>;
