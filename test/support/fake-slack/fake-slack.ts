import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { botScopes } from '../../../src/slack/scopes.ts';
import { isLateCall, type LateCall, untilCarriedOut } from '../late-call.ts';
import { createAgents } from './agents.ts';
import { createChannels } from './channels.ts';
import { createFiles } from './files.ts';
import { createHistory } from './history.ts';
import { createMessages } from './messages.ts';
import { createUsers, team } from './people.ts';
import { appToken } from './socket-mode-server.ts';
import { createUnfurls } from './unfurls.ts';
import { createViews } from './views.ts';
import { type Args, type Methods, parseArgs, type Reply } from './wire.ts';

export type { FakeBlock, FakeMessage } from './messages.ts';
export { people, team } from './people.ts';

/** What happens to a call instead of, or after, its effect. */
export type Fault =
  | { error: string }
  | { status: number; body?: string }
  | { retryAfterSeconds: number }
  /** The call takes effect, then the connection breaks before the reply. */
  | { breakAfterEffect: true }
  | { breakBeforeEffect: true }
  /** The call takes effect once this resolves. */
  | { until: Promise<void> }
  | LateCall;

/**
 * A strict fake of Slack's Web API. It refuses unknown methods, unknown ids, missing threads and payloads over Slack's
 * limits as Slack does, and records wrong calls in `violations`.
 */
