import { describe, expect, onTestFinished, test } from 'vitest';
import { createConversationDeletion } from '../../../src/app/accounts.ts';
import { parseConfig } from '../../../src/config.ts';
import { type ApiSetting, createApiChoice, readVersion } from '../../../src/service/api-choice.ts';
import { createBothGenerations } from '../../../src/service/both-generations.ts';
import { createMethods } from '../../../src/service/methods.ts';
import { createServiceClient } from '../../../src/service/service-client.ts';
import { startConversationServer } from '../../codesearch/support/conversation-server.ts';
import { createInMemoryAccounts, createInMemoryLocks } from '../../support/accounts/in-memory-accounts.ts';
import { eventually } from '../../support/eventually.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { targetOf } from '../../support/service/cancel-target.ts';

type Hidden = 1 | 2 | undefined;

async function startServer(hideGeneration: Hidden) {
  const server = await startConversationServer(hideGeneration === undefined ? {} : { hideGeneration });
  onTestFinished(() => server.stop());
  return server;
}

/** One account of the service, over the generation that is chosen. */
function connect(baseUrl: string, { token = 'test-token', setting = 'auto' as ApiSetting } = {}) {
  const options = { baseUrl, auth: { kind: 'token', token }, userAgentVersion: '1', random: () => 0 } as const;
  const { log, lines } = createRecordingLog();
  const client = createServiceClient(options);
  onTestFinished(() => client.close());
  const choice = createApiChoice({ setting, readVersion: () => readVersion(client), log });
  return {
    choice,
    lines,
    deepSearch: createMethods(createBothGenerations({ baseUrl, choice, now: Date.now, log })(client)),
  };
}

describe.each<[string, Hidden, number]>([
  ['both generations', undefined, 1],
  ['generation 1 only', 2, 1],
  ['generation 2 only', 1, 2],
])('a service with %s', (_name, hidden, number) => {
  test('is used over one of them from the first call on', async () => {
    const { url } = await startServer(hidden);
    const { choice, deepSearch } = connect(url);
    await deepSearch.newest(1);
    expect(choice.chosen()).toBe(number);
  });

  test('answers a question and its follow-up, and deletes their conversation', async () => {
    const server = await startServer(hidden);
    const { deepSearch } = connect(server.url);
    const { id } = await deepSearch.create('Where is the retry limit?');
    const answered = () =>
      eventually(async () => {
        const { questions } = await deepSearch.read(id);
        expect(questions.map(({ state }) => state)).toEqual(questions.map(() => 'completed'));
        return questions;
      });
    expect(await answered()).toHaveLength(1);
    await deepSearch.followUp(id, 'And where is it tested?');
    expect((await answered()).map(({ ordinal, text }) => [ordinal, text])).toEqual([
      [0, 'Where is the retry limit?'],
      [1, 'And where is it tested?'],
    ]);
    expect(await deepSearch.newest(10)).toMatchObject([{ id }]);
    await deepSearch.delete(id);
    expect(server.stored()).toEqual([]);
    await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('cancels a question that was asked without an id', async () => {
    const server = await startServer(hidden);
    const { deepSearch } = connect(server.url);
    const { id } = await deepSearch.create('hold on');
    await deepSearch.cancel(id, targetOf());
    await eventually(async () => expect((await deepSearch.read(id)).questions[0]?.state).toBe('cancelled'));
  });

  test('forgets a conversation for a program beside the app', async () => {
    const server = await startServer(hidden);
    const { id } = await connect(server.url).deepSearch.create('Where is the retry limit?');
    const config = parseConfig({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'unused',
      SRC_ENDPOINT: server.url,
      SRC_ACCESS_TOKEN: 'test-token',
    });
    const { log } = createRecordingLog();
    const stores = {
      accounts: createInMemoryAccounts(),
      locks: createInMemoryLocks(Date.now),
      log,
    };
    const deletion = createConversationDeletion(config, stores);
    onTestFinished(() => deletion.close());
    await deletion.remove('app', id);
    await deletion.remove('app', id);
    expect(server.stored()).toEqual([]);
  });
});

test('a token with only the scopes of generation 2 asks over generation 2, although both are offered', async () => {
  const server = await startServer(undefined);
  const token = await server.tokenWith(['externalapi:read', 'externalapi:write']);
  const { deepSearch, choice, lines } = connect(server.url, { token });
  await deepSearch.create('Where is the retry limit?');
  expect(server.stored()).toHaveLength(1);
  expect(choice.chosen()).toBe(1);
  expect(lines.map(({ event, outcome }) => [event, outcome])).toEqual([['deepsearch.api_account', 'generation_2']]);
});

test('a token of another account changes nothing for the account that may use generation 1', async () => {
  const server = await startServer(undefined);
  const token = await server.tokenWith(['externalapi:read', 'externalapi:write']);
  const { choice, deepSearch, lines } = connect(server.url);
  await deepSearch.newest(1);
  const { log } = createRecordingLog();
  const client = createServiceClient({ baseUrl: server.url, auth: { kind: 'token', token }, userAgentVersion: '1' });
  onTestFinished(() => client.close());
  const person = createMethods(createBothGenerations({ baseUrl: server.url, choice, now: Date.now, log })(client));
  await person.create('Where is the retry limit?');
  expect(server.stored()).toHaveLength(1);
  expect(choice.chosen()).toBe(1);
  expect(lines.map(({ outcome }) => outcome)).toEqual(['generation_1']);
});

test.each<[ApiSetting, Hidden]>([
  [1, 1],
  [2, 2],
])('a set generation %i that the service lacks asks nothing', async (setting, hidden) => {
  const server = await startServer(hidden);
  const { deepSearch, choice } = connect(server.url, { setting });
  await expect(deepSearch.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  expect(choice.chosen()).toBe(setting);
  expect(server.stored()).toEqual([]);
});
