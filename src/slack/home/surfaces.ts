import type { Visit } from '../../core/history/home-visits.ts';
import type { Overview } from '../../core/history/overview.ts';
import type { AccessPolicy, Claims, Clock, Log, QuestionObserver, Records, ThreadStore } from '../../core/ports.ts';
import type { ServiceState } from '../../render/home.ts';
import { type AgentSessions, createAgentSessions } from '../agent-sessions/agent-sessions.ts';
import { createPrompts, type Prompts } from '../agent-sessions/suggested-prompts.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { createHistoryOf, type HistoryOf } from './history.ts';
import { createHome, type Home } from './home.ts';

/** What people see of the app beside its messages: its tabs, and Slack's own signs that it works. */
export interface Presence {
  home: Home;
  historyOf: HistoryOf;
  prompts: Prompts;
  sessions: AgentSessions;
  /** Keeps all of it in step with what happens to questions. */
  observer: QuestionObserver;
  /** Starts nothing new. */
  stop(): void;
}

export function createPresence(deps: {
  slack: SlackApi;
  accessPolicy: AccessPolicy;
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  serviceState: () => Promise<ServiceState>;
  visits: Records<Visit>;
  threads: Pick<ThreadStore, 'get'>;
  claims: Pick<Claims, 'claim'>;
  /** Shortest time between two changes of one Home that nobody asked for. */
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
        // Only now the answer stands, which is where the Home leads to.
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
