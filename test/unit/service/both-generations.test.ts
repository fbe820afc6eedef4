import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Conversation, UpstreamQuestion } from '../../../src/core/ports.ts';
import { type ConversationId, literalId } from '../../../src/core/question/question.ts';
import { type ApiSetting, createApiChoice } from '../../../src/service/api-choice.ts';
import { ofGenerations } from '../../../src/service/both-generations.ts';
import type { DeepSearchAdapter, Generation, GenerationNumber } from '../../../src/service/generation.ts';
import { createMethods } from '../../../src/service/methods.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { targetOf } from '../../support/service/cancel-target.ts';

/** What an instance does with the calls of one generation. */
type Surface = 'works' | 'gone' | 'down' | 'refuses' | 'lostReply';

/** Both generations over one list of conversations, as one account sees them. Calls are noted as `1.create`. */
function createFakeGenerations() {
  const conversations = new Map<ConversationId, Conversation>();
  const calls: string[] = [];
  const surfaces: Record<GenerationNumber, Surface> = { 1: 'works', 2: 'works' };
  let nextId = 100;

  return { generations: { 1: createOne(1), 2: createOne(2) }, conversations, calls, surfaces };

  function createOne(number: GenerationNumber): Generation {
    const deepSearch: DeepSearchAdapter = {
      create: (text) =>
        answer('create', () => {
          nextId += 2;
          const conversation: Conversation = { id: nextId, questions: [questionOf(text, nextId + 1, 0)] };
          conversations.set(nextId, conversation);
          return conversation;
        }),
      followUp: (id, text) =>
        answer('followUp', () => {
          const { questions } = find(id);
          nextId += 2;
          const question = questionOf(text, nextId, questions.length);
          questions.push(question);
          return question;
        }),
      read: (id) => answer('read', () => find(id)),
      byReadToken: () => answer('byReadToken', () => find(Number.NaN)),
      changes: (_most, after) => answer(`changes ${after ?? ''}`.trim(), () => ({ conversations: [], next: 'page 2' })),
      newest: () => answer('newest', () => [...conversations.values()]),
      cancel: (id, target) =>
        answer(`cancel ${target.id ?? 'conversation'}`, () => {
          const question = find(id).questions.at(-1);
          const isNamed = number === 2 || target.id === undefined || question?.id === target.id;
          if (question !== undefined && isNamed) question.state = 'cancelled';
        }),
      delete: (id) => answer('delete', () => void conversations.delete(id)),
    };
    return { number, deepSearch };

    function find(id: ConversationId): Conversation {
      const found = number === 1 && literalId(id) === undefined ? undefined : conversations.get(id);
      if (found !== undefined) return found;
      throw new AppError('notFound', 'no such conversation', { code: 404 });
    }

    function questionOf(text: string, id: number, ordinal: number): UpstreamQuestion {
      return { ...(number === 1 ? { id } : {}), ordinal, text, state: 'processing', sources: [], followUps: [] };
    }

    async function answer<Result>(call: string, act: () => Result): Promise<Result> {
      calls.push(`${number}.${call}`);
      switch (surfaces[number]) {
        case 'works':
          return act();
        case 'gone':
          throw new AppError('notFound', 'no route', { code: 'apiGone' });
        case 'down':
          throw new AppError('unavailable', 'answered 503', { code: 503, outcomeUnknown: isWrite(call) });
        case 'refuses':
          throw new AppError('unauthorized', 'answered 401', { code: 401 });
        case 'lostReply':
          act();
          throw new AppError('unavailable', 'connection lost', { outcomeUnknown: isWrite(call) });
      }
    }
  }
}

function isWrite(call: string): boolean {
  return call === 'create' || call === 'followUp';
}

/** One account over both generations of an instance with this version. */
async function start({ version = '7.2.0', setting = 'auto' }: { version?: string; setting?: ApiSetting } = {}) {
  const fake = createFakeGenerations();
  const clock = { nowMs: 1_000_000 };
  const { log, lines } = createRecordingLog();
  const choice = createApiChoice({ setting, readVersion: async () => version, log });
  const adapter = createMethods(ofGenerations(fake.generations, { choice, now: () => clock.nowMs, log }));
  await choice.ready();
  return { ...fake, adapter, clock, choice, lines };
}

