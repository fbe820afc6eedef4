import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Auth } from '../../../src/deepsearch/auth.ts';
import { createDeepSearchClient, type DeepSearchClient } from '../../../src/deepsearch/client.ts';
import { createDeepSearch } from '../../../src/deepsearch/deep-search.ts';
import { createPerson, createPkce, hiddenField } from '../../support/codesearch/people.ts';
import { createHarbourRepository } from '../../support/codesearch/repository.ts';
import { startTestService } from '../../support/codesearch/service.ts';
import { eventually } from '../../support/eventually.ts';

// The client of the app and the service share no code; here they meet.

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;
let client: DeepSearchClient;
/** How far the service's clock is ahead. */
let aheadMs = 0;
const clients: DeepSearchClient[] = [];

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

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

/** Registers an app as alice, lets bob allow it, and returns its tokens and how it renews them. */
async function authorize(): Promise<{ tokens: Tokens; refresh: (token: string) => Promise<Tokens> }> {
  const redirect_uri = 'http://127.0.0.1/callback';
  const [alice, bob] = [createPerson(service.url), createPerson(service.url)];
  await alice.signIn('test-token');
  await bob.signIn('bob-token');
  const app = { formToken: await alice.formToken(), name: 'The app', redirectUris: redirect_uri };
  const { text } = await alice.submit('/settings/oauth-apps', app);
  const client_id = /id="client-id">([^<]+)</.exec(text)?.[1] ?? '';
  const { verifier, challenge } = createPkce();
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'user:all',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const address = '/.auth/idp/oauth/authorize';
  const page = await bob.open(`${address}?${new URLSearchParams(asked)}`);
  const formToken = hiddenField(page.text, 'formToken');
  const { response } = await bob.submit(address, { ...asked, formToken, decision: 'allow' });
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const exchange = async (fields: Record<string, string>): Promise<Tokens> => {
    const body = new URLSearchParams({ client_id, ...fields });
    const reply = await fetch(`${service.url}/.auth/idp/oauth/token`, { method: 'POST', body });
    expect(reply.status).toBe(200);
    return (await reply.json()) as Tokens;
  };
  return {
    tokens: await exchange({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }),
    refresh: (refresh_token) => exchange({ grant_type: 'refresh_token', refresh_token }),
  };
}

const codeSearch = () => createDeepSearch(client, service.url);

function ended(conversationId: number) {
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

  test('asks a follow-up', async () => {
    const { id } = await codeSearch().create('Where is retryDelay defined?');
    await ended(id);
    expect(await codeSearch().followUp(id, 'Where is it used?')).toMatchObject({ state: 'processing' });
    expect((await ended(id)).questions).toHaveLength(2);
  });

  test('takes the cancel of a finished question for done, and a second deletion too', async () => {
    const { id, questions } = await codeSearch().create('Where is withRetries defined?');
    const { questions: answered } = await ended(id);
    await codeSearch().cancel(id, questions[0]?.id ?? 0);
    expect((await codeSearch().read(id)).questions).toEqual(answered);
    await client.delete(id);
    await client.delete(id);
    await expect(codeSearch().read(id)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('finds its newest conversations over several pages', async () => {
    const made: number[] = [];
    for (const name of ['JobQueue', 'settings', 'retryDelay']) {
      made.unshift((await codeSearch().create(`Where is ${name}?`)).id);
    }
    const ids: number[] = [];
    for await (const { id } of client.conversations({ first: 1, sort: '-created_at' })) {
      ids.push(id);
      if (ids.length === 3) break;
    }
    expect(ids).toEqual(made);
    expect((await codeSearch().newest(3)).map(({ id }) => id)).toEqual(made);
  });

  test('reads another user’s conversation by its read token, and not by its id', async () => {
    const { id } = await client.create('Where is JobQueue?');
    const { read_token: token } = await client.get(id);
    const bob = connect('bob-token');
    expect(await bob.readByToken(token ?? '')).toMatchObject({ id });
    await expect(bob.get(id)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('is unauthorized with a wrong token, and refused with an empty question', async () => {
    await expect(connect('wrong').create('x')).rejects.toMatchObject({ kind: 'unauthorized', code: 401 });
    await expect(client.create(' ')).rejects.toMatchObject({ kind: 'refused', code: 400 });
  });

  test('reads its user and counts matches over GraphQL', async () => {
    expect(await client.currentUser()).toMatchObject({ username: 'alice' });
    expect(await client.matchCount('retryCapMs')).toBe(2);
  });

  test('acts as another user by sudo', async () => {
    const sudo = connect({ kind: 'sudo', username: 'bob', token: 'test-token' });
    expect(await sudo.currentUser()).toMatchObject({ username: 'bob' });
  });

  test('renews an OAuth token that has expired, and uses both APIs with it', async () => {
    const { tokens, refresh } = await authorize();
    let refreshToken = tokens.refresh_token;
    let refreshed = 0;
    const bob = connect({
      kind: 'bearer',
      initial: { accessToken: tokens.access_token, expiresInSeconds: tokens.expires_in },
      async refresh() {
        refreshed += 1;
        const next = await refresh(refreshToken);
        refreshToken = next.refresh_token;
        return { accessToken: next.access_token, expiresInSeconds: next.expires_in };
      },
    });
    expect(await bob.currentUser()).toMatchObject({ username: 'bob' });
    for (const renewals of [1, 2]) {
      aheadMs += tokens.expires_in * 1_000;
      expect(await bob.currentUser()).toMatchObject({ username: 'bob' });
      expect(refreshed).toBe(renewals);
    }
    expect(await bob.matchCount('retryCapMs')).toBe(2);
    expect((await createDeepSearch(bob, service.url).create('Where is retryDelay?')).questions).toHaveLength(1);
  });
});

describe('the client of the app, with a question that keeps working', () => {
  test('sees its steps, has to wait with a follow-up, and cancels it', async () => {
    const slow = await startTestService({ repos: [repository.path], stepDelayMs: 30_000 });
    const slowClient = createDeepSearchClient({
      baseUrl: slow.url,
      auth: { kind: 'token', token: 'test-token' },
      userAgentVersion: '0.0.0-test',
    });
    const port = createDeepSearch(slowClient, slow.url);
    try {
      const { id, questions } = await port.create('How does withRetries work?');
      await eventually(async () => expect((await port.read(id)).questions[0]?.steps).toBeGreaterThan(0));
      await expect(port.followUp(id, 'too early')).rejects.toMatchObject({
        kind: 'rateLimited',
        outcomeUnknown: false,
      });
      await port.cancel(id, questions[0]?.id ?? 0);
      expect((await port.read(id)).questions[0]).toMatchObject({ state: 'cancelled' });
    } finally {
      await slowClient.close();
      await slow.stop();
    }
  });
});
