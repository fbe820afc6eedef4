import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { team } from '../../src/local-slack/people.ts';
import {
  type Instance,
  type InstanceFault,
  type InstanceRequest,
  type Release,
  startInstance,
} from '../codesearch/support/instance.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeSlack, startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createSlackDeliveries, signingSecret } from '../support/storm/slack-deliveries.ts';
import { createStormQuestions } from '../support/storm/storm-questions.ts';
import { type SupervisedApp, superviseApp } from '../support/storm/supervised-app.ts';

/** What the instance does, in turn: until the service was asked so many questions in all, or for a time. */
type Stage = { release: Release; outage?: InstanceFault } & ({ untilAsked: number } | { forMs: number });

/** An outage says nothing about the generations that the instance offers. At last, operators go back and forth again. */
const course: Stage[] = [
  { release: '6.12.0', untilAsked: 6 },
  { release: '7.2.0', untilAsked: 10 },
  { release: '7.2.0', outage: 'unavailable', forMs: 1_500 },
  { release: '8.0.0', outage: 'htmlPage', forMs: 1_000 },
  { release: '8.0.0', untilAsked: 18 },
  { release: '7.2.0', outage: 'htmlBadGateway', forMs: 1_000 },
  { release: '6.12.0', untilAsked: 24 },
  { release: '8.0.0', untilAsked: 28 },
];
/** Longest time for a stage that ends with a number of questions. */
const longestStageMs = 20_000;
/** Period in which the conversations begin. */
const spreadMs = 12_000;
/** The share of requests whose connection breaks, before or after their effect. */
const brokenShare = 0.1;
/**
 * With more kills, or later ones, one process alone could miss every delivery of an event: Slack gives up after the
 * fourth, 72 s after the first. On a slow machine a restart takes ten seconds.
 */
const mostKills = 8;
const killingMs = 45_000;
/** Slack accepts 50 edits of cards a minute. */
const count = 36;
const settleMs = 180_000;

const settings = {
  SLACK_BOT_TOKEN: team.botToken,
  SLACK_SIGNING_SECRET: signingSecret,
  LOG_LEVEL: 'info',
  SRC_REQUESTS_PER_SECOND: '1000',
  RUNNING_PER_WORKSPACE: '1000',
  RUNNING_PER_PERSON: '1000',
};

interface World {
  slack: FakeSlack;
  instance: Instance;
  folder: string;
}

