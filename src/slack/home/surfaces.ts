import type { AccessPolicy } from '../../core/access-policy.ts';
import type { Person } from '../../core/accounts/accounts.ts';
import type { Visit } from '../../core/history/home-visits.ts';
import type { Overview } from '../../core/history/overview.ts';
import type { Claims, Clock, Log, QuestionObserver, QuestionStore, Records, ThreadStore } from '../../core/ports.ts';
import type { SessionMarks } from '../../core/session-marks.ts';
import type { ShownAccount } from '../../render/accounts.ts';
import type { ServiceState } from '../../render/home.ts';
import { type AgentSessions, createAgentSessions } from '../agent-sessions/agent-sessions.ts';
import { createPrompts, type Prompts } from '../agent-sessions/suggested-prompts.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { createHistoryOf, type HistoryOf } from './history.ts';
import { createHome, type Home, type HomeDeps } from './home.ts';

/** What people see of the app beside its messages: its tabs, and Slack's own status of agent sessions. */
export interface Presence {
  home: Home;
  historyOf: HistoryOf;
  prompts: Prompts;
  sessions: AgentSessions;
  /** Updates all of these when a question changes. */
  observer: QuestionObserver;
  /** Starts nothing new. */
  stop(): void;
}

export function createPresence(deps: {
  slack: SlackApi;
  accessPolicy: AccessPolicy;
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  serviceState: () => Promise<ServiceState>;
  accountOf: (person: Person) => Promise<ShownAccount>;
  channelsOf: HomeDeps['channelsOf'];
  usageOf: NonNullable<HomeDeps['usageOf']>;
  repositoriesFor: NonNullable<HomeDeps['repositoriesFor']>;
  readerChoices: HomeDeps['readerChoices'];
  visits: Records<Visit>;
  threads: Pick<ThreadStore, 'get'>;
  questions: Pick<QuestionStore, 'get'>;
  sessionMarks: Records<SessionMarks>;
  claims: Pick<Claims, 'claim'>;
  /** Shortest time between two automatic updates of one Home. */
  everyMs: number;
  tasks: Pick<BackgroundTasks, 'run'>;
  now: Clock;
  log: Log;
}): Presence {
  const home = createHome(deps);
  const sessions = createAgentSessions(deps);
  return {
    home,
    historyOf: createHistoryOf({ ...deps, identity: deps.slack.identity }),
    prompts: createPrompts(deps),
    sessions,
    observer: {
      changed(question) {
        home.changed(question);
        sessions.changed(question);
      },
      async closing(question) {
        // The answer is posted only now, and Home links to it.
        home.changed(question);
        await sessions.closing(question);
      },
    },
    stop() {
      sessions.stop();
      home.stop();
    },
  };
}
