import { z } from 'zod';
import { AppError, isAppError, isTransient } from '../../core/errors.ts';
import { sharing, within } from '../../core/pacing.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isOrganization } from '../../core/workspaces/installations.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { Identity, SlackApi } from '../api/slack-api.ts';
import { readableText } from '../content/incoming-text.ts';
import {
  directoryRefreshMs,
  directoryTrustMs,
  localePatienceMs,
  mostPeopleCached,
  mostPeoplePages,
  mostTeamPages,
  peoplePerPage,
  personCachedMs,
  teamsPerPage,
} from '../settings.ts';
import { createBriefCache } from './brief-cache.ts';

/** What a person is to the app's workspace. `unknown`: Slack said too little, and no one is a member by default. */
export type PersonKind = 'member' | 'guest' | 'outsider' | 'bot' | 'gone' | 'unknown';

export interface SlackUser {
  userId: string;
  /** The name that others see, or the id when Slack gives no name. */
  name: string;
  /** As Slack names it (`de-DE`). */
  locale?: string;
  /** IANA name. */
  timeZone?: string;
  /** The person's organization, or their workspace where there is no organization. */
  organizationId?: string;
  kind: PersonKind;
  /** A workspace admin or owner. */
  isAdmin?: true;
}

export interface Users {
  /** Throws `AppError` when Slack does not answer, or does not know the person. `sinceMs`: as in `AccessPolicy`. */
  person(userId: string, sinceMs?: number): Promise<SlackUser>;
  /** Updates a cached person. Without a `person`, Slack is asked again the next time. */
  note(userId: string, person: SlackUser | undefined): void;
}

const text = z.string().min(1).transform(readableText).optional().catch(undefined);
/**
 * When a flag is not a boolean, the whole object counts as unreadable, because the flag may be the one that matters.
 */
const flag = z.boolean().optional();
/** A flag that gives a right. Anything but true gives none. */
const right = z.literal(true).optional().catch(undefined);

/** What is read of a user object (docs.slack.dev/reference/objects/user-object). Any field may be missing. */
const userObject = z.object({
  id: z.string().min(1),
  team_id: text,
  name: text,
  real_name: text,
  locale: text,
  tz: text,
  deleted: flag,
  is_bot: flag,
  is_workflow_bot: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  is_stranger: flag,
  is_admin: right,
  is_owner: right,
  is_primary_owner: right,
  profile: z.object({ display_name: text, real_name: text }).optional().catch(undefined),
  enterprise_user: z.object({ enterprise_id: text }).optional().catch(undefined),
});

type UserObject = z.infer<typeof userObject>;

type Home = Pick<Identity, 'teamId' | 'enterpriseId' | 'isStandIn'>;

/** Looks people up, by one `users.info` per person and five minutes. */
export function createUsers(options: {
  slack: SlackApi;
  /** A person known without a call, for when Slack's limits leave no room for one. */
  listed: (userId: string) => SlackUser | undefined;
  /** Gets every person that is looked up. */
  found?: (person: SlackUser) => void;
  now: Clock;
}): Users {
  const { slack, listed, found = () => undefined, now } = options;
  const memory = createBriefCache({ keepMs: personCachedMs, most: mostPeopleCached, now, load });

  return { person: memory.get, note };

  /** An event about a change has no language, so the known one is kept. People who are not cached are left out. */
  function note(userId: string, person: SlackUser | undefined): void {
    memory.change(userId, (known) =>
      known === undefined || person === undefined ? undefined : inKnownLanguage(person, known),
    );
  }

  async function load(user: string, sinceMs: number | undefined): Promise<SlackUser> {
    const person = await lookUp(user, sinceMs);
    found(person);
    return person;
  }

  async function lookUp(user: string, sinceMs: number | undefined): Promise<SlackUser> {
    try {
      const reply = await slack.call('users.info', { user, include_locale: true }, { priority: 'private' });
      const person = readPerson(reply.user, slack.identity);
      if (person?.userId !== user) throw new AppError('refused', 'users.info: names no user', { code: 'unreadable' });
      return person;
    } catch (error) {
      // The list may be minutes old.
      const person = isAppError(error, 'rateLimited') && sinceMs === undefined ? listed(user) : undefined;
      if (person === undefined) throw error;
      return person;
    }
  }
}

/** The language of a reader. Undefined when Slack does not tell it in time. Never throws. */
export async function localeOf(people: Pick<Users, 'person'>, userId: string): Promise<string | undefined> {
  const asked = people.person(userId).then(
    ({ locale }) => locale,
    () => undefined,
  );
  return within(asked, localePatienceMs);
}

/** A person as an event tells of them, in the known language where the event has none. */
function inKnownLanguage(person: SlackUser, known: SlackUser): SlackUser {
  return { ...person, locale: person.locale ?? known.locale };
}

/** Reads a user object of Slack. Undefined when it is not one. */
export function readPerson(raw: unknown, home: Home): SlackUser | undefined {
  const parsed = userObject.safeParse(raw);
  if (!parsed.success) return undefined;
  const user = parsed.data;
  const { id: userId, profile, locale, tz } = user;
  const organizationId = user.enterprise_user?.enterprise_id ?? user.team_id;
  const kind = kindOf(user, home);
  const isAdmin = user.is_admin ?? user.is_owner ?? user.is_primary_owner;
  return {
    userId,
    name: profile?.display_name ?? user.real_name ?? profile?.real_name ?? user.name ?? userId,
    locale,
    timeZone: tz,
    organizationId,
    kind,
    ...(isAdmin === true && kind === 'member' ? { isAdmin } : {}),
  };
}

/**
 * Slack sends `is_stranger` only for outsiders, and not for all of them, so it proves an outsider and never a member.
 * For people of the workspace Slack sends both flags of guests: when one is missing, the person might be a guest.
 */
function kindOf(user: UserObject, home: Home): PersonKind {
  if (user.deleted === true) return 'gone';
  if (user.is_bot === true || user.is_workflow_bot === true) return 'bot';
  const belongs = belongsHome(user, home);
  if (user.is_stranger === true || belongs === false) return 'outsider';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  if (belongs === undefined) return 'unknown';
  const isTold = user.is_restricted === false && user.is_ultra_restricted === false;
  return isTold || home.isStandIn === true ? 'member' : 'unknown';
}

/** Whether the person belongs to the app's workspace or organization. Undefined when Slack does not say. */
function belongsHome({ team_id: teamId, enterprise_user: enterprise }: UserObject, home: Home): boolean | undefined {
  if (teamId === home.teamId) return true;
  const enterpriseId = enterprise?.enterprise_id;
  if (home.enterpriseId !== undefined && enterpriseId === home.enterpriseId) return true;
  return teamId === undefined && enterpriseId === undefined ? undefined : false;
}

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
