import { z } from 'zod';
import { AppError, isAppError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Identity } from '../api/identity.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { readableText } from '../incoming-text.ts';
import { within } from '../within.ts';
import { createBriefCache } from './brief-cache.ts';

/** How long it is remembered who someone is, and of how many people. */
const rememberMs = 5 * 60 * 1000;
const mostRemembered = 5_000;

/** What someone is to the workspace of the app. `unknown`: Slack told too little; nobody is a member by default. */
export type PersonKind = 'member' | 'guest' | 'outsider' | 'bot' | 'gone' | 'unknown';

export interface SlackUser {
  userId: string;
  /** As others see it; the id where Slack tells no name. */
  name: string;
  /** As Slack names it (`de-DE`). */
  locale?: string;
  /** IANA name. */
  timeZone?: string;
  /** The organization, else the workspace, somebody belongs to. */
  organizationId?: string;
  kind: PersonKind;
}

export interface Users {
  /** Throws `AppError` when Slack can't be asked, or knows no such person. */
  person(userId: string): Promise<SlackUser>;
  /** Slack told who somebody is now; without a person, they are asked about again. */
  note(userId: string, person: SlackUser | undefined): void;
}

/** How long a private word waits to learn its reader's language. */
const localePatienceMs = 300;

const text = z.string().min(1).transform(readableText).optional().catch(undefined);
/** A flag that is no flag makes the whole object unreadable: what it hides may be what matters. */
const flag = z.boolean().optional();

/** What is read of a user object (docs.slack.dev/reference/objects/user-object); anything of it may be missing. */
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
  profile: z.object({ display_name: text, real_name: text }).optional().catch(undefined),
  enterprise_user: z.object({ enterprise_id: text }).optional().catch(undefined),
});

type UserObject = z.infer<typeof userObject>;

type Home = Pick<Identity, 'teamId' | 'enterpriseId' | 'isStandIn'>;

/** Who people are, one `users.info` each, remembered for five minutes. */
export function createUsers(options: {
  slack: SlackApi;
  /** Who is known without a call: taken while limits hold back calls. */
  listed: (userId: string) => SlackUser | undefined;
  now: Clock;
}): Users {
  const { slack, listed, now } = options;
  const memory = createBriefCache({ keepMs: rememberMs, most: mostRemembered, now, load });

  return { person: memory.get, note };

  /** With a change Slack tells no language. Whom nobody asked about lately is not worth remembering. */
  function note(userId: string, person: SlackUser | undefined): void {
    memory.change(userId, (known) =>
      known === undefined || person === undefined ? undefined : { ...localeIn(known), ...person },
    );
  }

  async function load(user: string): Promise<SlackUser> {
    try {
      const reply = await slack.call('users.info', { user, include_locale: true }, { priority: 'private' });
      const person = readPerson(reply.user, slack.identity);
      if (person?.userId !== user) throw new AppError('refused', 'users.info: tells of nobody', { code: 'unreadable' });
      return person;
    } catch (error) {
      const person = isAppError(error, 'rateLimited') ? listed(user) : undefined;
      if (person === undefined) throw error;
      return person;
    }
  }
}

/** The language of whoever reads; undefined where Slack does not tell it within a moment. Never throws. */
export async function localeOf(people: Pick<Users, 'person'>, userId: string): Promise<string | undefined> {
  const asked = people.person(userId).then(
    ({ locale }) => locale,
    () => undefined,
  );
  return within(asked, localePatienceMs);
}

/** The language alone, to be laid under what is told without one. */
export function localeIn({ locale }: SlackUser): { locale?: string } {
  return locale === undefined ? {} : { locale };
}

/** Reads a user object as Slack tells it; undefined for anything else. */
export function readPerson(raw: unknown, home: Home): SlackUser | undefined {
  const parsed = userObject.safeParse(raw);
  if (!parsed.success) return undefined;
  const user = parsed.data;
  const { id: userId, profile, locale, tz } = user;
  const organizationId = user.enterprise_user?.enterprise_id ?? user.team_id;
  return {
    userId,
    name: profile?.display_name ?? user.real_name ?? profile?.real_name ?? user.name ?? userId,
    ...(locale === undefined ? {} : { locale }),
    ...(tz === undefined ? {} : { timeZone: tz }),
    ...(organizationId === undefined ? {} : { organizationId }),
    kind: kindOf(user, home),
  };
}

/**
 * `is_stranger` is told of outsiders only, and not of all of them, so it proves an outsider and never a member. Of
 * everybody in the workspace Slack tells both flags of guests: where one is left out, that person might be a guest.
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

/** In an organization of several workspaces, people of all of them are its own. Undefined: Slack does not say. */
function belongsHome({ team_id: teamId, enterprise_user: enterprise }: UserObject, home: Home): boolean | undefined {
  if (teamId === home.teamId) return true;
  const enterpriseId = enterprise?.enterprise_id;
  if (home.enterpriseId !== undefined && enterpriseId === home.enterpriseId) return true;
  return teamId === undefined && enterpriseId === undefined ? undefined : false;
}
