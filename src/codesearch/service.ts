import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthentication } from './accounts/authentication.ts';
import type { AccessToken } from './accounts/command-line-tokens.ts';
import { createOAuthServer } from './accounts/oauth-server.ts';
import { openOAuthStore } from './accounts/oauth-store.ts';
import { createRepoAccess, type RepoAccess, type RepoAccessRules } from './accounts/repo-access.ts';
import { openAccounts } from './accounts/store.ts';
import { createModelCounts, type ModelReport } from './agent/report.ts';
import { type ModelSettings, originOf } from './agent/settings.ts';
import { createInvestigate } from './ask/investigate.ts';
import { createConversations } from './conversations/conversations.ts';
import { createQuota } from './conversations/quota.ts';
import { createRunner } from './conversations/runner.ts';
import { openConversationStore } from './conversations/store.ts';
import { openDataDirectory } from './data-directory.ts';
import { GitError } from './git/git.ts';
import { overlap, type Places } from './git/places.ts';
import type { Repository } from './git/repository.ts';
import { numberOfRepository } from './graphql/context.ts';
import { createGraphql } from './graphql/graphql.ts';
import type { CostLimits } from './graphql/site-configuration.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createAccountRoute } from './http/routes/accounts.ts';
import { createConversationServiceRoute } from './http/routes/connect-conversations.ts';
import { createGraphqlRoute } from './http/routes/graphql.ts';
import { createHealthRoute, createVersionRoute } from './http/routes/health.ts';
import { createOAuthRoute } from './http/routes/oauth.ts';
import {
  createAssetsRoute,
  createConsoleRoute,
  createPageActionsRoute,
  createPagesRoute,
} from './http/routes/pages.ts';
import { createConversationRoute } from './http/routes/rest-conversations.ts';
import { createSearchStreamRoute } from './http/routes/search-stream.ts';
import { createHttpServer } from './http/server.ts';
import { openCorpus } from './index/corpus.ts';
import { LIMITS } from './limits.ts';
import { createMarkdownRenderer } from './pages/markdown.ts';
import { createPages } from './pages/pages.ts';
import { createSearch } from './query/search.ts';

/** A repository can't be read; the message says which one and why. */
export class RepositoryError extends Error {
  override readonly name = 'RepositoryError';
}

/** Options of the service; all but `repos` and `tokens` have defaults. */
export interface CodeSearchOptions {
  /** Folders of git repositories. */
  repos: readonly string[];
  /** Access tokens; the first belongs to the site admin. */
  tokens: readonly AccessToken[];
  /** 0, the default, chooses a free port. */
  port?: number | undefined;
  /** Default `127.0.0.1`, where pages need no sign-in. */
  host?: string | undefined;
  /** Folder for conversations and accounts; no other service may use it. Without it, a temporary folder that `stop` removes. */
  dataDir?: string | undefined;
  /** Whether a read token opens other users' conversations, in the API and as a page; default: only the owner's. */
  sharing?: boolean | undefined;
  /** Credits per user and UTC day: an answer costs one, with a model its cents. */
  quota?: number | undefined;
  /** A generation of the conversation API to hide, to play an instance that lacks it. */
  hideGeneration?: 1 | 2 | undefined;
  /** What `/__version` answers; default: a version that offers the generations that are not hidden. */
  asVersion?: string | undefined;
  /** Whether finished questions of the second generation carry `suggestedFollowups`; default: false. */
  suggestedFollowups?: boolean | undefined;
  /** Requests per user and minute; default `LIMITS.requestsPerMinute`. */
  rateLimit?: number | undefined;
  /** The cost limits of GraphQL queries. */
  costLimits?: CostLimits | undefined;
  /** Who may read which repository; without a rule everyone may. */
  repoAccess?: RepoAccessRules | undefined;
  /** Shows pages without sign-in on every address, not only on a loopback one. */
  publicPages?: boolean | undefined;
  /** Lifetime of OAuth access tokens in seconds; default one hour. */
  oauthTokenLifetime?: number | undefined;
  /** Address for links, when it differs from the address the service listens on. */
  baseUrl?: string | undefined;
  /** Questions answered at once; default 2. */
  concurrency?: number | undefined;
  /** Pause after each step, so that a person can watch and cancel; default 0. */
  stepDelayMs?: number | undefined;
  /** A model that writes the answers; default: none, and nothing leaves the machine. */
  model?: ModelSettings | undefined;
  /** Called for each question that the model was asked. */
  onModelReport?: ((report: ModelReport) => void) | undefined;
  clock?: (() => number) | undefined;
  /** Called with each internal failure of the service. */
  onProblem?: ((error: unknown) => void) | undefined;
  /** Called with what an operator should know but need not change. */
  onNotice?: ((text: string) => void) | undefined;
}

