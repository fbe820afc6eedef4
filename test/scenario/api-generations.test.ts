import { afterEach, expect, test } from 'vitest';
import { startInstance } from '../codesearch/support/instance.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of cleanUp.splice(0)) await end();
});

/** An instance that offers generation 1 only. */
async function start(settings: Record<string, string> = {}): Promise<{ world: World; service: FakeService }> {
  const service = await startFakeService();
  cleanUp.push(() => service.stop());
  service.answerEverything();
  const world = await startWorld({ service: { url: service.url, token: serviceToken }, settings });
  cleanUp.unshift(() => world.stop());
  return { world, service };
}

test('an instance of generation 1 answers, and the metrics name the generation', async () => {
  const { world } = await start();
  const threadTs = await world.mention('where is the retry limit?');
  await eventually(() => expect(world.answersIn(threadTs).map(visibleText).join()).toContain('main.ts'));
  const metrics = await world.metrics();
  expect(metrics).toContain('deepsearch_slack_api_used{generation="1"} 1');
  expect(metrics).toContain('deepsearch_slack_api_used{generation="2"} 0');
});

test('a set generation that the instance does not offer is named on /readyz, and nothing is asked', async () => {
  const { world, service } = await start({ SRC_API: '2' });
  await world.mention('where is the retry limit?');
  await eventually(async () => {
    expect(await (await world.readyz()).json()).toMatchObject({ ready: true, access: { deepsearch: 'apiMissing' } });
  });
  await eventually(async () => {
    expect(await world.metrics()).toContain('deepsearch_slack_reachable{target="deepsearch"} 0');
  });
  expect(service.conversations).toEqual([]);
});

test('an instance of generation 2 answers, and a set generation 1 is named as missing there', async () => {
  const instance = await startInstance({ release: '8.0.0' });
  cleanUp.push(() => instance.stop());
  const settings: Record<string, string> = { SRC_API: '1' };
  const world = await startWorld({ service: instance, settings });
  cleanUp.unshift(() => world.stop());
  const threadTs = await world.mention('where is the retry limit?');
  await eventually(async () => {
    expect(await (await world.readyz()).json()).toMatchObject({ access: { deepsearch: 'apiMissing' } });
  });
  settings.SRC_API = 'auto';
  await world.restart();
  await world.answered(threadTs);
  expect(instance.find('where is the retry limit?')).toHaveLength(1);
  expect(await (await world.readyz()).json()).toMatchObject({ access: { deepsearch: 'ok' } });
  expect(await world.metrics()).toContain('deepsearch_slack_api_used{generation="2"} 1');
});

test('a question that was asked with the wrong setting is answered after the setting is right', async () => {
  const service = await startFakeService();
  cleanUp.push(() => service.stop());
  service.answerEverything();
  const settings: Record<string, string> = { SRC_API: '2' };
  const world = await startWorld({ service: { url: service.url, token: serviceToken }, settings });
  cleanUp.unshift(() => world.stop());
  const threadTs = await world.mention('where is the retry limit?');
  await eventually(() => expect(visibleText(world.card(threadTs) ?? {})).toContain('not reachable'));
  settings.SRC_API = 'auto';
  await world.restart();
  await world.answered(threadTs);
  expect(service.find('where is the retry limit?')).toHaveLength(1);
});
