import { type AppError, isAppError, isTransient } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { within } from '../within.ts';
import { localeIn, readPerson, type SlackUser } from './users.ts';

/** How old the list may be before it is read anew, and before it is not believed any more. */
const refreshMs = 15 * 60 * 1000;
const trustMs = 20 * 60 * 1000;

/** People per page, and pages: a workspace with more has no directory here. */
const pageSize = 500;
const mostPages = 100;

export interface Directory {
  /** Undefined where the person is not listed, or there is no list. */
  find(userId: string): SlackUser | undefined;
  /** Slack told who somebody is now, listed or being listed; without a person, they are not listed any more. */
  note(userId: string, person: SlackUser | undefined): void;
  /** `reading`: a list is on its way, and there is none that is new enough. `none`: Slack gives none, or it would be too long. */
  state(): 'reading' | 'ready' | 'none';
  /** Reads the list where it is due, as far as Slack's limits allow now; the next call goes on from there. */
  tend(): Promise<void>;
  /** Resolves when the first list is read or given up, at the latest after `ms`. */
  settled(ms: number): Promise<void>;
}

interface Reading {
  people: Map<string, SlackUser>;
  /** Changes since it began, which its pages may be older than. */
  noted: Map<string, SlackUser | undefined>;
  pages: number;
  cursor: string | undefined;
}

/**
 * Everybody in the workspace by `users.list`, read in the background: so that the guests among hundreds of members of a
 * channel are found without a call for each.
 */
export function createDirectory(options: { slack: SlackApi; log: Log; now: Clock }): Directory {
  const { slack, log, now } = options;
  let list: { people: Map<string, SlackUser>; readMs: number } | undefined;
  let reading: Reading | undefined;
  /** Without a list: when it is asked for again. */
  let noneUntilMs = 0;
  let tending: Promise<void> | undefined;
  let settle: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    settle = resolve;
  });

  return { find, note, state, tend, settled };

  function find(userId: string): SlackUser | undefined {
    return state() === 'ready' ? list?.people.get(userId) : undefined;
  }

  function note(userId: string, person: SlackUser | undefined): void {
    if (list !== undefined) apply(list.people, userId, person);
    reading?.noted.set(userId, person);
  }

  function state(): 'reading' | 'ready' | 'none' {
    if (list !== undefined && now() - list.readMs < trustMs) return 'ready';
    return noneUntilMs > now() ? 'none' : 'reading';
  }

  function tend(): Promise<void> {
    tending ??= goOn().finally(() => {
      tending = undefined;
    });
    return tending;
  }

  async function settled(ms: number): Promise<void> {
    await within(first, ms);
  }

  async function goOn(): Promise<void> {
    if (noneUntilMs > now()) return;
    if (list !== undefined && now() - list.readMs < refreshMs) return;
    const current = reading ?? { people: new Map(), noted: new Map(), pages: 0, cursor: undefined };
    reading = current;
    try {
      await readOn(current);
    } catch (error) {
      if (!isAppError(error)) throw error;
      failed(error);
    }
  }

  async function readOn(current: Reading): Promise<void> {
    do {
      if (current.pages >= mostPages) {
        log.warn({ event: 'directory_too_large', people: current.people.size });
        return giveUp(Number.POSITIVE_INFINITY);
      }
      const { cursor } = current;
      const page = await slack.call(
        'users.list',
        { limit: pageSize, include_locale: true, ...(cursor === undefined ? {} : { cursor }) },
        { priority: 'private' },
      );
      for (const raw of page.members ?? []) {
        const person = readPerson(raw, slack.identity);
        // Who that is may be told when asked for alone.
        if (person !== undefined && person.kind !== 'unknown') current.people.set(person.userId, person);
      }
      current.pages += 1;
      current.cursor = page.response_metadata?.next_cursor || undefined;
    } while (current.cursor !== undefined);
    for (const [userId, person] of current.noted) apply(current.people, userId, person);
    list = { people: current.people, readMs: now() };
    reading = undefined;
    log.debug({ event: 'directory_read', people: current.people.size, pages: current.pages });
    settle();
  }

  /** Where Slack asks to wait, the next call goes on with the same page; a cursor it does not know any more begins anew. */
  function failed(error: AppError): void {
    if (isTransient(error)) {
      log.debug({ event: 'directory_waits', kind: error.kind });
      return;
    }
    reading = undefined;
    if (isTokenRefused(error) || error.code === 'invalid_cursor') return;
    log.warn({ event: 'directory_not_read', kind: error.kind, code: error.code }, error);
    giveUp(now() + refreshMs);
  }

  function giveUp(untilMs: number): void {
    reading = undefined;
    noneUntilMs = untilMs;
    settle();
  }
}

/** With a change Slack tells no language. */
function apply(people: Map<string, SlackUser>, userId: string, person: SlackUser | undefined): void {
  const known = people.get(userId);
  if (known === undefined) return;
  if (person === undefined) people.delete(userId);
  else people.set(userId, { ...localeIn(known), ...person });
}