export async function startFakeSlack() {
  const violations: string[] = [];
  const calls: string[] = [];
  const traceparents: string[] = [];
  const requests: { method: string; args: Args }[] = [];
  const responses: { url: string; body: Args }[] = [];
  const faults: { method: string; fault: Fault; times: number }[] = [];
  let chooseFault: (method: string, args: Args) => Fault | undefined = () => undefined;
  let url = '';
  let scopes: string | undefined = Object.keys(botScopes).join(',');

  const fakePeople = createUsers();
  const channels = createChannels(fakePeople);
  const messages = createMessages(fakePeople, channels, violations);
  const files = createFiles(() => url, channels, messages, violations);
  const views = createViews(fakePeople, violations);
  const agents = createAgents(channels);
  const unfurls = createUnfurls(messages, violations);
  const methods: Methods = {
    'auth.test': () => ({
      ok: true,
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
      team: 'Fake',
      url: 'https://fake.slack.com/',
    }),
    ...fakePeople.methods,
    ...channels.methods,
    ...messages.methods,
    ...createHistory(channels, messages),
    ...files.methods,
    ...views.methods,
    ...agents.methods,
    ...unfurls.methods,
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`fake broke: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  url = `http://127.0.0.1:${address.port}`;

  return {
    url: `${url}/api/`,
    responseUrl: (id: string) => `${url}/response/${id}`,
    messages: messages.list,
    deleted: messages.deleted,
    ephemerals: messages.ephemerals,
    /** Every accepted call of `views.open`, as sent. */
    views: views.opened,
    /** The open modals, the topmost last. */
    openViews: views.stack,
    homes: views.homes,
    viewState: views,
    responses,
    violations,
    calls,
    /** What requests say of traces. Slack gets none. */
    traceparents,
    /** Every call with its arguments, also calls with a fault. */
    requests,
    channels: channels.map,
    failMembers: channels.failMembers,
    changePerson: fakePeople.change,
    failUserInfo: fakePeople.failInfo,
    expireTriggers: views.expireTriggers,
    agentCalls: agents.calls,
    agentSessions: agents.sessions,
    get agentFeatures(): boolean {
      return agents.state.enabled;
    },
    set agentFeatures(enabled: boolean) {
      agents.state.enabled = enabled;
    },
    sharedLinks: unfurls.shared,
    unfurls: unfurls.unfurls,
    say,
    edit: messages.edit,
    addFile: files.add,
    fileText: files.textOf,
    fault: (method: string, fault: Fault, times = 1) => void faults.push({ method, fault, times }),
    /** From now on, `choose` selects the fault of every call without a planned fault. */
    scriptFaults: (choose: typeof chooseFault) => {
      chooseFault = choose;
    },
    /** The scopes that the token has. Undefined: Slack does not say. */
    grantScopes: (granted: readonly string[] | undefined) => {
      scopes = granted?.join(',');
    },
    refuseBlocks: (...types: string[]) => messages.refuseBlocks(types),
    inThread: (threadTs: string) => messages.list.filter((message) => message.thread_ts === threadTs),
    remove: messages.remove,
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  /** Posts a person's message, for example as the root of a thread. Returns its timestamp. */
  function say(channel: string, user: string, text: string, threadTs?: string, ts?: string): string {
    const place = { ...(threadTs === undefined ? {} : { thread_ts: threadTs }), ...(ts === undefined ? {} : { ts }) };
    return messages.add({ channel, user, text, ...place }).ts;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readAll(request);
    const path = request.url ?? '';
    if (typeof request.headers.traceparent === 'string') traceparents.push(request.headers.traceparent);
    if (path.startsWith('/response/')) {
      responses.push({ url: `${url}${path}`, body: JSON.parse(bytes.toString('utf8')) as Args });
      response.writeHead(200).end('ok');
      return;
    }
    if (path.startsWith('/upload/')) {
      const taken = files.receive(path.slice('/upload/'.length), bodyOf(request, bytes));
      response.writeHead(taken ? 200 : 400).end(taken ? `OK - ${bytes.length}` : 'no');
      return;
    }
    const authorized = request.headers.authorization === `Bearer ${team.botToken}`;
    if (path.startsWith('/files-pri/')) return sendFile(path, authorized, response);
    const method = path.replace(/^\/api\//, '');
    const args = parseArgs(bytes.toString('utf8'));
    if (JSON.stringify(args).includes('\\u0000')) violations.push(`NUL in what ${method} is called with`);
    calls.push(method);
    requests.push({ method, args });
    const opens = method === 'apps.connections.open';
    const run = opens
      ? () => ({ ok: true as const, url: 'wss://wss-fake.slack.com/link/?ticket=secret' })
      : methods[method];
    if (opens && request.headers.authorization !== `Bearer ${appToken}`)
      return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (authorized && scopes !== undefined) response.setHeader('x-oauth-scopes', scopes);
    if (!authorized && !opens) return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (run === undefined) {
      violations.push(`unknown method ${method}`);
      return sendJson(response, { ok: false, error: 'unknown_method' });
    }
    const planned = faults.find((entry) => entry.method === method && entry.times > 0);
    const fault = planned === undefined ? chooseFault(method, args) : planned.fault;
    if (planned !== undefined) planned.times -= 1;
    if (fault === undefined) return sendJson(response, run(args));
    if (isLateCall(fault)) {
      await untilCarriedOut(fault, response);
      return sendJson(response, run(args));
    }
    if ('until' in fault) {
      await fault.until;
      return sendJson(response, run(args));
    }
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

  /** An unauthorized download gets a sign-in page instead of an error. */
  function sendFile(path: string, authorized: boolean, response: ServerResponse): void {
    const [, id = ''] = /^\/files-pri\/[^/]*-(F[^/]+)\//.exec(path) ?? [];
    const file = files.download(id);
    if (!authorized) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!DOCTYPE html>');
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.mimetype }).end(file.content);
  }
}

export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>;

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The bytes of an upload: the raw body, or the file in a form. */
function bodyOf(request: IncomingMessage, bytes: Buffer): Buffer {
  const [, boundary] = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '') ?? [];
  if (boundary === undefined) return bytes;
  const start = bytes.indexOf('\r\n\r\n') + 4;
  return bytes.subarray(start, bytes.indexOf(`\r\n--${boundary}`, start));
}

function sendJson(response: ServerResponse, reply: Reply): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}
