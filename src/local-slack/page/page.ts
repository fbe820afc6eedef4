import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LocalSlack } from '../control.ts';
import { isFromHere } from '../wire.ts';
import { addressOf, type Place, renderPage } from './layout.ts';
import type { Reader } from './text.ts';

const assets = new Map(
  [['style.css', 'text/css; charset=utf-8'] as const, ['page.js', 'text/javascript; charset=utf-8'] as const].map(
    ([name, type]) => [`/page/${name}`, { type, text: readFileSync(new URL(`./assets/${name}`, import.meta.url)) }],
  ),
);

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** How long the page waits for further changes before it is told of one. */
const debounceMs = 40;
/** Most pages that are told of changes at the same time. */
const mostListeners = 100;

/** The web page of the local Slack: what people see. It answers only to its own address. */
export function createPage(local: LocalSlack): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { workspace } = local;
  let listeners = 0;

  return async (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!isFromHere(request)) return end(response, 403, 'Not from here.');
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'GET or HEAD.');
    const origin = `http://${request.headers.host}`;
    const url = new URL(request.url ?? '/', origin);
    const asset = assets.get(url.pathname);
    if (asset !== undefined) return void response.writeHead(200, { 'content-type': asset.type }).end(asset.text);
    if (url.pathname === '/page/events') return tellChanges(request, response);
    if (url.pathname.startsWith('/page/files/')) return sendFile(url.pathname.slice('/page/files/'.length), response);
    const person = personOf(url);
    const archived = /^\/archives\/([A-Z0-9]+)(?:\/p(\d+)(\d{6}))?$/.exec(url.pathname);
    if (archived !== null) {
      const [, channel = '', seconds, rest] = archived;
      const at = seconds === undefined ? undefined : `${seconds}.${rest}`;
      const root = url.searchParams.get('thread_ts') ?? undefined;
      const thread = root ?? (workspace.thread(person, channel, at ?? '').length > 1 ? at : undefined);
      return void response.writeHead(302, { location: addressOf({ person, channel }, { thread, at }) }).end();
    }
    if (url.pathname !== '/') return end(response, 404, 'There is no such page.');
    const place = placeOf(url, person);
    const open = workspace.conversationsOf(person).find(({ id }) => id === place.channel);
    // Reading is a change, of which every page is told; so only what is new is read.
    if (open !== undefined && open.unread > 0 && place.home === undefined) local.act.read({ person, channel: open.id });
    const page = renderPage(local, place, readerOf(place, origin));
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page.text);
  };

  function personOf(url: URL): string {
    const asked = url.searchParams.get('as') ?? '';
    const isPerson = ({ id, is_bot: isBot, deleted }: { id: string; is_bot?: boolean; deleted?: boolean }) =>
      isBot !== true && deleted !== true && (asked === '' || id === asked);
    return [...workspace.people.values()].find(isPerson)?.id ?? '';
  }

  function placeOf({ searchParams }: URL, person: string): Place {
    const given = Object.fromEntries(
      ['thread', 'edit', 'forward', 'at', 'home', 'list'].flatMap((name) => {
        const value = searchParams.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const conversations = workspace.conversationsOf(person);
    const first = conversations.find(({ kind, isMember }) => kind !== 'direct' && isMember) ?? conversations[0];
    const known = conversations.find(({ id }) => id === searchParams.get('channel'));
    return { person, channel: (known ?? first)?.id ?? '', ...given };
  }

  function readerOf({ person, channel }: Place, origin: string): Reader {
    const conversations = workspace.conversationsOf(person);
    const people = [...workspace.people.values()];
    return {
      person,
      channel,
      origin,
      nowMs: Date.now(),
      locale: workspace.people.get(person)?.locale ?? 'en-US',
      nameOf: (id) => {
        const known = workspace.people.get(id);
        return known?.real_name ?? known?.name ?? conversations.find((each) => each.id === id)?.name;
      },
      choicesOf: (source, include) => {
        if (source === 'users') return people.map(({ id, name, real_name: real }) => ({ id, name: real ?? name }));
        const kinds: Record<string, string> = { public: 'channel', private: 'private', mpim: 'group', im: 'direct' };
        const wanted = source === 'channels' ? ['channel'] : include.map((kind) => kinds[kind] ?? kind);
        return conversations
          .filter(({ kind }) => wanted.length === 0 || wanted.includes(kind))
          .map(({ id, name, kind }) => ({ id, name: kind === 'channel' || kind === 'private' ? `#${name}` : name }));
      },
    };
  }

  /** Server-sent events without content: each says that something changed. */
  function tellChanges(request: IncomingMessage, response: ServerResponse): void {
    if (listeners >= mostListeners) {
      end(response, 503, 'Too many pages.');
      return;
    }
    listeners += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: open\n\n');
    let timer: NodeJS.Timeout | undefined;
    const unsubscribe = workspace.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        response.write('data: changed\n\n');
      }, debounceMs);
    });
    request.on('close', () => {
      listeners -= 1;
      clearTimeout(timer);
      unsubscribe();
    });
  }

  /** A file of a message: always as a download, because its author may have written it for this page. */
  function sendFile(id: string, response: ServerResponse): void {
    const file = workspace.file(id);
    const name = encodeURIComponent(file?.name ?? '');
    response
      .writeHead(file === undefined ? 404 : 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
      })
      .end(file?.content);
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}
