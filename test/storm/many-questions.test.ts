import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import {
  type FakeService,
  type ServiceFault,
  serviceToken,
  startFakeService,
} from '../support/fake-service/fake-service.ts';
import { type FakeSlack, type Fault, startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createSlackDeliveries, signingSecret } from '../support/storm/slack-deliveries.ts';
import { createStormQuestions } from '../support/storm/storm-questions.ts';
import { type SupervisedApp, superviseApp } from '../support/storm/supervised-app.ts';

/** Of a hundred service calls, twenty fail in one of these ways; some of them still take effect. */
const serviceFaults: ServiceFault[] = [
  { status: 503 },
  { status: 500, body: 'oops' },
  { breakBeforeEffect: true },
  { breakAfterEffect: true },
];
const serviceFailureShare = 0.2;
/** Of a hundred posts and questions, one is carried out 11 s late; for Slack that is 1 s after our deadline. */
const lateShare = 0.01;
const lateMs = 11_000;
const slackLimitShare = 0.1;
const outageMs = 5_000;
const killingMs = 40_000;
/** Number of questions in each storm. */
const count = Number(process.env.STORM_QUESTIONS ?? 200);
/** Slack accepts 50 edits per minute, so 200 cards need at least four minutes; the rest is for late calls. */
const settleMs = 180_000 + count * 2_400;
const testTimeoutMs = settleMs + 180_000;

/** Shorter intervals than in production, without limits that other tests cover. */
const settings = {
  SLACK_BOT_TOKEN: team.botToken,
  SLACK_SIGNING_SECRET: signingSecret,
  SRC_ACCESS_TOKEN: serviceToken,
  LOG_LEVEL: 'info',
  SRC_REQUESTS_PER_SECOND: '1000',
  RUNNING_PER_WORKSPACE: '1000',
  RUNNING_PER_PERSON: '1000',
};

/** Registers a cleanup, which runs at the end of the test in reverse order. */
type Closer = TestContext['onTestFinished'];

interface World {
  slack: FakeSlack;
  service: FakeService;
  folder: string;
  /** Number of messages Slack posted late. */
  latePosts: number;
}

