import { describe, expect, onTestFinished, test } from 'vitest';
import { type ApiSetting, choose, createApiChoice } from '../../../src/deepsearch/api-choice.ts';
import type { GenerationNumber } from '../../../src/deepsearch/generation.ts';
import type { Findings, Offer, Probes } from '../../../src/deepsearch/probes.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Probes whose results the test sets. */
function createScriptedProbes(first: Findings) {
  let found = first;
  let hold: Promise<void> | undefined;
  const rounds = { all: 0, version: 0 };
  const probes: Probes = {
    async all() {
      rounds.all += 1;
      await hold;
      return found;
    },
    async version() {
      rounds.version += 1;
      return found.version;
    },
    close: async () => {},
  };
  return {
    probes,
    rounds,
    find: (next: Findings) => {
      found = next;
    },
    /** Rounds last until the returned function is called. */
    pause: () => {
      let go = (): void => {};
      hold = new Promise((resolve) => {
        go = resolve;
      });
      onTestFinished(go);
      return () => {
        hold = undefined;
        go();
      };
    },
  };
}

function offers(first: Offer, second: Offer, version?: string): Findings {
  return { offers: { 1: first, 2: second }, version };
}

async function start(first: Findings, setting: ApiSetting = 'auto') {
  const scripted = createScriptedProbes(first);
  const { log, lines } = createRecordingLog();
  const clock = { nowMs: 1_000_000 };
  const choice = createApiChoice({ setting, probes: scripted.probes, now: () => clock.nowMs, log });
  await choice.ready();
  return { choice, clock, lines, ...scripted };
}

describe('the choice of a generation', () => {
  test.each<[ApiSetting, Offer, Offer, GenerationNumber, GenerationNumber, string, boolean]>([
    ['auto', 'yes', 'yes', 2, 1, 'offered', false],
    ['auto', 'yes', 'no', 2, 1, 'offered', false],
    ['auto', 'yes', 'unknown', 2, 1, 'offered', false],
    ['auto', 'no', 'yes', 1, 2, 'only_offered', false],
    ['auto', 'unknown', 'yes', 1, 2, 'only_offered', false],
    ['auto', 'unknown', 'unknown', 1, 1, 'not_known', false],
    ['auto', 'unknown', 'unknown', 2, 2, 'not_known', false],
    ['auto', 'no', 'unknown', 1, 1, 'not_known', false],
    ['auto', 'unknown', 'no', 2, 2, 'not_known', false],
    ['auto', 'no', 'no', 2, 2, 'not_known', true],
    [1, 'no', 'yes', 1, 1, 'set', true],
    [1, 'unknown', 'yes', 1, 1, 'set', false],
    [2, 'yes', 'no', 1, 2, 'set', true],
    [2, 'yes', 'yes', 1, 2, 'set', false],
  ])(
    '%s with 1: %s, 2: %s, used so far %i: generation %i, %s',
    (setting, first, second, used, number, reason, isMissing) => {
      expect(choose(setting, { 1: first, 2: second }, used)).toEqual({ number, reason, isMissing });
    },
  );
});

test('without a result of the first probes the app uses generation 1', async () => {
  const { choice } = await start(offers('unknown', 'unknown'));
  expect(choice.chosen()).toMatchObject({ number: 1, reason: 'not_known' });
});

test('an unknown result keeps the last known one', async () => {
  const { choice, find, clock } = await start(offers('no', 'yes', '9.0.0'));
  find(offers('unknown', 'unknown'));
  clock.nowMs += dayMs;
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'no', 2: 'yes' });
  expect(choice.chosen().number).toBe(2);
});

test.each<[string, Offer, Offer]>([
  ['7.2.0', 'yes', 'yes'],
  ['6.12.0', 'yes', 'no'],
  ['6.5.0', 'no', 'no'],
  ['8.0.0', 'unknown', 'yes'],
  ['dev', 'unknown', 'unknown'],
])('where the lists prove nothing, version %s does', async (version, first, second) => {
  const { choice } = await start(offers('unknown', 'unknown', version));
  expect(choice.offers()).toEqual({ 1: first, 2: second });
});

