import { afterEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

let service: FakeService;
let world: World;

afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(world.slack.violations).toEqual([]);
});

test('the contact of the operator is named to who is refused, and linked without a mention in a channel', async () => {
  service = await startFakeService();
  world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { CONTACT: 'U0OPERATOR' },
  });
  await world.direct('may I?', { user: people.mia });
  const refused = await eventually(() => one(world.ephemeralsTo(people.mia)));
  expect(visibleText(refused)).toContain('The operator of this app (<@U0OPERATOR>) can change who can ask.');
  service.fault('create', { status: 401 });
  service.fault('list', { status: 401 });
  const ts = await world.mention('where is main?');
  const failure = await eventually(() => one(world.answersIn(ts)));
  expect(visibleText(failure)).toContain('(<https://fake.slack.com/team/U0OPERATOR|profile>) can fix this');
  expect(JSON.stringify(world.slack.messages)).not.toContain('<@U0OPERATOR>');
});
