import { expect, test } from 'vitest';
import { createDailyStorage } from '../../../src/core/question/daily-storage.ts';
import { mostStoredPerDay } from '../../../src/core/settings.ts';
import { createVerbs } from '../../../src/slack/listeners/verbs.ts';
import { createListenerDeps } from '../../support/fake-slack/listener-deps.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';

test('verbs of one person are carried out up to the bound of a day, and further ones leave nothing', async () => {
  const { deps } = createListenerDeps();
  const claimed: string[] = [];
  let answered = 0;
  const { runVerb } = createVerbs({
    ...deps,
    dailyStorage: createDailyStorage(createMemoryRecords()),
    claims: {
      claim: async (key, owner) => {
        claimed.push(key);
        return owner;
      },
      ownerOf: async () => undefined,
    },
    notify: () => {
      answered += 1;
    },
  });
  const place = { teamId: 'T1', channelId: 'C1', threadTs: '1.1' };
  const say = (n: number, userId = 'U1') =>
    runVerb({
      ...{ verb: 'help', place, thread: undefined, isReply: false, isDirect: false, isPlain: false, userId },
      ...{ key: `message ${n}`, recipient: { channelId: 'C1', userId }, deliveredAs: 'app_mention' },
    });
  for (let n = 0; n < mostStoredPerDay.verbs + 10; n += 1) await say(n);
  expect(answered).toBe(mostStoredPerDay.verbs);
  expect(claimed).toHaveLength(2 * mostStoredPerDay.verbs);
  await say(9_999, 'U2');
  expect(answered).toBe(mostStoredPerDay.verbs + 1);
});