test.each([
  ['1, which version 7.2.0', offers('no', 'yes', '7.2.0'), 1, 2],
  ['2, which version 7.2.0', offers('yes', 'no', '7.2.0'), 2, 1],
  ['1, which version 6.12.0', offers('no', 'unknown', '6.12.0'), 1, 1],
] as const)(
  'a list without generation %s promises, is not believed for five minutes',
  async (_, first, missed, used) => {
    const { choice, clock } = await start(first);
    expect(choice.offers()[missed]).toBe('unknown');
    expect(choice.chosen()).toMatchObject({ number: used, isMissing: false });
    for (const [minutes, offer] of [
      [1, 'unknown'],
      [3, 'unknown'],
      [1, 'no'],
    ] as const) {
      clock.nowMs += minutes * minuteMs;
      await choice.probedSince(clock.nowMs);
      expect(choice.offers()[missed]).toBe(offer);
    }
  },
);

test('a generation that the version promises is looked for soon, and then after twice as long, up to an hour', async () => {
  const { choice, find, rounds, clock } = await start(offers('no', 'yes', '7.2.0'));
  const looks: number[] = [];
  for (let minute = 1; minute <= 6 * 60; minute += 1) {
    clock.nowMs += minuteMs;
    const before = rounds.all;
    await choice.lookAgain();
    if (rounds.all > before) looks.push(minute);
  }
  expect(looks).toEqual([1, 2, 4, 8, 16, 32, 64, 124, 184, 244, 304]);
  expect(choice.offers()).toEqual({ 1: 'no', 2: 'yes' });
  find(offers('yes', 'yes', '7.2.0'));
  clock.nowMs += 60 * minuteMs;
  await choice.lookAgain();
  expect(choice.chosen().number).toBe(1);
  clock.nowMs += dayMs / 2;
  const { all } = rounds;
  await choice.lookAgain();
  expect(rounds.all).toBe(all);
});

test('a list that misses what the version does not promise is believed at once', async () => {
  const { choice, rounds, clock } = await start(offers('yes', 'no', '6.12.0'));
  expect(choice.offers()).toEqual({ 1: 'yes', 2: 'no' });
  clock.nowMs += dayMs;
  await choice.lookAgain();
  expect(rounds.all).toBe(1);
});

test('what a list proved outweighs the version, also while the list fails, until the version changes', async () => {
  const { choice, find, clock } = await start(offers('no', 'yes', '7.2.0'));
  clock.nowMs += 5 * minuteMs;
  await choice.lookAgain();
  expect(choice.offers()).toEqual({ 1: 'no', 2: 'yes' });
  find(offers('unknown', 'unknown', '7.2.0'));
  clock.nowMs += dayMs;
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'no', 2: 'yes' });
  find(offers('unknown', 'unknown', '7.3.0'));
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'yes', 2: 'yes' });
});

test('any number of calls that ask at once share one round of probes', async () => {
  const { choice, find, rounds, clock, pause } = await start(offers('yes', 'unknown'));
  find(offers('no', 'yes'));
  clock.nowMs += minuteMs;
  const go = pause();
  const sinceMs = clock.nowMs;
  const asked = Array.from({ length: 2_000 }, () => choice.probedSince(sinceMs));
  go();
  for (const found of await Promise.all(asked)) expect(found).toEqual({ 1: 'no', 2: 'yes' });
  expect(rounds.all).toBe(2);
});

test('a call that began before the last round ended uses its results', async () => {
  const { choice, find, rounds, clock } = await start(offers('yes', 'yes'));
  find(offers('no', 'yes'));
  const sinceMs = clock.nowMs + 1;
  clock.nowMs += 10;
  await choice.probedSince(sinceMs);
  clock.nowMs += minuteMs;
  expect(await choice.probedSince(sinceMs)).toEqual({ 1: 'no', 2: 'yes' });
  expect(rounds.all).toBe(2);
});

