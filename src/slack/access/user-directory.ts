import { type AppError, isAppError, isTransient } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { sharing, within } from '../../core/timeout.ts';
import { isOrganization } from '../../core/workspaces/installations.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import {
  directoryRefreshMs,
  directoryTrustMs,
  mostPeoplePages,
  mostTeamPages,
  peoplePerPage,
  teamsPerPage,
} from '../settings.ts';
import { inKnownLanguage, readPerson, type SlackUser } from './users.ts';

export interface Directory {
  /** Undefined when the person is not listed, or when there is no list. */
  find(userId: string): SlackUser | undefined;
  /** Updates a listed person. Without a `person`, the user is taken off the list. */
  note(userId: string, person: SlackUser | undefined): void;
  /** `reading`: the list is being read, and no recent one exists. `none`: Slack gives no list, or it is too long. */
  state(): 'reading' | 'ready' | 'none';
  /** Reads the list when it is due, as far as Slack's limits allow. The next call continues from there. */
  tend(): Promise<void>;
  /** Resolves when the first list is read or given up, or after `ms`. */
  settled(ms: number): Promise<void>;
}

interface Reading {
  /** The workspaces whose lists are still to be read. Undefined stands for the one of the token. */
  teams: (string | undefined)[];
  people: Map<string, SlackUser>;
  /** Changes since the reading began. They can be newer than its pages. */
  noted: Map<string, SlackUser | undefined>;
  pages: number;
  cursor: string | undefined;
}

/**
 * All people of the workspace, or of all workspaces of the organization, by `users.list`, read in the background, so that
 * finding the guests among hundreds of members of a channel does not need one call per person.
 */
export function createDirectory(options: { slack: SlackApi; log: Log; now: Clock }): Directory {
  const { slack, log, now } = options;
  let list: { people: Map<string, SlackUser>; readMs: number } | undefined;
  let reading: Reading | undefined;
  /** When the list is asked for again after it was given up. */
  let noneUntilMs = 0;
  let settle: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    settle = resolve;
  });

  return { find, note, state, tend: sharing(goOn), settled };

  function find(userId: string): SlackUser | undefined {
    return state() === 'ready' ? list?.people.get(userId) : undefined;
  }

  function note(userId: string, person: SlackUser | undefined): void {
    if (list !== undefined) apply(list.people, userId, person);
    reading?.noted.set(userId, person);
  }

  function state(): 'reading' | 'ready' | 'none' {
    if (list !== undefined && now() - list.readMs < directoryTrustMs) return 'ready';
    return noneUntilMs > now() ? 'none' : 'reading';
  }

  async function settled(ms: number): Promise<void> {
    await within(first, ms);
  }

  async function goOn(): Promise<void> {
    if (noneUntilMs > now()) return;
    if (list !== undefined && now() - list.readMs < directoryRefreshMs) return;
    try {
      const teams = isOrganization(slack.identity.teamId) && reading === undefined ? await teamsOf(slack) : [undefined];
      reading ??= { teams, people: new Map(), noted: new Map(), pages: 0, cursor: undefined };
      await readOn(reading);
    } catch (error) {
      if (!isAppError(error)) throw error;
      failed(error);
    }
  }

  async function readOn(current: Reading): Promise<void> {
    while (current.teams.length > 0) {
      if (current.pages >= mostPeoplePages) {
        log.warn({ event: 'directory_too_large', people: current.people.size });
        return giveUp(Number.POSITIVE_INFINITY);
      }
      const { cursor } = current;
      const [team] = current.teams;
      const page = await slack.call(
        'users.list',
        {
          limit: peoplePerPage,
          include_locale: true,
          team_id: team,
          cursor,
        },
        { priority: 'private' },
      );
      for (const raw of page.members ?? []) {
        const person = readPerson(raw, slack.identity);
        // Slack may say more about this person when asked about them alone.
        if (person !== undefined && person.kind !== 'unknown') current.people.set(person.userId, person);
      }
      current.pages += 1;
      current.cursor = page.response_metadata?.next_cursor || undefined;
      if (current.cursor === undefined) current.teams.shift();
    }
    for (const [userId, person] of current.noted) apply(current.people, userId, person);
    list = { people: current.people, readMs: now() };
    reading = undefined;
    log.debug({ event: 'directory_read', people: current.people.size, pages: current.pages });
    settle();
  }

  /** After a wait, the next call continues with the same page. An unknown cursor starts the list again. */
  function failed(error: AppError): void {
    if (isTransient(error)) {
      log.debug({ event: 'directory_waits', kind: error.kind });
      return;
    }
    reading = undefined;
    if (isTokenRefused(error) || error.code === 'invalid_cursor') return;
    log.warn({ event: 'directory_not_read', kind: error.kind, code: error.code }, error);
    giveUp(now() + directoryRefreshMs);
  }

  function giveUp(untilMs: number): void {
    reading = undefined;
    noneUntilMs = untilMs;
    settle();
  }
}

/** The token of an organization lists the people of each of its workspaces alone. */
async function teamsOf(slack: SlackApi): Promise<string[]> {
  const teams: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < mostTeamPages; pages += 1) {
    const page = await slack.call('auth.teams.list', { limit: teamsPerPage, cursor }, { priority: 'private' });
    teams.push(...(page.teams ?? []).flatMap(({ id }) => (id === undefined ? [] : [id])));
    cursor = page.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) break;
  }
  return teams;
}

/** An event about a change has no language, so the known one is kept. */
function apply(people: Map<string, SlackUser>, userId: string, person: SlackUser | undefined): void {
  const known = people.get(userId);
  if (known === undefined) return;
  if (person === undefined) people.delete(userId);
  else people.set(userId, inKnownLanguage(person, known));
}
