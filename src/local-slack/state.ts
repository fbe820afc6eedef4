import { createAgents } from './agents.ts';
import { createChannels } from './channels.ts';
import { createFiles } from './files.ts';
import { createHistory } from './history.ts';
import { createMessages, type OwnDeeds } from './messages.ts';
import { createUsers, team } from './people.ts';
import { createResponses } from './responses.ts';
import { createUnfurls } from './unfurls.ts';
import { createViews } from './views.ts';
import type { Methods } from './wire.ts';

/**
 * What there is in a workspace, and the Web API over it. It refuses unknown ids, missing threads and payloads over
 * Slack's limits as Slack does, and notes wrong calls in `violations`. `origin` returns the address of its server,
 * `pages` where links to messages lead.
 */
export function createState({ origin, pages }: { origin: () => string; pages: () => string }) {
  const violations: string[] = [];
  const listeners = new Set<() => void>();
  const readUpTo = new Map<string, string>();
  /** What is told of the app's own calls; set by who sends events. */
  const told: { of?: OwnDeeds } = {};
  let version = 0;

  const people = createUsers();
  const channels = createChannels(people, told);
  const messages = createMessages(people, channels, violations, pages, told);
  const files = createFiles({ origin, pages }, channels, messages, violations);
  const views = createViews(people, violations);
  const agents = createAgents(channels);
  const unfurls = createUnfurls(messages, violations);
  const responses = createResponses(origin, messages, violations);
  const methods: Methods = {
    'auth.test': () => ({
      ok: true,
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
      team: team.name,
      url: `${pages()}/`,
    }),
    ...people.methods,
    ...channels.methods,
    ...messages.methods,
    ...createHistory(channels, messages),
    ...files.methods,
    ...views.methods,
    ...agents.methods,
    ...unfurls.methods,
  };

  return {
    violations,
    people,
    channels,
    messages,
    files,
    views,
    agents,
    unfurls,
    responses,
    methods,
    told,
    version: () => version,
    /** Notes that something changed. */
    changed: () => {
      version += 1;
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** The timestamp up to which a person has read a channel. */
    readUpTo: (person: string, channel: string) => readUpTo.get(`${person} ${channel}`) ?? '0',
    read: (person: string, channel: string) => void readUpTo.set(`${person} ${channel}`, messages.nextTs()),
  };
}

export type State = ReturnType<typeof createState>;
