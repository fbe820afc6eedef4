import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slackProblems } from './slack-limits.ts';

export interface FakeMessage {
  ts: string;
  channel: string;
  user: string;
  bot_id?: string;
  text: string;
  blocks?: FakeBlock[];
  metadata?: unknown;
  thread_ts?: string;
  edits: number;
}

export interface FakeBlock {
  type: string;
  block_id?: string;
  text?: unknown;
  elements?: { type: string; action_id?: string; value?: string; text?: unknown }[];
}

export interface FakeEphemeral {
  channel: string;
  user: string;
  thread_ts?: string;
  text: string;
  blocks?: FakeBlock[];
}

/** What a call meets instead of, or after, its effect. */
export type Fault =
  | { error: string }
  | { status: number; body?: string }
  | { retryAfterSeconds: number }
  /** The call takes effect, and then the connection breaks before an answer is sent. */
  | { breakAfterEffect: true }
  | { breakBeforeEffect: true };

type Args = Record<string, unknown>;
type Reply = { ok: true; [key: string]: unknown } | { ok: false; error: string; [key: string]: unknown };

export const team = { id: 'T0FAKE', botUserId: 'U0BOT', botId: 'B0BOT', botToken: 'xoxb-fake-token' };

export const people = { ada: 'U0ADA', bob: 'U0BOB' };

const names: Record<string, string> = { U0ADA: 'ada', U0BOB: 'bob', U0BOT: 'deepsearch' };

interface FakeChannel {
  isPrivate: boolean;
  botIsMember: boolean;
  isArchived: boolean;
}

/**
 * A strict stand-in for Slack's Web API: unknown methods, unknown ids, missing threads and anything over Slack's limits
 * are refused the way Slack refuses them, and every refusal of ours is remembered in `violations`.
 */
