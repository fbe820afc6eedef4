import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthentication } from '../../../src/codesearch/accounts/authentication.ts';
import { createRepoAccess, type RepoAccessRules } from '../../../src/codesearch/accounts/repo-access.ts';
import { openAccounts } from '../../../src/codesearch/accounts/store.ts';
import type { Scope } from '../../../src/codesearch/accounts/viewer.ts';
import { createConversations } from '../../../src/codesearch/conversations/conversations.ts';
import { createQuota } from '../../../src/codesearch/conversations/quota.ts';
import { createRunner } from '../../../src/codesearch/conversations/runner.ts';
import { openConversationStore } from '../../../src/codesearch/conversations/store.ts';
import { openDataDirectory } from '../../../src/codesearch/data-directory.ts';
import { createRateLimit } from '../../../src/codesearch/http/rate-limit.ts';
import { createConversationServiceRoute } from '../../../src/codesearch/http/routes/connect-conversations.ts';
import { createConversationRoute } from '../../../src/codesearch/http/routes/rest-conversations.ts';
import { createHttpServer } from '../../../src/codesearch/http/server.ts';
import { BASE_MARK, type Finding } from '../../../src/codesearch/search/finding.ts';
import { createCaller } from './service.ts';

export interface ConversationServerOptions {
  sharing?: boolean;
  quota?: number;
  rateLimit?: number;
  concurrency?: number;
  suggestedFollowups?: boolean;
  repoAccess?: RepoAccessRules;
  clock?: () => number;
}

/** An OAuth access token of alice that {@link startConversationServer} knows. */
export const OAUTH_TOKEN = 'cso_of-alice';

/** The repository that every answer of {@link startConversationServer} cites. */
export const CITED = 'github.com/harbour-org/harbour';
/** A repository that an answer links to, without a source, when the question contains "beside". */
export const OTHER = 'github.com/harbour-org/tools';

/**
 * Starts both generations of the conversation API over one store, with accounts and without repositories. A question is
 * answered at once, unless its text contains "hold": that one works until it is cancelled; "fail" ends in an error.
 */
export async function startConversationServer(options: ConversationServerOptions = {}) {
  const clock = options.clock ?? Date.now;
  const folder = mkdtempSync(join(tmpdir(), 'codesearch-conversations-'));
  const data = openDataDirectory(folder);
  const accounts = await openAccounts(data.root, clock);
  const alice = await accounts.ensureUser('alice');
  const problems: unknown[] = [];
  const onProblem = (error: unknown): unknown => problems.push(error);
  let url = '';
  const authentication = await createAuthentication({
    accounts,
    tokens: [
      { username: 'alice', token: 'test-token' },
      { username: 'bob', token: 'bob-token' },
    ],
    access: createRepoAccess(options.repoAccess ?? {}, [CITED, OTHER]),
    oauthToken: (token) => (token === OAUTH_TOKEN ? { userId: alice.id } : undefined),
    clock,
    openPages: true,
    baseUrl: () => url,
    onProblem,
  });
  const store = openConversationStore(data.root);
  const quota = createQuota(store, options.quota, clock);
  const runner = createRunner({
    store,
    quota,
    investigate: (text, _earlier, step) => investigate(text, step),
    canRead: authentication.canRead,
    concurrency: options.concurrency ?? 2,
    stepDelayMs: 5,
    clock,
    onProblem,
  });
  const conversations = createConversations({
    store,
    runner,
    quota,
    repositories: [CITED, OTHER],
    sharing: options.sharing ?? false,
    clock,
  });
  const server = createHttpServer({
    authentication,
    rateLimit: createRateLimit(options.rateLimit, clock),
    routes: [
      createConversationRoute(conversations, () => url, false),
      createConversationServiceRoute({
        conversations,
        baseUrl: () => url,
        suggestedFollowups: options.suggestedFollowups ?? false,
        hidden: false,
        onProblem,
      }),
    ],
    allowsHost: () => true,
    onProblem,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...createCaller(url),
    url,
    problems,
    conversations,
    /** A new access token of alice with just these scopes. */
    async tokenWith(scopes: Scope[]): Promise<string> {
      return (await accounts.createToken({ userId: alice.id, scopes, note: 'test' })).token;
    },
    userId: async (username: string) => (await accounts.ensureUser(username)).id,
    async stop() {
      await runner.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await data.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ConversationServer = Awaited<ReturnType<typeof startConversationServer>>;

async function investigate(text: string, step: (reasoning: string) => Promise<void>): Promise<Finding> {
  await step('Searching 7 files');
  while (text.includes('hold')) await step('Still searching');
  if (text.includes('fail')) throw new Error('the investigation failed');
  return {
    title: `About ${text}`,
    answer: `See [retry.ts](${BASE_MARK}/${CITED}/-/blob/src/retry.ts?L4-7).\n\nIt is short.${text.includes('beside') ? ` See [tools](${BASE_MARK}/${OTHER}).` : ''}`,
    sources: [
      { type: 'Repository', link: `/${CITED}`, label: CITED },
      { type: 'File', link: `/${CITED}/-/blob/src/retry.ts?L4-7`, label: 'src/retry.ts:4-7' },
    ],
    followUps: ['Where is it used?', 'How is it tested?'],
    focus: { symbols: [], files: [], words: [], intent: 'define' },
    toolCalls: 3,
    tokensRead: 100,
  };
}
