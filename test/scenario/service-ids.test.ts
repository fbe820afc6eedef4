import { expect, onTestFinished, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { startWorld, visibleText } from '../support/world/world.ts';

test.each([
  ['64 bits', '9007199254740993'],
  ['a text', 'c_01J8'],
])('a conversation whose id is %s is found after a lost reply, followed up, and cancelled', async (_kind, idPrefix) => {
  const service = await startFakeService({ idPrefix });
  const world = await startWorld({ service: { url: service.url, token: serviceToken } });
  onTestFinished(async () => {
    await world.stop();
    await service.stop();
  });

  service.fault('create', { breakAfterEffect: true });
  const ts = await world.mention('where is the retry limit?');
  service.answer(await eventually(() => one(service.find('where is the retry limit?'))));
  await eventually(() => expect(world.answersIn(ts).map(visibleText).join()).toContain('main.ts'));

  await world.press('What calls it?', { user: people.bob });
  await eventually(() => expect(service.find('What calls it?')).toHaveLength(1));
  await world.press('Cancel', { user: people.bob, threadTs: ts });
  await eventually(() => expect(service.find('What calls it?')[0]?.error?.kind).toBe('Cancelled'));
  expect(service.conversations).toHaveLength(1);
});
