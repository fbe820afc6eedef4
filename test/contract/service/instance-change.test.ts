import { describe, expect, onTestFinished, test } from 'vitest';
import { createApiChoice, readVersion } from '../../../src/service/api-choice.ts';
import { createBothGenerations } from '../../../src/service/both-generations.ts';
import { createMethods } from '../../../src/service/methods.ts';
import { createServiceClient } from '../../../src/service/service-client.ts';
import { type InstanceFault, type Release, startInstance } from '../../codesearch/support/instance.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { targetOf } from '../../support/service/cancel-target.ts';

/** More calls than a client has connections. */
const manyCalls = 200;

/** An instance, and the app's account on it. The first call is done. */
async function start(release: Release) {
  const instance = await startInstance({ release });
  const auth = { kind: 'token', token: instance.token } as const;
  const options = { baseUrl: instance.url, auth, userAgentVersion: '1', random: () => 0 };
  const { log } = createRecordingLog();
  const client = createServiceClient(options);
  onTestFinished(async () => {
    await client.close();
    await instance.stop();
  });
  const choice = createApiChoice({ setting: 'auto', readVersion: () => readVersion(client), log });
  const deepSearch = createMethods(
    createBothGenerations({ baseUrl: instance.url, choice, now: Date.now, log })(client),
  );
  await deepSearch.newest(1);
  return { instance, choice, deepSearch };
}

describe.each<[Release, Release, number]>([
  ['6.12.0', '8.0.0', 2],
  ['8.0.0', '6.12.0', 1],
])('when an instance of %s becomes %s', (before, after, number) => {
  test('many calls at once go over to the other generation, each with one request more', async () => {
    const { instance, choice, deepSearch } = await start(before);
    const { id } = await deepSearch.create('Where is the retry limit?');
    instance.become(after);
    const sent = () => instance.requests.filter(({ generation }) => generation !== undefined).length;
    const earlier = sent();
    const calls = Array.from({ length: manyCalls }, () => deepSearch.read(id));
    for (const conversation of await Promise.all(calls)) expect(conversation).toMatchObject({ id });
    expect(sent() - earlier).toBeLessThanOrEqual(2 * manyCalls);
    expect(choice.chosen()).toBe(number);
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
    'nothing is read, and nothing counts as gone, while the other generation meets %s',
    async (fault) => {
      const { instance, choice, deepSearch } = await start(before);
      const { id } = await deepSearch.create('Where is the retry limit?');
      instance.become(after);
      const used = choice.chosen();
      // Only the generation that is gone answers.
      instance.scriptFaults(({ generation }) => (generation === used ? undefined : fault));
      await expect(deepSearch.followUp(id, 'And?')).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(deepSearch.create('Else?')).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(choice.chosen()).toBe(used);
      expect(instance.conversations.flatMap(({ questions }) => questions)).toHaveLength(1);
    },
  );
});

test('an instance that hides behind a page of HTML is used again as soon as it is back', async () => {
  const { instance, deepSearch, choice } = await start('8.0.0');
  const { id } = await deepSearch.create('Where is the retry limit?');
  instance.scriptFaults(() => 'htmlPage');
  await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'badReply', code: 'signInPage' });
  await expect(deepSearch.create('Else?')).rejects.toMatchObject({ kind: 'badReply', outcomeUnknown: true });
  instance.scriptFaults(() => undefined);
  expect(await deepSearch.read(id)).toMatchObject({ id });
  expect(choice.chosen()).toBe(2);
});

test('an upgrade that adds generation 2 changes nothing', async () => {
  const { instance, deepSearch, choice } = await start('6.12.0');
  const { id } = await deepSearch.create('Where is the retry limit?');
  instance.become('7.2.0');
  await deepSearch.read(id);
  await choice.tend();
  expect(choice.offers()).toEqual({ 1: 'yes', 2: 'yes' });
  expect(choice.chosen()).toBe(1);
});
