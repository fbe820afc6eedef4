import { describe, expect, onTestFinished, test } from 'vitest';
import { createConversationDeletion } from '../../../src/app/conversation-deletion.ts';
import { keyOf } from '../../../src/app/own-service.ts';
import { parseConfig } from '../../../src/config.ts';
import { withServiceKey } from '../../../src/core/question/service-ids.ts';
import { Secret } from '../../../src/core/secret.ts';
import { type ApiSetting, createApiChoice } from '../../../src/deepsearch/api-choice.ts';
import { createDeepSearchOfClient } from '../../../src/deepsearch/chosen-generation.ts';
import { createProbes, type Offers } from '../../../src/deepsearch/probes.ts';
import { createServiceClient } from '../../../src/deepsearch/service-client.ts';
import { createInMemoryAccounts, createInMemoryLocks } from '../../support/accounts/in-memory-accounts.ts';
import { startConversationServer } from '../../support/codesearch/conversation-server.ts';
import { targetOf } from '../../support/deepsearch/cancel-target.ts';
import { eventually } from '../../support/eventually.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

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
  const probes = createProbes(options, log);
  const client = createServiceClient(options);
  onTestFinished(async () => {
    await probes.close();
    await client.close();
  });
  const choice = createApiChoice({ setting, probes, now: Date.now, log });
  return { choice, lines, deepSearch: createDeepSearchOfClient({ baseUrl, choice, now: Date.now, log })(client) };
}

describe.each<[string, Hidden, Offers, number]>([
  ['both generations', undefined, { 1: 'yes', 2: 'yes' }, 1],
  ['generation 1 only', 2, { 1: 'yes', 2: 'no' }, 1],
  ['generation 2 only', 1, { 1: 'no', 2: 'yes' }, 2],
])('a service with %s', (_name, hidden, offers, number) => {
  test('is probed for what it offers', async () => {
    const { url } = await startServer(hidden);
    const { choice } = connect(url);
    await choice.ready();
    expect(choice.offers()).toEqual(offers);
    expect(choice.chosen().number).toBe(number);
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
      workspaceServices: { get: async () => undefined },
    };
    const deletion = createConversationDeletion(config, stores);
    onTestFinished(() => deletion.close());
    await deletion.remove('app', id, 'T1');
    await deletion.remove('app', id, 'T1');
    expect(server.stored()).toEqual([]);
  });

  test("forgets a conversation at a workspace's own service, and nothing with another workspace's token", async () => {
    const server = await startServer(hidden);
    const { id } = await connect(server.url).deepSearch.create('Where is the retry limit?');
    const config = parseConfig({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'unused',
      SRC_ENDPOINT: 'http://127.0.0.1:9',
      SRC_ACCESS_TOKEN: 'other-token',
    });
    const current = { endpoint: server.url, token: new Secret('test-token'), username: 'bot', api: 'auto' as const };
    const { log } = createRecordingLog();
    const deletion = createConversationDeletion(config, {
      accounts: createInMemoryAccounts(),
      locks: createInMemoryLocks(Date.now),
      log,
      workspaceServices: {
        get: async (workspaceId) =>
          workspaceId === 'T1' ? { workspaceId, current, former: [], changedMs: 1 } : undefined,
      },
    });
    onTestFinished(() => deletion.close());
    const stored = withServiceKey(keyOf(current, config.SRC_ENDPOINT), id);
    await expect(deletion.remove('app', stored, 'T2')).rejects.toMatchObject({ kind: 'refused' });
    expect(server.stored()).toHaveLength(1);
    await deletion.remove('app', stored, 'T1');
    expect(server.stored()).toEqual([]);
  });
});

test('a token with only the scopes of generation 2 asks over generation 2, although both are offered', async () => {
  const server = await startServer(undefined);
  const token = await server.tokenWith(['externalapi:read', 'externalapi:write']);
  const { deepSearch, choice, lines } = connect(server.url, { token });
  await deepSearch.create('Where is the retry limit?');
  expect(server.stored()).toHaveLength(1);
  const chosen = [choice.chosen().number, lines.some(({ event }) => event === 'deepsearch.api_account')];
  // The probes use the same token here, so they may already have left generation 1 out.
  expect([
    [2, false],
    [1, true],
  ]).toContainEqual(chosen);
});

test('a token of another account changes nothing for the account that may use generation 1', async () => {
  const server = await startServer(undefined);
  const token = await server.tokenWith(['externalapi:read', 'externalapi:write']);
  const { choice, lines } = connect(server.url);
  await choice.ready();
  const { log } = createRecordingLog();
  const client = createServiceClient({ baseUrl: server.url, auth: { kind: 'token', token }, userAgentVersion: '1' });
  onTestFinished(() => client.close());
  const person = createDeepSearchOfClient({ baseUrl: server.url, choice, now: Date.now, log })(client);
  await person.create('Where is the retry limit?');
  expect(server.stored()).toHaveLength(1);
  expect(choice.chosen().number).toBe(1);
  expect(lines.map(({ outcome }) => outcome)).toEqual(['generation_1']);
});

test.each<[ApiSetting, Hidden]>([
  [1, 1],
  [2, 2],
])('a set generation %i that the service lacks asks nothing', async (setting, hidden) => {
  const server = await startServer(hidden);
  const { deepSearch, choice } = connect(server.url, { setting });
  await expect(deepSearch.create('where?')).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  expect(choice.chosen()).toEqual({ number: setting, reason: 'set', isMissing: true });
  expect(server.stored()).toEqual([]);
});
