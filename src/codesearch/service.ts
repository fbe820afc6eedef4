import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessToken, createAuthentication } from './accounts/authentication.ts';
import { createConversations } from './conversations/conversations.ts';
import { createQuota } from './conversations/quota.ts';
import { createRunner } from './conversations/runner.ts';
import { openConversationStore } from './conversations/store.ts';
import { GitError } from './git/git.ts';
import { createGraphql } from './graphql/execute.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createConversationRoute } from './http/routes/conversations.ts';
import { createGraphqlRoute } from './http/routes/graphql.ts';
import { createHealthRoute } from './http/routes/health.ts';
import { createPagesRoute } from './http/routes/pages.ts';
import { createSearchStreamRoute } from './http/routes/search-stream.ts';
import { createHttpServer } from './http/server.ts';
import { createPages } from './pages/pages.ts';
import { createSearch } from './query/search.ts';
import { openCorpus } from './search/corpus.ts';
import { createInvestigate } from './search/investigate.ts';

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
  /** Default `127.0.0.1`: code pages need no token, so other machines should not reach them. */
  host?: string | undefined;
  /** Folder for conversations; no other process may use it. Without it, a temporary folder that `stop` removes. */
  dataDir?: string | undefined;
  /** Whether a read token gives access to other users' conversations in the API. */
  sharing?: boolean | undefined;
  /** Answered questions per user and UTC day. */
  quota?: number | undefined;
  /** Requests per user and minute. */
  rateLimit?: number | undefined;
  /** Address for links, when it differs from the address the service listens on. */
  baseUrl?: string | undefined;
  /** Questions answered at once; default 2. */
  concurrency?: number | undefined;
  /** Pause after each step, so that a person can watch and cancel; default 0. */
  stepDelayMs?: number | undefined;
  clock?: (() => number) | undefined;
  /** Called with each internal failure of the service. */
  onProblem?: ((error: unknown) => void) | undefined;
}

export interface CodeSearchService {
  /** Indexes the repositories, resumes open questions and listens; throws {@link RepositoryError} when a folder is not a repository. */
  start(): Promise<{ url: string; repositories: string[]; files: number }>;
  /** Stops listening and working; open questions are resumed at the next start with the same `dataDir`. */
  stop(): Promise<void>;
}

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
    const corpus = await openCorpus(options.repos);
    const directory = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'codesearch-')));
    if (options.dataDir === undefined) undo.push(() => rm(directory, { recursive: true, force: true }));
    await mkdir(directory, { recursive: true });
    const store = openConversationStore(directory);
    undo.push(() => store.close());
    const quota = createQuota(store, options.quota, clock);
    const runner = createRunner({
      store,
      quota,
      investigate: createInvestigate(corpus),
      concurrency: options.concurrency ?? 2,
      stepDelayMs: options.stepDelayMs ?? 0,
      clock,
      onProblem,
    });
    undo.push(() => runner.stop());
    const conversations = createConversations({ store, runner, quota, sharing: options.sharing ?? false, clock });
    const search = createSearch(corpus, clock);
    let url = '';
    const server = createHttpServer({
      authenticate: createAuthentication(options.tokens, store.userId),
      rateLimit: createRateLimit(options.rateLimit, clock),
      routes: [
        createConversationRoute(conversations, () => url),
        createGraphqlRoute(
          createGraphql({
            async matchCount(query) {
              const viewer = { username: '', canRead: () => true };
              return (await search({ query, viewer })).matchCount;
            },
          }),
        ),
        createSearchStreamRoute(search, (name) => corpus.repositories.findIndex((own) => own.name === name) + 1),
        createHealthRoute(() => ({
          status: 'ok',
          repositories: corpus.repositories.length,
          files: corpus.index.size(),
        })),
        createPagesRoute(createPages(corpus, (token) => conversations.byReadToken(token))),
      ],
      allowsHost: hostRule(host, options.baseUrl),
      onProblem,
    });
    const port = await listen(server, options.port ?? 0, host);
    undo.push(() => close(server));
    url = (options.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, '');
    runner.resume();
    return { url, repositories: corpus.repositories.map(({ name }) => name), files: corpus.index.size() };
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

/** On a loopback address, allows only loopback names and the host of the base address; otherwise allows every name. */
function hostRule(host: string, baseUrl: string | undefined): (header: string | undefined) => boolean {
  if (!['127.0.0.1', '::1', 'localhost'].includes(host)) return () => true;
  const allowed = new Set(['127.0.0.1', 'localhost', '[::1]']);
  if (baseUrl !== undefined && URL.canParse(baseUrl)) allowed.add(new URL(baseUrl).hostname);
  return (header) => header !== undefined && allowed.has(header.replace(/:\d+$/, '').toLowerCase());
}
