import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createAgent } from '../../../src/codesearch/agent/agent.ts';
import type { ModelReport } from '../../../src/codesearch/agent/report.ts';
import type { ModelSettings } from '../../../src/codesearch/agent/settings.ts';
import type { EarlierQuestion, Finding, Investigate, ModelUse } from '../../../src/codesearch/ask/finding.ts';
import { type Corpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import type { TestRepository } from './repository.ts';

/** The answer without a model in tests of the agent. */
export const WITHOUT_MODEL: Finding = {
  title: 'Without a model',
  answer: 'Found without a model.',
  sources: [],
  followUps: ['What else is there?'],
  focus: { symbols: ['retryDelay'], files: [], words: ['retry'], kind: 'explain' },
  toolCalls: 2,
  tokensRead: 50,
};

export interface AskOptions {
  settings?: Partial<ModelSettings>;
  earlier?: readonly EarlierQuestion[];
  canRead?: (repository: string) => boolean;
  signal?: AbortSignal;
  /** Time left for the question in milliseconds; default: five minutes. */
  leftMs?: number;
  investigate?: Investigate;
  onUse?: (use: ModelUse) => unknown;
  onStep?: (reasoning: string) => Promise<void> | void;
  clock?: () => number;
}

/** An agent over real repositories and a scripted model. */
export async function startAgentWorld(corpus: Corpus) {
  const server = await startModelServer();
  // Otherwise answers say that files are not read yet.
  await corpus.refresh();
  return {
    corpus,
    server,
    ask: (question: string, options: AskOptions = {}) => ask({ corpus, server, question, ...options }),
    close: () => server.close(),
  };
}

/** The repository is the same for all tests of a file. Each test has an agent with a model of its own. */
export function useAgentWorld(createRepository: () => TestRepository) {
  let repository: TestRepository;
  let corpus: Corpus;
  let world: AgentWorld;
  beforeAll(async () => {
    repository = createRepository();
    corpus = await openCorpus([repository.path]);
  });
  afterAll(() => repository.remove());
  beforeEach(async () => {
    world = await startAgentWorld(corpus);
  });
  afterEach(() => world.close());

  return {
    get repository() {
      return repository;
    },
    get server() {
      return world.server;
    },
    get ask() {
      return world.ask;
    },
  };
}

export type AgentWorld = Awaited<ReturnType<typeof startAgentWorld>>;

export function settingsFor(server: Pick<ModelServer, 'baseUrl'>): ModelSettings {
  return {
    baseUrl: server.baseUrl,
    model: 'scripted',
    apiKey: 'sk-secret-key',
    steps: 8,
    tokens: 300_000,
    contextTokens: 60_000,
    timeMs: 60_000,
    silenceMs: 30_000,
    retries: 2,
    cost: 1,
    prices: { input: 3, cached: 0.3, output: 15 },
  };
}

async function ask({
  corpus,
  server,
  question,
  ...options
}: AskOptions & { corpus: Corpus; server: ModelServer; question: string }) {
  const steps: string[] = [];
  const reports: ModelReport[] = [];
  const problems: unknown[] = [];
  const uses: ModelUse[] = [];
  const answer = createAgent({
    settings: { ...settingsFor(server), ...options.settings },
    corpus,
    search: createSearch(corpus),
    investigate: options.investigate ?? (async () => WITHOUT_MODEL),
    clock: options.clock ?? Date.now,
    onReport: (report) => reports.push(report),
    onProblem: (error) => problems.push(error),
  });
  const finding = await answer(
    question,
    options.earlier ?? [],
    async (reasoning) => {
      steps.push(reasoning);
      await options.onStep?.(reasoning);
    },
    options.canRead ?? (() => true),
    {
      user: 'user 1',
      signal: options.signal ?? new AbortController().signal,
      endsMs: (options.clock ?? Date.now)() + (options.leftMs ?? 300_000),
      onModelUse(use) {
        uses.push(use);
        options.onUse?.(use);
      },
    },
  );
  return { finding, steps, report: reports[0], reports, problems, uses };
}
