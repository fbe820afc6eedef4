import { expect, test } from 'vitest';
import { createBriefCache } from '../../../src/slack/access/brief-cache.ts';

function begin() {
  const loads: ((value: string) => void)[] = [];
  let nowMs = 0;
  const memory = createBriefCache<string>({
    keepMs: 100,
    most: 2,
    now: () => nowMs,
    load: () => new Promise((resolve) => void loads.push(resolve)),
    keeps: (value) => value !== 'worthless',
  });
  return {
    memory,
    loads,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a value is not remembered where a change comes while it loads', async () => {
  const { memory, loads } = begin();
  const before = memory.get('a');
  memory.change('a', () => 'new');
  loads[0]?.('old');
  expect(await before).toBe('old');
  expect(await memory.get('a')).toBe('new');
  expect(loads).toHaveLength(1);
});

test('a value is not remembered where it is forgotten while it loads, and the next caller loads it again', async () => {
  const { memory, loads } = begin();
  const before = memory.get('a');
  memory.change('a', () => undefined);
  const after = memory.get('a');
  loads[0]?.('old');
  await before;
  loads[1]?.('new');
  expect(await after).toBe('new');
  expect(await memory.get('a')).toBe('new');
  expect(loads).toHaveLength(2);
});

test('a change is given the known value, and its result is kept as long as a loaded one', async () => {
  const { memory, loads, pass } = begin();
  const asked = memory.get('a');
  loads[0]?.('known');
  await asked;
  pass(50);
  memory.change('a', (known) => `${known} and more`);
  pass(99);
  expect(await memory.get('a')).toBe('known and more');
  pass(1);
  void memory.get('a');
  expect(loads).toHaveLength(2);
});

test('a value that is not worth keeping is loaded each time', async () => {
  const { memory, loads } = begin();
  const asked = memory.get('a');
  loads[0]?.('worthless');
  expect(await asked).toBe('worthless');
  void memory.get('a');
  expect(loads).toHaveLength(2);
  memory.change('a', () => 'worthless');
  void memory.get('a');
  expect(loads).toHaveLength(3);
});

test('all callers at the same time share one load, whose age counts from the request', async () => {
  const { memory, loads, pass } = begin();
  const both = [memory.get('a'), memory.get('a')];
  pass(60);
  loads[0]?.('known');
  expect(await Promise.all(both)).toEqual(['known', 'known']);
  pass(39);
  expect(await memory.get('a')).toBe('known');
  pass(1);
  void memory.get('a');
  expect(loads).toHaveLength(2);
});

test('a failed load reaches all callers, and is not remembered', async () => {
  const answers = [Promise.reject(new Error('planned')), Promise.resolve('known')];
  const memory = createBriefCache({
    keepMs: 100,
    most: 2,
    now: () => 0,
    load: () => answers.shift() ?? Promise.resolve('late'),
  });
  const both = await Promise.allSettled([memory.get('a'), memory.get('a')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await memory.get('a')).toBe('known');
});

test('the value that was not used for the longest time makes room', async () => {
  const { memory, loads } = begin();
  const know = async (id: string): Promise<void> => {
    const asked = memory.get(id);
    loads.at(-1)?.(id);
    await asked;
  };
  for (const id of ['a', 'b']) await know(id);
  expect([await memory.get('b'), await memory.get('a'), loads.length]).toEqual(['b', 'a', 2]);
  await know('c');
  expect([await memory.get('a'), await memory.get('c'), loads.length]).toEqual(['a', 'c', 3]);
  // A changed value counts as used, and removes no other value.
  memory.change('a', (known) => known);
  await know('d');
  expect([await memory.get('a'), await memory.get('d'), loads.length]).toEqual(['a', 'd', 4]);
  void memory.get('b');
  expect(loads).toHaveLength(5);
});

test('a change returns whether anything is known', async () => {
  const { memory, loads } = begin();
  const known: unknown[] = [];
  memory.change('a', (value) => {
    known.push(value);
    return undefined;
  });
  expect(known).toEqual([undefined]);
  void memory.get('a');
  expect(loads).toHaveLength(1);
});

test('calls that want a newer value than the one that loads share the next load', async () => {
  const { memory, loads, pass } = begin();
  const first = memory.get('a');
  pass(10);
  const newer = memory.get('a', 5);
  pass(10);
  const newest = memory.get('a', 15);
  expect(loads).toHaveLength(1);
  loads[0]?.('old');
  expect(await first).toBe('old');
  await Promise.resolve();
  expect(loads).toHaveLength(2);
  loads[1]?.('new');
  expect(await Promise.all([newer, newest])).toEqual(['new', 'new']);
});
