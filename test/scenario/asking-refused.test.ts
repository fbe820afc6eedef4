import { beforeEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The reply to `/deepsearch status`. */
async function status(): Promise<string> {
  return JSON.stringify((await world.command('status')).response);
}

test('a service that refuses questions but allows reads shows on /readyz, which stays ready, in the metrics, in the status and on the Home tab until it accepts a question', async () => {
  service.fault('create', { status: 403 });
  const ts = await world.mention('locked?');
  expect(visibleText(one(await world.answered(ts)))).toMatch(/access/i);
  for (let probe = 0; probe < 3; probe += 1) {
    const ready = await world.readyz();
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ready: true, access: { slack: 'ok', deepsearch: 'refused' } });
    expect(await world.metrics()).toContain('deepsearch_slack_access{target="deepsearch"} 0');
  }
  expect(await status()).toContain('does not accept');
  await world.openHome();
  await eventually(() =>
    expect(visibleText(world.slack.homes.get(people.ada) ?? { text: '' })).toContain('does not accept'),
  );
  service.answerEverything();
  const again = await world.mention('open again?');
  await world.answered(again);
  expect(await (await world.readyz()).json()).toMatchObject({ ready: true, access: { deepsearch: 'ok' } });
  expect(await world.metrics()).toContain('deepsearch_slack_access{target="deepsearch"} 1');
  expect(await status()).toContain('is reachable');
});
