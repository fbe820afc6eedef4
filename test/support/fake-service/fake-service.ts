import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLateCall, type LateCall, untilCarriedOut } from '../late-call.ts';

/** Differences between real instances of the service. */
export interface Quirks {
  createStatus?: 202 | 200;
  /** Creating a conversation replies only when the answer is ready, as in early releases. */
  answersAtOnce?: boolean;
  /** An `array` has no cursors. */
  listEnvelope?: 'conversations' | 'array' | 'nodes';
  /** The most conversations that a list shows at once. Default: as many as are asked for. */
  longestPage?: number;
  followUpReturns?: 'question' | 'conversation';
  cancelReturns?: 'question' | 'nothing';
  failsAs?: 'completed' | 'failed';
  /** What stands before each id in requests and replies. With letters, the ids are texts. */
  idPrefix?: string;
}

export interface ServiceQuestion {
  id: number;
  conversation_id: number;
  question: string;
  created_at: string;
  updated_at: string;
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled';
  turns: { reasoning: string; timestamp?: number; role: string }[];
  title?: string;
  answer?: string;
  sources?: { type: string; link: string; label: string }[] | null;
  stats?: Record<string, number>;
  suggested_followups: string[] | null;
  error?: { title: string; kind: string; message: string; details?: string };
}

export interface ServiceConversation {
  id: number;
  questions: ServiceQuestion[];
  created_at: string;
  updated_at: string;
  user_id: number;
  read_token: string;
  share_url: string;
  quota_usage?: { total_quota: number; quota_limit: number; reset_time: string };
}

export type ServiceFault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { breakAfterEffect: true }
  | { breakBeforeEffect: true }
  | LateCall;

export type ServiceCall = 'create' | 'list' | 'read' | 'followUp' | 'cancel' | 'delete';

export const serviceToken = 'sgp_fake';

/** The only generation of the API that this service offers. */
const conversationsPath = '/.api/deepsearch/v1';

