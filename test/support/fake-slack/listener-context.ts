import type { WebClientOptions } from '@slack/web-api';
import type { Users } from '../../../src/slack/access/users.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { ListenerContext } from '../../../src/slack/listeners/frame.ts';
import { createMemoryAccounts } from '../accounts/memory-accounts.ts';
import { createCoreHarness } from '../lifecycle/core-harness.ts';
import { only } from '../only.ts';
import { createUnlimitedSlackApi } from './unlimited-slack-api.ts';

/** The context of a workspace's listeners. Questions are kept in memory. Slack can't be reached. */
export function createListenerContext(): {
  w: ListenerContext;
  clientOptions: WebClientOptions;
  logger: ReturnType<typeof createLibraryLogger>;
} {
  const { life, accept, requests } = createCoreHarness();
  const { log, threads } = life.ports;
  const logger = createLibraryLogger(log);
  const clientOptions = webClientOptions('http://127.0.0.1:9/api/', logger);
  const slack = createUnlimitedSlackApi(createWebClient('xoxb-test', clientOptions));
  const { accounts } = createMemoryAccounts({ mode: 'shared' });
  const people = only<Users>({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) });
  const w = only<ListenerContext>({
    slack,
    accept,
    requests,
    threads,
    questions: life.ports.questions,
    claims: life.ports.claims,
    accounts,
    tokensUrl: 'https://search.example.com/user/settings/tokens',
    messageLog: only({ note: () => undefined }),
    audit: life.ports.audit,
    read: async (text) => text,
    accountChanges: only({ listen: () => undefined }),
    doctor: only({ isFor: () => false }),
    access: only({ admit: async () => ({ may: true }), limitOf: () => 'none', sharesWithOthers: false }),
    chosenRules: { of: async () => undefined },
    repositoriesFor: async () => undefined,
    people,
    channels: only({ noteShared: () => undefined, known: () => undefined }),
    noteKeeper: only({ add: () => undefined }),
    tasks: createBackgroundTasks({ log }),
    attendance: only({ heard: () => undefined }),
    overviewOf: async () => ({ open: [], ended: [] }),
    outbound: only({ fetch: async () => new Response('ok') }),
    slackApiUrl: 'http://127.0.0.1:9/api/',
    serviceState: async () => 'fine',
    log,
  });
  return { w, clientOptions, logger };
}
