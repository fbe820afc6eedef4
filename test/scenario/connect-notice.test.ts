import { afterEach, beforeEach, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { envelope } from '../support/local-slack/payloads.ts';
import { withAccounts } from '../support/world/connecting.ts';
import { type RecordedService, startRecordedService } from '../support/world/recorded-service.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

let service: RecordedService;
let world: World;

beforeEach(async () => {
  service = await startRecordedService();
  world = await startWorld({ service, settings: withAccounts('required') });
});

afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(world.slack.violations).toEqual([]);
});

test('the button under a waiting question opens the form, and the question is asked with the new account', async () => {
  const ts = await world.mention('Where are retries configured?');
  await world.pressPrivately('Connect');
  // The person closes the form and comes back later.
  await world.closeModal(await world.modal());
  await world.pressPrivately('Connect');
  const { response } = await world.submit(await world.modal(), { token: service.tokenOf('ada') });
  expect(JSON.stringify(response)).toContain('Connected as ada');
  await eventually(() => expect(service.asked().map(({ by }) => by)).toEqual(['ada']));
  expect(JSON.stringify([world.slack.requests, response])).not.toContain(service.tokenOf('ada'));
  expect(world.slack.inThread(ts).length).toBeGreaterThan(0);
  // The message that asked to connect goes, by the response URL of each press on it.
  const removed = () => world.slack.responses.filter(({ body }) => body.delete_original === true);
  await eventually(() => expect(removed()).toHaveLength(2));
  await world.command('disconnect');
  await eventually(() => expect(service.asked()).toHaveLength(1));
  expect(removed()).toHaveLength(2);
});

test('a question that waits for the account of a person who leaves ends at once', async () => {
  await world.mention('Where are retries configured?', { user: people.bob });
  await eventually(() => expect(world.ephemeralsTo(people.bob).map(visibleText).join()).toContain('Connect yours'));
  expect(await world.metrics()).toMatch(/^deepsearch_slack_open_questions 1$/m);
  const user = { id: people.bob, team_id: team.id, name: 'bob', deleted: true };
  await world.deliver(envelope({ type: 'user_change', user, event_ts: '1700000100.001200' }));
  await eventually(async () => expect(await world.metrics()).toMatch(/^deepsearch_slack_open_questions 0$/m));
  expect(service.asked()).toEqual([]);
});
