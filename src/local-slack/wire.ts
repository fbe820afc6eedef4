import type { IncomingMessage } from 'node:http';
/** The arguments of a Web API call: strings from the form, and parsed JSON. */
export type Args = Record<string, unknown>;

export type Reply = { ok: true; [key: string]: unknown } | { ok: false; error: string; [key: string]: unknown };

/** The Web API methods that one part of the workspace implements. */
export type Methods = Record<string, (args: Args) => Reply>;

export function refused(error: string): Reply {
  return { ok: false, error };
}

/** Reads a boolean: the Web API client sends forms, where it is a string. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === '1';
}

/** Replies with one page of a list, which `contentOf` writes, and an opaque cursor as in Slack. */
export function listed<Item>(
  items: readonly Item[],
  args: Args,
  limits: { usual: number; most: number },
  contentOf: (page: Item[], hasMore: boolean) => Args,
): Reply {
  const limit = args.limit === undefined || args.limit === '0' ? limits.usual : Number(args.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.most) return refused('invalid_limit');
  const from = args.cursor === undefined || args.cursor === '' ? 0 : readCursor(String(args.cursor));
  if (from === undefined) return refused('invalid_cursor');
  const end = from + limit;
  const hasMore = end < items.length;
  const cursor = hasMore ? Buffer.from(`next:${end}`).toString('base64') : '';
  return { ok: true, response_metadata: { next_cursor: cursor }, ...contentOf(items.slice(from, end), hasMore) };
}

function readCursor(cursor: string): number | undefined {
  const [, from] = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [];
  return from === undefined ? undefined : Number(from);
}

/** Arguments that the client sends as JSON; all others stay strings, even if they look like JSON. */
const asJson = new Set(['blocks', 'attachments', 'metadata', 'view', 'unfurls', 'files', 'prompts']);

/** Parses the form of a call. */
export function parseArgs(body: string): Args {
  const args: Args = {};
  for (const [name, value] of new URLSearchParams(body)) args[name] = asJson.has(name) ? readJson(value) : value;
  return args;
}

function readJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Whether a request has the name of this machine (another site's name may lead here), and no other site's page made it. */
export function isFromHere({ headers: { host = '', origin = `http://${host}` }, socket }: IncomingMessage): boolean {
  const isOurs = host === `127.0.0.1:${socket.localPort}` || host === `localhost:${socket.localPort}`;
  return isOurs && origin === `http://${host}`;
}
