import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Act, ActError } from './act.ts';
import { readAll } from './server.ts';
import type { Workspace } from './workspace.ts';

/** What people see, and the only way in which they change something. */
export interface LocalSlack {
  workspace: Workspace;
  act: Act;
}

const seen = [
  ...(['conversationsOf', 'timeline', 'thread', 'everything', 'modalsOf', 'homeOf'] as const),
  ...(['agentSession', 'promptsOf', 'violations'] as const),
];

/** Most bytes of an act, whose files are longer by a third than they are. */
const mostBytes = 28 * 1024 * 1024;

/** Whether a request has the name of this machine (another site's name may lead here), and no other site's page made it. */
export function isFromHere({ headers: { host = '', origin = `http://${host}` }, socket }: IncomingMessage): boolean {
  const isOurs = host === `127.0.0.1:${socket.localPort}` || host === `localhost:${socket.localPort}`;
  return isOurs && origin === `http://${host}`;
}

/**
 * What the page and programs do: `POST /act/<act>` with its arguments as JSON, which no page of another site may send,
 * and `GET /see/<what>/<argument>/…`. Undefined for another address.
 */
export function answerControl(
  local: LocalSlack,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | undefined {
  const [, kind, name = '', ...rest] = (request.url ?? '').split('/').map(decodeURIComponent);
  if (kind !== 'act' && kind !== 'see') return undefined;
  const isAct = request.method === 'POST' && request.headers['content-type'] === 'application/json';
  if (!isFromHere(request) || (kind === 'act' && !isAct)) return send(response, 403, { problem: 'Not from here.' });
  if (kind === 'act') return carryOut(local.act, name, request, response);
  const what = seen.find((each) => each === name);
  if (what === undefined) return send(response, 404, { problem: `There is no ${name}.` });
  const look: unknown = local.workspace[what];
  return send(response, 200, (typeof look === 'function' ? look(...rest) : look) ?? null);
}

async function carryOut(act: Act, name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!(Number(request.headers['content-length']) <= mostBytes))
    return send(response, 413, { problem: 'These files are too large (20 MB).' });
  const text = (await readAll(request)).toString('utf8');
  if (!Object.hasOwn(act, name)) return send(response, 404, { problem: `There is no ${name}.` });
  const does = act[name as keyof Act] as (by: unknown) => unknown;
  try {
    return await send(response, 200, (await does(JSON.parse(text))) ?? {});
  } catch (error) {
    if (!(error instanceof ActError || error instanceof SyntaxError)) throw error;
    return send(response, 400, { problem: error.message });
  }
}

async function send(response: ServerResponse, status: number, body: unknown): Promise<void> {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
