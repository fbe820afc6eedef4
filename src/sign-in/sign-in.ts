import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthorizationServer, Credential, Person, SignInTicket } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { Clock, CreateLimiter, Log, Records } from '../core/ports.ts';
import type { Secret } from '../core/secret.ts';
import { createFormats } from '../render/formats.ts';
import { type Say, sayIn } from '../render/say.ts';
import { type Page, pageHeaders, pageHtml } from './page.ts';
import { cookieName, isOwnForm, languageOf, readCookie, readForm } from './requests.ts';
import { codeChallengeOf, createTickets, type TicketProblem } from './tickets.ts';

export interface SignInPorts {
  /** Address under which browsers reach the app. May have a path, which no proxy may cut off. */
  publicUrl: string;
  records: Records<SignInTicket>;
  server: AuthorizationServer;
  /** Asks the service whose access token this is. Throws `AppError`. */
  usernameOf(accessToken: Secret): Promise<string>;
  /** Stores the account and wakes the questions that wait for it. Throws `AppError` of kind `storage`. */
  storeConnected(person: Person, connected: { username: string; credential: Credential }): Promise<void>;
  createLimiter: CreateLimiter;
  now: Clock;
  log: Log;
}

export interface SignIn {
  /** The address that starts a sign-in: once, for this person, for ten minutes. Throws `AppError` of kind `storage`. */
  url(person: Person, shownName: string, locale?: string): Promise<string>;
  /** The pages, by exact path. */
  mounts: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

/** One request to a page, with what every reply to it needs. */
interface Visit {
  request: IncomingMessage;
  query: URLSearchParams;
  cookie: string | undefined;
}

/** A page, or the address to go on to. `cookie` is set in the browser; an empty one is removed. */
interface Reply {
  show: Page | { redirect: string };
  locale: string | undefined;
  cookie?: string;
}

/**
 * How many requests in a second are answered that name no sign-in of the app, from all people together. They are counted
 * apart, so that such requests keep out no one who has a link.
 */
export const mostUnknownPerSecond = 50;
/** How many requests one sign-in may take. A person needs three, and a few more with the browser's back button. */
export const mostRequestsPerTicket = { points: 40, windowSeconds: 600 };
/** Longest authorization code that is sent on, in characters. RFC 6749 sets no limit. */
const longestCode = 4_096;

/** Which page a refusal shows, and its status. */
const STATUS: Record<TicketProblem, number> = { invalid: 400, expired: 410, used: 409, otherBrowser: 403 };

/**
 * Creates the pages on which people sign in at the service, in a browser. An address alone connects nothing: the page
 * names the person in Slack, the sign-in belongs to the browser that continued, and only a form of this page begins it.
 */
export function createSignIn(ports: SignInPorts): SignIn {
  const { server, usernameOf, storeConnected, createLimiter, log, now } = ports;
  const { origin, pathname } = new URL(ports.publicUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const paths = { start: `${prefix}/accounts/start`, callback: `${prefix}/accounts/callback` };
  const redirectUri = origin + paths.callback;
  const isSecure = origin.startsWith('https:');
  const tickets = createTickets(ports.records, now);
  const unknown = createLimiter('sign-in-unknown', { points: mostUnknownPerSecond, windowSeconds: 1 });
  const perTicket = createLimiter('sign-in-ticket', mostRequestsPerTicket);
  const service = new URL(server.authorizeUrl({ state: '', codeChallenge: '', redirectUri }));

  return {
    async url(person, shownName, locale) {
      const query = new URLSearchParams({ ticket: await tickets.create(person, shownName, locale) });
      return `${origin}${paths.start}?${query}`;
    },
    mounts: { [paths.start]: page(['GET', 'HEAD', 'POST'], start), [paths.callback]: page(['GET', 'HEAD'], callback) },
  };

  /** Answers every request with a page, whatever happens. */
  function page(methods: string[], answer: (visit: Visit) => Promise<Reply>) {
    return (request: IncomingMessage, response: ServerResponse): void => {
      const url = new URL(request.url ?? '/', origin);
      const visit: Visit = {
        request,
        query: url.searchParams,
        cookie: readCookie(request, cookieName(isSecure)),
      };
      const isKnown = methods.includes(request.method ?? '');
      const replying = isKnown ? answered(visit, answer) : Promise.resolve(plain(visit, undefined, 405, 'invalid'));
      replying.then(
        (reply) => send(response, reply, methods),
        () => response.destroy(),
      );
    };
  }

  async function answered(visit: Visit, answer: (visit: Visit) => Promise<Reply>): Promise<Reply> {
    try {
      return await answer(visit);
    } catch (error) {
      return failure(visit, error);
    }
  }

  async function start(visit: Visit): Promise<Reply> {
    if (visit.request.method === 'POST') return begin(visit);
    const text = visit.query.get('ticket') ?? '';
    if (await isTooOften(text)) return plain(visit, undefined, 429, 'tooOften');
    const step = await tickets.find(text, visit.cookie);
    if (step.kind !== 'found') return refusal(visit, step);
    const { shownName, locale } = step.ticket;
    const say = sayIn(locale).signIn;
    const form = { action: paths.start, fields: { ticket: text }, button: say.continue() };
    const paragraphs = [say.startWho(shownName, service.host), say.startWarning(), say.startNext(service.host)];
    return { show: { status: 200, heading: say.startHeading(), paragraphs, form }, locale };
  }

  async function begin(visit: Visit): Promise<Reply> {
    if (!isOwnForm(visit.request, origin)) {
      if ((await unknown.take('all')) > 0) return plain(visit, undefined, 429, 'tooOften');
      log.warn({ event: 'sign_in', outcome: 'foreignForm' });
      const locale = languageOf(visit.request);
      const say = sayIn(locale).signIn;
      const paragraphs = [say.foreignForm(origin + prefix)];
      return { show: { status: 403, heading: say.foreignFormHeading(), paragraphs }, locale };
    }
    const text = (await readForm(visit.request))?.get('ticket') ?? '';
    if (await isTooOften(text)) return plain(visit, undefined, 429, 'tooOften');
    const step = await tickets.begin(text, visit.cookie);
    if (step.kind !== 'found') return refusal(visit, step);
    const { state, verifier, cookie, ticket } = step;
    const codeChallenge = codeChallengeOf(verifier);
    const redirect = server.authorizeUrl({ state, codeChallenge, redirectUri });
    return { show: { redirect }, locale: ticket.locale, cookie };
  }

  async function callback(visit: Visit): Promise<Reply> {
    const state = visit.query.get('state') ?? '';
    if (await isTooOften(state)) return plain(visit, undefined, 429, 'tooOften');
    const step = await tickets.finish(state, visit.cookie);
    if (step.kind !== 'found') return refusal(visit, step);
    const { ticket, id, verifier } = step;
    const denial = visit.query.get('error');
    if (denial !== null) {
      const isLater = denial === 'temporarily_unavailable' || denial === 'server_error';
      const kind = denial === 'access_denied' ? 'denied' : isLater ? 'down' : 'refused';
      note(ticket, kind);
      return plain(visit, ticket, kind === 'denied' ? 200 : 502, kind);
    }
    const code = visit.query.get('code') ?? '';
    if (code === '' || code.length > longestCode) return plain(visit, ticket, 400, 'invalid');
    try {
      return await connect(ticket, id, code, verifier);
    } catch (error) {
      return failure(visit, error, ticket);
    }
  }

  async function connect(ticket: SignInTicket, id: string, code: string, codeVerifier: string): Promise<Reply> {
    const { person, shownName, locale } = ticket;
    const tokens = await server.exchange({ code, codeVerifier, redirectUri });
    const username = await usernameOf(tokens.accessToken).catch((error: unknown) => {
      // The code was good, so this is no expired sign-in: the service refuses its own token, or it belongs to no user.
      throw isAppError(error, 'unauthorized') ? new AppError('refused', error.message, { cause: error }) : error;
    });
    await storeConnected(person, { username, credential: { kind: 'oauth', ...tokens } });
    note(ticket, 'connected');
    // The account is stored. Whatever fails from here on must not show another page.
    await tickets.connected(id).catch((error: unknown) => log.warn({ event: 'sign_in', outcome: 'notMarked' }, error));
    const say = sayIn(locale).signIn;
    const show: Page = {
      status: 200,
      heading: say.connectedHeading(username),
      paragraphs: [say.connected(shownName)],
      link: linkToSlack(ticket, say),
    };
    return { show, locale, cookie: '' };
  }

  /**
   * Bounds the requests with one ticket or state, which both begin with the id of the sign-in, and all others together. If
   * they shared one bound, anyone could keep everyone from signing in. Comes before anything is stored or logged.
   */
  async function isTooOften(text: string): Promise<boolean> {
    const [id = ''] = text.split('.', 1);
    return ((await tickets.knows(text)) ? await perTicket.take(id) : await unknown.take('all')) > 0;
  }

  function refusal(visit: Visit, { kind, ticket }: { kind: TicketProblem; ticket?: SignInTicket }): Reply {
    log.info({ event: 'sign_in', outcome: kind, userId: ticket?.person.userId });
    return plain(visit, ticket, STATUS[kind], kind);
  }

  function failure(visit: Visit, error: unknown, ticket?: SignInTicket): Reply {
    log.warn({ event: 'sign_in', outcome: 'failed', userId: ticket?.person.userId }, error);
    if (!isAppError(error)) return plain(visit, ticket, 500, 'down');
    const { status, kind } = failurePage(error);
    return plain(visit, ticket, status, kind);
  }

  function note({ person }: SignInTicket, outcome: string): void {
    log.info({ event: 'sign_in', outcome, teamId: person.teamId, userId: person.userId });
  }

  type PlainPage = TicketProblem | 'denied' | 'refused' | 'down' | 'notStored' | 'tooOften';

  /** A page with a heading and one text. */
  function plain(visit: Visit, ticket: SignInTicket | undefined, status: number, kind: PlainPage): Reply {
    const locale = ticket === undefined ? languageOf(visit.request) : ticket.locale;
    const say = sayIn(locale).signIn;
    const show: Page = { status, heading: say[`${kind}Heading`](), paragraphs: [say[kind]()] };
    return { show: ticket === undefined ? show : { ...show, link: linkToSlack(ticket, say) }, locale };
  }

  function send(response: ServerResponse, { show, locale, cookie }: Reply, methods: string[]): void {
    if (cookie !== undefined) response.setHeader('set-cookie', cookieLine(cookie));
    if ('redirect' in show) {
      const headers = { location: show.redirect, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
      response.writeHead(303, headers).end();
      return;
    }
    if (show.status === 405) response.setHeader('allow', methods.join(', '));
    // A request whose body was not read to its end leaves the connection unusable.
    if (show.status >= 400) response.setHeader('connection', 'close');
    const { language } = createFormats(locale);
    const html = pageHtml(show, language, sayIn(locale));
    response.writeHead(show.status, pageHeaders(show, service.origin)).end(html);
  }

  function cookieLine(value: string): string {
    const age = value === '' ? '; Max-Age=0' : '';
    return `${cookieName(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${age}`;
  }
}

/** Opens the workspace in Slack's app (Slack's deep links, `slack://open`). */
function linkToSlack({ person }: SignInTicket, say: Say['signIn']): { href: string; label: string } {
  return { href: `slack://open?${new URLSearchParams({ team: person.teamId })}`, label: say.backToSlack() };
}

function failurePage({ kind }: AppError): { status: number; kind: 'expired' | 'refused' | 'down' | 'notStored' } {
  switch (kind) {
    case 'unauthorized':
      // The service knows the code no more: it expired, or was used.
      return { status: 410, kind: 'expired' };
    case 'refused':
    case 'notFound':
      return { status: 502, kind: 'refused' };
    case 'storage':
    case 'corrupt':
      return { status: 503, kind: 'notStored' };
    default:
      return { status: 502, kind: 'down' };
  }
}
