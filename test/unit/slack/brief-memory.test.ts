import { expect, test } from 'vitest';
import { createBriefMemory } from '../../../src/slack/people/brief-memory.ts';

function begin() {
  const loads: ((value: string) => void)[] = [];
  let nowMs = 0;
  const memory = createBriefMemory<string>({
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

test('a load that a change overtakes is not remembered', async () => {
  const { memory, loads } = begin();
  const before = memory.get('a');
  memory.change('a', () => 'new');
  loads[0]?.('old');
  expect(await before).toBe('old');
  expect(await memory.get('a')).toBe('new');
  expect(loads).toHaveLength(1);
});

test('neither is one that a forgetting overtakes, and the next asks anew', async () => {
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

test('a change is told what is known, and kept as long as what is asked for', async () => {
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
