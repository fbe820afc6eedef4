import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Person, type SignInTicket, signInLifeMs } from '../core/accounts/accounts.ts';
import type { Clock, Records } from '../core/ports.ts';

/** Characters of a name in Slack that a page shows. */
const longestShownName = 80;

/** Why a request can't go on. */
export type TicketProblem = 'invalid' | 'expired' | 'used' | 'otherBrowser';

/** A sign-in that may go on, or why it may not. The ticket is there if it is known, for its language. */
type Step<Found extends object> =
  | ({ kind: 'found'; ticket: SignInTicket } & Found)
  | { kind: TicketProblem; ticket?: SignInTicket };

/** Started sign-ins. Every method throws only `AppError` of kind `storage` or `corrupt`. */
interface Tickets {
  /** Starts a sign-in. Returns the ticket for the address. */
  create(person: Person, shownName: string, locale: string | undefined): Promise<string>;
  /** Whether the app gave out this ticket or state. One read at most. Changes nothing. */
  knows(text: string): Promise<boolean>;
  /** The sign-in of a ticket, for the page that asks whether it is the right person. Changes nothing. */
  find(ticket: string, cookie: string | undefined): Promise<Step<{ id: string }>>;
  /** Binds the sign-in to a browser, if it is not bound to another one, and makes a state for the service. */
  begin(ticket: string, cookie: string | undefined): Promise<Step<{ cookie: string; state: string; verifier: string }>>;
  /** Takes the state that came back from the service. Only one request can take it. */
  finish(state: string, cookie: string | undefined): Promise<Step<{ id: string; verifier: string }>>;
  /** Notes that the account is stored. After that the ticket is used up. */
  connected(id: string): Promise<void>;
}

export function createTickets(records: Records<SignInTicket>, now: Clock): Tickets {
  async function read(text: string): Promise<{ id: string; secret: string; ticket: SignInTicket } | TicketProblem> {
    const [, id = '', secret = ''] = /^([0-9a-f]{32})\.([\w-]{43})$/.exec(text) ?? [];
    if (id === '') return 'invalid';
    const ticket = await records.get(id);
    // A record that storage already removed was started long ago, or never.
    return ticket === undefined ? 'expired' : { id, secret, ticket };
  }

  const tickets: Tickets = {
    async create(person, shownName, locale) {
      const [id, secret] = [newId(), newSecret()];
      const record: SignInTicket = {
        version: 1,
        person,
        shownName: shown(shownName),
        locale,
        secretDigest: digestOf(secret),
        expiresMs: now() + signInLifeMs,
      };
      await records.update(id, () => record);
      return `${id}.${secret}`;
    },

    async knows(text) {
      const found = await read(text);
      if (typeof found === 'string') return false;
      return hasDigest(found.secret, found.ticket.secretDigest) || hasDigest(text, found.ticket.stateDigest);
    },

    async find(text, cookie) {
      const found = await read(text);
      if (typeof found === 'string') return { kind: found };
      const { id, secret, ticket } = found;
      if (!hasDigest(secret, ticket.secretDigest)) return { kind: 'invalid' };
      const problem = problemOf(ticket, cookie, now());
      return problem === undefined ? { kind: 'found', ticket, id } : { kind: problem, ticket };
    },

    async begin(text, given) {
      const found = await tickets.find(text, given);
      if (found.kind !== 'found') return found;
      const isBound = found.ticket.browserDigest !== undefined;
      const cookie = isBound && given !== undefined ? given : newSecret();
      const state = `${found.id}.${newSecret()}`;
      const stored = await records.update(found.id, (ticket = found.ticket) =>
        problemOf(ticket, cookie, now()) === undefined
          ? { ...ticket, browserDigest: digestOf(cookie), stateDigest: digestOf(state) }
          : ticket,
      );
      const problem = problemOf(stored, cookie, now());
      if (problem !== undefined) return { kind: problem, ticket: stored };
      return { kind: 'found', ticket: stored, cookie, state, verifier: codeVerifierOf(cookie, state) };
    },

    async finish(state, cookie) {
      const found = await read(state);
      if (typeof found === 'string') return { kind: found };
      const { id, ticket } = found;
      // The page that says so was loaded again, and its cookie is gone.
      if (ticket.connectedMs !== undefined && hasDigest(state, ticket.stateDigest)) return { kind: 'used', ticket };
      // The browser is checked first: another one learns nothing about the sign-in.
      if (cookie === undefined || !hasDigest(cookie, ticket.browserDigest)) return { kind: 'otherBrowser', ticket };
      const by = newId();
      const stateDigest = digestOf(state);
      const stored = await records.update(id, (current = ticket) =>
        problemOf(current, cookie, now()) === undefined &&
        current.stateDigest === stateDigest &&
        current.claim?.stateDigest !== stateDigest
          ? { ...current, claim: { stateDigest, by } }
          : current,
      );
      if (stored.claim?.by === by) {
        return { kind: 'found', ticket: stored, id, verifier: codeVerifierOf(cookie, state) };
      }
      return { kind: problemOf(stored, cookie, now()) ?? 'used', ticket: stored };
    },

    async connected(id) {
      const known = await records.get(id);
      if (known !== undefined) await records.update(id, (ticket = known) => ({ ...ticket, connectedMs: now() }));
    },
  };
  return tickets;
}

function problemOf(ticket: SignInTicket, cookie: string | undefined, nowMs: number): TicketProblem | undefined {
  if (ticket.connectedMs !== undefined) return 'used';
  if (nowMs >= ticket.expiresMs) return 'expired';
  if (ticket.browserDigest !== undefined && !hasDigest(cookie, ticket.browserDigest)) return 'otherBrowser';
  return undefined;
}

/** A name without control characters and line breaks, so that it can't imitate the words around it. */
function shown(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const short = [...plain].slice(0, longestShownName).join('');
  return short === plain ? plain : `${short}…`;
}

/** A random text of 256 bits that stands in addresses and cookies as it is. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A random text that names a record, and is no secret. */
function newId(): string {
  return randomBytes(16).toString('hex');
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether this text has this digest. Takes equally long for every wrong one. */
function hasDigest(secret: string | undefined, digest: string | undefined): boolean {
  if (secret === undefined || digest === undefined) return false;
  const [a, b] = [Buffer.from(digestOf(secret)), Buffer.from(digest)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The PKCE verifier of a sign-in (RFC 7636). It is computed from the browser's cookie and the state, and stored nowhere,
 * so only the browser that began can finish.
 */
function codeVerifierOf(cookie: string, state: string): string {
  return createHmac('sha256', cookie).update(`code verifier of ${state}`).digest('base64url');
}

/** The S256 challenge of a verifier. */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
