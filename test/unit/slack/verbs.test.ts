import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
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

describe('a person over the bound of a day', () => {
  const place = { teamId: 'T1', channelId: 'C1', threadTs: '1.1' };
  const said = (verb: 'cancel' | 'status') => ({
    ...{ verb, place, thread: undefined, isReply: true, isDirect: false, isPlain: false, userId: 'U1' },
    ...{ key: `message ${verb}`, recipient: { channelId: 'C1', userId: 'U1' }, deliveredAs: 'app_mention' },
  });

  function verbsOf({ hasOwn, take }: { hasOwn: boolean; take: () => Promise<boolean> }) {
    const { deps } = createListenerDeps();
    const [cancelled, notified]: [string[], unknown[]] = [[], []];
    const { runVerb } = createVerbs({
      ...deps,
      dailyStorage: { ...deps.dailyStorage, take },
      claims: { claim: async (_, owner) => owner, ownerOf: async () => undefined },
      requests: {
        ...deps.requests,
        hasOwnToCancel: async () => hasOwn,
        cancelInThread: async (_, userId) => {
          cancelled.push(userId);
          return { kind: 'cancelling' };
        },
      },
      notify: (...notice) => void notified.push(notice),
    });
    return { runVerb, cancelled, notified };
  }

  test('may cancel their own question, and nothing else', async () => {
    const { runVerb, cancelled, notified } = verbsOf({ hasOwn: true, take: async () => false });
    await runVerb(said('cancel'));
    expect(cancelled).toEqual(['U1']);
    await runVerb(said('status'));
    expect(notified).toEqual([]);
  });

  test('leaves nothing by a verb that cancels without a question of their own', async () => {
    const { runVerb, cancelled } = verbsOf({ hasOwn: false, take: async () => false });
    await runVerb(said('cancel'));
    expect(cancelled).toEqual([]);
  });

  test('is not kept from a verb by a count that can not be read', async () => {
    const take = () => Promise.reject(new AppError('corrupt', 'not a count'));
    const { runVerb, cancelled } = verbsOf({ hasOwn: false, take });
    await runVerb(said('cancel'));
    expect(cancelled).toEqual(['U1']);
  });
});
