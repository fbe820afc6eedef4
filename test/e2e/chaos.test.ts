import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SupervisedApp, superviseApp } from '../support/chaos-app.ts';
import { createSlackDeliveries, signingSecret } from '../support/chaos-deliveries.ts';
import { createChaosQuestions } from '../support/chaos-questions.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, type ServiceFault, serviceToken, startFakeService } from '../support/fake-service.ts';
import { type FakeSlack, type Fault, startFakeSlack, team } from '../support/fake-slack.ts';
import { buildPrograms } from '../support/processes.ts';
import { hasRedisServer, startRedisServer } from '../support/redis-server.ts';
import { createTempDir } from '../support/temp-dir.ts';

/** Of each hundred calls of the service, twenty fail, in one of these ways; after some of them the call took effect. */
const serviceFaults: ServiceFault[] = [
  { status: 503 },
  { status: 500, body: 'oops' },
  { breakBeforeEffect: true },
  { breakAfterEffect: true },
];
const serviceFailureShare = 0.2;
const slackLimitShare = 0.1;
const outageMs = 5_000;
const killingMs = 40_000;
const settleMs = 120_000;

/** Quicker than in earnest, and without limits that are tested elsewhere. */
const settings = {
  SLACK_BOT_TOKEN: team.botToken,
  SLACK_SIGNING_SECRET: signingSecret,
  SRC_ACCESS_TOKEN: serviceToken,
  LOG_LEVEL: 'info',
  POLL_FIRST_MS: '200',
  POLL_MIN_MS: '200',
  POLL_MAX_MS: '1000',
  CARD_EDIT_MS: '1000',
  RUNNING_PER_WORKSPACE: '1000',
  RUNNING_PER_PERSON: '1000',
};

describe('two hundred questions in a storm', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let programs: Awaited<ReturnType<typeof buildPrograms>>;
  let slack: FakeSlack;
  let service: FakeService;
  let folder: string;

  beforeAll(async () => {
    programs = await buildPrograms();
  }, 60_000);
  afterAll(() => programs.remove());
  afterEach(async () => {
    for (let clean = cleanups.pop(); clean !== undefined; clean = cleanups.pop()) await clean();
  }, 60_000);

  async function startWorld(): Promise<void> {
    const directory = await createTempDir();
    cleanups.push(directory.remove);
    folder = directory.path;
    [slack, service] = await Promise.all([startFakeSlack(), startFakeService()]);
    cleanups.push(slack.stop, service.stop);
    service.answerAfter(() => 500 + Math.random() * 4_000);
  }

  function startStorm(): void {
    service.decideFates(() => (Math.random() < serviceFailureShare ? pick(serviceFaults) : undefined));
    const limited: Fault = { retryAfterSeconds: 1 };
    slack.decideFates((method) => (method !== 'auth.test' && Math.random() < slackLimitShare ? limited : undefined));
  }

  async function startApps(names: string[], where: Record<string, string>): Promise<SupervisedApp[]> {
    const apps = await Promise.all(
      names.map((name) =>
        superviseApp({
          mainFile: programs.mainFile,
          settings: { ...settings, SLACK_API_URL: slack.url, SRC_ENDPOINT: service.url, ...where },
          logFile: join(folder, `${name}.log`),
        }),
      ),
    );
    cleanups.push(() => Promise.all(apps.map((app) => app.stop())));
    await Promise.all(apps.map((app) => app.untilReady()));
    return apps;
  }

  /** Waits until nothing is open any more, holds what is promised, and says what was measured. */
  async function expectNothingLostOrDoubled(
    title: string,
    apps: SupervisedApp[],
    questions: ReturnType<typeof createChaosQuestions>,
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
      const seconds = (fromMs: number): string => ((performance.now() - fromMs) / 1000).toFixed(1);
      process.stdout.write(
        `${title}: ${asked} asked, ${answered} answered, ${lost.length} lost, ${doubled.length} doubled, ` +
          `${openCards.length} cards open; ${seconds(since.startMs)} s, ${seconds(since.calmMs)} s after the storm; ${more}; ` +
          `${questions.notTaken.length} commands called not taken, ${questions.doubtful.length} unanswered\n`,
      );
      const keep = process.env.KEEP_CHAOS_LOGS;
      if (keep !== undefined) {
        for (const name of ['first', 'second', 'only']) {
          const log = await readFile(join(folder, `${name}.log`)).catch(() => undefined);
          if (log !== undefined) await writeFile(join(keep, `${name}.log`), log);
        }
      }
    }
    const { asked, ...counted } = questions.tally();
    expect(counted).toEqual({ answered: 200, lost: [], doubled: [], openCards: [], disordered: [] });
    expect(asked).toBe(200);
    expect(questions.refusedEvents).toEqual([]);
    expect(slack.violations).toEqual([]);
  }

  it.skipIf(!hasRedisServer())(
    'answers each once, by two copies on Redis of which one is killed every second',
    { timeout: 300_000 },
    async () => {
      await startWorld();
      const redis = await startRedisServer(['--appendonly', 'yes', '--dir', folder]);
      cleanups.push(redis.stop);
      const apps = await startApps(['first', 'second'], { REDIS_URL: redis.url });
      const deliveries = createSlackDeliveries(() => apps.map(({ url }) => url));
      const questions = createChaosQuestions({ slack, service, deliveries, spreadMs: 25_000 });
      const startMs = performance.now();
      startStorm();
      let kills = 0;
      let isOver = false;
      const killing = (async () => {
        for (let turn = 0; !isOver; turn += 1) {
          await pause(1_000);
          const order = turn % 2 === 0 ? apps : apps.toReversed();
          for (const app of order) {
            if (!(await app.isListening())) continue;
            if (app.kill()) kills += 1;
            break;
          }
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
      await expectNothingLostOrDoubled('Redis, two copies', apps, questions, { startMs, calmMs }, measured);
    },
  );

  it('answers each once, by one process on the embedded store that is killed ten times', {
    timeout: 300_000,
  }, async () => {
    await startWorld();
    const apps = await startApps(['only'], { DATA_DIR: join(folder, 'data') });
    const deliveries = createSlackDeliveries(() => apps.map(({ url }) => url));
    const questions = createChaosQuestions({ slack, service, deliveries, spreadMs: 20_000 });
    const startMs = performance.now();
    startStorm();
    const killing = (async () => {
      for (let kills = 0; kills < 10; kills += 1) {
        await pause(1_500);
        for (const app of apps) {
          await app.untilReady();
          app.kill();
        }
      }
    })();
    await Promise.all([questions.askAll(), killing]);
    const calmMs = performance.now();
    const measured = `10 kills, ${deliveries.repeated()} events repeated`;
    await expectNothingLostOrDoubled('Embedded store, one process', apps, questions, { startMs, calmMs }, measured);
  });
});

function pick<T>(choices: T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
