import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { team } from './people.ts';
import { createSocketMode } from './socket-mode.ts';
import { createState } from './state.ts';
import { type Args, isFromHere, parseArgs, type Reply } from './wire.ts';

/** A call of the Web API that the server understood and that may go on. */
export interface Call {
  method: string;
  args: Args;
  /** Carries the call out. */
  run: () => Reply;
  response: ServerResponse;
}

/** Decides what becomes of each call; undefined when it has ended the response. */
export type Treatment = (call: Call) => Promise<Reply | undefined>;

/** Methods that change nothing. */
const readers = /\.(?:info|list|members|replies|history|test|getPermalink|conversations)$/;

/** Starts a workspace on 127.0.0.1. Port 0 chooses a free one. `pages`: where links to messages lead. */
export async function startServer({
  port = 0,
  pages,
  treat = async ({ run }) => run(),
  noteCall = () => undefined,
  noteResponse,
}: {
  port?: number;
  pages?: string;
  treat?: Treatment;
  /** Is told of each call of the Web API, also of refused ones. */
  noteCall?: (method: string, args: Args) => void;
  /** Takes what is posted to response URLs that this workspace did not give out; without it they are refused. */
  noteResponse?: (url: string, body: Args) => void;
} = {}) {
  let url = '';
  const state = createState({ origin: () => url, pages: () => pages ?? url });
  const granted: { scopes: string | undefined } = { scopes: undefined };
  /** Who answers all other requests. */
  const page: { handle?: (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined } = {};

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      state.violations.push(`local Slack broke: ${String(error)}`);
      response.destroy();
    });
  });
  const socketMode = createSocketMode(http, state.changed);
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, '127.0.0.1', resolve);
  });
  const address = http.address() as AddressInfo;
  url = `http://127.0.0.1:${address.port}`;

  return {
    url,
    state,
    http,
    socketMode,
    page,
    /** The scopes that the token has. Undefined: Slack does not say. */
    granted,
    stop: () => {
      socketMode.stop();
      http.closeAllConnections();
      return new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (!/^\/(?:api|response|upload|files-pri)\//.test(path)) {
      const answered = page.handle?.(request, response);
      if (answered === undefined) response.writeHead(404).end();
      return answered;
    }
    if (!isFromHere(request)) return void response.writeHead(403).end();
    const bytes = await readAll(request);
    if (path.startsWith('/response/')) return takeResponse(path, bytes, response);
    if (path.startsWith('/upload/')) {
      const taken = state.files.receive(path.slice('/upload/'.length), bytes);
      response.writeHead(taken ? 200 : 400).end(taken ? `OK - ${bytes.length}` : 'no');
      return;
    }
    const authorized = request.headers.authorization === `Bearer ${team.botToken}`;
    if (path.startsWith('/files-pri/')) return sendFile(path, authorized, response);
    const method = path.replace(/^\/api\//, '');
    const args = parseArgs(bytes.toString('utf8'));
    if (JSON.stringify(args).includes('\\u0000')) state.violations.push(`NUL in what ${method} is called with`);
    noteCall(method, args);
    const opens = method === 'apps.connections.open';
    const run = opens
      ? () => ({ ok: true as const, url: `${url.replace('http', 'ws')}${socketMode.ticket()}` })
      : state.methods[method];
    if (opens && request.headers.authorization !== `Bearer ${team.appToken}`)
      return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (authorized && granted.scopes !== undefined) response.setHeader('x-oauth-scopes', granted.scopes);
    if (!authorized && !opens) return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (run === undefined) {
      state.violations.push(`unknown method ${method}`);
      return sendJson(response, { ok: false, error: 'unknown_method' });
    }
    const reply = await treat({ method, args, run: () => run(args), response });
    if (reply?.ok === true && !readers.test(method)) state.changed();
    if (reply !== undefined) sendJson(response, reply);
  }

  function takeResponse(path: string, bytes: Buffer, response: ServerResponse): void {
    const body = JSON.parse(bytes.toString('utf8')) as Args;
    const refusal = state.responses.take(path.slice('/response/'.length), body);
    if (refusal !== undefined) noteResponse?.(`${url}${path}`, body);
    state.changed();
    if (refusal !== undefined && noteResponse === undefined) sendJson(response, { ok: false, error: refusal }, 404);
    else response.writeHead(200).end('ok');
  }

  /** An unauthorized download gets a sign-in page instead of an error. */
  function sendFile(path: string, authorized: boolean, response: ServerResponse): void {
    const [, id = ''] = /^\/files-pri\/[^/]*-(F[^/]+)\//.exec(path) ?? [];
    const file = state.files.download(id);
    if (!authorized) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!DOCTYPE html>');
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.mimetype }).end(file.content);
  }
}

export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