export interface CodeSearchService {
  /** Lists the files of the repositories, reads at least a part of them, resumes open questions and listens; throws {@link RepositoryError} when a folder is not a repository. */
  start(): Promise<{ url: string; repositories: string[]; files: number; unread: number }>;
  /** Stops listening and working; open questions are resumed at the next start with the same `dataDir`. */
  stop(): Promise<void>;
}

/** The version to claim, by the hidden generation: the first is offered from 6.7 to 7.x, the second from 7.0. */
const VERSIONS = { none: '7.0.0', 1: '8.0.0', 2: '6.12.0' };

/** Creates the embedded code search service. */
export function createCodeSearchService(options: CodeSearchOptions): CodeSearchService {
  const clock = options.clock ?? Date.now;
  const onProblem = options.onProblem ?? (() => {});
  const host = options.host ?? '127.0.0.1';
  const undo: (() => Promise<void>)[] = [];

  async function stop(): Promise<void> {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  }

  async function start() {
    let url = '';
    const startMs = clock();
    const directory = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'codesearch-')));
    if (options.dataDir === undefined) undo.push(() => rm(directory, { recursive: true, force: true }));
    const data = openDataDirectory(directory);
    undo.push(() => data.close());
    if (data.repaired.length > 0) options.onNotice?.(`Made private: ${data.repaired.join(', ')}`);
    const corpus = await openCorpus(options.repos, onProblem);
    undo.push(() => corpus.close());
    const [shared] = options.repoAccess === undefined ? [] : corpus.sharedNames;
    // A repository names itself by its origin, and so could take the name that a rule protects.
    if (shared !== undefined) {
      throw new RepositoryError(`Two repositories are named ${shared}: rules of access can't tell them apart.`);
    }
    const isLarge = corpus.index.unread() > LIMITS.filesReadBeforeStart;
    await corpus.read(isLarge ? 0 : LIMITS.readingStartMs);
    const accounts = await openAccounts(data.root, clock);
    const oauth = await openOAuthStore(data.root, clock, (digest) => authentication.isUsableToken(digest));
    const tokenLifetime = options.oauthTokenLifetime ?? LIMITS.oauthTokenSeconds;
    const access = createRepoAccess(
      options.repoAccess ?? {},
      corpus.repositories.map(({ name }) => name),
    );
    if (options.repoAccess !== undefined) await refuseSharedPlaces(corpus.repositories, access);
    const authentication = await createAuthentication({
      accounts,
      tokens: options.tokens,
      access,
      oauthToken: oauth.accessToken,
      clock,
      openPages: options.publicPages === true || (isLoopback(host) && hasLocalLinks(options.baseUrl)),
      baseUrl: () => url,
      onProblem,
    });
    const store = openConversationStore(data.root);
    const quota = createQuota(store, options.quota, clock);
    const search = createSearch(corpus, clock);
    const modelCounts = createModelCounts();
    const investigate = createInvestigate(corpus);
    const withModel = async (settings: ModelSettings) => {
      // Loaded only here: without a model, its libraries take neither time nor memory.
      const { createAgent } = await import('./agent/agent.ts');
      options.onNotice?.(`Questions and parts of the repositories go to ${originOf(settings)} (${settings.model})`);
      const onReport = (report: ModelReport): void => {
        modelCounts.add(report);
        options.onModelReport?.(report);
      };
      return createAgent({ settings, corpus, search, investigate, clock, onReport, onProblem });
    };
    const runner = createRunner({
      store,
      quota,
      investigate: options.model === undefined ? investigate : await withModel(options.model),
      canRead: authentication.canRead,
      unreadable: () => corpus.repositories.map(({ name }) => name).filter((name) => !corpus.isReadable(name)),
      concurrency: options.concurrency ?? 2,
      stepDelayMs: options.stepDelayMs ?? 0,
      clock,
      onProblem,
    });
    undo.push(() => runner.stop());
    const conversations = createConversations({
      store,
      runner,
      quota,
      repositories: corpus.repositories.map(({ name }) => name),
      sharing: options.sharing ?? false,
      clock,
    });
    const version = options.asVersion ?? VERSIONS[options.hideGeneration ?? 'none'];
    const markdown = createMarkdownRenderer();
    undo.push(() => markdown.close());
    const graphql = createGraphql({
      repositories: corpus.repositories,
      search,
      users: accounts,
      quotaOf: conversations.quotaOf,
      version,
      limits: options.costLimits,
      startedMs: clock(),
      onProblem,
    });
    const server = createHttpServer({
      authentication,
      rateLimit: createRateLimit(options.rateLimit, clock),
      routes: [
        createConversationRoute(conversations, () => url, options.hideGeneration === 1),
        createConversationServiceRoute({
          conversations,
          baseUrl: () => url,
          suggestedFollowups: options.suggestedFollowups ?? false,
          hidden: options.hideGeneration === 2,
          onProblem,
        }),
        createVersionRoute(version),
        createGraphqlRoute(graphql),
        createConsoleRoute(graphql, authentication),
        createSearchStreamRoute(search, numberOfRepository),
        createHealthRoute(() => ({
          status: 'ok',
          repositories: corpus.repositories.length,
          files: corpus.index.size(),
          unread: corpus.index.unread(),
          unreadable: corpus.repositories.filter(({ name }) => !corpus.isReadable(name)).length,
          ...(options.model === undefined ? {} : { model: modelCounts.totals() }),
        })),
        createAccountRoute({ accounts, oauth, authentication, clock }),
        createOAuthRoute(
          createOAuthServer({
            store: oauth,
            clock,
            tokenLifetime,
            isServiceAccount: (id) => accounts.userById(id)?.kind === 'serviceAccount',
          }),
          authentication,
          () => url,
        ),
        createAssetsRoute(),
        createPageActionsRoute(conversations, authentication),
        createPagesRoute(
          createPages({
            corpus,
            conversations,
            search,
            markdown,
          }),
          authentication,
        ),
      ],
      allowsHost: hostRule(host, options.baseUrl),
      onProblem,
    });
    const port = await listen(server, options.port ?? 0, host);
    undo.push(() => close(server));
    url = (options.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, '');
    runner.resume();
    if (corpus.index.unread() > 0) {
      void corpus
        .untilRead()
        .then(() => {
          const seconds = Math.round((clock() - startMs) / 1_000);
          if (corpus.index.unread() === 0)
            options.onNotice?.(`All ${corpus.index.size()} files are read, ${seconds} s after the start`);
        })
        .catch(onProblem);
    }
    const unread = corpus.index.unread();
    return { url, repositories: corpus.repositories.map(({ name }) => name), files: corpus.index.size(), unread };
  }

  return {
    async start() {
      try {
        return await start();
      } catch (error) {
        await stop();
        throw error instanceof GitError ? new RepositoryError(error.message, { cause: error }) : error;
      }
    },
    stop,
  };
}

