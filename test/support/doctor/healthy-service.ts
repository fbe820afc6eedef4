import { onTestFinished } from 'vitest';
import { json, type Reply, type ScriptedServer, startScriptedServer } from '../fake-service/scripted-server.ts';

/** The replies of a service, by method and path without the query. GraphQL is told apart by the name of its query. */
export type Routes = Record<string, Reply>;

/** More requests than one run of the doctor sends. */
const manyRequests = 100;

const conversation = {
  id: 7,
  questions: [],
  quota_usage: { total_quota: 120, quota_limit: 1_000, reset_time: '2030-01-01T00:00:00Z' },
};

export const healthyRoutes: Routes = {
  'GET /.api/deepsearch/v1': json({ conversations: [conversation], page_info: { has_next_page: false } }),
  'POST /api/deepsearch.v1.Service/ListConversationSummaries': json({ conversationSummaries: [] }),
  'graphql CurrentUser': json({ data: { currentUser: { username: 'deepsearch-bot' } } }),
};

/** Starts a service with these routes on top of the healthy ones; closed at the end of the test. */
export async function startRoutedService(
  routes: Routes = {},
  tls?: { key: string; cert: string },
): Promise<ScriptedServer> {
  const server = await startScriptedServer(tls);
  onTestFinished(() => server.close());
  const all = { ...healthyRoutes, ...routes };
  const route: Reply = (response, request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const query = path === '/.api/graphql' ? /query (\w+)/.exec(request.body)?.[1] : undefined;
    const reply = all[query === undefined ? `${request.method} ${path}` : `graphql ${query}`];
    if (reply === undefined) response.writeHead(404).end('no such route in the test');
    else reply(response, request);
  };
  server.script(...Array.from({ length: manyRequests }, () => route));
  return server;
}
