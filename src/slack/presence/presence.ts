import type { WebClient } from '@slack/web-api';
import type { Overview } from '../../core/overview.ts';
import type { Claims, Clock, Gatekeeper, Journal, Records, ThreadStore, Witness } from '../../core/ports.ts';
import type { Visit } from '../../core/visits.ts';
import type { ServiceState } from '../../render/home.ts';
import type { Through } from '../calls/through.ts';
import type { Identity } from '../calls/web-client.ts';
import { type AgentSessions, createAgentSessions } from './agent-sessions.ts';
import { createHistoryOf, type HistoryOf } from './history.ts';
import { createHome, type Home } from './home.ts';
import { createPrompts, type Prompts } from './prompts.ts';

/** What people see of the app beside its messages: its tabs, and Slack's own signs that it works. */
export interface Presence {
  home: Home;
  historyOf: HistoryOf;
  prompts: Prompts;
  sessions: AgentSessions;
  /** Keeps all of it in step with what happens to questions. */
  witness: Witness;
  /** Takes nothing new and waits for what is under way, at most `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

export function createPresence(deps: {
  client: WebClient;
  through: Through;
  identity: Identity;
  gatekeeper: Gatekeeper;
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  serviceState: () => Promise<ServiceState>;
  visits: Records<Visit>;
  threads: Pick<ThreadStore, 'get'>;
  claims: Pick<Claims, 'claim'>;
  /** Shortest time between two changes of one Home that nobody asked for. */
  everyMs: number;
  now: Clock;
  journal: Journal;
}): Presence {
  const home = createHome(deps);
  const sessions = createAgentSessions(deps);
  return {
    home,
    historyOf: createHistoryOf(deps),
    prompts: createPrompts(deps),
    sessions,
    witness: {
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
    async stop(deadlineMs) {
      sessions.stop();
      await home.stop(deadlineMs);
    },
  };
}
