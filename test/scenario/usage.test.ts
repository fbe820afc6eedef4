import { afterEach, describe, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { questionWith } from '../support/lifecycle/sample-questions.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { ada, bob, gerd } = people;
const heading = 'Usage in the last 30 days';

const { world, service, beginWorld, endWorld } = worldOfEachTest();
let data: Awaited<ReturnType<typeof createTempDir>>;
let redis: RedisServer | undefined;

async function begin(options: { settings?: Record<string, string>; isRedis?: boolean; asked?: number } = {}) {
  const { settings = {}, isRedis = false, asked = 0 } = options;
  data = await createTempDir();
  redis = isRedis ? await startRedisServer() : undefined;
  await storeAsked(asked);
  const onStore: Record<string, string> = redis === undefined ? {} : { REDIS_URL: redis.url };
  await beginWorld({ settings: { DATA_DIR: data.path, ...onStore, ...settings } });
  service.answerEverything();
}

afterEach(async () => {
  await endWorld();
  await redis?.stop();
  await data.remove();
});

/** Stores earlier questions before the app starts, some at a time. */
async function storeAsked(count: number): Promise<void> {
  if (count === 0) return;
  const { log } = createRecordingLog();
  const storage = await openStorage({ dataDir: data.path }, { clock: Date.now, log });
  const place = { teamId: team.id, channelId: 'C0GENERAL' };
  for (let from = 0; from < count; from += 50) {
    const numbers = Array.from({ length: Math.min(50, count - from) }, (_, index) => from + index);
    await Promise.all(
      numbers.map(async (number) => {
        const acceptedMs = Date.now() - number;
        const question = questionWith({ id: `q${number}`, place, askerId: ada, acceptedMs, admittedMs: acceptedMs });
        await storage.questions.create({ ...question, phase: 'closed', outcome: { kind: 'cancelled' } });
        await storage.questions.markClosed(question.id);
      }),
    );
  }
  await storage.close();
}

function home(user: string): string {
  return JSON.stringify(world.home(user)?.blocks ?? []);
}

async function openHome(user: string): Promise<void> {
  await world.openHome(user);
  await eventually(() => expect(home(user)).toMatch(/Deep Search (is reachable|ist erreichbar)\./));
}

describe('the usage on Home', () => {
  test('is shown to the people in ADMINS only, not even to other admins of the workspace', async () => {
    await begin({ settings: { ADMINS: ada }, asked: 3 });
    world.slack.changePerson(bob, { is_admin: true });
    await openHome(ada);
    await eventually(() => expect(home(ada)).toMatch(/3 questions · 0 answers · 0 failures/));
    expect(home(ada)).toContain(heading);
    expect(home(ada)).toContain('<#C0GENERAL> (3)');
    for (const user of [bob, gerd]) {
      await openHome(user);
      expect(home(user)).not.toMatch(/Usage in the last|Nutzung in den letzten|ADMINS/);
    }
  });

  test('is shown to no one without ADMINS', async () => {
    await begin();
    world.slack.changePerson(ada, { is_admin: true });
    await openHome(ada);
    expect(home(ada)).not.toContain(heading);
  });

  test('does not hold up the rest of Home, which is shown before a big store is added up', async () => {
    await begin({ settings: { ADMINS: ada }, asked: 4_000 });
    const shown: string[] = [];
    await world.openHome(ada);
    await eventually(() => {
      if (home(ada) !== shown.at(-1)) shown.push(home(ada));
      expect(home(ada)).toMatch(/4,000 questions/);
    });
    expect(shown.findIndex((each) => each.includes('I am adding it up.'))).toBeGreaterThanOrEqual(0);
    expect(shown.find((each) => each.includes('I am adding it up.'))).toContain('Deep Search is reachable.');
  });
});

test.each(engines)(
  'the usage report adds up what the app that runs beside it did, on $name',
  async ({ isRedis }) => {
    await begin({ isRedis });
    for (const [text, user] of [
      ['one?', ada],
      ['two?', ada],
      ['three?', bob],
    ] as const) {
      const ts = await world.mention(text, { user });
      await world.answered(ts);
    }
    await world.feedback('positive', { user: gerd });
    const environment = { DATA_DIR: data.path, ...(redis === undefined ? {} : { REDIS_URL: redis.url }) };
    const admin = await builtProgram('src/cli/admin.ts');
    await eventually(async () => {
      const program = runProgram(admin, ['usage', '--since', '1d', '--csv'], environment);
      expect(await program.ended).toBe(0);
      const rows = program.output().trim().split('\r\n');
      expect(rows.filter((row) => !/^(by|week),/.test(row))).toEqual([
        'channel,C0GENERAL,3,3,0,1.2,1.2,6,1,0',
        `person,${ada},2,2,0,1.2,1.2,4,0,0`,
        `person,${bob},1,1,0,1.2,1.2,2,0,0`,
        `person,${gerd},0,0,0,,,,1,0`,
        'repository,github.com/acme/app,3,3,0,1.2,1.2,6,1,0',
      ]);
    });
    const ts = await world.mention('four?');
    await world.answered(ts);
  },
  120_000,
);