test('a call goes to generation 1 first', async () => {
  const { adapter, calls } = await start();
  await adapter.create('where?');
  await adapter.newest(1);
  expect(calls).toEqual(['1.create', '1.newest']);
});

test('pages of changes are named with their generation, and the other one begins with its first page', async () => {
  const { adapter, calls, surfaces } = await start();
  const { next } = await adapter.changes(5);
  await adapter.changes(5, next);
  surfaces[1] = 'gone';
  await adapter.changes(5, next);
  expect(calls).toEqual(['1.changes', '1.changes page 2', '1.changes page 2', '2.changes']);
});

/** A world in which calls use this generation. */
async function using(number: GenerationNumber) {
  const world = await start({ version: '8.0.0' });
  if (number === 2) world.choice.changeTo(2);
  return world;
}

describe('an API that is gone', () => {
  test.each<[GenerationNumber, GenerationNumber]>([
    [1, 2],
    [2, 1],
  ])('the same call goes from generation %i to %i, once, and the next one goes there first', async (from, to) => {
    const world = await using(from);
    world.surfaces[from] = 'gone';
    await world.adapter.create('where?');
    expect(world.calls).toEqual([`${from}.create`, `${to}.create`]);
    expect(world.conversations.size).toBe(1);
    await world.adapter.newest(1);
    expect(world.calls.slice(2)).toEqual([`${to}.newest`]);
  });

  test('2,000 calls at once are each repeated once', async () => {
    const world = await start();
    world.surfaces[1] = 'gone';
    await Promise.all(Array.from({ length: 2_000 }, (_, index) => world.adapter.create(`question ${index}`)));
    expect(world.calls).toHaveLength(4_000);
    expect(world.conversations.size).toBe(2_000);
  });

  test('a conversation is not gone because one API is gone and the other one does not have it', async () => {
    const { adapter, surfaces } = await start();
    surfaces[1] = 'gone';
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(adapter.followUp(7, 'why?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  });

  test('with both gone, calls go on to the generation that was used, which may come back', async () => {
    const world = await using(2);
    const { id } = await world.adapter.create('where?');
    Object.assign(world.surfaces, { 1: 'gone', 2: 'gone' });
    const missing = { kind: 'unavailable', code: 'apiMissing', outcomeUnknown: false };
    await expect(world.adapter.read(id)).rejects.toMatchObject(missing);
    await expect(world.adapter.create('else?')).rejects.toMatchObject(missing);
    expect(world.choice.chosen()).toBe(2);
    expect(world.lines.filter(({ outcome }) => outcome === 'not_offered')).toHaveLength(1);
    world.surfaces[2] = 'works';
    expect(await world.adapter.read(id)).toMatchObject({ id });
  });

  test('a call that took long is not repeated, and says that it had no effect', async () => {
    const { adapter, generations, clock, calls } = await start();
    generations[1].deepSearch.create = async () => {
      clock.nowMs += 30_000;
      throw new AppError('notFound', 'no route', { code: 'apiGone' });
    };
    await expect(adapter.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(calls).toEqual([]);
  });

  test('an unknown outcome is not repeated', async () => {
    const world = await start();
    world.surfaces[1] = 'lostReply';
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    expect(world.calls).toEqual(['1.create']);
  });

  test('an unknown outcome of the repeated call stays unknown, and changes nothing', async () => {
    const world = await start();
    Object.assign(world.surfaces, { 1: 'gone', 2: 'lostReply' });
    await expect(world.adapter.create('where?')).rejects.toMatchObject({ outcomeUnknown: true });
    expect(world.conversations.size).toBe(1);
    expect(world.choice.chosen()).toBe(1);
  });

  test('deleting goes over to the other generation', async () => {
    const world = await start();
    const { id } = await world.adapter.create('where?');
    world.surfaces[1] = 'gone';
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
    const { adapter, calls } = await start({ version: '6.12.0' });
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls).toEqual(['1.read']);
  });

  test.each([
    ['7.2.0', 'unavailable'],
    ['dev', 'notFound'],
  ])('with version %s and the API of the other generation gone, is %s', async (version, kind) => {
    const { adapter, surfaces, calls } = await start({ version });
    surfaces[2] = 'gone';
    await expect(adapter.read(7)).rejects.toMatchObject({ kind });
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

  test.each<[Surface, string]>([
    ['down', 'unavailable'],
    ['gone', 'unavailable'],
    ['refuses', 'unauthorized'],
    ['works', 'notFound'],
  ])('an id that only generation 2 can have is used with it alone: where it %s, %s', async (surface, kind) => {
    const { adapter, surfaces, calls } = await start();
    surfaces[2] = surface;
    await expect(adapter.read('abc')).rejects.toMatchObject({ kind });
    expect(calls).toEqual(['2.read']);
  });

  test('an id that is a text is gone where the instance does not offer generation 2', async () => {
    const world = await start({ version: '6.12.0' });
    await expect(world.adapter.read('abc')).rejects.toMatchObject({ kind: 'notFound' });
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
    const world = await start();
    const { id, questions } = await world.adapter.create('where?');
    world.surfaces[1] = 'gone';
    await world.adapter.cancel(id, targetOf(questions[0]));
    expect(world.conversations.get(id)?.questions[0]?.state).toBe('cancelled');
  });
});

test.each<[GenerationNumber, string[]]>([
  [1, ['1.byReadToken', '2.byReadToken']],
  [2, ['2.byReadToken', '1.byReadToken']],
])('a read token is looked up over both generations, beginning with %i', async (number, looked) => {
  const { adapter, calls } = await using(number);
  await expect(adapter.byReadToken('abc')).rejects.toMatchObject({ kind: 'notFound' });
  expect(calls).toEqual(looked);
});

describe('a credential that one generation refuses', () => {
  test('is used with the other one from then on, for this account alone', async () => {
    const { adapter, surfaces, calls, choice, lines } = await start();
    surfaces[1] = 'refuses';
    const { id } = await adapter.create('where?');
    await adapter.followUp(id, 'and?');
    expect(calls).toEqual(['1.create', '2.create', '2.followUp']);
    expect(choice.chosen()).toBe(1);
    expect(lines.filter(({ event }) => event === 'deepsearch.api_account')).toHaveLength(1);
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('is used with the first one again once that took it', async () => {
    const { adapter, surfaces, calls } = await start();
    surfaces[1] = 'refuses';
    await adapter.newest(1);
    Object.assign(surfaces, { 1: 'works', 2: 'gone' });
    await adapter.newest(1);
    await adapter.newest(1);
    expect(calls).toEqual(['1.newest', '2.newest', '2.newest', '1.newest', '1.newest']);
  });

  test.each<[Surface, string, unknown]>([
    ['refuses', 'unauthorized', 401],
    ['gone', 'unauthorized', 401],
    ['down', 'unavailable', 503],
  ])('is not known to be refused unless the other one says so: where that %s, %s', async (surface, kind, code) => {
    const { adapter, surfaces, calls } = await start();
    Object.assign(surfaces, { 1: 'refuses', 2: surface });
    await expect(adapter.newest(1)).rejects.toMatchObject({ kind, code });
    expect(calls).toEqual(['1.newest', '2.newest']);
  });

  test('stays refused where the other generation does not know the conversation', async () => {
    const { adapter, surfaces } = await start();
    surfaces[1] = 'refuses';
    await expect(adapter.read(7)).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  test('stays refused where the other generation is not offered', async () => {
    const { adapter, surfaces, calls } = await start({ version: '6.12.0' });
    surfaces[1] = 'refuses';
    await expect(adapter.create('where?')).rejects.toMatchObject({ kind: 'unauthorized', code: 401 });
    expect(calls).toEqual(['1.create']);
  });

  test('is not tried with the other generation if it could not be obtained', async () => {
    const { adapter, generations, calls } = await start();
    generations[1].deepSearch.create = async () => {
      throw new AppError('unauthorized', 'no account', { code: 'notConnected' });
    };
    await expect(adapter.create('where?')).rejects.toMatchObject({ code: 'notConnected' });
    expect(calls).toEqual([]);
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

  test.each<[GenerationNumber]>([[1], [2]])(
    'generation %i is not replaced where it is missing, and the call may come again',
    async (setting) => {
      const world = await start({ setting });
      world.surfaces[setting] = 'gone';
      await expect(world.adapter.create('where?')).rejects.toMatchObject({
        kind: 'unavailable',
        outcomeUnknown: false,
      });
      expect(world.calls).toEqual([`${setting}.create`]);
      expect(world.lines.map(({ outcome }) => outcome)).toEqual(['not_offered']);
    },
  );
});
