import { type CodeSearchOptions, createCodeSearchService } from '../../../src/codesearch/service.ts';
import { eventually } from '../../support/eventually.ts';

/** Replies as they are sent, read without the client's code; other tests check that both agree. */
export interface WireQuestion {
  id: number;
  conversation_id: number;
  question: string;
  created_at: string;
  updated_at: string;
  status: string;
  turns: { reasoning: string; timestamp: number; role: string }[];
  title?: string;
  answer?: string;
  sources?: { type: string; link: string; label: string }[];
  error?: { title: string; kind: string; message: string; details: string };
  stats: Record<string, number>;
  suggested_followups: string[] | null;
}

export interface WireConversation {
  id: number;
  questions: WireQuestion[];
  created_at: string;
  updated_at: string;
  user_id: number;
  read_token: string;
  share_url: string;
  viewer?: { is_owner: boolean };
  quota_usage?: { total_quota: number; quota_limit: number; reset_time: string };
}

export interface WireList {
  conversations: WireConversation[];
  page_info: { end_cursor: string | null; has_next_page: boolean };
}

export const TOKEN = 'test-token';

/** Calls a running service with the headers the API requires; a header set to undefined is left out. */
export function createCaller(url: string, token = TOKEN) {
  const prefix = `${url}/.api/deepsearch/v1`;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<Response> {
    const all: Record<string, string | undefined> = {
      'X-Requested-With': 'codesearch-test 1.0',
      Authorization: `token ${token}`,
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const sent = Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    return fetch(
      path.startsWith('/.api') || path.startsWith('http') ? path.replace(/^\//, `${url}/`) : `${prefix}${path}`,
      { method, headers: sent, ...content },
    );
  }

  async function read<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await call(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  const caller = {
    call,
    read,
    create: (question: string) => read<WireConversation>('POST', '', { question }),
    get: (id: number) => read<WireConversation>('GET', `/${id}`),
    list: (parameters = '') => read<WireList>('GET', parameters),
    /** Waits until every question of a conversation has finished. */
    async finished(id: number): Promise<WireConversation> {
      let conversation = await caller.get(id);
      await eventually(async () => {
        conversation = await caller.get(id);
        const open = conversation.questions.filter(({ status }) => status !== 'completed');
        if (open.length > 0) throw new Error(`still open: ${open.map(({ status }) => status).join(', ')}`);
      });
      return conversation;
    },
    /** Asks and waits; returns the only question. */
    async answer(question: string): Promise<WireQuestion> {
      const { id } = await caller.create(question);
      const [answered] = (await caller.finished(id)).questions;
      if (answered === undefined) throw new Error('a conversation without a question');
      return answered;
    },
  };
  return caller;
}

/** Starts a service for one test; the end of the test stops it. */
export async function startTestService(options: Partial<CodeSearchOptions> & { repos: readonly string[] }) {
  const problems: unknown[] = [];
  const service = createCodeSearchService({
    tokens: [{ username: 'alice', token: TOKEN }],
    onProblem: (error) => problems.push(error),
    ...options,
  });
  const started = await service.start();
  // On a slow machine the service listens before it has read all files.
  if (started.unread > 0) {
    await eventually(
      async () => {
        const { unread } = (await (await fetch(`${started.url}/healthz`)).json()) as { unread: number };
        if (unread > 0) throw new Error(`${unread} files are not read yet`);
      },
      { timeoutMs: 150_000 },
    );
  }
  return { ...createCaller(started.url), ...started, problems, stop: () => service.stop() };
}

/** Signs in to the pages with an access token; returns the session as a `Cookie` header. */
export async function signIn(url: string, token = TOKEN): Promise<string> {
  const response = await fetch(`${url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: url },
    body: new URLSearchParams({ token }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (response.status !== 303 || cookie === undefined) throw new Error(`the sign-in failed with ${response.status}`);
  return cookie;
}
