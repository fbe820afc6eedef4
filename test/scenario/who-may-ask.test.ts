import { describe, expect, test } from 'vitest';
import { otherTeamId, people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { mentionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, texts, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

async function begin(settings: Record<string, string> = {}): Promise<void> {
  await beginWorld({ settings });
  service.answerEverything();
}

/** All private messages to a person, as they see them. */
function privateMessages(user: string): string[] {
  return world.ephemeralsTo(user).map((each) => `${each.thread_ts ?? ''} ${visibleText(each)}`);
}

function saidByApp(): string[] {
  return texts(world.slack.messages.filter(({ bot_id: botId }) => botId !== undefined));
}

/** The one private message to a person. The app says nothing else, and asks nothing. */
async function refusedTo(user: string): Promise<string> {
  const word = await eventually(() => one(privateMessages(user)));
  expect(saidByApp()).toEqual([]);
  expect(service.calls).toEqual([]);
  return word;
}

describe('a question', () => {
  test.each([
    ['a guest', people.mia, 'Guests in this workspace'],
    ['a person of another organization', people.olga, 'Only members of this workspace'],
    ['a person that Slack does not know any more', people.otto, 'Slack could not tell me who you are'],
  ])('of %s is refused, in a channel and in a direct message', async (_, user, why) => {
    await begin();
    world.slack.channels.get('C0GENERAL')?.members?.push(user);
    await world.mention('where is main?', { user });
    const word = await refusedTo(user);
    expect(word).toContain(why);
    expect(word).toContain('where is main?');
    expect(word).toMatch(/Reference `q[0-9a-f]{8}`/);
    // The message is outside of the thread, because Slack shows none in a thread without replies.
    expect(word).toMatch(/^ /);
    expect(buttonsOf(one(world.ephemeralsTo(user)).blocks)).toEqual([]);
    await world.direct('and here?', { user, channel: user.replace(/^U/, 'D') });
    await eventually(() => expect(privateMessages(user)).toHaveLength(2));
    expect(privateMessages(user)[1]).toContain(why);
    expect(saidByApp()).toEqual([]);
    expect(service.calls).toEqual([]);
  });
});

describe('a question asked', () => {
  test('in a channel shared with another organization is refused, and accepted in the direct messages', async () => {
    await begin();
    await world.mention('where is main?', { channel: 'C0SHARED' });
    expect(await refusedTo(people.ada)).toContain('People from other organizations in this channel');
    await world.pressPrivately('Ask in our direct messages');
    const card = await eventually(() =>
      one(world.slack.messages.filter(({ channel }) => channel === 'D0ADA').slice(0, 1)),
    );
    await world.answered(card.ts);
    expect(saidByApp().join()).toContain('where is main?');
    expect(world.slack.messages.filter(({ channel, bot_id: bot }) => channel === 'C0SHARED' && bot)).toEqual([]);
  });

  test('where an event says that the channel is shared is refused, whatever else Slack says', async () => {
    await begin();
    await world.answered(await world.mention('one?'));
    const ts = world.slack.say('C0GENERAL', people.ada, 'two?');
    await world.deliver({
      ...mentionOf({ user: people.ada, text: 'two?', ts, channel: 'C0GENERAL' }),
      is_ext_shared_channel: true,
    });
    await eventually(() =>
      expect(one(privateMessages(people.ada))).toContain('People from other organizations in this channel'),
    );
    expect(world.answersIn(ts)).toEqual([]);
  });

  test('in a channel that became shared while it was parked is not answered there any more', async () => {
    await beginWorld();
    const ts = await world.mention('costly?');
    const question = await eventually(() => one(service.find('costly?')));
    service.quota(100, 100, new Date(Date.now() + 1_500));
    service.fail(question, 'RateLimitExceeded');
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toMatch(/<!date/));
    service.answerEverything();
    const other = mentionOf({ user: people.bob, text: '', ts: world.slack.say('C0GENERAL', people.bob, 'hello') });
    await world.deliver({ ...other, is_ext_shared_channel: true });
    await eventually(
      () => expect(privateMessages(people.ada).join()).toContain('People from other organizations in this channel'),
      {
        timeoutMs: 10_000,
      },
    );
    expect(world.answersIn(ts)).toEqual([]);
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).not.toMatch(/<!date/));
  });

  test('in a private channel without the app gets instructions to invite the app, and nothing is posted there in the meantime', async () => {
    await begin();
    await world.command('where is main?', { channel: 'C0PRIVATE' });
    const word = await eventually(() => one(privateMessages(people.ada)));
    expect(word).toContain('/invite');
    expect(world.slack.calls).not.toContain('chat.postMessage');
    // The app is invited, and the channel has a guest. The app checks again before it posts.
    const channel = world.slack.channels.get('C0PRIVATE');
    if (channel !== undefined) Object.assign(channel, { botIsMember: true, members: [people.ada, people.mia] });
    await world.pressPrivately('Ask again here');
    await eventually(() => expect(privateMessages(people.ada)).toHaveLength(2));
    expect(privateMessages(people.ada)[1]).toContain('Guests in this channel');
    expect(saidByApp()).toEqual([]);
  });
});

