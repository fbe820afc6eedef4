import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Act, ActError } from './act.ts';
import { readAll, sendJson } from './server.ts';
import { isFromHere } from './wire.ts';
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

/**
 * What the page and programs do: `POST /act/<act>` with its arguments as JSON, which no page of another site may send,
 * and `GET /see/<what>/<argument>/…`.
 */
export async function answerControl(
  local: LocalSlack,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, kind, name = '', ...rest] = (request.url ?? '').split('/').map(decodeURIComponent);
  const isAct = request.method === 'POST' && request.headers['content-type'] === 'application/json';
  if (!isFromHere(request) || (kind === 'act' && !isAct)) return sendJson(response, { problem: 'Not from here.' }, 403);
  if (kind === 'act') return carryOut(local.act, name, request, response);
  const what = seen.find((each) => each === name);
  if (what === undefined) return sendJson(response, { problem: `There is no ${name}.` }, 404);
  const look: unknown = local.workspace[what];
  return sendJson(response, (typeof look === 'function' ? look(...rest) : look) ?? null, 200);
}

async function carryOut(act: Act, name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!(Number(request.headers['content-length']) <= mostBytes))
    return sendJson(response, { problem: 'These files are too large (20 MB).' }, 413);
  const text = (await readAll(request)).toString('utf8');
  if (!Object.hasOwn(act, name)) return sendJson(response, { problem: `There is no ${name}.` }, 404);
  const does = act[name as keyof Act] as (by: unknown) => unknown;
  try {
    return sendJson(response, (await does(JSON.parse(text))) ?? {}, 200);
  } catch (error) {
    if (!(error instanceof ActError || error instanceof SyntaxError)) throw error;
    return sendJson(response, { problem: error.message }, 400);
  }
}
