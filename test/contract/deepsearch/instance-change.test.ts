import { describe, expect, onTestFinished, test } from 'vitest';
import { createApiChoice } from '../../../src/deepsearch/api-choice.ts';
import { createDeepSearchOfClient } from '../../../src/deepsearch/chosen-generation.ts';
import { createProbes } from '../../../src/deepsearch/probes.ts';
import { createServiceClient } from '../../../src/deepsearch/service-client.ts';
import { type InstanceFault, type Release, startInstance } from '../../support/codesearch/instance.ts';
import { targetOf } from '../../support/deepsearch/cancel-target.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/** More calls than a client has connections. */
const manyCalls = 200;

/** An instance, and the app's account on it. The first probes are done. */
async function start(release: Release) {
  const instance = await startInstance({ release });
  const auth = { kind: 'token', token: instance.token } as const;
  const options = { baseUrl: instance.url, auth, userAgentVersion: '1', random: () => 0 };
  const { log } = createRecordingLog();
  const probes = createProbes(options, log);
  const client = createServiceClient(options);
  onTestFinished(async () => {
    await probes.close();
    await client.close();
    await instance.stop();
  });
  const choice = createApiChoice({ setting: 'auto', probes, now: Date.now, log });
  await choice.ready();
  const deepSearch = createDeepSearchOfClient({ baseUrl: instance.url, choice, now: Date.now, log })(client);
  /** Rounds of probes so far. Each reads the version once. */
  const rounds = () => instance.requests.filter(({ path }) => path.endsWith('/__version')).length;
  return { instance, choice, deepSearch, rounds };
}

describe.each<[Release, Release, number]>([
  ['6.12.0', '8.0.0', 2],
  ['8.0.0', '6.12.0', 1],
])('when an instance of %s becomes %s', (before, after, number) => {
  test('many calls at once go over to the other generation, and one round of probes finds that out', async () => {
    const { instance, choice, deepSearch, rounds } = await start(before);
    const { id } = await deepSearch.create('Where is the retry limit?');
    expect(rounds()).toBe(1);
    instance.become(after);
    const calls = Array.from({ length: manyCalls }, () => deepSearch.read(id));
    for (const conversation of await Promise.all(calls)) expect(conversation).toMatchObject({ id });
    expect(rounds()).toBe(2);
    expect(choice.chosen()).toMatchObject({ number, isMissing: false });
  });

  test('a new question and a follow-up are asked once', async () => {
    const { instance, deepSearch } = await start(before);
    const { id } = await deepSearch.create('hold this');
    await deepSearch.cancel(id, targetOf((await deepSearch.read(id)).questions[0]));
    instance.become(after);
    await deepSearch.followUp(id, 'And where is it tested?');
    await deepSearch.create('Something else?');
    expect(instance.conversations.map(({ questions }) => questions.map(({ question }) => question))).toEqual([
      ['hold this', 'And where is it tested?'],
      ['Something else?'],
    ]);
  });

  test.each<InstanceFault>(['unavailable', 'htmlBadGateway', 'breakBeforeEffect'])(
    'nothing is asked, and nothing counts as gone, while its probes meet %s',
    async (fault) => {
      const { instance, choice, deepSearch } = await start(before);
      const { id } = await deepSearch.create('Where is the retry limit?');
      instance.become(after);
      const used = choice.chosen().number;
      // Only the generation that is gone answers.
      instance.scriptFaults(({ generation }) => (generation === used ? undefined : fault));
      await expect(deepSearch.followUp(id, 'And?')).rejects.toMatchObject({
        kind: 'unavailable',
        outcomeUnknown: false,
      });
      await expect(deepSearch.create('Else?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
      await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(instance.conversations.flatMap(({ questions }) => questions)).toHaveLength(1);
    },
  );
});

test('an instance that hides behind a page of HTML is used again as soon as it is back', async () => {
  const { instance, deepSearch, choice } = await start('8.0.0');
  const { id } = await deepSearch.create('Where is the retry limit?');
  instance.scriptFaults(() => 'htmlPage');
  await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(deepSearch.create('Else?')).rejects.toMatchObject({ kind: 'badReply', outcomeUnknown: true });
  instance.scriptFaults(() => undefined);
  expect(await deepSearch.read(id)).toMatchObject({ id });
  expect(choice.chosen()).toMatchObject({ number: 2, isMissing: false });
});

test('an upgrade that adds generation 2 changes nothing', async () => {
  const { instance, deepSearch, choice, rounds } = await start('6.12.0');
  const { id } = await deepSearch.create('Where is the retry limit?');
  instance.become('7.2.0');
  await deepSearch.read(id);
  expect(rounds()).toBe(1);
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'yes', 2: 'yes' });
  expect(choice.chosen().number).toBe(1);
});
