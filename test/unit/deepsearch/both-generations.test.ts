import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { type ApiSetting, createApiChoice } from '../../../src/deepsearch/api-choice.ts';
import { createBothGenerations } from '../../../src/deepsearch/both-generations.ts';
import type { GenerationNumber } from '../../../src/deepsearch/generation.ts';
import type { Offer, Offers } from '../../../src/deepsearch/probes.ts';
import { targetOf } from '../../support/deepsearch/cancel-target.ts';
import { createFakeGenerations } from '../../support/deepsearch/fake-generations.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const dayMs = 24 * 60 * 60_000;

/** One account over both generations. The probes find `offers`, which the test may change. */
async function start({
  offers = { 1: 'yes', 2: 'yes' },
  setting = 'auto',
}: {
  offers?: Offers;
  setting?: ApiSetting;
} = {}) {
  const fake = createFakeGenerations();
  const found: Offers = { ...offers };
  const clock = { nowMs: 1_000_000 };
  const rounds = { count: 0, lastMs: 0 };
  const now = () => clock.nowMs;
  const { log, lines } = createRecordingLog();
  const probes = {
    all: async () => {
      rounds.count += 1;
      clock.nowMs += rounds.lastMs;
      return { offers: { ...found } };
    },
    version: async () => undefined,
    close: async () => {},
  };
  const choice = createApiChoice({ setting, probes, now, log });
  const adapter = createBothGenerations({ generations: fake.generations, choice, now, log });
  await choice.ready();
  clock.nowMs += 60_000;
  return { ...fake, adapter, found, clock, rounds, choice, lines };
}

/** The instance changes: what it offered is gone, or comes. */
function turnInto(
  { surfaces, found }: Awaited<ReturnType<typeof start>>,
  offers: Record<GenerationNumber, Offer>,
): void {
  for (const number of [1, 2] as const) {
    surfaces[number] = offers[number] === 'yes' ? 'works' : 'gone';
    found[number] = offers[number];
  }
}

test('a call goes to generation 1 while it is offered', async () => {
  const { adapter, calls } = await start();
  await adapter.create('where?');
  await adapter.newest(1);
  expect(calls).toEqual(['1.create', '1.newest']);
});

test('a call goes to generation 2 where only that is offered', async () => {
  const { adapter, calls } = await start({ offers: { 1: 'no', 2: 'yes' } });
  const { id } = await adapter.create('where?');
  await adapter.followUp(id, 'and why?');
  expect(calls).toEqual(['2.create', '2.followUp']);
});

test('pages of changes are named with their generation, and the other one begins with its first page', async () => {
  const both = await start();
  const { adapter, calls } = both;
  const { next } = await adapter.changes(5);
  await adapter.changes(5, next);
  turnInto(both, { 1: 'no', 2: 'yes' });
  await adapter.changes(5, next);
  expect(calls).toEqual(['1.changes', '1.changes page 2', '1.changes page 2', '2.changes']);
});

describe('an API that is gone', () => {
  test.each<[GenerationNumber, GenerationNumber]>([
    [1, 2],
    [2, 1],
  ])('the same call goes from generation %i to %i, once', async (from, to) => {
    const before = { 1: 'no', 2: 'no', [from]: 'yes' } as const;
    const after = { 1: 'no', 2: 'no', [to]: 'yes' } as const;
    const world = await start({ offers: before });
    turnInto(world, after);
    await world.adapter.create('where?');
    expect(world.calls).toEqual([`${from}.create`, `${to}.create`]);
    expect(world.conversations.size).toBe(1);
    expect(world.rounds.count).toBe(2);
    await world.adapter.newest(1);
    expect(world.calls.at(-1)).toBe(`${to}.newest`);
  });

  test('2,000 calls at once cause one round of probes, and each is repeated once', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    turnInto(world, { 1: 'no', 2: 'yes' });
    await Promise.all(Array.from({ length: 2_000 }, (_, index) => world.adapter.create(`question ${index}`)));
    expect(world.rounds.count).toBe(2);
    expect(world.conversations.size).toBe(2_000);
  });

  test('with ambiguous probes nothing is asked, and the call may come again', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    world.surfaces[1] = 'gone';
    world.found[1] = 'unknown';
    world.found[2] = 'unknown';
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(world.calls).toEqual(['1.create']);
    expect(world.choice.chosen().number).toBe(1);
  });

  test('reading tells no one that a conversation is gone, as long as the probes are ambiguous', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'unknown' } });
    const { id } = await world.adapter.create('where?');
    world.surfaces[1] = 'gone';
    world.found[1] = 'unknown';
    await expect(world.adapter.read(id)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(world.adapter.followUp(id, 'why?')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('with both gone, calls go on to the generation that was used, which may come back', async () => {
    const world = await start({ offers: { 1: 'no', 2: 'yes' } });
    const { id } = await world.adapter.create('where?');
    turnInto(world, { 1: 'no', 2: 'no' });
    await expect(world.adapter.read(id)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(world.choice.chosen()).toMatchObject({ number: 2, isMissing: true });
    turnInto(world, { 1: 'no', 2: 'yes' });
    expect(await world.adapter.read(id)).toMatchObject({ id });
    expect(world.choice.chosen()).toMatchObject({ number: 2, isMissing: false });
  });

  test('a call that took long is not repeated, and says that it had no effect', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    turnInto(world, { 1: 'no', 2: 'yes' });
    world.rounds.lastMs = 30_000;
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(world.calls).toEqual(['1.create']);
  });

  test('an unknown outcome is not repeated', async () => {
    const world = await start();
    world.surfaces[1] = 'lostReply';
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    expect(world.calls).toEqual(['1.create']);
  });

  test('an unknown outcome of the repeated call stays unknown', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    turnInto(world, { 1: 'no', 2: 'yes' });
    world.surfaces[2] = 'lostReply';
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ outcomeUnknown: true });
    expect(world.conversations.size).toBe(1);
  });

  test('deleting goes over to the generation that is offered', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    const { id } = await world.adapter.create('where?');
    turnInto(world, { 1: 'no', 2: 'yes' });
    await world.adapter.delete(id);
    expect(world.conversations.size).toBe(0);
  });
});

