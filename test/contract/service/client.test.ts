import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/core/accounts/accounts.ts';
import { createAccountCredentials } from '../../../src/core/accounts/credentials.ts';
import type { ConversationId } from '../../../src/core/question/question.ts';
import type { Secret } from '../../../src/core/secret.ts';
import type { Auth } from '../../../src/service/auth.ts';
import { createDeepSearch } from '../../../src/service/generation-1/deep-search.ts';
import { createOAuthClient, type OAuthClient } from '../../../src/service/oauth.ts';
import { answerConsent, registerOAuthApp } from '../../codesearch/support/oauth-app.ts';
import { createPerson, createPkce } from '../../codesearch/support/people.ts';
import { createHarbourRepository } from '../../codesearch/support/repository.ts';
import { startTestService } from '../../codesearch/support/service.ts';
import { createInMemoryAccounts, createInMemoryLocks } from '../../support/accounts/in-memory-accounts.ts';
import { eventually } from '../../support/eventually.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createDeepSearchClient, type DeepSearchClient } from '../../support/service/open-client.ts';

// The client of the app and the service share no code; here they meet.

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;
let client: DeepSearchClient;
/** How far the service's clock is ahead. */
let aheadMs = 0;
const clients: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  service = await startTestService({
    repos: [repository.path],
    sharing: true,
    quota: 100,
    clock: () => Date.now() + aheadMs,
    oauthTokenLifetime: 600,
    tokens: [
      { username: 'alice', token: 'test-token' },
      { username: 'bob', token: 'bob-token' },
    ],
  });
  client = connect('test-token');
});

afterAll(async () => {
  await Promise.all(clients.map((each) => each.close()));
  await service.stop();
  repository.remove();
});

function connect(credential: string | Auth): DeepSearchClient {
  const connected = createDeepSearchClient({
    baseUrl: service.url,
    auth: typeof credential === 'string' ? { kind: 'token', token: credential } : credential,
    userAgentVersion: '0.0.0-test',
  });
  clients.push(connected);
  return connected;
}

/** Registers an app as alice, lets bob allow it, and returns the client of the authorization server and his account. */
async function authorize(): Promise<{ server: OAuthClient; account: Account }> {
  const redirectUri = 'http://127.0.0.1/callback';
  const server = createOAuthClient({
    ...(await registerOAuthApp(service.url, 'test-token', redirectUri)),
    scopes: 'user:all',
    clock: () => Date.now() + aheadMs,
  });
  clients.push(server);
  const bob = createPerson(service.url);
  await bob.signIn('bob-token');
  const { verifier: codeVerifier, challenge: codeChallenge } = createPkce();
  const target = await answerConsent(bob, server.authorizeUrl({ state: 'a state', codeChallenge, redirectUri }));
  const code = target.searchParams.get('code') ?? '';
  const tokens = await server.exchange({ code, codeVerifier, redirectUri });
  const person = { teamId: 'T1', userId: 'UBOB' };
  return { server, account: { person, username: 'bob', credential: { kind: 'oauth', ...tokens }, connectedMs: 0 } };
}

const codeSearch = () => createDeepSearch(client, service.url);

function ended(conversationId: ConversationId) {
  return eventually(async () => {
    const conversation = await codeSearch().read(conversationId);
    expect(conversation.questions.at(-1)?.state).not.toBe('processing');
    return conversation;
  });
}

describe('the client of the app', () => {
  test('asks, watches and reads an answer with links, sources, follow-ups, duration and quota', async () => {
    const asked = await codeSearch().create('Where is retryDelay defined?');
    expect(asked.questions).toMatchObject([{ state: 'processing', text: 'Where is retryDelay defined?' }]);
    const { questions, quota, shareUrl } = await ended(asked.id);
    expect(questions).toMatchObject([
      {
        state: 'completed',
        title: expect.stringContaining('retryDelay'),
        answer: expect.stringContaining(`](${service.url}/github.com/harbour-org/harbour@`),
        steps: expect.any(Number),
        credits: 1,
      },
    ]);
    expect(questions[0]?.sources).not.toEqual([]);
    expect(questions[0]?.followUps).toHaveLength(3);
    expect(quota).toMatchObject({ limit: 100, used: expect.any(Number) });
    expect(shareUrl).toContain(`${service.url}/deepsearch/`);
  });

  test('finds its newest conversations over several pages', async () => {
    const made: ConversationId[] = [];
    for (const name of ['JobQueue', 'settings', 'retryDelay']) {
      made.unshift((await codeSearch().create(`Where is ${name}?`)).id);
    }
    const ids: ConversationId[] = [];
    for await (const { id } of client.conversations(1)) {
      ids.push(id);
      if (ids.length === 3) break;
    }
    expect(ids).toEqual(made);
    expect((await codeSearch().newest(3)).map(({ id }) => id)).toEqual(made);
  });

  test('reads its user over GraphQL', async () => {
    expect(await client.currentUser()).toMatchObject({ username: 'alice' });
  });

  test('acts as another user by sudo', async () => {
    const sudo = connect({ kind: 'sudo', username: 'bob', token: 'test-token' });
    expect(await sudo.currentUser()).toMatchObject({ username: 'bob' });
  });

  test('finds the names of repositories, and leaves out those that do not exist', async () => {
    const names = ['github.com/harbour-org/harbour', 'github.com/harbour-org/gone', '__proto__'];
    expect(await client.repositoryNames(names)).toEqual(['github.com/harbour-org/harbour']);
  });

  test.each([
    ['github.com/harbour-org/gone', false],
    ['github.com/harbour-org/harbour', true],
  ])('searches only in %s when the question says so', async (name, isFound) => {
    const text = `Search only in these repositories and in no others: ${name}\n\nWhere is retryDelay?`;
    const { id } = await client.create(text);
    const answered = await eventually(async () => {
      const question = (await client.get(id)).questions[0];
      if (question?.status !== 'completed') throw new Error('not answered yet');
      return question;
    });
    expect((answered.sources ?? []).length > 0).toBe(isFound);
  });

  test('renews an OAuth token that has expired, and uses both APIs with it', async () => {
    const { server, account } = await authorize();
    const now = () => Date.now() + aheadMs;
    let refreshed = 0;
    const refresh = (token: Secret) => {
      refreshed += 1;
      return server.refresh(token);
    };
    const credentials = createAccountCredentials({
      accounts: createInMemoryAccounts(account),
      locks: createInMemoryLocks(now),
      server: { ...server, refresh },
      changed: () => {},
      now,
      log: createRecordingLog().log,
    });
    const bob = connect({
      kind: 'account',
      current: () => credentials.current(account.person),
      renewed: (rejected) => credentials.renewed(account.person, rejected),
    });
    expect(await bob.currentUser()).toMatchObject({ username: 'bob' });
    for (const renewals of [1, 2]) {
      aheadMs += 600_000;
      expect(await bob.currentUser()).toMatchObject({ username: 'bob' });
      expect(refreshed).toBe(renewals);
    }
    expect((await createDeepSearch(bob, service.url).create('Where is retryDelay?')).questions).toHaveLength(1);
  });
});
