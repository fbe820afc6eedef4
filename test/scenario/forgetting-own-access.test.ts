import { expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { connectAccount, withAccounts } from '../support/world/connecting.ts';
import { startRecordedService } from '../support/world/recorded-service.ts';
import { startWorld } from '../support/world/world.ts';

const { ada } = people;

test('forget with --upstream deletes what a person asked with their own access, with their account', async () => {
  const directory = await createTempDir();
  const service = await startRecordedService();
  const settings = { ...withAccounts('preferred'), DATA_DIR: directory.path };
  const world = await startWorld({ service, settings });
  try {
    const before = await world.direct('Where is the gateway signed?', { user: ada });
    await world.answered(before);
    await connectAccount(world, ada, service.tokenOf('ada'));
    const after = await world.direct('Where are retries configured?', { user: ada });
    await world.answered(after);
    expect(service.asked().map(({ by }) => by)).toEqual(['app', 'ada']);

    const run = runProgram(await builtProgram('src/cli/admin.ts'), ['forget', '--user', ada, '--upstream'], {
      ...settings,
      SLACK_BOT_TOKEN: 'xoxb-of-the-program',
      SLACK_SIGNING_SECRET: 'unused',
      SRC_ENDPOINT: service.url,
      SRC_ACCESS_TOKEN: service.token,
    });
    expect([await run.ended, run.output()]).toEqual([0, expect.stringContaining('conversationsDeleted: 2\n')]);

    const deletions = service.requests.filter(({ method, status }) => method === 'DELETE' && status < 300);
    expect(deletions.map(({ by }) => by).toSorted()).toEqual(['ada', 'app']);
    expect(service.problems).toEqual([]);
  } finally {
    await world.stop();
    await service.stop();
    await directory.remove();
  }
});