describe('a conversation that one generation does not have', () => {
  test('is looked for in the other one, and is gone only if both say so', async () => {
    const { adapter, calls } = await start();
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls).toEqual(['1.read', '2.read']);
  });

  test('is gone if the other generation is not offered', async () => {
    const { adapter, calls } = await start({ offers: { 1: 'yes', 2: 'no' } });
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls).toEqual(['1.read']);
  });

  test('is looked for over the other generation too, if it is not known whether that is offered', async () => {
    const { adapter, calls } = await start({ offers: { 1: 'yes', 2: 'unknown' } });
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls).toEqual(['1.read', '2.read']);
  });

  test('is not gone while the other generation does not answer', async () => {
    const { adapter, surfaces } = await start();
    surfaces[2] = 'down';
    await expect(adapter.followUp(7, 'why?')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('is gone if the other generation refuses the account', async () => {
    const { adapter, surfaces } = await start();
    surfaces[2] = 'refuses';
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test.each([
    ['abc', 2],
    ['007', 2],
    ['"abc"', 1],
    ['18446744073709551615', 1],
  ])('a follow-up is asked in the generation that has it: %s', async (id, generation) => {
    const { adapter, calls, conversations } = await start();
    conversations.set(id, { id, questions: [] });
    expect(await adapter.followUp(id, 'why?')).toMatchObject({ text: 'why?' });
    expect(calls).toEqual([`${generation}.followUp`]);
  });

  test('an id that is a text is not gone while generation 2 is only unreachable', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'unknown' } });
    world.surfaces[2] = 'down';
    await expect(world.adapter.read('abc')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('an id that is a text is gone where the instance does not offer generation 2', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    await expect(world.adapter.read('abc')).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('an id that is a text is not gone when a call of generation 2 fails and the probes say that it is offered', async () => {
    const world = await start();
    world.surfaces[2] = 'gone';
    await expect(world.adapter.read('abc')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('cancelling', () => {
  test('names the question where the generation has ids', async () => {
    const { adapter, calls, conversations } = await start();
    const { id, questions } = await adapter.create('where?');
    await adapter.cancel(id, targetOf(questions[0]));
    expect(calls.at(-1)).toBe(`1.cancel ${questions[0]?.id}`);
    expect(conversations.get(id)?.questions[0]?.state).toBe('cancelled');
  });

  test('a conversation that is gone is no error', async () => {
    const { adapter } = await start();
    await adapter.cancel(7, targetOf());
  });

  test('goes on over the other generation when the API is gone', async () => {
    const world = await start({ offers: { 1: 'yes', 2: 'no' } });
    const { id, questions } = await world.adapter.create('where?');
    turnInto(world, { 1: 'no', 2: 'yes' });
    await world.adapter.cancel(id, targetOf(questions[0]));
    expect(world.conversations.get(id)?.questions[0]?.state).toBe('cancelled');
  });
});

test.each<[Offers, string]>([
  [{ 1: 'yes', 2: 'yes' }, '1.byReadToken'],
  [{ 1: 'unknown', 2: 'yes' }, '1.byReadToken'],
  [{ 1: 'no', 2: 'yes' }, '2.byReadToken'],
])('with %j a read token is looked up as %s', async (offers, call) => {
  const { adapter, calls } = await start({ offers });
  await expect(adapter.byReadToken('abc')).rejects.toMatchObject({ kind: 'notFound' });
  expect(calls).toEqual([call]);
});

describe('a credential that one generation refuses', () => {
  test('looks up read tokens only with the generation that takes it', async () => {
    const { adapter, surfaces, calls } = await start();
    surfaces[1] = 'refuses';
    await adapter.create('where?');
    await expect(adapter.byReadToken('abc')).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls.at(-1)).toBe('2.byReadToken');
  });

  test('stays refused when only one call is refused, and its list works', async () => {
    const { adapter, generations, calls } = await start();
    generations[1].deepSearch.create = async () => {
      throw new AppError('unauthorized', 'answered 403', { code: 403 });
    };
    await expect(adapter.create('where?')).rejects.toMatchObject({ kind: 'unauthorized', code: 403 });
    expect(calls).toEqual(['1.newest', '2.newest']);
  });

  test('selects the other generation for this account, after both lists were asked', async () => {
    const { adapter, surfaces, calls, lines } = await start();
    surfaces[1] = 'refuses';
    await adapter.create('where?');
    expect(calls).toEqual(['1.create', '1.newest', '2.newest', '2.create']);
    await adapter.create('and?');
    expect(calls.slice(4)).toEqual(['2.create']);
    expect(lines.filter(({ event }) => event === 'deepsearch.api_account')).toHaveLength(1);
  });

  test('does not change the choice of other accounts', async () => {
    const { adapter, surfaces, choice } = await start();
    surfaces[1] = 'refuses';
    await adapter.create('where?');
    expect(choice.chosen().number).toBe(1);
  });

  test('is checked once for many calls', async () => {
    const { adapter, surfaces, calls } = await start();
    surfaces[1] = 'refuses';
    await Promise.all(Array.from({ length: 100 }, () => adapter.create('where?')));
    expect(calls.filter((call) => call.endsWith('.newest'))).toHaveLength(2);
    expect(calls.filter((call) => call === '2.create')).toHaveLength(100);
  });

  test('is tried with generation 1 again after 24 hours', async () => {
    const { adapter, surfaces, calls, clock } = await start();
    surfaces[1] = 'refuses';
    await adapter.create('where?');
    surfaces[1] = 'works';
    clock.nowMs += dayMs;
    await adapter.create('and?');
    expect(calls.at(-1)).toBe('1.create');
  });

  test('stays refused where both refuse it, and is not checked for every call', async () => {
    const { adapter, surfaces, calls } = await start();
    surfaces[1] = 'refuses';
    surfaces[2] = 'refuses';
    for (let count = 0; count < 3; count += 1) {
      await expect(adapter.create('where?')).rejects.toMatchObject({ kind: 'unauthorized', code: 401 });
    }
    expect(calls).toEqual(['1.create', '1.newest', '2.newest', '1.create', '1.create']);
  });

  test('stays refused where the other generation is not offered', async () => {
    const { adapter, surfaces, calls } = await start({ offers: { 1: 'yes', 2: 'no' } });
    surfaces[1] = 'refuses';
    await expect(adapter.create('where?')).rejects.toMatchObject({ kind: 'unauthorized', code: 401 });
    expect(calls).toEqual(['1.create']);
  });

  test('is used with the other generation where the probes do not know that one', async () => {
    const { adapter, surfaces, calls } = await start({ offers: { 1: 'unknown', 2: 'unknown' } });
    surfaces[1] = 'refuses';
    await adapter.create('where?');
    expect(calls.at(-1)).toBe('2.create');
  });
});

describe('a generation that the operator set', () => {
  test.each<[GenerationNumber]>([[1], [2]])('generation %i is used alone', async (setting) => {
    const { adapter, calls, surfaces } = await start({ setting });
    await adapter.create('where?');
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
    surfaces[setting] = 'refuses';
    await expect(adapter.newest(1)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(calls).toEqual([`${setting}.create`, `${setting}.read`, `${setting}.newest`]);
  });

  test.each<[GenerationNumber, Offers]>([
    [1, { 1: 'no', 2: 'yes' }],
    [2, { 1: 'yes', 2: 'no' }],
  ])('generation %i is not replaced where it is missing, and the call may come again', async (setting, offers) => {
    const world = await start({ setting, offers });
    world.surfaces[setting] = 'gone';
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(world.calls).toEqual([`${setting}.create`]);
    expect(world.choice.chosen().isMissing).toBe(true);
  });
});
