import type { WebClientOptions } from '@slack/web-api';
import { createLibraryLogger } from '../../../src/slack/api/library-logger.ts';
import { createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { ListenerDeps } from '../../../src/slack/bolt-app.ts';
import { createAccountViews } from '../../../src/slack/home/accounts.ts';
import { createMemoryAccounts } from '../accounts/memory-accounts.ts';
import { createCoreHarness } from '../lifecycle/core-harness.ts';
import { createMemoryRecords } from '../memory-records.ts';
import { createUnlimitedSlackApi } from './unlimited-slack-api.ts';

/** What the listeners of a Bolt app need. Questions are kept in memory. Slack can't be reached. */
export function createListenerDeps(): {
  deps: ListenerDeps;
  clientOptions: WebClientOptions;
  logger: ReturnType<typeof createLibraryLogger>;
} {
  const { life, accept, requests } = createCoreHarness();
  const { log, threads } = life.ports;
  const logger = createLibraryLogger(log);
  const clientOptions = webClientOptions('http://127.0.0.1:9/api/', logger);
  const deps: ListenerDeps = {
    slack: createUnlimitedSlackApi(createWebClient('xoxb-test', clientOptions)),
    accept,
    requests,
    threads,
    questions: life.ports.questions,
    claims: life.ports.claims,
    dailyStorage: life.ports.dailyStorage,
    accounts: { connectWithToken: async () => ({ kind: 'notChecked' }), statusOf: async () => ({ state: 'none' }) },
    accountViews: createAccountViews({
      accounts: createMemoryAccounts({ mode: 'shared' }).accounts,
      slack: createUnlimitedSlackApi(createWebClient('xoxb-test', clientOptions)),
      people: { person: async (userId) => ({ userId, name: userId, kind: 'member' }) },
      tokensUrl: 'https://search.example.com/user/settings/tokens',
      log,
    }),
    messageLog: { note: () => undefined },
    reports: {
      ofThread: async () => ({ kind: 'emptyQuestion' }),
      ofChannel: async () => ({ kind: 'emptyQuestion' }),
      why: async () => ({ kind: 'emptyQuestion' }),
    },
    audit: life.ports.audit,
    votes: { put: async () => undefined, get: async () => undefined },
    read: async (text) => text,
    notify: () => undefined,
    removePressed: () => undefined,
    accountChanges: { listen: () => undefined },
    home: { show: () => undefined, showAction: () => undefined },
    historyOf: async () => ({ kind: 'emptyQuestion' }),
    doctor: { isFor: () => false, examine: async () => [] },
    prompts: { suggest: () => undefined },
    sessions: { settle: () => undefined },
    unfurls: { take: () => undefined },
    noteWorkspaceEnd: async () => undefined,
    access: { admit: async () => ({ may: true }), limitOf: () => 'none', sharesWithOthers: false },
    admins: { isAdmin: async () => false },
    chosenRules: { of: async () => undefined },
    channelSettings: createMemoryRecords(),
    readerChoices: createMemoryRecords(),
    pendingAudit: { note: async () => undefined },
    repositories: { known: async () => [] },
    repositoriesFor: async () => undefined,
    refusesUnknownRepositories: true,
    people: { person: async (userId) => ({ userId, name: userId, kind: 'member' }) },
    noteChanged: () => undefined,
    forgetChannel: () => undefined,
    moveChannel: async () => 0,
    channels: { noteShared: () => undefined, known: () => undefined },
    deliveryPriority: { during: (handle) => handle() },
    threadNotes: { add: () => undefined, replace: async () => undefined, remove: async () => undefined },
    memberships: { of: async () => 'member', inChannel: async () => 'member' },
    answerUpdates: { followUpUsed: () => undefined, muteOffered: () => undefined, endUsed: () => undefined },
    tasks: createBackgroundTasks({ log }),
    attendance: { heard: () => undefined },
    audiences: { of: async () => ({ members: 1, guests: 0, outsiders: 0, organizations: 0, isKnown: true }) },
    log,
  };
  return { deps, clientOptions, logger };
}
