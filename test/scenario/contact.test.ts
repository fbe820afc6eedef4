import { expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

test('the contact of the operator is named to who is refused, and linked without a mention in a channel', async () => {
  await beginWorld({ settings: { CONTACT: 'U0OPERATOR' } });
  await world.direct('may I?', { user: people.mia });
  const refused = await eventually(() => one(world.ephemeralsTo(people.mia)));
  expect(visibleText(refused)).toContain('The operator of this app (<@U0OPERATOR>) can change who can ask.');
  service.fault('create', { status: 401 });
  service.fault('list', { status: 401 });
  const ts = await world.mention('where is main?');
  const failure = one(await world.answered(ts));
  expect(visibleText(failure)).toContain('(<https://fake.slack.com/team/U0OPERATOR|profile>) can fix this');
  expect(JSON.stringify(world.slack.messages)).not.toContain('<@U0OPERATOR>');
});
