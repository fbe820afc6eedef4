import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { agentSessionStoppedOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The calls about the session of a thread, in order. */
function told(threadTs: string): string[] {
  return world.slack.agentCalls
    .filter(({ args }) => args.thread_ts === threadTs)
    .map(({ method, args }) => (method.endsWith('rename') ? `rename ${String(args.title)}` : String(args.status)));
}

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)));
}

async function answered(threadTs: string, text: string): Promise<void> {
  const before = world.answersIn(threadTs).length;
  service.answer(await asked(text));
  await eventually(() => expect(world.answersIn(threadTs)).toHaveLength(before + 1));
}

function stop(threadTs: string, options: { user?: string; channel?: string } = {}) {
  const { user = people.ada, channel = 'C0GENERAL' } = options;
  return world.deliver(agentSessionStoppedOf({ user, channel, threadTs }));
}

describe('an agent session', () => {
  test('is working while a question runs, and takes the title of the first answer', async () => {
    const threadTs = await world.mention('where is main?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing']));
    const [call] = world.slack.agentCalls;
    expect(call?.args).toMatchObject({
      channel_id: 'C0GENERAL',
      thread_ts: threadTs,
      title: 'where is main?',
      initiator_user_id: people.ada,
    });
    await answered(threadTs, 'where is main?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing', 'active', 'rename About where is main?']));
    await world.reply(threadTs, 'and what calls it?');
    await answered(threadTs, 'and what calls it?');
    await eventually(() => expect(told(threadTs).slice(3)).toEqual(['processing', 'active']));
    await eventually(() => expect(visibleText(lastCard(threadTs))).toMatch(/Answered in/));
  });

  test('begins with a command once its card is posted, and with a direct message in its thread', async () => {
    await world.command('from a command?');
    await asked('from a command?');
    const root = one(world.slack.messages.filter(({ thread_ts: ts }) => ts === undefined));
    await eventually(() => expect(told(root.ts)).toEqual(['processing']));
    const threadTs = await world.direct('from a message?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing']));
  });

  test('is still working while another question of the thread waits', async () => {
    const threadTs = await world.mention('the first?');
    await asked('the first?');
    await world.reply(threadTs, 'the second?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing', 'processing']));
    await answered(threadTs, 'the first?');
    await answered(threadTs, 'the second?');
    await eventually(() =>
      expect(told(threadTs)).toEqual(['processing', 'processing', 'rename About the first?', 'active']),
    );
  });

  test('of a question asked before a restart ends in the next process', async () => {
    const threadTs = await world.mention('for long?');
    await asked('for long?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing']));
    await world.restart();
    await answered(threadTs, 'for long?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing', 'active', 'rename About for long?']));
  });

  test('shows a question that failed or was cancelled as over, without a name', async () => {
    const failing = await world.mention('will it fail?');
    service.fail(await asked('will it fail?'), 'SomeError');
    await eventually(() => expect(told(failing)).toEqual(['processing', 'active']));
    const threadTs = await world.mention('will it stop?');
    await asked('will it stop?');
    await world.reply(threadTs, 'stop');
    await eventually(() => expect(told(threadTs)).toEqual(['processing', 'active']));
  });
});

describe('the stop button of Slack', () => {
  test('cancels the running question, and the session ends as usual', async () => {
    const threadTs = await world.mention('where is main?');
    await asked('where is main?');
    await eventually(() => expect(told(threadTs)).toEqual(['processing']));
    expect((await stop(threadTs)).acknowledged).toBe(true);
    await eventually(() => expect(visibleText(lastCard(threadTs))).toMatch(/Cancelled by <@U0ADA>/));
    await eventually(() => expect(told(threadTs)).toEqual(['processing', 'active']));
    expect(service.calls.filter((call) => call === 'cancel')).toHaveLength(1);
  });

  test('cancels nothing else when it is delivered again', async () => {
    const threadTs = await world.mention('the first?');
    await asked('the first?');
    await world.reply(threadTs, 'the second?');
    await stop(threadTs);
    await asked('the second?');
    await stop(threadTs);
    await answered(threadTs, 'the second?');
  });

  test('says where it came too late, and the session does not continue working', async () => {
    const threadTs = await world.mention('too late?');
    await answered(threadTs, 'too late?');
    await eventually(() => expect(told(threadTs)).toHaveLength(3));
    await stop(threadTs);
    await eventually(() => expect(one(world.ephemeralsTo(people.ada)).text).toContain('Nothing is running'));
    await eventually(() => expect(told(threadTs).slice(3)).toEqual(['active']));
  });

  test('is refused to guests', async () => {
    const threadTs = await world.mention('where is main?');
    await asked('where is main?');
    await stop(threadTs, { user: people.mia });
    // She is not in the channel, so the app tells her in direct messages.
    await eventually(() => expect(world.slack.messages.filter(({ channel }) => channel === 'D0MIA')).toHaveLength(1));
    await answered(threadTs, 'where is main?');
  });

  test('touches nothing in an odd event', async () => {
    const threadTs = await world.mention('where is main?');
    await asked('where is main?');
    const body = agentSessionStoppedOf({ user: people.ada, channel: 'C0GENERAL', threadTs });
    const { thread_ts: _, ...event } = body.event as Record<string, unknown>;
    expect((await world.deliver({ ...body, event })).acknowledged).toBe(true);
    await stop('1.000001');
    await answered(threadTs, 'where is main?');
  });
});