describe.concurrent('the app, killed at random moments while its instance is upgraded and set back,', () => {
  async function startWorld(onTestFinished: TestContext['onTestFinished']): Promise<World> {
    const directory = await createTempDir();
    onTestFinished(directory.remove);
    const [slack, instance] = await Promise.all([
      startFakeSlack(),
      startInstance({ release: '6.12.0', workMs: () => 200 + Math.random() * 3_000 }),
    ]);
    onTestFinished(slack.stop);
    onTestFinished(instance.stop);
    return { slack, instance, folder: directory.path };
  }

  async function startApps(
    { slack, instance, folder }: World,
    names: string[],
    where: Record<string, string>,
    onTestFinished: TestContext['onTestFinished'],
  ): Promise<SupervisedApp[]> {
    const mainFile = await builtProgram('src/main.ts');
    const service = { SRC_ENDPOINT: instance.url, SRC_ACCESS_TOKEN: instance.token };
    const apps = await Promise.all(
      names.map((name) =>
        superviseApp({
          mainFile,
          settings: { ...settings, ...service, SLACK_API_URL: slack.url, ...where },
          logFile: join(process.env.CHAOS_LOGS ?? folder, `${name}.log`),
        }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(apps.map((app) => app.stop()))));
    await Promise.all(apps.map((app) => app.untilReady()));
    return apps;
  }

  /** Takes the instance through its course while people ask and copies of the app are killed. Checks what became of it. */
  async function expectEachAnsweredOnce(
    { expect }: TestContext,
    title: string,
    world: World,
    apps: SupervisedApp[],
  ): Promise<void> {
    const { slack, instance } = world;
    const deliveries = createSlackDeliveries(() => apps.map(({ url }) => url));
    const questions = createStormQuestions({
      slack,
      service: instance,
      deliveries,
      spreadMs,
      count,
    });
    const startMs = performance.now();
    let isOver = false;
    const killing = killUntil(() => isOver, apps);
    const asking = questions.askAll();
    for (const stage of course) {
      instance.become(stage.release);
      instance.scriptFaults((request) => stage.outage ?? brokenAtRandom(request));
      await ('forMs' in stage ? pause(stage.forMs) : untilAsked(instance, stage.untilAsked));
    }
    isOver = true;
    instance.scriptFaults(() => undefined);
    const kills = await killing;
    await asking;
    try {
      // Some questions stay open for another minute, until the app has checked that no message was posted twice.
      await eventually(
        () => {
          const { lost, openCards } = questions.tally();
          expect({ lost, openCards }).toEqual({ lost: [], openCards: [] });
        },
        { timeoutMs: settleMs },
      );
    } finally {
      const { asked, answered, lost, doubled, openCards, disordered } = questions.tally();
      const over = (generation: number): number =>
        instance.requests.filter((each) => each.generation === generation && each.question !== undefined).length;
      process.stdout.write(
        `${title}: ${asked} asked, ${answered} answered, ${lost.length} lost, ${doubled.length} doubled, ` +
          `${openCards.length} cards open, ${disordered.length} threads disordered; ${kills} kills, ` +
          `asked over generation 1 ${over(1)} times, over generation 2 ${over(2)} times, ` +
          `${((performance.now() - startMs) / 1000).toFixed(1)} s\n`,
      );
    }
    const { asked, ...counted } = questions.tally();
    expect(counted).toEqual({ answered: count, lost: [], doubled: [], openCards: [], disordered: [] });
    expect(asked).toBe(count);
    expect(slack.violations).toEqual([]);
    expect(instance.problems).toEqual([]);
  }

  it('on the embedded store, one process: answers each once', { timeout: settleMs + 90_000 }, async (context) => {
    const world = await startWorld(context.onTestFinished);
    const apps = await startApps(world, ['only'], { DATA_DIR: join(world.folder, 'data') }, context.onTestFinished);
    await expectEachAnsweredOnce(context, 'Upgrades, embedded store', world, apps);
  });

  it.skipIf(!hasRedisServer())(
    'on Redis, two copies: answers each once',
    { timeout: settleMs + 90_000 },
    async (context) => {
      const world = await startWorld(context.onTestFinished);
      const redis = await startRedisServer(['--appendonly', 'yes', '--dir', world.folder]);
      context.onTestFinished(redis.stop);
      const apps = await startApps(world, ['first', 'second'], { REDIS_URL: redis.url }, context.onTestFinished);
      await expectEachAnsweredOnce(context, 'Upgrades, Redis', world, apps);
    },
  );
});

/** Resolves when the service was asked so many questions in all, or after {@link longestStageMs}. */
async function untilAsked(instance: Instance, wanted: number): Promise<void> {
  const endMs = performance.now() + longestStageMs;
  const asked = (): number => instance.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  while (asked() < wanted && performance.now() < endMs) await pause(50);
}

/** Kills the copies in turn at random moments. On a slow machine it leaves one copy to accept Slack's requests. */
async function killUntil(isOver: () => boolean, apps: SupervisedApp[]): Promise<number> {
  let kills = 0;
  const untilMs = performance.now() + killingMs;
  for (let turn = 0; kills < mostKills && performance.now() < untilMs && !isOver(); turn += 1) {
    await pause(500 + Math.random() * 2_500);
    const listening = await Promise.all(apps.map((app) => app.isListening()));
    if (listening.every(Boolean) && apps[turn % apps.length]?.kill()) kills += 1;
  }
  return kills;
}

function brokenAtRandom({ generation }: InstanceRequest): InstanceFault | undefined {
  if (generation === undefined || Math.random() >= brokenShare) return undefined;
  return Math.random() < 0.5 ? 'breakBeforeEffect' : 'breakAfterEffect';
}
