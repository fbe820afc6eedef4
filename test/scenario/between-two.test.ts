import { beforeEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(async () => {
  await beginWorld();
  service.answerEverything();
});
test('a command in a direct message between two people offers what can work there, the direct messages with the app', async () => {
  await world.command('where is main?', { channel: 'D0ADABOB' });
  const told = await eventually(() => one(world.ephemeralsTo(people.ada)));
  expect(visibleText(told)).toContain(
    'I cannot post in these direct messages, so the question was not asked. Ask in our direct messages instead.',
  );
  expect(visibleText(told)).toContain('where is main?');
  expect(visibleText(told)).not.toMatch(/invite|channel/);
  expect(buttonsOf(told.blocks)).toHaveLength(1);
  await world.pressPrivately('Ask in our direct messages');
  const root = await eventually(() =>
    one(world.slack.messages.filter(({ channel, thread_ts: ts }) => channel === 'D0ADA' && ts === undefined)),
  );
  await world.answered(root.ts);
});
