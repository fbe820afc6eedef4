import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { people } from '../support/fake-slack/fake-slack.ts';
import { one } from '../support/one.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

/** Data about people and channels is cached for a minute, and posting is retried with back-off. */
const patient = { timeoutMs: 240_000 };

let service: FakeService;
let world: World;

beforeEach(async () => {
  service = await startFakeService();
  world = await startWorld({ service: { url: service.url, token: serviceToken } });
});
afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(world.slack.violations).toEqual([]);
});

function share(channelId: string): void {
  const channel = world.slack.channels.get(channelId);
  if (channel === undefined) throw new Error(`no channel ${channelId}`);
  world.slack.channels.set(channelId, { ...channel, isExtShared: true });
}

describe('in a channel that becomes shared with another organization', () => {
  test('an answer is withheld whose first post ended with an unknown outcome', { timeout: 300_000 }, async () => {
    let isAway = false;
    world.slack.scriptFaults((method) => (isAway && method === 'chat.postMessage' ? { status: 503 } : undefined));
    const ts = await world.mention('where are the keys?');
    const question = await eventually(() => one(service.find('where are the keys?')));
    isAway = true;
    service.answer(question);
    await eventually(() => expect(world.slack.calls.filter((method) => method === 'chat.postMessage').length).toBe(2));
    share('C0GENERAL');
    // Slack accepts messages again only when the cached data about the channel has expired.
    const sinceMs = performance.now();
    await eventually(() => expect(performance.now() - sinceMs).toBeGreaterThan(70_000), patient);
    isAway = false;
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Not shown here'), patient);
    expect(world.answersIn(ts)).toEqual([]);
    const told = world.slack.ephemerals.filter(({ user }) => user === people.ada).map(({ text }) => text);
    expect(told.join()).toMatch(/People from other organizations/);
  });
});
