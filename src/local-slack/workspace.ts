import { createAgents } from './agents.ts';
import { createChannels } from './channels.ts';
import { createFiles } from './files.ts';
import { createHistory } from './history.ts';
import { createMessages } from './messages.ts';
import { createUsers, team } from './people.ts';
import { createUnfurls } from './unfurls.ts';
import { createViews } from './views.ts';
import type { Methods } from './wire.ts';

/**
 * What there is in a workspace, and the Web API over it. It refuses unknown ids, missing threads and payloads over
 * Slack's limits as Slack does, and notes wrong calls in `violations`. `origin` returns the address of its server,
 * `pages` where links to messages lead.
 */
export function createWorkspace({ origin, pages }: { origin: () => string; pages: () => string }) {
  const violations: string[] = [];
  const people = createUsers();
  const channels = createChannels(people);
  const messages = createMessages(people, channels, violations, pages);
  const files = createFiles({ origin, pages }, channels, messages, violations);
  const views = createViews(people, violations);
  const agents = createAgents(channels);
  const unfurls = createUnfurls(messages, violations);
  const methods: Methods = {
    'auth.test': () => ({
      ok: true,
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
      team: 'Fake',
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
  return { violations, people, channels, messages, files, views, agents, unfurls, methods };
}
