import { createAdvance } from '../core/lifecycle/advance.ts';
import { repeat } from '../scheduler/repeat.ts';
import type { Processor } from '../slack/receivers/socket-receiver.ts';
import { attendanceEveryMs, sessionsEveryMs } from '../slack/settings.ts';
import type { AppContext } from './context.ts';
import { createLifecycle } from './lifecycle.ts';
import { createListeners } from './listeners.ts';
import type { SharedParts } from './shared.ts';
import { type Connection, createSlack, type SlackParts } from './slack.ts';

/** How often the list of the workspace's people is checked, in milliseconds. Most checks find nothing to do. */
const tendEveryMs = 10_000;

/**
 * How often the app looks for people with accounts who left without an event that reached it, in milliseconds, and when
 * it does so first: the list of people has to be read by then.
 */
const departuresEveryMs = 15 * 60_000;
const departuresFirstMs = 60_000;

/** When the app first looks for what it missed, in milliseconds: it begins to receive first. */
const missedFirstMs = 1_000;

/**
 * All parts of the app that know one workspace, or one organization that installed the app for its workspaces. What they
 * keep in memory is about this workspace only.
 */
export interface Workspace extends Processor {
  slack: SlackParts['slack'];
  state: SlackParts['state'];
  /** Runs a question of this workspace, as `createAdvance` says. */
  advance: ReturnType<typeof createAdvance>;
  /** Begins the work that needs no event from Slack. */
  start(): void;
  /** Ends that work. Questions that run continue. */
  stop(): void;
}

/** Creates the parts of one workspace. Starts nothing. */
export function createWorkspace(context: AppContext, shared: SharedParts, connection: Connection): Workspace {
  const { storage, log } = context;
  const slackParts = createSlack(context, shared.accounts, connection);
  const lifecycle = createLifecycle(context, slackParts, shared);
  const listeners = createListeners(context, slackParts, shared, lifecycle);
  const { directory, departures } = slackParts.accessControl;
  const { teamId } = connection.identity;
  const running: { stop(): void }[] = [];

  return {
    processEvent: (event) => listeners.processEvent(event),
    missed: () => listeners.missed?.(),
    slack: slackParts.slack,
    state: slackParts.state,
    advance: createAdvance(lifecycle.ports),
    start() {
      running.push(
        repeat('directory', tendEveryMs, directory.tend, log, 0),
        repeat('departures', departuresEveryMs, checkDepartures, log, departuresFirstMs),
        repeat('sessions', sessionsEveryMs, lifecycle.presence.sessions.tend, log),
        repeat('attendance', attendanceEveryMs, listeners.storeAttendance, log, 0),
        repeat('missed_messages', attendanceEveryMs, listeners.catchUp, log, missedFirstMs),
      );
    },
    stop() {
      for (const work of running.splice(0)) work.stop();
      lifecycle.presence.stop();
    },
  };

  async function checkDepartures(): Promise<void> {
    const owners = await storage.accounts.people(teamId);
    await departures.check(owners.map(({ userId }) => userId));
  }
}