describe.concurrent('the app under many questions', () => {
  async function startWorld(onTestFinished: Closer): Promise<World> {
    const directory = await createTempDir();
    onTestFinished(directory.remove);
    const [slack, service] = await Promise.all([startFakeSlack(), startFakeService()]);
    onTestFinished(slack.stop);
    onTestFinished(service.stop);
    service.answerAfter(() => 500 + Math.random() * 4_000);
    return { slack, service, folder: directory.path, latePosts: 0 };
  }

  function startStorm(world: World): void {
    const { slack, service } = world;
    service.scriptFaults((call) => {
      const isAsking = call === 'create' || call === 'followUp';
      if (isAsking && Math.random() < lateShare) return { brokenAndCarriedOutAfterMs: lateMs };
      return Math.random() < serviceFailureShare ? pick(serviceFaults) : undefined;
    });
    const limited: Fault = { retryAfterSeconds: 1 };
    slack.scriptFaults((method) => {
      if (method === 'chat.postMessage' && Math.random() < lateShare) {
        world.latePosts += 1;
        return { carriedOutAfterMs: lateMs };
      }
      return method !== 'auth.test' && Math.random() < slackLimitShare ? limited : undefined;
    });
  }

  async function startApps(
    { slack, service, folder }: World,
    names: string[],
    where: Record<string, string>,
    onTestFinished: Closer,
  ): Promise<SupervisedApp[]> {
    const mainFile = await builtProgram('src/main.ts');
    const apps = await Promise.all(
      names.map((name) =>
        superviseApp({
          mainFile,
          settings: { ...settings, SLACK_API_URL: slack.url, SRC_ENDPOINT: service.url, ...where },
          logFile: join(process.env.CHAOS_LOGS ?? folder, `${name}.log`),
        }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(apps.map((app) => app.stop()))));
    await Promise.all(apps.map((app) => app.untilReady()));
    return apps;
  }

  /** Waits until no question is open, prints the measurements and checks the promises. */
  async function expectNothingLostOrDoubled(
    expect: TestContext['expect'],
    title: string,
    world: World,
    apps: SupervisedApp[],
    questions: ReturnType<typeof createStormQuestions>,
    since: { startMs: number; calmMs: number },
    more: string,
  ): Promise<void> {
    try {
      await eventually(
        async () => {
          expect((await apps[0]?.metrics()) ?? '').toMatch(/^deepsearch_slack_open_questions 0$/m);
          expect(questions.tally().lost).toEqual([]);
        },
        { timeoutMs: settleMs },
      );
    } finally {
      const { asked, answered, lost, doubled, openCards } = questions.tally();
      const longestCardWait = (Math.max(0, ...questions.cardWaits) / 1000).toFixed(0);
      const seconds = (fromMs: number): string => ((performance.now() - fromMs) / 1000).toFixed(1);
      process.stdout.write(
        `${title}: ${asked} asked, ${answered} answered, ${lost.length} lost, ${doubled.length} doubled, ` +
          `${openCards.length} cards open; ${seconds(since.startMs)} s, ${seconds(since.calmMs)} s after the storm; ${more}; ` +
          `${world.latePosts} posts carried out late; last card or answer after ${longestCardWait} s; ${questions.rejected.length} commands rejected, ${questions.doubtful.length} unanswered, ` +
          // A slow machine may acknowledge later than Slack waits. What counts is that none of these questions is lost.
          `${questions.refusedEvents.length} events acknowledged too late each time\n`,
      );
    }
    const { asked, ...counted } = questions.tally();
    expect(counted).toEqual({ answered: count, lost: [], doubled: [], openCards: [], disordered: [] });
    expect(asked).toBe(count);
  }

  it.skipIf(!hasRedisServer())(
    'answers each once, with two copies on Redis of which one is killed every second',
    { timeout: testTimeoutMs },
    async ({ expect, onTestFinished }) => {
      const world = await startWorld(onTestFinished);
      const redis = await startRedisServer(['--appendonly', 'yes', '--dir', world.folder]);
      onTestFinished(redis.stop);
      const apps = await startApps(world, ['first', 'second'], { REDIS_URL: redis.url }, onTestFinished);
      const deliveries = createSlackDeliveries(() => apps.map(({ url }) => url));
      const questions = createStormQuestions({ ...world, deliveries, spreadMs: 25_000, count });
      const startMs = performance.now();
      startStorm(world);
      let kills = 0;
      let isOver = false;
      const killing = (async () => {
        for (let turn = 0; !isOver; turn += 1) {
          await pause(1_000);
          const order = turn % 2 === 0 ? apps : apps.toReversed();
          // On a slow machine a start takes longer than a second: leave one copy to accept Slack's requests.
          const listening = await Promise.all(order.map((app) => app.isListening()));
          if (!listening.every(Boolean)) continue;
          if (order[0]?.kill()) kills += 1;
        }
      })();
      const outages = (async () => {
        await pause(8_000);
        await redis.kill();
        await pause(outageMs);
        await redis.restart();
        await pause(8_000);
        redis.pause();
        await pause(outageMs);
        redis.resume();
      })();
      const asking = questions.askAll();
      await Promise.all([outages, pause(killingMs)]);
      isOver = true;
      await killing;
      const calmMs = performance.now();
      await asking;
      const measured = `${kills} kills, ${deliveries.repeated()} events repeated`;
      const since = { startMs, calmMs };
      await expectNothingLostOrDoubled(expect, 'Redis, two copies', world, apps, questions, since, measured);
      expect(world.slack.violations).toEqual([]);
    },
  );

  it('answers each once, with one process on the embedded store that is killed up to ten times', {
    timeout: testTimeoutMs,
  }, async ({ expect, onTestFinished }) => {
    const world = await startWorld(onTestFinished);
    const apps = await startApps(world, ['only'], { DATA_DIR: join(world.folder, 'data') }, onTestFinished);
    const deliveries = createSlackDeliveries(() => apps.map(({ url }) => url));
    const questions = createStormQuestions({ ...world, deliveries, spreadMs: 20_000, count });
    const startMs = performance.now();
    startStorm(world);
    let kills = 0;
    const killing = (async () => {
      // On a slow machine ten starts take longer than Slack's retries, and events Slack gives up are not the app's fault.
      while (kills < 10 && performance.now() - startMs < killingMs) {
        await pause(1_500);
        for (const app of apps) {
          await app.untilReady();
          if (app.kill()) kills += 1;
        }
      }
    })();
    const asking = questions.askAll();
    await killing;
    const calmMs = performance.now();
    await asking;
    const measured = `${kills} kills, ${deliveries.repeated()} events repeated`;
    const since = { startMs, calmMs };
    await expectNothingLostOrDoubled(expect, 'Embedded store, one process', world, apps, questions, since, measured);
    expect(world.slack.violations).toEqual([]);
  });
});

function pick<T>(choices: T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
