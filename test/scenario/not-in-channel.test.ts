import { beforeEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { messageOf, pressOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { texts } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

test('a "cancel" that Slack delivers again does not cancel the next question', async () => {
  const ts = await world.mention('q1?');
  await eventually(() => one(service.find('q1?')));
  await world.reply(ts, 'q2?');
  const cancelTs = await world.reply(ts, 'cancel');
  const second = await eventually(() => one(service.find('q2?')));
  await world.deliver(messageOf({ user: people.ada, text: 'cancel', ts: cancelTs, threadTs: ts }));
  service.answer(second);
  await world.answered(ts);
  expect(service.find('q1?')[0]?.error?.kind).toBe('Cancelled');
  expect(second.error).toBeUndefined();
});

test('a "cancel" that comes while the answer is being posted gets the reply that it is too late', async () => {
  const ts = await world.mention('quick?');
  const question = await eventually(() => one(service.find('quick?')));
  await eventually(() => expect(world.card(ts)).toBeDefined());
  world.slack.fault('chat.postMessage', { retryAfterSeconds: 2 });
  service.answer(question);
  await eventually(() => expect(world.slack.calls.filter((method) => method === 'chat.postMessage')).toHaveLength(2));
  await world.reply(ts, 'cancel');
  const told = await eventually(() => one(world.slack.ephemerals));
  expect(told.text).toMatch(/answer/i);
  await world.answered(ts);
});

test('a bare "new" gets a hint everywhere', async () => {
  expect((await world.command('new')).response).toMatchObject({ text: expect.stringMatching(/question/i) });
  await world.mention('New question:');
  await eventually(() => expect(world.slack.ephemerals).toHaveLength(1));
  await world.direct('new');
  await eventually(() => expect(world.slack.ephemerals).toHaveLength(2));
  expect(service.calls).toEqual([]);
  expect(world.slack.messages.filter(({ bot_id: botId }) => botId !== undefined)).toEqual([]);
});

test('a group direct message is like a channel: a mention asks, and so do replies in its thread', async () => {
  service.answerEverything();
  world.slack.channels.set('G0GROUP', { isPrivate: true, botIsMember: true, isArchived: false });
  const group = { channel: 'G0GROUP', channelType: 'mpim' } as const;
  const chatter = world.slack.say(group.channel, people.bob, 'lunch?');
  await world.deliver(messageOf({ ...group, user: people.bob, text: 'lunch?', ts: chatter }));
  const ts = await world.mention('where?', group);
  await world.answered(ts);
  await world.reply(ts, 'and then?', group);
  await world.answered(ts, 2);
  expect(service.questions().map(({ question }) => question)).toEqual(['where?', 'and then?']);
});

test('a person who asks again where the app still cannot post is told through the address of the button', async () => {
  await world.command('is it private?', { channel: 'C0PRIVATE' });
  const told = await eventually(() => one(world.slack.responses));
  const value = /"value":"(q[0-9a-f]{24})"/.exec(JSON.stringify(told.body))?.[1];
  const again = world.slack.responseUrl('again');
  await world.deliver(
    pressOf({
      actionId: 'deepsearch:ask_here',
      value,
      user: people.ada,
      channel: 'C0PRIVATE',
      messageTs: '1.1',
      responseUrl: again,
    }),
  );
  const second = await eventually(() => one(world.slack.responses.filter(({ url }) => url === again)));
  expect(JSON.stringify(second.body)).toContain('is it private?');
  expect(texts(world.slack.messages)).toEqual([]);
});

test('a revoked token of Slack shows on /readyz, which stays ready, until it works again', async () => {
  service.answerEverything();
  world.slack.fault('chat.postMessage', { error: 'token_revoked' });
  world.slack.fault('auth.test', { error: 'token_revoked' });
  const ts = await world.mention('who are you?');
  await eventually(async () => {
    const ready = await world.readyz();
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ready: true, slack: 'ok', access: { slack: 'refused' } });
    expect(await world.metrics()).toContain('deepsearch_slack_access{target="slack"} 0');
  });
  await world.answered(ts);
  expect(await (await world.readyz()).json()).toMatchObject({ ready: true, access: { slack: 'ok' } });
});
