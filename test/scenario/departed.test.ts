import { beforeEach, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { createMemoryAccounts, type MemoryAccounts } from '../support/accounts/memory-accounts.ts';
import { eventually } from '../support/eventually.ts';
import { envelope } from '../support/local-slack/payloads.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { world, beginWorld } = worldOfEachTest();
let accounts: MemoryAccounts;

beforeEach(async () => {
  accounts = createMemoryAccounts({ mode: 'preferred' });
  await beginWorld({ accounts });
  for (const userId of [people.ada, people.bob]) accounts.connect({ teamId: team.id, userId }, { username: userId });
});

/** Slack sends the event that a person changed: docs.slack.dev/reference/events/user_change. */
async function changed(userId: string, change: Record<string, unknown>): Promise<void> {
  const user = { id: userId, team_id: team.id, name: 'x', deleted: false, is_bot: false };
  const flags = { is_restricted: false, is_ultra_restricted: false };
  const event = { type: 'user_change', user: { ...user, ...flags, ...change }, event_ts: '1700000100.001200' };
  expect((await world.deliver(envelope(event))).acknowledged).toBe(true);
}

test.each([
  ['left', { deleted: true }],
  ['became a guest', { is_restricted: true }],
  ['became a guest of one channel', { is_restricted: true, is_ultra_restricted: true }],
  ['moved to another organization', { team_id: 'T0OTHER' }],
])('a person who %s loses the account at once, and no one else does', async (_, change) => {
  await changed(people.bob, change);
  await eventually(() => expect(accounts.removed).toEqual([people.bob]));
  expect(await accounts.accounts.statusOf({ teamId: team.id, userId: people.ada })).toMatchObject({
    state: 'connected',
  });
});

test('a person who changed their name keeps the account, and so does one of whom Slack says too little', async () => {
  await changed(people.bob, { name: 'robert' });
  await changed(people.bob, { is_restricted: undefined, is_ultra_restricted: undefined });
  await changed(people.bob, { team_id: undefined });
  await changed(people.ada, { deleted: true });
  await eventually(() => expect(accounts.removed).toEqual([people.ada]));
});

test('a person whom the app finds to be a guest when they ask loses the account', async () => {
  world.slack.changePerson(people.bob, { is_restricted: true });
  await world.direct('where is main?', { user: people.bob });
  await eventually(() => expect(accounts.removed).toEqual([people.bob]));
});

test('a person whom Slack cannot identify keeps the account', async () => {
  world.slack.failUserInfo(people.bob, 'user_not_visible');
  await world.direct('where is main?', { user: people.bob });
  await eventually(() => expect(JSON.stringify(world.ephemeralsTo(people.bob))).toContain('could not tell me'));
  expect(accounts.removed).toEqual([]);
});