/** A fake of the conversation API: questions run until the test ends them. */
export async function startFakeService(quirks: Quirks = {}) {
  const conversations: ServiceConversation[] = [];
  const faults: { call: ServiceCall; fault: ServiceFault; times: number }[] = [];
  const calls: ServiceCall[] = [];
  const traceparents: string[] = [];
  let nextId = 100;
  let repositories: string[] | undefined;
  let answering: ((question: ServiceQuestion) => void) | undefined;
  let onListed: (ids: number[]) => void = () => {};
  let chooseFault: (call: ServiceCall, conversationId: number, text?: string) => ServiceFault | undefined = () =>
    undefined;

  const { idPrefix = '' } = quirks;
  const quote = /\D/.test(idPrefix) ? '"' : '';
  const toWire = (json: string) => json.replace(/"(id|conversation_id)":(\d+)/g, `"$1":${quote}${idPrefix}$2${quote}`);
  const fromWire = (json: string) =>
    json.replace(new RegExp(`"conversation_id":${quote}${idPrefix}(\\d+)${quote}`), '"conversation_id":$1');
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    calls,
    /** Which spans the requests belong to, as far as they say. */
    traceparents,
    /** Every `Authorization` header that it got. */
    conversations,
    questions: () => conversations.flatMap(({ questions }) => questions),
    find: (text: string) =>
      conversations.flatMap(({ questions }) => questions).filter(({ question }) => question === text),
    fault: (call: ServiceCall, fault: ServiceFault, times = 1) => void faults.push({ call, fault, times }),
    /** Gives the service a conversation that an earlier one had. */
    know: (conversation: ServiceConversation) => {
      conversations.push(conversation);
      nextId = Math.max(nextId, conversation.id, ...conversation.questions.map(({ id }) => id)) + 1;
    },
    /** Repositories that the service knows. Without a call of this it answers no query. */
    knowRepositories: (...names: string[]) => {
      repositories = names;
    },
    clearFaults: () => void faults.splice(0),
    /** From now on, `choose` selects the fault of every call without a planned fault. */
    scriptFaults: (choose: typeof chooseFault) => {
      chooseFault = choose;
    },
    /** From now on, `listed` is called with the conversations of every page that a list shows. */
    onListed: (listed: typeof onListed) => {
      onListed = listed;
    },
    answer,
    fail,
    step: (question: ServiceQuestion, reasoning: string) => {
      question.turns.push({ reasoning, role: 'assistant' });
    },
    /** From now on, every new question is answered at once. */
    answerEverything: () => {
      answering = (question) => answer(question);
    },
    /** From now on, every new question is answered after `delayMs`. */
    answerAfter: (delayMs: (question: ServiceQuestion) => number, more: Partial<ServiceQuestion> = {}) => {
      answering = (question) => void setTimeout(() => answer(question, more), delayMs(question)).unref();
    },
    remove: (conversationId: number) => {
      const index = conversations.findIndex(({ id }) => id === conversationId);
      if (index >= 0) conversations.splice(index, 1);
    },
    quota: (used: number, limit: number, resetAt: Date) => {
      for (const conversation of conversations) {
        conversation.quota_usage = { total_quota: used, quota_limit: limit, reset_time: resetAt.toISOString() };
      }
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  function answer(question: ServiceQuestion, more: Partial<ServiceQuestion> = {}): void {
    Object.assign(question, {
      status: 'completed',
      title: `About ${question.question.slice(0, 40)}`,
      answer: `The answer to "${question.question}" is in [main.ts](/github.com/acme/app/-/blob/src/main.ts?L1-3).`,
      sources: [{ type: 'Repository', link: '/github.com/acme/app', label: 'github.com/acme/app' }],
      stats: { time_millis: 1234, tool_calls: 3, credits: 2 },
      suggested_followups: ['What calls it?', 'Where is it tested?'],
      updated_at: new Date().toISOString(),
      ...more,
    });
  }

  function fail(question: ServiceQuestion, kind: string, title = 'It failed', message = 'For a reason.'): void {
    question.status = quirks.failsAs ?? 'completed';
    question.error = { title, kind, message };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { pathname: path, searchParams } = new URL(request.url ?? '/', url);
    const pathname = path.replaceAll(`/${idPrefix}`, '/');
    if (pathname === '/.api/graphql') return sendGraphql(body, response);
    if (!pathname.startsWith(conversationsPath)) return send(response, 404);
    const [, idText, sub, questionText, verb] =
      /^\/\.api\/deepsearch\/v1(?:\/(\d+)(?:\/(questions)(?:\/(\d+)\/(cancel))?)?)?$/.exec(pathname) ?? [];
    const call = callOf(request.method ?? '', idText, sub, verb);
    if (call === undefined) return send(response, 404, { error: { message: 'no such path' } });
    const isProbe = call === 'list' && searchParams.get('page_first') === '1';
    if (!isProbe) calls.push(call);
    if (typeof request.headers.traceparent === 'string') traceparents.push(request.headers.traceparent);
    if (request.headers.authorization !== `token ${serviceToken}`)
      return send(response, 401, { error: { message: 'who?' } });
    if (request.headers['x-requested-with'] === undefined) return send(response, 400, { error: { message: 'header' } });
    // The app asks this at its start, and where the service was in doubt. Tests plan the replies of other calls.
    const planned = isProbe ? undefined : faults.find((entry) => entry.call === call && entry.times > 0);
    const asked =
      body === '' ? undefined : (JSON.parse(fromWire(body)) as { question?: string; conversation_id?: number });
    const fault = planned === undefined ? chooseFault(call, Number(idText), asked?.question) : planned.fault;
    if (planned !== undefined) planned.times -= 1;
    if (fault !== undefined && 'status' in fault) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return;
    }
    if (fault !== undefined && 'breakBeforeEffect' in fault) return void response.destroy();
    const isLate = fault !== undefined && isLateCall(fault);
    if (isLate) await untilCarriedOut(fault, response);
    const reply = run(call, { conversationId: Number(idText), questionId: Number(questionText), searchParams }, asked);
    if (fault !== undefined && !isLate) return void response.destroy();
    send(response, reply.status, reply.body, toWire);
  }

  function sendGraphql(body: string, response: ServerResponse): void {
    if (body.includes('query CurrentUser')) send(response, 404);
    else sendRepositories(body, response);
  }

  /** Capitals do not matter. */
  function sendRepositories(body: string, response: ServerResponse): void {
    if (repositories === undefined) {
      send(response, 500);
      return;
    }
    const { variables } = JSON.parse(body) as { variables: { names?: string[] } };
    const wanted = new Set(variables.names?.map((name) => name.toLowerCase()));
    const isWanted = (name: string) => variables.names === undefined || wanted.has(name.toLowerCase());
    const nodes = repositories.filter(isWanted).map((name) => ({ name }));
    send(response, 200, { data: { repositories: { nodes } } });
  }

  function run(
    call: ServiceCall,
    path: { conversationId: number; questionId: number; searchParams: URLSearchParams },
    asked: { question?: string; conversation_id?: number } | undefined,
  ): { status: number; body?: unknown } {
    const { conversationId, questionId } = path;
    if (call === 'list') return { status: 200, body: listPage(path.searchParams) };
    if (call === 'create') {
      const conversation = createConversation();
      addQuestion(conversation, asked?.question ?? '');
      return { status: quirks.createStatus ?? 202, body: conversation };
    }
    const conversation = conversations.find(({ id }) => id === conversationId);
    if (conversation === undefined) return { status: 404, body: { error: { message: 'no such conversation' } } };
    if (call === 'read') return { status: 200, body: conversation };
    if (call === 'delete') {
      conversations.splice(conversations.indexOf(conversation), 1);
      return { status: 204 };
    }
    if (call === 'followUp') {
      if (asked?.conversation_id !== conversation.id)
        return { status: 400, body: { error: { message: 'ids differ' } } };
      const question = addQuestion(conversation, asked.question ?? '');
      return { status: 200, body: quirks.followUpReturns === 'conversation' ? conversation : question };
    }
    const question = conversation.questions.find(({ id }) => id === questionId);
    if (question === undefined) return { status: 404, body: { error: { message: 'no such question' } } };
    if (question.status === 'processing' || question.status === 'pending') {
      question.status = 'completed';
      question.error = { title: 'Cancelled', kind: 'Cancelled', message: 'The question was cancelled.' };
    }
    return quirks.cancelReturns === 'nothing' ? { status: 200 } : { status: 200, body: question };
  }

  function createConversation(): ServiceConversation {
    nextId += 1;
    const at = new Date().toISOString();
    const readToken = `00000000-0000-0000-0000-${String(nextId).padStart(12, '0')}`;
    const conversation: ServiceConversation = {
      id: nextId,
      questions: [],
      created_at: at,
      updated_at: at,
      user_id: 1,
      read_token: readToken,
      share_url: `${url}/deepsearch/${readToken}`,
    };
    conversations.push(conversation);
    return conversation;
  }

  function addQuestion(conversation: ServiceConversation, text: string): ServiceQuestion {
    nextId += 1;
    const at = new Date().toISOString();
    const question: ServiceQuestion = {
      id: nextId,
      conversation_id: conversation.id,
      question: text,
      created_at: at,
      updated_at: at,
      status: 'processing',
      turns: [{ reasoning: text, timestamp: Math.floor(Date.now() / 1000), role: 'user' }],
      stats: { time_millis: 0, tool_calls: 0, credits: 0 },
      suggested_followups: null,
    };
    conversation.questions.push(question);
    if (quirks.answersAtOnce) answer(question);
    answering?.(question);
    return question;
  }

  /** Newest first, or by the latest change; a cursor is the number of conversations on the previous pages. */
  function listPage(parameters: URLSearchParams): unknown {
    const from = Number(parameters.get('page_after') ?? 0);
    const token = parameters.get('filter_read_token');
    const all = conversations.filter(({ read_token }) => token === null || read_token === token).toReversed();
    if (parameters.get('sort') === '-updated_at') {
      const changedMs = new Map(all.map((each) => [each, Date.parse(lastChange(each))]));
      all.sort((one, other) => (changedMs.get(other) ?? 0) - (changedMs.get(one) ?? 0));
    }
    if (parameters.get('sort') === 'created_at') all.reverse();
    const length = Math.min(Number(parameters.get('page_first') ?? all.length), quirks.longestPage ?? all.length);
    const page = all.slice(from, from + length);
    onListed(page.map(({ id }) => id));
    if (quirks.listEnvelope === 'array') return page;
    const end = from + page.length;
    return {
      [quirks.listEnvelope ?? 'conversations']: page.map((each) => ({ ...each, updated_at: lastChange(each) })),
      page_info: { has_next_page: end < all.length, end_cursor: String(end) },
    };
  }
}

export type FakeService = Awaited<ReturnType<typeof startFakeService>>;

function lastChange({ updated_at: updated, questions }: ServiceConversation): string {
  return questions.at(-1)?.updated_at ?? updated;
}

function callOf(method: string, id?: string, sub?: string, verb?: string): ServiceCall | undefined {
  if (method === 'POST') {
    if (id === undefined) return 'create';
    if (verb !== undefined) return 'cancel';
    return sub === undefined ? undefined : 'followUp';
  }
  if (method === 'GET' && sub === undefined) return id === undefined ? 'list' : 'read';
  return method === 'DELETE' && id !== undefined && sub === undefined ? 'delete' : undefined;
}

function send(response: ServerResponse, status: number, body?: unknown, toWire = (json: string) => json): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? undefined : toWire(JSON.stringify(body)));
}