describe('a workspace without agent features', () => {
  test('loses nothing, and is asked once for the feature', async () => {
    world.slack.agentFeatures = false;
    const threadTs = await world.direct('without?');
    await answered(threadTs, 'without?');
    const again = await world.mention('and again?');
    await answered(again, 'and again?');
    await eventually(() => expect(buttonsOf(lastCard(again).blocks)).toEqual([]));
    expect(world.slack.agentCalls).toHaveLength(1);
  });

  test('and a workspace where Slack fails or limits calls still get their answers', async () => {
    world.slack.fault('agents.sessions.setStatus', { status: 500 });
    world.slack.fault('agents.sessions.setStatus', { retryAfterSeconds: 30 }, 3);
    const threadTs = await world.mention('in spite of all?');
    await answered(threadTs, 'in spite of all?');
    await eventually(() => expect(visibleText(lastCard(threadTs))).toMatch(/Answered in/));
  });

  test('does without the session in one place and has it in the others', async () => {
    world.slack.fault('agents.sessions.setStatus', { error: 'channel_not_found' });
    const refused = await world.mention('not here?');
    await answered(refused, 'not here?');
    const served = await world.mention('but here?');
    await eventually(() => expect(told(served)).toEqual(['processing']));
    expect(told(refused).filter((each) => !each.startsWith('rename'))).toEqual([]);
  });
});

describe('the Messages tab', () => {
  test('shows suggested prompts in the language of the person who opens it, once a day', async () => {
    await world.learnLanguage(people.gerd);
    for (const user of [people.gerd, people.gerd, people.ada]) await world.openHome(user, 'messages');
    await eventually(() => expect(world.slack.agentCalls).toHaveLength(2));
    const suggested = (channel: string) =>
      JSON.stringify(one(world.slack.agentCalls.filter(({ args }) => args.channel_id === channel)).args);
    const german = suggested('D0GERD');
    const english = suggested('D0ADA');
    expect(german).toContain('Repositorys');
    expect(english).toContain('repositories');
    expect(german).not.toContain('thread_ts');
    expect(world.slack.homes.size).toBe(0);
  });

  test('shows no suggested prompts where that is not possible, and the app does not ask Slack again', async () => {
    world.slack.agentFeatures = false;
    await world.openHome(people.ada, 'messages');
    await eventually(() => expect(world.slack.agentCalls).toHaveLength(1));
    await world.openHome(people.bob, 'messages');
    const threadTs = await world.direct('still there?');
    await answered(threadTs, 'still there?');
    expect(world.slack.agentCalls.filter(({ method }) => method.endsWith('Prompts'))).toHaveLength(1);
  });

  test.each([true, false])('answers a first message in its thread (agent features: %s)', async (enabled) => {
    world.slack.agentFeatures = enabled;
    const threadTs = await world.direct('the first message?');
    await answered(threadTs, 'the first message?');
    expect(world.slack.inThread(threadTs).every(({ channel }) => channel === 'D0ADA')).toBe(true);
    await world.reply(threadTs, 'carry on?', { channel: 'D0ADA', channelType: 'im' });
    await answered(threadTs, 'carry on?');
    expect(one(service.conversations).questions).toHaveLength(2);
  });
});

describe('a group direct message', () => {
  test('is answered when the app is mentioned, and only then', async () => {
    const group = { channel: 'G0GROUP', channelType: 'mpim' } as const;
    await world.direct('just between us?', group);
    const threadTs = await world.mention('for the app?', { channel: 'G0GROUP' });
    await answered(threadTs, 'for the app?');
    expect(service.find('just between us?')).toEqual([]);
    await eventually(() => expect(told(threadTs)[0]).toBe('processing'));
  });
});

/** The app's newest message in a thread that is not the end of a question. */
function lastCard(threadTs: string) {
  const answers = new Set(world.answersIn(threadTs).map(({ ts }) => ts));
  const card = world.slack
    .inThread(threadTs)
    .filter(({ bot_id: botId, ts }) => botId !== undefined && !answers.has(ts))
    .at(-1);
  if (card === undefined) throw new Error('no card');
  return card;
}
