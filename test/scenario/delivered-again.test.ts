import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { agentSessionStoppedOf, mentionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { texts, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

const patient = { timeoutMs: 45_000 };

function privateMessagesTo(user: string): string[] {
  return world.ephemeralsTo(user).map(visibleText);
}

/** Waits until all earlier work is done: asks one more question, and waits for its answer. */
async function settled(): Promise<void> {
  service.answerEverything();
  const ts = await world.mention('is everything done?', { user: people.gerd });
  await world.answered(ts);
}

/** Ada writes to the app in a thread. Returns the event, which a test can deliver more than once. */
function said(text: string, threadTs?: string) {
  const thread = threadTs === undefined ? {} : { threadTs };
  const ts = world.slack.say('C0GENERAL', people.ada, `<@U0BOT> ${text}`, threadTs);
  return mentionOf({ user: people.ada, text, ts, ...thread });
}

async function answeredThread(): Promise<string> {
  service.answerEverything();
  const ts = await world.mention('first?');
  await world.answered(ts);
  await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Answered in'));
  return ts;
}

describe('a command word that Slack delivers again', () => {
  test.each(['help', 'status', 'why', 'cancel', 'mute'])('gets one answer: %s', async (verb) => {
    const ts = await answeredThread();
    const event = said(verb, ts);
    const deliveries = await Promise.all([world.deliver(event), world.deliver(event)]);
    deliveries.push(await world.deliver(event));
    expect(deliveries.map(({ acknowledged }) => acknowledged)).toEqual([true, true, true]);
    await eventually(() => expect(privateMessagesTo(people.ada)).not.toEqual([]));
    await settled();
    expect(privateMessagesTo(people.ada)).toHaveLength(1);
  });

  test('does not mute after a later unmute', async () => {
    const ts = await answeredThread();
    const mute = said('mute', ts);
    await world.deliver(mute);
    await world.deliver(said('unmute', ts));
    await eventually(() => expect(privateMessagesTo(people.ada)).toHaveLength(2));
    await world.deliver(mute);
    await world.reply(ts, 'still a follow-up?');
    await eventually(() => expect(service.find('still a follow-up?')).toHaveLength(1));
    expect(privateMessagesTo(people.ada)).toHaveLength(2);
  });

  test('is acknowledged before its answer is known', async () => {
    const ts = await answeredThread();
    const held: { letGo: () => void } = { letGo: () => {} };
    const until = new Promise<void>((resolve) => {
      held.letGo = resolve;
    });
    await world.restart();
    world.slack.fault('users.info', { until });
    expect((await world.deliver(said('status', ts))).acknowledged).toBe(true);
    held.letGo();
    await eventually(() => expect(privateMessagesTo(people.ada).join()).toContain('Nothing is running'));
  });

  test.skipIf(!hasRedisServer())('is not acknowledged while storage is down, and has its effect later', async () => {
    const redis = await startRedisServer(['--appendonly', 'no']);
    try {
      await beginWorld({ settings: { REDIS_URL: redis.url } });
      await redis.kill();
      const events = [said('help'), said('status'), said('why')];
      for (const event of events) expect((await world.deliver(event)).acknowledged).toBe(false);
      await redis.restart();
      await eventually(async () => expect((await world.readyz()).status).toBe(200), patient);
      for (const event of events) expect((await world.deliver(event)).acknowledged).toBe(true);
      await eventually(() => expect(privateMessagesTo(people.ada)).toHaveLength(3), patient);
    } finally {
      await world.stopApp();
      await redis.stop();
    }
  });
});

describe('while Slack says nothing about the channel', () => {
  test.each(['a button', 'a verb', "Slack's own stop button"])('others may cancel by %s', async (how) => {
    const ts = await world.mention('long?');
    const question = await eventually(() => one(service.find('long?')));
    await world.restart();
    world.slack.fault('conversations.info', { status: 503 }, 50);
    world.slack.fault('conversations.members', { status: 503 }, 50);
    if (how === 'a button') await world.press('Cancel', { user: people.bob });
    else if (how === 'a verb') await world.mention('cancel', { threadTs: ts, user: people.bob });
    else await world.deliver(agentSessionStoppedOf({ user: people.bob, channel: 'C0GENERAL', threadTs: ts }));
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Cancelled by <@U0BOB>'));
    expect(privateMessagesTo(people.bob)).toEqual([]);
  });
});

describe('a guest whose question waits in a thread', () => {
  test('cancels that question and no other', async () => {
    const ts = await world.mention('by bob?', { user: people.bob });
    const running = await eventually(() => one(service.find('by bob?')));
    await world.reply(ts, 'by ada?');
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Next in this thread'));
    world.slack.changePerson(people.ada, { is_restricted: true });
    await world.restart();
    await world.mention('cancel', { threadTs: ts });
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Cancelled by <@U0ADA>'));
    expect(running.status).toBe('processing');
    expect(privateMessagesTo(people.ada)).toEqual([]);
  });
});

test.skipIf(!hasRedisServer())(
  'a Cancel on the Home tab that fails because storage is down is reported privately',
  async () => {
    const redis = await startRedisServer(['--appendonly', 'no']);
    try {
      await beginWorld({ settings: { REDIS_URL: redis.url } });
      await world.mention('long?');
      await eventually(() => one(service.find('long?')), patient);
      await world.openHome();
      await eventually(() => expect(JSON.stringify(world.home())).toContain('deepsearch:cancel_own'), patient);
      await world.restart();
      await redis.kill();
      expect((await world.pressInHome('Cancel')).acknowledged).toBe(true);
      await eventually(() => {
        const direct = world.slack.messages.filter(({ channel }) => channel === 'D0ADA').map(visibleText);
        // The connection may break before or after the write was sent.
        expect([...direct, ...privateMessagesTo(people.ada)].join()).toMatch(/Not taken, nothing was sent|can't tell/);
      }, patient);
      expect(one(service.find('long?')).status).toBe('processing');
    } finally {
      await world.stopApp();
      await redis.stop();
    }
  },
  40_000,
);
