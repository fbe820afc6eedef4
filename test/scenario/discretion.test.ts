import { beforeEach, describe, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import {
  agentSessionStoppedOf,
  envelope,
  linkSharedOf,
  mentionOf,
  messageChangedOf,
  messageDeletedOf,
  messageOf,
} from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { inSharedChannel } from '../support/payloads/elsewhere.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { texts, visibleText } from '../support/world/world.ts';

const { ada, bob, mia } = people;

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(async () => {
  await beginWorld();
  service.answerEverything();
});
test('the name of a private channel appears in no card, in no request to the service and in no quote', async () => {
  world.slack.channels.set('C0SECRET', { isPrivate: true, botIsMember: true, isArchived: false, name: 'layoffs-2026' });
  await world.command('what does <#C0SECRET|> say about <#C0GENERAL|>?');
  await eventually(() => expect(service.questions()).toHaveLength(1));
  const root = world.slack.say('C0GENERAL', bob, 'as said in <#C0SECRET>');
  const ts = await world.mention('why?', { threadTs: root });
  await eventually(() => expect(service.questions()).toHaveLength(2));
  await world.answered(root);
  const asked = service.questions().map(({ question }) => question);
  // A name that Slack does not tell in time stays an id.
  expect(asked[0]).toMatch(/^what does #(private-channel|C0SECRET) say about #(general|C0GENERAL)\?$/);
  expect(asked[1]).toMatch(/as said in #(private-channel|C0SECRET)/);
  const said = [...asked, ...texts(world.slack.messages.filter((message) => message.ts !== ts))].join('\n');
  expect(said).not.toContain('layoffs');
});

test('a person who becomes a guest may not ask from that moment, and may again when that is reverted', async () => {
  await world.answered(await world.mention('one?', { user: bob }));
  await told({ is_restricted: true });
  await world.mention('two?', { user: bob });
  const word = await eventually(() => one(world.ephemeralsTo(bob)));
  expect(visibleText(word)).toContain('Guests in this workspace');
  expect(service.questions()).toHaveLength(1);
  await told({ is_restricted: false });
  await world.direct('three?', { user: bob });
  await eventually(() => expect(service.questions()).toHaveLength(2));
});

test('a guest who joins a channel is noticed with the event, before the remembered members are old', async () => {
  await world.answered(await world.mention('one?'));
  world.slack.channels.set('C0GENERAL', {
    ...{ isPrivate: false, botIsMember: true, isArchived: false, name: 'general' },
    members: [ada, bob, mia],
  });
  const joined = { type: 'member_joined_channel', user: mia, channel: 'C0GENERAL', channel_type: 'C', team: team.id };
  const delivered = await world.deliver(envelope({ ...joined, inviter: ada, event_ts: '1700000100.001300' }));
  expect(delivered.acknowledged).toBe(true);
  await world.mention('two?', { user: bob });
  const word = await eventually(() => one(world.ephemeralsTo(bob)));
  expect(visibleText(word)).toContain('Guests in this channel');
  expect(service.questions()).toHaveLength(1);
});

test('a thread goes on when Slack gives the channel a new id', async () => {
  const ts = await world.mention('one?');
  await world.answered(ts);
  const general = world.slack.channels.get('C0GENERAL');
  if (general === undefined) throw new Error('there is no such channel');
  world.slack.channels.set('C0MOVED', general);
  const changed = { type: 'channel_id_changed', old_channel_id: 'C0GENERAL', new_channel_id: 'C0MOVED' };
  for (let delivery = 1; delivery <= 2; delivery += 1) {
    expect((await world.deliver(envelope({ ...changed, event_ts: '1700000100.001400' }))).acknowledged).toBe(true);
  }
  // The messages of the thread move with the channel.
  for (const message of world.slack.messages) if (message.channel === 'C0GENERAL') message.channel = 'C0MOVED';
  await world.deliver(
    messageOf({ user: ada, text: 'and then?', ts: '1700000300.000100', threadTs: ts, channel: 'C0MOVED' }),
  );
  await eventually(() => expect(service.conversations).toMatchObject([{ questions: [{}, {}] }]));
});

/** Slack sends the event that bob changed. Its form: docs.slack.dev/reference/events/user_change. */
async function told(change: { is_restricted: boolean }): Promise<void> {
  world.slack.changePerson(bob, change);
  const user = {
    ...{ id: bob, team_id: team.id, name: 'bob', deleted: false, real_name: 'Bob Example', tz: 'Europe/Berlin' },
    ...{ is_admin: false, is_owner: false, is_primary_owner: false, is_ultra_restricted: false, is_bot: false },
    ...{ is_app_user: false, updated: 1_700_000_100, profile: { display_name: 'bob', status_text: '' } },
    ...change,
  };
  const event = { type: 'user_change', user, cache_ts: 1_700_000_100, event_ts: '1700000100.001200' };
  expect((await world.deliver(envelope(event))).acknowledged).toBe(true);
}

describe('in a channel that an event reports as shared with others', () => {
  const ts = '1700000200.000100';
  const message = { ts, user: ada, text: 'hello', channel: 'C0GENERAL', thread_ts: '1700000100.000100', edits: 0 };
  const spoken = { user: ada, text: 'hello', ts };

  test.each<[string, () => Record<string, unknown>]>([
    ['a message', () => messageOf(spoken)],
    [
      'an edit',
      () => messageChangedOf({ before: message, after: { ...message, text: 'hi' }, ts: '1700000201.000100' }),
    ],
    ['a deletion', () => messageDeletedOf({ message, ts: '1700000201.000100' })],
    ['a link', () => linkSharedOf({ ...spoken, channel: 'C0GENERAL', urls: ['https://x.example/a'], unfurlId: 'u' })],
    ['the stop button', () => agentSessionStoppedOf({ user: ada, channel: 'C0GENERAL', threadTs: ts })],
    ['an event without a listener', () => envelope({ type: 'channel_shared', channel: 'C0GENERAL', event_ts: ts })],
  ])('no questions are answered after that event, which is %s', async (_, event) => {
    await world.answered(await world.mention('one?'));
    await world.deliver(inSharedChannel(event()));
    await world.mention('two?', { user: bob });
    const word = await eventually(() => one(world.ephemeralsTo(bob)));
    expect(visibleText(word)).toContain('other organizations');
    expect(service.questions()).toHaveLength(1);
  });

  test('no question is answered where the event is the mention', async () => {
    const asking = world.slack.say('C0GENERAL', ada, `<@${team.botUserId}> one?`);
    await world.deliver(inSharedChannel(mentionOf({ user: ada, text: 'one?', ts: asking })));
    await eventually(() => expect(world.ephemeralsTo(ada)).toHaveLength(1));
    expect(service.calls).toEqual([]);
  });
});
