import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)));
}

function labels(message: Parameters<typeof visibleText>[0]): string[] {
  return buttonsOf(message.blocks).map(({ label }) => label);
}

function blockIds(message: { blocks?: { block_id?: string }[] }): string[] {
  return (message.blocks ?? []).flatMap(({ block_id: id }) => (id?.startsWith('ds:') === true ? [id] : []));
}

describe('the button of an end without an answer', () => {
  beforeEach(() => beginWorld());

  test.each([
    ['InternalError', 'Try again'],
    ['TokenLimitExceeded', 'Ask in a new conversation'],
  ])('for %s, which is "%s", is replaced by the person who used it', async (kind, label) => {
    const ts = await world.mention('broken?');
    service.fail(await asked('broken?'), kind);
    const failure = one(await world.answered(ts));
    expect(labels(failure)).toEqual([label]);
    const [before] = blockIds(failure);
    const words = visibleText(failure).split('\n').slice(0, 2);
    // Most people press it when the question is closed, which deletes much of what is stored.
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Failed'));
    service.answerEverything();
    await world.press(label, { user: people.bob });
    await eventually(() => expect(visibleText(failure)).toContain('<@U0BOB> asked again.'));
    expect(labels(failure)).toEqual([]);
    for (const line of words) expect(visibleText(failure)).toContain(line);
    expect(visibleText(failure)).toMatch(/Reference/);
    // The block id still has the marker that the app searches for.
    expect(blockIds(failure)).toEqual([expect.stringContaining(before?.split(':').slice(0, 4).join(':') ?? 'none')]);
    await world.answered(ts, 2);
    expect(failure.edits).toBe(1);
  });

  test('is removed once, although two people press it at the same time', async () => {
    const ts = await world.mention('broken?');
    service.fail(await asked('broken?'), 'InternalError');
    const failure = one(await world.answered(ts));
    service.answerEverything();
    await Promise.all([world.press('Try again', { user: people.bob }), world.press('Try again', { user: people.ada })]);
    await world.answered(ts, 2);
    await eventually(() => expect(labels(failure)).toEqual([]));
    expect(failure.edits).toBe(1);
  });

  test('asks although Slack refuses to remove it', async () => {
    const ts = await world.mention('broken?');
    service.fail(await asked('broken?'), 'InternalError');
    const failure = one(await world.answered(ts));
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Failed'));
    world.slack.fault('chat.update', { error: 'edit_window_closed' }, 20);
    service.answerEverything();
    await world.press('Try again');
    await world.answered(ts, 2);
    expect(failure.edits).toBe(0);
  });
});

test('Check again is removed once it was used, and the answer follows below', async () => {
  await beginWorld({ settings: { PATIENCE_SECONDS: '1' } });
  const ts = await world.mention('slow?');
  const question = await asked('slow?');
  const gaveUp = one(await world.answered(ts));
  expect(labels(gaveUp)).toEqual(['Check again']);
  service.answer(question);
  await world.press('Check again', { user: people.bob });
  await eventually(() => expect(visibleText(gaveUp)).toContain('<@U0BOB> asked me to check again.'));
  expect(labels(gaveUp)).toEqual([]);
  await world.answered(ts, 2);
  expect(labels(world.answersIn(ts)[1] ?? {})).toContain('What calls it?');
});

test('Drop on a parked card ends the question for any person who may ask there, and the question is never asked', async () => {
  await beginWorld();
  const ts = await world.mention('limited?');
  const question = await asked('limited?');
  service.quota(100, 100, new Date(Date.now() + 3_600_000));
  service.fail(question, 'RateLimitExceeded');
  const card = await eventually(() => {
    const found = world.card(ts);
    expect(found === undefined ? [] : labels(found)).toEqual(['Drop']);
    return found ?? { text: '' };
  });
  expect(visibleText(card)).toMatch(/I'll ask it automatically at <!date\^\d+\^/);
  // A guest is refused, and the question stays.
  await world.press('Drop', { user: people.mia });
  await eventually(() => expect(world.ephemeralsTo(people.mia)).toHaveLength(1));
  expect(labels(card)).toEqual(['Drop']);
  await world.press('Drop', { user: people.bob });
  await eventually(() => expect(visibleText(card)).toContain('Cancelled by <@U0BOB>'));
  expect(labels(card)).toEqual(['Ask again']);
  // The next question of the conversation can run.
  service.answerEverything();
  await world.mention('and now?', { threadTs: ts });
  await world.answered(ts);
  expect(service.find('limited?')).toHaveLength(1);
});