/** A folder that is open to some may show the commits of one that is not: by its `.git` file, a link, or borrowed objects. */
async function refuseSharedPlaces(repositories: readonly Repository[], access: RepoAccess): Promise<void> {
  const known: { name: string; places: Places }[] = [];
  for (const { name, places } of repositories) {
    const own = { name, places: await places() };
    const other = known.find((one) => !access.hasSameRules(one.name, name) && overlap(one.places, own.places));
    if (other !== undefined) {
      throw new RepositoryError(
        `${name} and ${other.name} share git data, but rules of access treat them differently.`,
      );
    }
    known.push(own);
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function isLoopback(host: string): boolean {
  return ['127.0.0.1', '::1', '[::1]', 'localhost'].includes(host);
}

/** A base address elsewhere means that a proxy makes a loopback address reachable for others. */
function hasLocalLinks(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || (URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname));
}

/** On a loopback address, allows only loopback names and the host of the base address; otherwise allows every name. */
function hostRule(host: string, baseUrl: string | undefined): (header: string | undefined) => boolean {
  if (!isLoopback(host)) return () => true;
  const allowed = new Set(['127.0.0.1', 'localhost', '[::1]']);
  if (baseUrl !== undefined && URL.canParse(baseUrl)) allowed.add(new URL(baseUrl).hostname);
  return (header) => header !== undefined && allowed.has(header.replace(/:\d+$/, '').toLowerCase());
}