test('calls that keep failing cause one round in five seconds', async () => {
  const { choice, rounds, clock } = await start(offers('no', 'no'));
  for (let second = 0; second < 20; second += 1) {
    clock.nowMs += 1_000;
    await choice.probedSince(clock.nowMs);
  }
  expect(rounds.all).toBe(1 + 4);
});

test('the version is read every time, and only a new one causes a round of probes', async () => {
  const { choice, rounds, find, clock } = await start(offers('yes', 'no', '6.12.0'));
  clock.nowMs += 10 * minuteMs;
  await choice.tend();
  expect(rounds).toEqual({ all: 1, version: 1 });
  find(offers('yes', 'yes', '7.0.0'));
  await choice.tend();
  expect(rounds).toEqual({ all: 2, version: 2 });
  expect(choice.offers()).toEqual({ 1: 'yes', 2: 'yes' });
  await choice.tend();
  expect(rounds).toEqual({ all: 2, version: 3 });
});

test('a version that can not be read is no new version', async () => {
  const { choice, rounds, find } = await start(offers('yes', 'no', '6.12.0'));
  find(offers('yes', 'no'));
  await choice.tend();
  expect(rounds).toEqual({ all: 1, version: 1 });
});

test('the results are renewed after 24 hours', async () => {
  const { choice, rounds, clock } = await start(offers('yes', 'no', '6.12.0'));
  clock.nowMs += dayMs - 1;
  await choice.tend();
  expect(rounds.all).toBe(1);
  clock.nowMs += 1;
  await choice.tend();
  expect(rounds.all).toBe(2);
});

test('the app probes again as long as a result is unknown', async () => {
  const { choice, rounds, find } = await start(offers('yes', 'unknown'));
  await choice.tend();
  expect(rounds.all).toBe(2);
  find(offers('yes', 'yes'));
  await choice.tend();
  await choice.tend();
  expect(rounds.all).toBe(3);
});

test('a call that works proves that its generation is offered', async () => {
  const { choice, clock } = await start(offers('unknown', 'unknown'));
  choice.prove(2, clock.nowMs);
  expect(choice.chosen()).toMatchObject({ number: 2, reason: 'only_offered' });
});

test('a call that began before the probes missed its generation proves nothing', async () => {
  const { choice, clock } = await start(offers('no', 'yes'));
  choice.prove(1, clock.nowMs - 1);
  expect(choice.chosen().number).toBe(2);
  choice.prove(1, clock.nowMs);
  expect(choice.chosen().number).toBe(1);
});

test('the log names the generation and the reason once per change', async () => {
  const { choice, lines, find, clock } = await start(offers('yes', 'no', '6.12.0'));
  const ofApi = () => lines.filter(({ event }) => event === 'deepsearch.api');
  expect(ofApi()).toEqual([
    {
      event: 'deepsearch.api',
      outcome: 'generation_1',
      reason: 'offered',
      offers1: 'yes',
      offers2: 'no',
      version: '6.12.0',
    },
  ]);
  clock.nowMs += dayMs;
  await choice.tend();
  expect(ofApi()).toHaveLength(1);
  find(offers('no', 'yes', '9.0.0'));
  clock.nowMs += dayMs;
  await choice.tend();
  expect(ofApi()[1]).toMatchObject({ outcome: 'generation_2', reason: 'only_offered', version: '9.0.0' });
});

test.each<[ApiSetting, Findings]>([
  [2, offers('yes', 'no', '6.12.0')],
  [1, offers('no', 'yes', '9.0.0')],
])('a set generation %s that the instance does not offer is an error in the log, once', async (setting, found) => {
  const { choice, lines, clock } = await start(found, setting);
  expect(choice.chosen()).toEqual({ number: setting, reason: 'set', isMissing: true });
  clock.nowMs += dayMs;
  await choice.tend();
  expect(lines.filter(({ outcome }) => outcome === 'not_offered')).toEqual([
    expect.objectContaining({ generation: setting, setting, version: found.version }),
  ]);
});