export async function startFakeSlack() {
  const channels = new Map<string, FakeChannel>([
    ['C0GENERAL', { isPrivate: false, botIsMember: true, isArchived: false }],
    ['C0PUBLIC', { isPrivate: false, botIsMember: false, isArchived: false }],
    ['C0PRIVATE', { isPrivate: true, botIsMember: false, isArchived: false }],
    ['D0ADA', { isPrivate: true, botIsMember: true, isArchived: false }],
    ['D0BOB', { isPrivate: true, botIsMember: true, isArchived: false }],
  ]);
  const messages: FakeMessage[] = [];
  const ephemerals: FakeEphemeral[] = [];
  const views: Args[] = [];
  const responses: { url: string; body: Args }[] = [];
  const violations: string[] = [];
  const calls: string[] = [];
  const faults: { method: string; fault: Fault; times: number }[] = [];
  let clock = 1_700_000_000;
  let refusedBlockTypes: string[] = [];
  let fate: (method: string) => Fault | undefined = () => undefined;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`fake broke: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${address.port}`;

  const methods: Record<string, (args: Args) => Reply> = {
    'auth.test': () => ({ ok: true, team_id: team.id, user_id: team.botUserId, bot_id: team.botId, team: 'Fake' }),
    'chat.postMessage': (args) => {
      const channel = resolveChannel(args.channel);
      const refused = refusedPost('chat.postMessage', args, channel);
      if (refused !== undefined) return refused;
      const message = addMessage({ channel: channel ?? '', user: team.botUserId, bot_id: team.botId, ...posted(args) });
      return { ok: true, ts: message.ts, channel: message.channel, message };
    },
    'chat.update': (args) => {
      const message = messages.find(({ ts, channel }) => ts === args.ts && channel === args.channel);
      if (message === undefined) return { ok: false, error: 'message_not_found' };
      if (message.bot_id !== team.botId) return { ok: false, error: 'cant_update_message' };
      const refused = refusedForm('chat.update', args);
      if (refused !== undefined) return refused;
      Object.assign(message, posted(args), { edits: message.edits + 1 });
      return { ok: true, ts: message.ts, channel: message.channel };
    },
    'chat.postEphemeral': (args) => {
      const channel = resolveChannel(args.channel);
      const refused = refusedPost('chat.postEphemeral', args, channel);
      if (refused !== undefined) return refused;
      if (typeof args.user !== 'string' || names[args.user] === undefined)
        return { ok: false, error: 'user_not_in_channel' };
      ephemerals.push({ channel: channel ?? '', user: args.user, ...posted(args) });
      return { ok: true, message_ts: nextTs() };
    },
    'conversations.replies': (args) => {
      const root = messages.find(({ ts, channel }) => ts === args.ts && channel === args.channel);
      if (root === undefined) return { ok: false, error: 'thread_not_found' };
      const inThread = messages.filter((message) => message === root || message.thread_ts === root.ts);
      return { ok: true, messages: inThread.filter(({ channel }) => channel === root.channel), has_more: false };
    },
    'conversations.history': (args) => {
      const channel = channels.get(String(args.channel));
      if (channel === undefined) return { ok: false, error: 'channel_not_found' };
      if (!channel.botIsMember) return { ok: false, error: 'not_in_channel' };
      const roots = messages.filter((message) => message.channel === args.channel && message.thread_ts === undefined);
      return { ok: true, messages: roots.toReversed(), has_more: false };
    },
    'conversations.open': (args) => {
      const name = names[String(args.users)];
      return name === undefined
        ? { ok: false, error: 'user_not_found' }
        : { ok: true, channel: { id: dmOf(String(args.users)) } };
    },
    'conversations.join': (args) => {
      const channel = channels.get(String(args.channel));
      if (channel === undefined) return { ok: false, error: 'channel_not_found' };
      if (channel.isPrivate) return { ok: false, error: 'method_not_supported_for_channel_type' };
      channel.botIsMember = true;
      return { ok: true, channel: { id: args.channel } };
    },
    'conversations.info': (args) => ({
      ok: true,
      channel: { id: args.channel, name: String(args.channel).toLowerCase() },
    }),
    'users.info': (args) => {
      const name = names[String(args.user)];
      return name === undefined
        ? { ok: false, error: 'user_not_found' }
        : { ok: true, user: { id: args.user, name, profile: { display_name: name } } };
    },
    'views.open': (args) => {
      const refused = refusedForm('views.open', args);
      if (refused !== undefined) return refused;
      views.push(args);
      return { ok: true, view: { id: 'V0' } };
    },
  };

  return {
    url: `${url}/api/`,
    responseUrl: (id: string) => `${url}/response/${id}`,
    messages,
    ephemerals,
    views,
    responses,
    violations,
    calls,
    channels,
    say,
    fault: (method: string, fault: Fault, times = 1) => void faults.push({ method, fault, times }),
    /** From now on every call without a planned fault meets what `decide` says. */
    decideFates: (decide: (method: string) => Fault | undefined) => {
      fate = decide;
    },
    refuseBlocks: (...types: string[]) => {
      refusedBlockTypes = types;
    },
    inThread: (threadTs: string) => messages.filter((message) => message.thread_ts === threadTs),
    remove: (ts: string) => {
      const index = messages.findIndex((message) => message.ts === ts);
      if (index >= 0) messages.splice(index, 1);
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  /** A person's message, so that threads have a root. Returns its timestamp. */
  function say(channel: string, user: string, text: string, threadTs?: string): string {
    return addMessage({ channel, user, text, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) }).ts;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    const path = request.url ?? '';
    if (path.startsWith('/response/')) {
      responses.push({ url: `${url}${path}`, body: JSON.parse(body) as Args });
      response.writeHead(200).end('ok');
      return;
    }
    const method = path.replace(/^\/api\//, '');
    calls.push(method);
    const args = parseArgs(body);
    const run = methods[method];
    if (request.headers.authorization !== `Bearer ${team.botToken}`)
      return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (run === undefined) {
      violations.push(`unknown method ${method}`);
      return sendJson(response, { ok: false, error: 'unknown_method' });
    }
    const planned = faults.find((entry) => entry.method === method && entry.times > 0);
    const fault = planned === undefined ? fate(method) : planned.fault;
    if (planned !== undefined) planned.times -= 1;
    if (fault === undefined) return sendJson(response, run(args));
    if ('error' in fault) return sendJson(response, { ok: false, error: fault.error });
    if ('retryAfterSeconds' in fault) {
      response.writeHead(429, { 'retry-after': String(fault.retryAfterSeconds) }).end();
      return;
    }
    if ('status' in fault) {
      response.writeHead(fault.status).end(fault.body ?? '');
      return;
    }
    if ('breakAfterEffect' in fault) run(args);
    response.destroy();
  }

  function refusedPost(method: string, args: Args, channelId: string | undefined): Reply | undefined {
    const channel = channelId === undefined ? undefined : channels.get(channelId);
    if (channel === undefined) return { ok: false, error: 'channel_not_found' };
    if (channel.isArchived) return { ok: false, error: 'is_archived' };
    if (!channel.botIsMember) return { ok: false, error: channel.isPrivate ? 'channel_not_found' : 'not_in_channel' };
    if (args.thread_ts !== undefined && !messages.some(({ ts }) => ts === args.thread_ts)) {
      return { ok: false, error: 'thread_not_found' };
    }
    if (
      method === 'chat.postMessage' &&
      (args.unfurl_links !== 'false' || args.unfurl_media !== 'false') &&
      !isDirect(args)
    ) {
      violations.push(`${method} lets links unfurl`);
    }
    return refusedForm(method, args);
  }

  function isDirect(args: Args): boolean {
    return typeof args.channel === 'string' && args.channel.startsWith('U');
  }

  function refusedForm(method: string, args: Args): Reply | undefined {
    const blocks = (args.blocks ?? []) as FakeBlock[];
    if (blocks.some(({ type }) => refusedBlockTypes.includes(type))) return { ok: false, error: 'invalid_blocks' };
    const problems = slackProblems(method, args);
    if (problems.length === 0) return undefined;
    violations.push(...problems.map((problem) => `${method}: ${problem}`));
    return { ok: false, error: 'invalid_blocks' };
  }

  function resolveChannel(channel: unknown): string | undefined {
    if (typeof channel !== 'string') return undefined;
    return channel.startsWith('U') ? dmOf(channel) : channel;
  }

  function addMessage(message: Omit<FakeMessage, 'ts' | 'edits'>): FakeMessage {
    const added = { ...message, ts: nextTs(), edits: 0 };
    messages.push(added);
    return added;
  }

  /** Unique and growing, and close to the real time, as Slack's timestamps are. */
  function nextTs(): string {
    clock = Math.max(clock + 1, 0);
    return `${Math.floor(Date.now() / 1000)}.${String(clock % 1_000_000).padStart(6, '0')}`;
  }
}

export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>;

function dmOf(userId: string): string {
  return userId.replace(/^U/, 'D');
}

function posted(args: Args): Pick<FakeMessage, 'text' | 'blocks' | 'metadata' | 'thread_ts'> {
  return {
    text: String(args.text ?? ''),
    ...(args.blocks === undefined ? {} : { blocks: args.blocks as FakeBlock[] }),
    ...(args.metadata === undefined ? {} : { metadata: args.metadata }),
    ...(args.thread_ts === undefined ? {} : { thread_ts: String(args.thread_ts) }),
  };
}

/** The Web API client sends forms in which objects are JSON texts. */
function parseArgs(body: string): Args {
  const args: Args = {};
  for (const [name, value] of new URLSearchParams(body)) {
    args[name] = /^[[{]/.test(value) && name !== 'text' ? JSON.parse(value) : value;
  }
  return args;
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += chunk;
  return body;
}

function sendJson(response: ServerResponse, reply: Reply): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}
