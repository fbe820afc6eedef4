import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { startInstallable } from '../support/world/installed-world.ts';

type Started = Awaited<ReturnType<typeof startInstallable>>;

let slack: Started['slack'];
let first: Started['first'];
let service: Started['service'];
let world: Started['world'];
let stop: Started['stop'];

/** A token of 8 s is refreshed after 6.4 s. Slack's real ones live 12 hours. */
beforeEach(async () => {
  ({ slack, first, service, world, stop } = await startInstallable({ lifeSeconds: 8 }));
});

afterEach(async () => {
  expect(await stop()).toEqual([]);
});

const refreshed = (times: number) =>
  eventually(() => expect(slack.refreshes().filter((uses) => uses > 0).length).toBeGreaterThanOrEqual(times));

test('a question that outlives two tokens is answered, also over a restart, which continues with the token that was stored last', async () => {
  await world.install('T0ONE');
  const t = world.within('T0ONE', first);
  const ts = await t.mention('Over a restart?');
  const question = await eventually(() => one(service.find('Over a restart?')));
  await refreshed(1);
  await world.stopApp();
  await world.startApp();
  await refreshed(2);
  service.answer(question);
  await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
});

test('a refused refresh shows on /readyz, and installing again mends it', async () => {
  await world.install('T0ONE');
  const t = world.within('T0ONE', first);
  await t.mention('Refused?');
  slack.refuseRefresh(true);
  await eventually(async () => expect(await world.readyz()).toContain('"slack":"refused"'));
  slack.refuseRefresh(false);
  await world.install('T0ONE');
  const ts = await t.mention('Again?');
  service.answer(await eventually(() => one(service.find('Again?'))));
  await eventually(() => expect(t.answersIn(ts)).toHaveLength(1));
});
