import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { type ApiSetting, createApiChoice, offersOfVersion, readVersion } from '../../../src/service/api-choice.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

async function start(version: string | undefined, setting: ApiSetting = 'auto') {
  const instance = { version };
  const { log, lines } = createRecordingLog();
  const choice = createApiChoice({ setting, readVersion: async () => instance.version, log });
  await choice.ready();
  return { choice, instance, lines };
}

describe('the generation that is used', () => {
  test.each<[string | undefined, ApiSetting, number]>([
    [undefined, 'auto', 1],
    ['dev', 'auto', 1],
    ['6.12.0', 'auto', 1],
    ['7.2.0', 'auto', 1],
    ['7.2.0', 2, 2],
    ['8.0.0', 1, 1],
  ])('at version %s with SRC_API=%s is %i', async (version, setting, number) => {
    const { choice } = await start(version, setting);
    expect(choice.chosen()).toBe(number);
  });

  test.each<[string | undefined, number, string]>([
    ['7.2.0', 1, 'promises generation 1'],
    ['8.0.0', 2, 'promises nothing of generation 1'],
    [undefined, 2, 'can not be read'],
  ])(
    'after generation 1 was gone, with a version %s, is %i from the next look on: it %s',
    async (version, number, _) => {
      const { choice } = await start(version);
      choice.changeTo(2);
      expect(choice.chosen()).toBe(2);
      await choice.tend();
      expect(choice.chosen()).toBe(number);
    },
  );

  test('is the better one again after an upgrade that brings it back', async () => {
    const { choice, instance } = await start('8.0.0');
    choice.changeTo(2);
    instance.version = '7.2.0';
    await choice.tend();
    expect(choice.chosen()).toBe(1);
  });
});

test('what the instance offers is what its version says, and what calls showed until the version changes', async () => {
  const { choice, instance } = await start('dev');
  expect(choice.offers()).toEqual({ 1: 'unknown', 2: 'unknown' });
  choice.worked(1);
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'yes', 2: 'unknown' });
  instance.version = '8.0.0';
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'unknown', 2: 'yes' });
});

test('the log names the generation once per change, when a call worked over it', async () => {
  const { choice, lines } = await start('7.2.0');
  expect(lines).toEqual([]);
  for (const number of [1, 1, 2, 1] as const) choice.worked(number);
  choice.changeTo(2);
  choice.worked(2);
  expect(lines.map(({ event, outcome, version }) => [event, outcome, version])).toEqual([
    ['deepsearch.api', 'generation_1', '7.2.0'],
    ['deepsearch.api', 'generation_2', '7.2.0'],
  ]);
});

test.each<ApiSetting>(['auto', 1, 2])(
  'with SRC_API=%s a missing API is an error in the log, once until a call works',
  async (setting) => {
    const { choice, lines } = await start('5.11.0', setting);
    choice.missing();
    choice.missing();
    const missing = { event: 'deepsearch.api', outcome: 'not_offered', setting, version: '5.11.0' };
    expect(lines).toEqual([expect.objectContaining(missing)]);
    choice.worked(choice.chosen());
    choice.missing();
    expect(lines.map(({ outcome }) => outcome)).toEqual([
      'not_offered',
      `generation_${choice.chosen()}`,
      'not_offered',
    ]);
  },
);

describe('what a version offers', () => {
  test.each([
    ['7.0.0', 'yes', 'yes'],
    ['7.2.1', 'yes', 'yes'],
    ['v7.1', 'yes', 'yes'],
    ['7.0.0-rc.1', 'yes', 'yes'],
    ['6.7.0', 'yes', 'no'],
    ['6.12.0', 'yes', 'no'],
    ['6.6.2', 'no', 'no'],
    ['5.11.0', 'no', 'no'],
    ['8.0.0', 'unknown', 'yes'],
    ['10.3.0', 'unknown', 'yes'],
    ['298437_2026-03-30_7.0-abcdef123456', 'unknown', 'unknown'],
    ['dev', 'unknown', 'unknown'],
    ['7', 'unknown', 'unknown'],
  ])('%s: generation 1 %s, generation 2 %s', (version, first, second) => {
    expect(offersOfVersion(version)).toEqual({ 1: first, 2: second });
  });
});

describe('the version', () => {
  test.each([
    ['a version', '7.0.1\n', '7.0.1'],
    ['a build of the cloud', '298437_2026-03-30_7.0-abcdef', '298437_2026-03-30_7.0-abcdef'],
    ['HTML without its type', '<!doctype html><html></html>', undefined],
    ['an empty reply', '', undefined],
    ['a long text', '7'.repeat(65), undefined],
  ])('%s', async (_name, body, version) => {
    expect(await readVersion({ send: async () => body })).toBe(version);
  });

  test('is not known if the service does not tell it', async () => {
    const send = async () => {
      throw new AppError('unavailable', 'answered 503', { code: 503 });
    };
    expect(await readVersion({ send })).toBeUndefined();
  });
});
