import { expect, test, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createChannels, readChannel } from '../../../src/slack/access/channels.ts';
import { createReader, createUserGroups } from '../../../src/slack/access/mention-names.ts';
import type { SlackUser, Users } from '../../../src/slack/access/users.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';

const open = {
  id: 'C1',
  name: 'layoffs',
  is_private: false,
  is_mpim: false,
  is_ext_shared: false,
  is_pending_ext_shared: false,
};

test.each<[string, Record<string, unknown>, string]>([
  ['an open channel', open, 'see #layoffs now'],
  ['a private channel', { ...open, is_private: true }, 'see #private-channel now'],
  ['a group conversation', { ...open, is_mpim: true, name: 'mpdm-ada--bob-1' }, 'see #private-channel now'],
  ['a direct message', { ...open, is_im: true }, 'see #private-channel now'],
  ['a channel that Slack does not report as open', { ...open, is_private: undefined }, 'see #private-channel now'],
  ['a channel with an odd flag', { ...open, is_private: 'no' }, 'see #C1 now'],
])('%s is called by its name only where everybody may know it', async (_, channel, expected) => {
  const slack = createScriptedSlack({ 'conversations.info': { channel } });
  const read = readerOf(slack);
  expect(await read('see <#C1> now')).toBe(expected);
  expect(await read('see <#C1|> now')).toBe(expected);
  expect(await read('see <#C1|as-slack-says> now')).toBe('see #as-slack-says now');
  if (!expected.includes('layoffs')) expect(readChannel('C1', channel)).not.toHaveProperty('name');
});

test('a channel that is hidden from the app also counts as private', async () => {
  const slack = createScriptedSlack({ 'conversations.info': { error: 'channel_not_found' } });
  expect(await readerOf(slack)('see <#C1>')).toBe('see #private-channel');
});

test.each<[string, Record<string, unknown>, string]>([
  ['its handle', { usergroups: [null, { id: 'S0DEV', handle: 'devs' }] }, 'ask @devs'],
  ['its id where the app lacks the scope', { error: 'missing_scope' }, 'ask @S0DEV'],
  ['its id where the plan has no user groups', { error: 'plan_upgrade_required' }, 'ask @S0DEV'],
  ['its id while Slack fails', { error: 'internal_error' }, 'ask @S0DEV'],
])('a user group is called by %s', async (_, reply, expected) => {
  const slack = createScriptedSlack({ 'usergroups.list': reply });
  const read = readerOf(slack);
  expect(await read('ask <!subteam^S0DEV>')).toBe(expected);
  expect(await read('ask <!subteam^S0DEV|>')).toBe(expected);
  expect(await read('ask <!subteam^S0DEV|@as-slack-says>')).toBe('ask @as-slack-says');
  expect(slack.called('usergroups.list')).toBe(1);
});

test('a channel that Slack gives no information about keeps its id', async () => {
  const slack = createScriptedSlack({ 'conversations.info': { error: 'internal_error' } });
  expect(await readerOf(slack)('see <#C1>')).toBe('see #C1');
});

/** A reader for which the name of a person is "name of" and the id, unless a test says otherwise. */
function reading(person: Users['person'] = async (userId) => ({ userId, name: `name of ${userId}`, kind: 'member' })) {
  const asked: string[] = [];
  let nowMs = 0;
  const read = createReader({
    people: {
      person: (userId) => {
        asked.push(userId);
        return person(userId);
      },
    },
    channels: {
      channel: async (id) => {
        asked.push(id);
        return { id, kind: 'internal', name: `name-of-${id}` };
      },
    },
    userGroups: async () => new Map([['S1', 'devs']]),
    botUserId: 'UBOT',
    now: () => nowMs,
  });
  return {
    read,
    asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const mentionsOf = (count: number): string => Array.from({ length: count }, (_, index) => `<@U${index}>`).join(' ');

test('people are called by their names, and the app never asks about itself', async () => {
  const { read, asked } = reading();
  expect(await read('<@UBOT> ask <@U1> in <#C1>')).toBe('ask @name of U1 in #name-of-C1');
  expect(asked).toEqual(['U1', 'C1']);
});

test('a name is asked for once an hour', async () => {
  const { read, asked, pass } = reading();
  await read('<@U1>');
  pass(60 * 60_000 - 1);
  expect(await read('<@U1>')).toBe('@name of U1');
  expect(asked).toEqual(['U1']);
  pass(1);
  await read('<@U1>');
  expect(asked).toEqual(['U1', 'U1']);
});

test('a name that Slack does not return is asked for again after a moment', async () => {
  const { read, asked, pass } = reading(() => Promise.reject(new AppError('unavailable', 'planned')));
  expect(await read('<@U1>')).toBe('@U1');
  pass(799);
  await read('<@U1>');
  expect(asked).toHaveLength(1);
  pass(1);
  await read('<@U1>');
  expect(asked).toHaveLength(2);
});

test('twenty names are looked up for one text, and the rest keep their ids', async () => {
  const { read, asked } = reading();
  const text = await read(mentionsOf(21));
  expect(asked).toHaveLength(20);
  expect(text).toMatch(/@name of U19 @U20$/);
});

test('names that arrive too late are left out, and known the next time', async () => {
  vi.useFakeTimers();
  try {
    let tell: (person: SlackUser) => void = () => {};
    const { read } = reading(() => new Promise((resolve) => (tell = resolve)));
    const text = read('<@U1>');
    await vi.advanceTimersByTimeAsync(800);
    expect(await text).toBe('@U1');
    tell({ userId: 'U1', name: 'ada', kind: 'member' });
    await vi.advanceTimersByTimeAsync(0);
    expect(await read('<@U1>')).toBe('@ada');
  } finally {
    vi.useRealTimers();
  }
});

test('five thousand names are remembered', async () => {
  const { read, asked } = reading();
  for (let index = 0; index < 5_000; index += 20) {
    await read(Array.from({ length: 20 }, (_, offset) => `<@U${index + offset}>`).join(' '));
  }
  await read('<@U0> <@U4999>');
  expect(asked).toHaveLength(5_000);
  await read('<@UNEW> <@U0>');
  await read('<@U1>');
  expect(asked.slice(5_000)).toEqual(['UNEW', 'U1']);
});

function readerOf({ deps }: ReturnType<typeof createScriptedSlack>): (text: string) => Promise<string> {
  return createReader({
    people: { person: async (userId) => ({ userId, name: userId, kind: 'member' }) },
    channels: createChannels(deps),
    userGroups: createUserGroups(deps),
    botUserId: 'UBOT',
    now: deps.now,
  });
}
