import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { team } from './people.ts';
import { type Args, parseArgs, type Reply } from './wire.ts';
import { createWorkspace } from './workspace.ts';

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

/** Starts a workspace on 127.0.0.1. Port 0 chooses a free one. `pages`: where links to messages lead. */
export async function startServer({
  port = 0,
  pages,
  treat = async ({ run }) => run(),
  noteCall = () => undefined,
}: {
  port?: number;
  pages?: string;
  treat?: Treatment;
  /** Is told of each call of the Web API, also of refused ones. */
  noteCall?: (method: string, args: Args) => void;
} = {}) {
  const responses: { url: string; body: Args }[] = [];
  let url = '';
  const workspace = createWorkspace({ origin: () => url, pages: () => pages ?? url });
  const granted: { scopes: string | undefined } = { scopes: undefined };

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      workspace.violations.push(`local Slack broke: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const address = http.address() as AddressInfo;
  url = `http://127.0.0.1:${address.port}`;

  return {
    url,
    workspace,
    http,
    responses,
    /** The scopes that the token has. Undefined: Slack does not say. */
    granted,
    stop: () => {
      http.closeAllConnections();
      return new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readAll(request);
    const path = request.url ?? '';
    if (path.startsWith('/response/')) {
      responses.push({ url: `${url}${path}`, body: JSON.parse(bytes.toString('utf8')) as Args });
      response.writeHead(200).end('ok');
      return;
    }
    if (path.startsWith('/upload/')) {
      const taken = workspace.files.receive(path.slice('/upload/'.length), bodyOf(request, bytes));
      response.writeHead(taken ? 200 : 400).end(taken ? `OK - ${bytes.length}` : 'no');
      return;
    }
    const authorized = request.headers.authorization === `Bearer ${team.botToken}`;
    if (path.startsWith('/files-pri/')) return sendFile(path, authorized, response);
    const method = path.replace(/^\/api\//, '');
    const args = parseArgs(bytes.toString('utf8'));
    if (JSON.stringify(args).includes('\\u0000')) workspace.violations.push(`NUL in what ${method} is called with`);
    noteCall(method, args);
    const opens = method === 'apps.connections.open';
    const run = opens
      ? () => ({ ok: true as const, url: 'wss://wss-fake.slack.com/link/?ticket=secret' })
      : workspace.methods[method];
    if (opens && request.headers.authorization !== `Bearer ${team.appToken}`)
      return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (authorized && granted.scopes !== undefined) response.setHeader('x-oauth-scopes', granted.scopes);
    if (!authorized && !opens) return sendJson(response, { ok: false, error: 'invalid_auth' });
    if (run === undefined) {
      workspace.violations.push(`unknown method ${method}`);
      return sendJson(response, { ok: false, error: 'unknown_method' });
    }
    const reply = await treat({ method, args, run: () => run(args), response });
    if (reply !== undefined) sendJson(response, reply);
  }

  /** An unauthorized download gets a sign-in page instead of an error. */
  function sendFile(path: string, authorized: boolean, response: ServerResponse): void {
    const [, id = ''] = /^\/files-pri\/[^/]*-(F[^/]+)\//.exec(path) ?? [];
    const file = workspace.files.download(id);
    if (!authorized) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!DOCTYPE html>');
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.mimetype }).end(file.content);
  }
}

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