test('a flag that a stand-in for Slack leaves out is read as false where the operator says so', async () => {
  const omit = (): void => {
    world.slack.omitFields(people.ada, ['is_restricted', 'is_ultra_restricted']);
    world.slack.omitFields('C0GENERAL', ['is_ext_shared', 'is_pending_ext_shared']);
  };
  await begin({ SLACK_STAND_IN: 'true' });
  omit();
  await world.answered(await world.mention('where is main?'));
  await begin();
  omit();
  await world.mention('where is main?');
  expect(await refusedTo(people.ada)).toContain('Slack could not tell me who you are');
});

describe('by the settings for channels', () => {
  test('opened channels are open to all people', async () => {
    await begin({ OPEN_CHANNELS: 'C0SHARED,C0GUESTS' });
    await world.answered(await world.mention('one?', { channel: 'C0SHARED', user: people.olga }));
    await world.answered(await world.mention('two?', { channel: 'C0GUESTS', user: people.mia }));
    await world.answered(await world.mention('three?', { channel: 'C0SHARED' }));
    await world.mention('four?', { channel: 'D0MIA', user: people.mia });
    await eventually(() => expect(one(privateMessages(people.mia))).toContain('Guests in this workspace'));
  });

  test('all other channels are closed where some are allowed', async () => {
    await begin({ ALLOWED_CHANNELS: 'C0PUBLIC', OPEN_CHANNELS: 'C0GUESTS' });
    await world.mention('where is main?');
    expect(await refusedTo(people.ada)).toContain('not turned on for this channel');
    await world.answered(await world.mention('one?', { channel: 'C0GUESTS' }));
    await world.answered(await world.direct('two?'));
    await world.command('three?', { channel: 'C0PUBLIC' });
    await eventually(() => expect(saidByApp().join()).toContain('three?'));
  });
});

