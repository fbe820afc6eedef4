import { describe, expect, test } from 'vitest';
import type { SlackBlock } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { buttonOf, mentionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { buttonsOf, startWorld, visibleText, type World } from '../support/world/world.ts';

const patient = { timeoutMs: 45_000 };

async function onRedis(run: (world: World, service: FakeService, redis: RedisServer) => Promise<void>): Promise<void> {
  const redis = await startRedisServer(['--appendonly', 'no']);
  const service = await startFakeService();
  const world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { REDIS_URL: redis.url },
  });
  try {
    await run(world, service, redis);
    expect(world.slack.violations).toEqual([]);
  } finally {
    await world.stop();
    await service.stop();
    await redis.stop();
  }
}

describe.skipIf(!hasRedisServer())('the app on Redis', () => {
  test('answers a command, a follow-up and a button', async () => {
    await onRedis(async (world, service) => {
      service.answerEverything();
      await world.command('first?');
      const root = await eventually(() => one(world.slack.messages.filter(({ thread_ts: at }) => at === undefined)));
      await eventually(() => expect(world.answersIn(root.ts)).toHaveLength(1), patient);
      await world.reply(root.ts, 'second?');
      await eventually(() => expect(world.answersIn(root.ts)).toHaveLength(2), patient);
      await world.press('Where is it tested?');
      await eventually(() => expect(world.answersIn(root.ts)).toHaveLength(3), patient);
      expect(service.conversations).toHaveLength(1);
    });
  });

  test('gives a command back and acknowledges no event while Redis is stopped, and accepts both once Redis is back', async () => {
    await onRedis(async (world, service, redis) => {
      service.answerEverything();
      expect((await world.readyz()).status).toBe(200);
      await redis.kill();
      const command = await world.command('keep my words?');
      expect(command.acknowledged).toBe(true);
      expect(JSON.stringify(command.response)).toContain('keep my words?');
      expect(JSON.stringify(command.response)).toMatch(/not taken.*Reference `e[0-9a-f]{8}`/i);
      const ts = world.slack.say('C0GENERAL', people.ada, 'lost?');
      const event = mentionOf({ user: people.ada, text: 'lost?', ts });
      expect((await world.deliver(event)).acknowledged).toBe(false);
      expect((await world.readyz()).status).toBe(503);
      await redis.restart();
      await eventually(async () => expect((await world.readyz()).status).toBe(200), patient);
      expect((await world.deliver(event)).acknowledged).toBe(true);
      await eventually(() => expect(world.answersIn(ts)).toHaveLength(1), patient);
      expect(service.find('lost?')).toHaveLength(1);
      expect(service.find('keep my words?')).toEqual([]);
    });
  });

  test('says that it can not tell about a command while Redis is frozen, does not ask it then, and asks it again once', async () => {
    await onRedis(async (world, service, redis) => {
      service.answerEverything();
      await world.command('before?');
      redis.pause();
      const { response } = await world.command('too late?');
      const said = response as { blocks?: SlackBlock[] };
      expect(visibleText(said)).toMatch(/can't tell whether I took[\s\S]*too late\?/);
      redis.resume();
      await eventually(async () => expect((await world.readyz()).status).toBe(200), patient);
      const ts = await world.mention('in time?');
      await eventually(() => expect(world.answersIn(ts)).toHaveLength(1), patient);
      expect(service.find('too late?')).toEqual([]);
      const { actionId, blockId, value = '' } = one(buttonsOf(said.blocks));
      const responseUrl = world.slack.responseUrl(`again?user=${people.ada}&channel=C0GENERAL`);
      const place = { ephemeral: { channel: 'C0GENERAL', user: people.ada, text: '' }, responseUrl };
      for (let times = 1; times <= 2; times += 1) {
        await world.deliver(buttonOf({ actionId, blockId, user: people.ada, place, value }));
      }
      await eventually(() => one(service.find('too late?')), patient);
      const last = await world.mention('and last?');
      await eventually(() => expect(world.answersIn(last)).toHaveLength(1), patient);
      one(service.find('too late?'));
    });
  });

  test('posts the answer of a running question when a frozen Redis continues', async () => {
    await onRedis(async (world, service, redis) => {
      const ts = await world.mention('how?');
      const question = await eventually(() => one(service.find('how?')));
      redis.pause();
      service.answer(question);
      await eventually(async () => expect((await world.readyz()).status).toBe(503), patient);
      redis.resume();
      await eventually(() => expect(world.answersIn(ts)).toHaveLength(1), patient);
    });
  });
});
