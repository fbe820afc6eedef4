import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { AccessPolicy } from '../../core/access-policy.ts';
import type { Person } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import type { Visit } from '../../core/history/home-visits.ts';
import type { Overview } from '../../core/history/overview.ts';
import type { Claims, Clock, Log, QuestionObserver, QuestionStore, Records, ThreadStore } from '../../core/ports.ts';
import type { SessionMarks } from '../../core/session-marks.ts';
import { within } from '../../core/timeout.ts';
import type { ShownAccount } from '../../render/accounts.ts';
import { type ReadOverview, renderHistory, type ServiceState, type ShownChannel } from '../../render/home.ts';
import { sayIn } from '../../render/say.ts';
import { createBriefCache } from '../access/brief-cache.ts';
import type { ChosenRules } from '../access/channel-rules.ts';
import { type AgentSessions, createAgentSessions } from '../agent-sessions/agent-sessions.ts';
import { anyWorkspaceUrl, type Identity } from '../api/identity.ts';
import { createOptional } from '../api/optional-features.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { logFailure } from '../failure-log.ts';
import type { PrivateMessage } from '../messages/messenger.ts';
import {
  channelListCachedMs,
  channelListPatienceMs,
  channelsListed,
  mostChannelLists,
  mostPromptsRemembered,
  promptsStandMs,
} from '../settings.ts';
import { createHome, type Home, type HomeDeps, type HomeOf } from './home.ts';

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

/** What is read of a list of conversations. Others than channels are left out. */
const listed = z.object({
  channels: z.array(
    z.object({
      id: z.string().regex(/^[CG][A-Z0-9]{1,29}$/),
      name: z.string().default(''),
      is_private: z.boolean().default(true),
      is_im: z.boolean().optional(),
      is_mpim: z.boolean().optional(),
    }),
  ),
});

interface ListedChannel {
  id: string;
  name: string;
}

/** The name under which the app's public channels are cached. No person has it. */
const everyones = '';

/**
 * The channels of the app that a person may see: public ones, and private ones that both are in. Each list is one call
 * of `users.conversations` and is cached for a minute. Only full members may be told the public ones, so this is for
 * people who may see Home. Undefined if Slack or the storage does not answer in time.
 */
export function createChannelList(options: {
  slack: Pick<SlackApi, 'call'>;
  chosen: ChosenRules;
  now: Clock;
  log: Log;
}): (person: Person) => Promise<ShownChannel[] | undefined> {
  const { slack, chosen, now, log } = options;
  const lists = createBriefCache({ keepMs: channelListCachedMs, most: mostChannelLists, now, load });

  return async function channelsOf({ teamId, userId }) {
    try {
      return await within(rows(teamId, userId), channelListPatienceMs);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'channels_not_listed', kind: error.kind });
      return undefined;
    }
  };

  async function rows(teamId: string, userId: string): Promise<ShownChannel[]> {
    const [open, own] = await Promise.all([lists.get(everyones), lists.get(userId)]);
    const channels = [...open, ...own].toSorted((one, other) => one.name.localeCompare(other.name));
    return Promise.all(
      channels.map(async ({ id }) => {
        const rules = await chosen.of({ teamId, channelId: id });
        return { id, rules: rules === undefined ? 'usual' : rules.isOn ? 'own' : 'off' };
      }),
    );
  }

  /** With `user`, Slack returns only the private channels that the app is in too. */
  async function load(userId: string): Promise<ListedChannel[]> {
    const isPrivate = userId !== everyones;
    const reply = await slack.call(
      'users.conversations',
      {
        types: isPrivate ? 'private_channel' : 'public_channel',
        exclude_archived: true,
        limit: channelsListed,
        ...(isPrivate ? { user: userId } : {}),
      },
      { priority: 'edit' },
    );
    const parsed = listed.safeParse(reply);
    if (!parsed.success) return [];
    return parsed.data.channels.filter(
      (each) => each.is_private === isPrivate && each.is_im !== true && each.is_mpim !== true,
    );
  }
}

/** Lists a person's recent questions for them. Never throws `AppError`: the list says when questions can't be read. */
type HistoryOf = (person: { teamId: string; userId: string }) => Promise<PrivateMessage>;

/** Writes the list that Home shows as a private message. */
function createHistoryOf(deps: {
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  identity: Pick<Identity, 'workspaceUrl'>;
  log: Log;
}): HistoryOf {
  const { overviewOf, identity, log } = deps;
  const { workspaceUrl = anyWorkspaceUrl } = identity;

  return async ({ teamId, userId }) => {
    const read = await readOverview(teamId, userId);
    return (locale) => renderHistory(read, { locale, workspaceUrl });
  };

  async function readOverview(teamId: string, userId: string): Promise<ReadOverview> {
    try {
      return { overview: await overviewOf(teamId, userId) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { unreadable: logFailure(log, 'warn', { event: 'history_not_read', kind: error.kind }, error) };
    }
  }
}

interface Prompts {
  /**
   * Suggests first questions in the person's Messages tab, once a day, and at the next visit if that failed or there was
   * no room for it. Returns at once and never throws.
   */
  suggest(visitor: HomeOf): void;
}

/** Suggests prompts in each person's language. The manifest has English ones. Workspaces may lack the feature. */
export function createPrompts(deps: {
  slack: Pick<SlackApi, 'call'>;
  accessPolicy: AccessPolicy;
  now: Clock;
  log: Log;
}): Prompts {
  const { slack, accessPolicy, now, log } = deps;
  const optional = createOptional({ feature: 'suggested_prompts', now, log });
  const suggestedMs = new LRUCache<string, number>({ max: mostPromptsRemembered });

  return {
    suggest(visitor) {
      const { channelId } = visitor;
      if (optional.isLacking() || now() - (suggestedMs.get(channelId) ?? 0) < promptsStandMs) return;
      suggestedMs.set(channelId, now());
      offer(visitor).catch((error: unknown) => {
        suggestedMs.delete(channelId);
        if (isAppError(error)) log.debug({ event: 'prompts_not_suggested', kind: error.kind });
        else log.error({ event: 'prompts_failed' }, error);
      });
    },
  };

  async function offer({ userId, teamId, channelId }: HomeOf): Promise<void> {
    const { may, locale } = await accessPolicy.admit(userId, { teamId, channelId });
    if (!may) return;
    const { home } = sayIn(locale);
    const prompts = [
      { title: home.promptOverviewTitle(), message: home.promptOverview() },
      { title: home.promptWhereTitle(), message: home.promptWhere() },
      { title: home.promptChangesTitle(), message: home.promptChanges() },
      { title: home.promptHowTitle(), message: home.promptHow() },
    ];
    // Without a thread, Slack shows them at the top of the Messages tab.
    const { is } = await optional.attempt(() =>
      slack.call('assistant.threads.setSuggestedPrompts', { channel_id: channelId, prompts }, { priority: 'edit' }),
    );
    if (is === 'noRoom') suggestedMs.delete(channelId);
  }
}
