import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthentication } from '../../../src/codesearch/accounts/authentication.ts';
import { createRepoAccess, type RepoAccessRules } from '../../../src/codesearch/accounts/repo-access.ts';
import { openAccounts } from '../../../src/codesearch/accounts/store.ts';
import type { Scope } from '../../../src/codesearch/accounts/viewer.ts';
import { BASE_MARK, type Finding, type Investigate } from '../../../src/codesearch/ask/finding.ts';
import { createConversations } from '../../../src/codesearch/conversations/conversations.ts';
import { createQuota, type Quota } from '../../../src/codesearch/conversations/quota.ts';
import { type ConversationRecord, isOpen, type QuestionRecord } from '../../../src/codesearch/conversations/records.ts';
import { createRunner, editQuestion } from '../../../src/codesearch/conversations/runner.ts';
import { openConversationStore } from '../../../src/codesearch/conversations/store.ts';
import { openDataDirectory } from '../../../src/codesearch/data-directory.ts';
import { createRateLimit } from '../../../src/codesearch/http/rate-limit.ts';
import { createConversationServiceRoute } from '../../../src/codesearch/http/routes/connect-conversations.ts';
import { createConversationRoute } from '../../../src/codesearch/http/routes/rest-conversations.ts';
import { createHttpServer } from '../../../src/codesearch/http/server.ts';
import { createCaller } from './service.ts';

export interface ConversationServerOptions {
  sharing?: boolean;
  quota?: number;
  rateLimit?: number;
  concurrency?: number;
  suggestedFollowups?: boolean;
  hideGeneration?: 1 | 2;
  /** Address for links. Default: the server's own. */
  baseUrl?: string;
  /** Pause after each step of an investigation. Default 5 ms. */
  stepDelayMs?: number;
  /** Replaces the investigation that {@link startConversationServer} describes. */
  investigate?: Investigate;
  repoAccess?: RepoAccessRules;
  clock?: () => number;
  /** What is kept for each user. */
  most?: { conversations: number; characters: number };
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
  const baseUrl = (): string => options.baseUrl ?? url;
  const authentication = await createAuthentication({
    accounts,
    tokens: [
      { username: 'alice', token: 'test-token' },
      { username: 'bob', token: 'bob-token' },
    ],
    access: createRepoAccess(options.repoAccess ?? {}, [CITED, OTHER]),
    oauthToken: (token) => (token === OAUTH_TOKEN ? { userId: alice.id, scopes: ['user:all'] } : undefined),
    clock,
    openPages: true,
    baseUrl,
    onProblem,
  });
  const store = openConversationStore(data.root);
  const { quota, exhaust } = withExhaustion(createQuota(store, options.quota, clock), clock);
  const runner = createRunner({
    store,
    quota,
    investigate: options.investigate ?? ((text, _earlier, step) => investigate(text, step)),
    canRead: authentication.canRead,
    unreadable: () => [],
    concurrency: options.concurrency ?? 2,
    stepDelayMs: options.stepDelayMs ?? 5,
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
    ...(options.most === undefined ? {} : { most: options.most }),
  });
  const server = createHttpServer({
    authentication,
    rateLimit: createRateLimit(options.rateLimit, clock),
    routes: [
      createConversationRoute(conversations, baseUrl, options.hideGeneration === 1),
      createConversationServiceRoute({
        conversations,
        baseUrl,
        suggestedFollowups: options.suggestedFollowups ?? false,
        hidden: options.hideGeneration === 2,
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
    /**
     * Until then, the quota says that it is used up and when it resets. It refuses every question that starts, unless
     * `isRefusing` is false.
     */
    exhaustQuota: exhaust,
    /** Every conversation as it is stored, oldest first. */
    stored: (): ConversationRecord[] =>
      [...store.summaries()].flatMap(({ id }) => store.get(id) ?? []).toSorted((one, other) => one.id - other.id),
    /** Ends the open question of a conversation with this error, and with this answer if there is one. */
    async endWith(id: number, end: Pick<QuestionRecord, 'answer' | 'error'>): Promise<void> {
      const open = store.get(id)?.questions.find(isOpen);
      if (open === undefined) throw new Error(`conversation ${id} has no open question`);
      runner.abort(id, open.id);
      await store.update(id, (conversation) =>
        editQuestion(conversation, open.id, clock(), (question) => ({ ...question, ...end, status: 'completed' })),
      );
    },
    /** Makes a conversation of one question one of this many, all alike. */
    repeatQuestion: (id: number, count: number): Promise<unknown> =>
      store.update(id, ({ questions, ...conversation }) => ({
        ...conversation,
        questions: Array.from({ length: count }).flatMap((_, index) =>
          questions.map((question) => ({ ...question, id: question.id - index })),
        ),
      })),
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

function withExhaustion(
  quota: Quota,
  clock: () => number,
): { quota: Quota; exhaust: (untilMs: number, isRefusing?: boolean) => void } {
  let untilMs = 0;
  let exhausted = false;
  const state: Quota['state'] = (userId) =>
    clock() < untilMs ? { used: 100, limit: 100, resetMs: untilMs, exhausted } : quota.state(userId);
  return {
    quota: { ...quota, state },
    exhaust: (resetMs, isRefusing = true) => {
      untilMs = resetMs;
      exhausted = isRefusing;
    },
  };
}

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
    focus: { symbols: [], files: [], words: [], kind: 'where' },
    toolCalls: 3,
    tokensRead: 100,
  };
}
