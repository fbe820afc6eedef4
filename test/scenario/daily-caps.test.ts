import { afterEach, describe, expect, test, vi } from 'vitest';
import { resetMs } from '../../src/core/question/daily-caps.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { startWorld, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld, endWorld } = worldOfEachTest();

async function begin(settings: Record<string, string> = {}): Promise<void> {
  await beginWorld({ settings });
  service.answerEverything();
}

afterEach(async () => {
  await endWorld();
  vi.restoreAllMocks();
});

/** The private messages to a person that refuse a question because of a cap. */
function refusedFor(user: string): string[] {
  return world
    .ephemeralsTo(user)
    .map(visibleText)
    .filter((text) => /as many questions today as one person can|in this channel today/.test(text));
}

describe('a daily cap', () => {
  test('of a person refuses privately with the time of the reset and gives the question back', async () => {
    await begin({ QUESTIONS_PER_PERSON_PER_DAY: '1' });
    const first = await world.mention('the first?');
    await world.answered(first);
    const second = await world.mention('the second?');
    await eventually(() => expect(world.toldTo(people.ada)).toContain('as many questions today as one person can'));
    expect(world.toldTo(people.ada)).toMatch(/<!date\^\d+\^/);
    expect(world.toldTo(people.ada)).toContain('the second?');
    expect(world.answersIn(second)).toEqual([]);
    expect(service.find('the second?')).toEqual([]);
    const other = await world.mention('by another?', { user: people.bob });
    await world.answered(other);
  });

  test('does not hold for the people in ADMINS', async () => {
    await begin({ QUESTIONS_PER_PERSON_PER_DAY: '1', QUESTIONS_PER_CHANNEL_PER_DAY: '1', ADMINS: people.ada });
    for (const question of ['the first?', 'the second?']) {
      const ts = await world.mention(question);
      await world.answered(ts);
    }
  });

  test('of a channel refuses privately, and the question can be asked in direct messages', async () => {
    await begin({ QUESTIONS_PER_CHANNEL_PER_DAY: '1' });
    const first = await world.mention('the first?');
    await world.answered(first);
    await world.mention('the second?', { user: people.bob });
    await eventually(() => expect(world.toldTo(people.bob)).toContain('in this channel today'));
    expect(service.find('the second?')).toEqual([]);
    await world.pressPrivately('Ask in our direct messages', { user: people.bob });
    await eventually(() => one(service.find('the second?')));
  });

  test('refuses the question again until the reset, and then its button asks it, once', async () => {
    const realNow = Date.now;
    let laterMs = 0;
    // The app reads the time where it starts, so this comes first.
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + laterMs);
    await begin({ QUESTIONS_PER_PERSON_PER_DAY: '1' });
    const first = await world.mention('the first?');
    await world.answered(first);
    const second = await world.mention('the second?');
    await eventually(() => expect(refusedFor(people.ada)).toHaveLength(1));
    await world.pressPrivately('Ask again here');
    await eventually(() => expect(refusedFor(people.ada)).toHaveLength(2));
    expect(refusedFor(people.ada)[1]).toContain('the second?');
    expect(service.find('the second?')).toEqual([]);

    laterMs = resetMs(Date.now()) - Date.now();
    await world.pressPrivately('Ask again here');
    await world.answered(second);
    await world.pressPrivately('Ask again here');
    await eventually(() => expect(world.toldTo(people.ada)).toContain('You already asked'));
    one(service.find('the second?'));
    expect(refusedFor(people.ada)).toHaveLength(2);
  });
});

describe.skipIf(!hasRedisServer())('a daily cap of two processes on Redis', () => {
  test('lets exactly as many questions through as it says, and gives every other one back', async () => {
    const redis = await startRedisServer();
    const settings = { REDIS_URL: redis.url, QUESTIONS_PER_PERSON_PER_DAY: '4', RUNNING_PER_PERSON: '4' };
    await begin(settings);
    const { slack } = world;
    const second = await startWorld({ service: { url: service.url, token: serviceToken }, slack, settings });
    try {
      const numbers = Array.from({ length: 12 }, (_, index) => index);
      await Promise.all(numbers.map((index) => (index % 2 === 0 ? world : second).mention(`number ${index}?`)));
      await eventually(() => expect(refusedFor(people.ada)).toHaveLength(8));
      await eventually(() => {
        const answers = slack.messages.filter((message) => visibleText(message).includes('The answer to'));
        expect(answers).toHaveLength(4);
      });
      const asked = numbers.filter((index) => service.find(`number ${index}?`).length === 1);
      expect(asked).toHaveLength(4);
      expect(service.questions()).toHaveLength(4);
      for (const index of numbers.filter((each) => !asked.includes(each))) {
        one(refusedFor(people.ada).filter((text) => text.includes(`number ${index}?`)));
      }
    } finally {
      await second.stop();
      await world.stopApp();
      await redis.stop();
    }
  });
});