describe('a button', () => {
  async function answeredInGeneral(): Promise<string> {
    await begin();
    const ts = await world.mention('where is main?');
    await world.answered(ts);
    return ts;
  }

  test.each([
    ['a guest', people.mia, 'Guests in this workspace'],
    ['a person of another organization', people.olga, 'Only members of this workspace'],
  ])('pressed by %s does nothing and shows nothing', async (_, user, why) => {
    const ts = await answeredInGeneral();
    const followUp = buttonsOf(one(world.answersIn(ts)).blocks)[0]?.label ?? '';
    await world.press(followUp, { user, threadTs: ts });
    const word = await eventually(() => one(privateMessages(user)));
    expect(word).toContain(why);
    expect(word).toContain('nothing was done');
    expect(service.questions()).toHaveLength(1);
    expect(world.slack.calls).not.toContain('views.open');
  });

  test('with the name of another workspace does nothing', async () => {
    const ts = await answeredInGeneral();
    const [button] = buttonsOf(one(world.answersIn(ts)).blocks);
    const before = world.slack.calls.filter((method) => method === 'users.info').length;
    await world.deliver({
      type: 'block_actions',
      user: { id: 'U0STRANGER', team_id: otherTeamId },
      team: { id: team.id, domain: 'fake' },
      container: { type: 'message', message_ts: ts, channel_id: 'C0GENERAL' },
      channel: { id: 'C0GENERAL', name: 'general' },
      message: { type: 'message', ts, thread_ts: ts },
      trigger_id: '1.1.stranger',
      response_url: world.slack.responseUrl('stranger'),
      actions: [{ type: 'button', action_id: button?.actionId, block_id: 'b', value: button?.value, action_ts: '1.0' }],
    });
    await eventually(() => expect(JSON.stringify(world.slack.responses)).toContain('Only members of this workspace'));
    expect(service.questions()).toHaveLength(1);
    // At most one call, for the language of the private message. The decision needs none.
    expect(world.slack.calls.filter((method) => method === 'users.info').length - before).toBeLessThanOrEqual(1);
  });

  test('for Cancel works for members and always for the asker, and not for guests', async () => {
    await beginWorld();
    const ts = await world.mention('where is main?');
    await eventually(() => expect(service.questions()).toHaveLength(1));
    await world.press('Cancel', { user: people.mia, threadTs: ts });
    await eventually(() => expect(one(privateMessages(people.mia))).toContain('Guests in this workspace'));
    expect(service.calls).not.toContain('cancel');
    world.slack.failUserInfo(people.ada, 'user_not_visible');
    await world.press('Cancel', { user: people.ada, threadTs: ts });
    await eventually(() => expect(service.calls).toContain('cancel'));
  });
});

describe('in their languages', () => {
  test('readers get cards, answers and private messages', async () => {
    await begin({ ALLOWED_CHANNELS: 'C0GENERAL' });
    const ts = await world.mention('wo ist main?', { user: people.gerd });
    await world.answered(ts);
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Beantwortet'));
    world.slack.channels.get('C0GUESTS')?.members?.push(people.gerd);
    await world.learnLanguage(people.gerd);
    await world.mention('und hier?', { user: people.gerd, channel: 'C0GUESTS' });
    await eventually(() => expect(one(privateMessages(people.gerd))).toContain('Channel nicht eingeschaltet'));
  });
});

test('a second question within a minute costs only the check right before its answer', async () => {
  await begin();
  await world.answered(await world.mention('one?'));
  const asked = (): string[] =>
    world.slack.calls.filter((method) => /^(users|conversations)\./.test(method) && !/replies|history/.test(method));
  const before = asked();
  const beforeAnswer = ['conversations.info', 'conversations.members', 'users.info'];
  expect(before.toSorted()).toEqual([...beforeAnswer, ...beforeAnswer, 'users.list'].toSorted());
  await world.answered(await world.mention('two?'));
  expect(asked().slice(before.length).toSorted()).toEqual(beforeAnswer);
});

test('guests among hundreds of members are found right after a start without a call for each', async () => {
  await beginWorld();
  service.answerEverything();
  await world.stopApp();
  const crowd = Array.from({ length: 900 }, (_, index) => `U1CROWD${index}`);
  for (const id of crowd) world.slack.changePerson(id, {});
  world.slack.channels.get('C0GENERAL')?.members?.push(...crowd);
  await world.startApp();
  world.slack.calls.length = 0;
  await world.answered(await world.mention('where is main?'));
  const asked = (method: string): number => world.slack.calls.filter((each) => each === method).length;
  // Twice: before the question is asked, and right before its answer.
  expect(asked('users.info')).toBe(2);
  expect(asked('users.list')).toBeLessThanOrEqual(2);
  expect(asked('conversations.members')).toBe(4);
  world.slack.changePerson('U1CROWD899', { is_restricted: true });
  await world.restart();
  await world.mention('and now?');
  await eventually(() => expect(one(privateMessages(people.ada))).toContain('Guests in this channel'));
});
