import { beforeEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

const privately = () => eventually(() => one(world.slack.ephemerals));
const shown = () => world.slack.messages.filter(({ bot_id: id }) => id !== undefined);

test('a card for a message that is gone does not stay in the channel, and its asker is told', async () => {
  await world.mention('where are retries?', { ts: '1700000000.000009' });
  const notice = await privately();
  expect(notice).toMatchObject({ user: people.ada });
  expect(notice.thread_ts).toBeUndefined();
  expect(visibleText(notice)).toContain('The message that begins this thread was deleted');
  expect(visibleText(notice)).toContain('where are retries?');
  expect(shown()).toEqual([]);
  expect(world.slack.deleted).toHaveLength(1);
  expect(service.calls).not.toContain('create');
});

test('an answer whose thread is gone does not stay in the channel, and its asker gets the link', async () => {
  const ts = await world.mention('where are retries?');
  const question = await eventually(() => one(service.find('where are retries?')));
  await eventually(() => expect(world.card(ts)).toBeDefined());
  world.slack.remove(world.card(ts)?.ts ?? '');
  world.slack.remove(ts);
  service.answer(question, { answer: 'Retries are in retry.ts.' });
  const notice = await privately();
  expect(notice.thread_ts).toBeUndefined();
  expect(visibleText(notice)).toContain('I could not post the result in <#C0GENERAL>. Read it here: <');
  expect(shown()).toEqual([]);
  expect(JSON.stringify(world.slack.deleted)).toContain('Retries are in retry.ts.');
});
