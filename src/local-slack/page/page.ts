import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ActError } from '../act.ts';
import type { LocalSlack } from '../control.ts';
import { addressOf, type Errors, type Place, renderPage } from './layout.ts';
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

/** Most bytes that a form may have, with its files. */
const mostBytes = 20 * 1024 * 1024;
/** How long the page waits for further changes before it is told of one. */
const debounceMs = 40;
/** Most pages that are told of changes at the same time. */
const mostListeners = 100;

/** What the page's script is told: what to say, and where to go. */
interface Reply {
  problem?: string | undefined;
  go?: string;
  errors?: Record<string, string>;
}

/** The web page of the local Slack: what people see and do. It answers only to its own address, and posts only from itself. */
export function createPage(local: LocalSlack): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { workspace } = local;
  /** The errors of each person's last submission. */
  const errors = new Map<string, Errors>();
  let listeners = 0;

  return async (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const { host = '', origin } = request.headers;
    const isOurs = host === `127.0.0.1:${request.socket.localPort}` || host === `localhost:${request.socket.localPort}`;
    const isPost = request.method === 'POST';
    // Another site's name may lead to this address (DNS rebinding), and another site's page may post here.
    if (!isOurs || (origin !== undefined ? origin !== `http://${host}` : isPost))
      return end(response, 403, 'Not from here.');
    const url = new URL(request.url ?? '/', `http://${host}`);
    if (isPost) return takeAct(request, url, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'GET or POST.');
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
    const page = renderPage(local, place, readerOf(place, `http://${host}`), errors.get(person));
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

  /** Carries out what a person did, and replies with what Slack shows then: a problem, or where to go. */
  async function takeAct(request: IncomingMessage, url: URL, response: ServerResponse): Promise<void> {
    const person = personOf(url);
    const place = placeOf(url, person);
    let reply: Reply;
    try {
      const form = await readForm(request);
      for (const [name, value] of url.searchParams) form.append(name, value);
      reply = await carryOut(url.pathname.slice('/page/act/'.length), place, form);
    } catch (error) {
      if (!(error instanceof ActError)) throw error;
      reply = { problem: error.message };
    }
    const { problem, go, errors: wrong } = reply;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ problem, go, errors: wrong }));
  }

  async function carryOut(name: string, place: Place, form: FormData): Promise<Reply> {
    const { act } = local;
    const { person, channel } = place;
    const text = (field: string): string => String(form.get(field) ?? '');
    const [ts, view, threadTs, callbackId] = [text('ts'), text('view'), text('threadTs'), text('callbackId')];
    switch (name) {
      case 'post': {
        const thread = threadTs === '' ? {} : { threadTs };
        const files = await filesIn(form);
        return act.post({ person, channel, ...thread, text: text('text'), files, broadcast: form.has('broadcast') });
      }
      case 'edit': {
        const { problem } = await act.edit({ person, channel, ts, text: text('text') });
        return { problem, go: addressOf(place, { edit: undefined }) };
      }
      case 'forward': {
        const to = text('to');
        const { problem } = await act.forward({ person, channel, ts, to, text: text('text') });
        return { problem, go: addressOf({ person, channel: to }) };
      }
      case 'use': {
        const choices = form.getAll('choice').map(String);
        const choice = form.has('several') ? choices.filter((each) => each !== '') : choices[0];
        const element = {
          blockId: text('block'),
          actionId: text('action'),
          ...(choice === undefined ? {} : { choice }),
        };
        const at = view === '' ? { channel, ts } : { view };
        return act.use({ person, place: at, ...element, entered: enteredIn(form) });
      }
      case 'submit': {
        errors.delete(person);
        const outcome = await act.submit({ person, view, entered: enteredIn(form) });
        if (outcome.errors !== undefined) errors.set(person, { view, errors: outcome.errors });
        return outcome;
      }
      case 'react':
        return act.react({ person, channel, ts, name: text('name') });
      case 'invite':
        return act.invite({ person, channel, added: text('added') });
      case 'remove':
      case 'join':
      case 'openHome':
      case 'openDirect':
      case 'globalShortcut':
      case 'messageShortcut':
      case 'stop':
      case 'closeView': {
        const outcome = await act[name]({ person, channel, ts, view, threadTs, callbackId });
        return 'problem' in outcome ? { problem: outcome.problem } : {};
      }
      default:
        throw new ActError('There is no such thing to do.');
    }
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

async function readForm(request: IncomingMessage): Promise<FormData> {
  if (!(Number(request.headers['content-length']) <= mostBytes))
    throw new ActError('These files are too large (20 MB).');
  const type = request.headers['content-type'] ?? '';
  return new Response(Readable.toWeb(request) as ReadableStream, { headers: { 'content-type': type } }).formData();
}

function filesIn(form: FormData): Promise<{ name: string; mimetype: string; bytes: Uint8Array }[]> {
  const files = form.getAll('files').filter((file) => typeof file !== 'string' && file.size > 0) as File[];
  return Promise.all(
    files.map(async (file) => ({
      name: file.name,
      mimetype: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** What stands in a form's inputs, whose names are `block/action`, with `[]` at the end where there may be several values. */
function enteredIn(form: FormData): Record<string, string | string[]> {
  const names = new Set([...form.keys()].filter((name) => name.includes('/')));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = form.getAll(name).map(String);
      return name.endsWith('[]') ? [name.slice(0, -2), values.filter((each) => each !== '')] : [name, values[0] ?? ''];
    }),
  );
}
