import { isTrue, listed, type Methods, refused } from './wire.ts';

export const appId = 'A0APP';

/** The person in whose name Slack itself speaks. */
export const slackbot = 'USLACKBOT';

export const team = {
  id: 'T0FAKE',
  name: 'Acme',
  botUserId: 'U0BOT',
  botId: 'B0BOT',
  botToken: 'xoxb-fake-token',
  appToken: 'xapp-fake-token',
  signingSecret: 'local-slack-signing-secret',
};

/**
 * The people of the workspace: `ada` and `bob` are full members, `gerd` is a full member who reads German, `mia` a guest
 * in several channels, `uma` a guest in one channel, `olga` belongs to another organization, `otto` is deactivated,
 * `robo` is another app.
 */
export const people = {
  ada: 'U0ADA',
  bob: 'U0BOB',
  gerd: 'U0GERD',
  mia: 'U0MIA',
  uma: 'U0UMA',
  olga: 'U0OLGA',
  otto: 'U0OTTO',
  robo: 'U0ROBO',
};

/** The organization that `C0SHARED` is shared with. */
export const otherTeamId = 'T0OTHER';

/** A person as Slack returns them; tests may change fields. `locale` is returned only on request. */
export interface SlackPerson {
  id: string;
  name: string;
  real_name?: string;
  team_id: string;
  locale: string;
  tz: string;
  tz_offset: number;
  deleted?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  is_bot?: boolean;
  is_admin?: boolean;
  is_owner?: boolean;
  is_stranger?: boolean;
  enterprise_user?: Record<string, unknown>;
}

function person(id: string, name: string, more: Partial<SlackPerson> = {}): SlackPerson {
  return { id, name, team_id: team.id, locale: 'en-US', tz: 'America/Los_Angeles', tz_offset: -28_800, ...more };
}

/** The people of a workspace, and the methods about them. */
export function createUsers() {
  const everyone = new Map(
    [
      person(people.ada, 'ada'),
      person(people.bob, 'bob'),
      person(people.gerd, 'gerd', { locale: 'de-DE', tz: 'Europe/Berlin', tz_offset: 3_600 }),
      person(people.mia, 'mia', { is_restricted: true }),
      person(people.uma, 'uma', { is_restricted: true, is_ultra_restricted: true }),
      person(people.olga, 'olga', { team_id: otherTeamId, is_stranger: false }),
      person(people.otto, 'otto', { deleted: true }),
      person(people.robo, 'robo', { is_bot: true }),
      person(team.botUserId, 'deepsearch', { is_bot: true }),
    ].map((each) => [each.id, each]),
  );

  const methods: Methods = {
    'users.info': (args) => {
      const found = everyone.get(String(args.user));
      if (found === undefined) return refused('user_not_found');
      return { ok: true, user: toApiUser(found, isTrue(args.include_locale)) };
    },
    'usergroups.list': () => ({ ok: true, usergroups: [{ id: 'S0DEV', handle: 'devs', name: 'Developers' }] }),
    'users.list': (args) =>
      listed([...everyone.values()], args, { usual: 200, most: 999 }, (page) => ({
        members: page.map((each) => toApiUser(each, isTrue(args.include_locale))),
        cache_ts: 1_700_000_000,
      })),
  };

  return {
    methods,
    map: everyone,
    find: (id: unknown) => (typeof id === 'string' ? everyone.get(id) : undefined),
    change: (id: string, changes: Partial<SlackPerson>) => {
      everyone.set(id, { ...(everyone.get(id) ?? person(id, id.toLowerCase())), ...changes, id });
    },
  };
}

export type SlackPeople = ReturnType<typeof createUsers>;

/** See docs.slack.dev/reference/objects/user-object: deactivated people have fewer fields. */
function toApiUser(found: SlackPerson, withLocale: boolean): Record<string, unknown> {
  const { id, name, team_id, locale, tz, tz_offset, enterprise_user } = found;
  const profile = {
    real_name: found.real_name ?? `${name[0]?.toUpperCase() ?? ''}${name.slice(1)} Example`,
    display_name: name,
    team: team_id,
    ...(found.is_bot === true ? { bot_id: id === team.botUserId ? team.botId : `B${id.slice(1)}` } : {}),
  };
  const always = { id, team_id, name, profile, is_bot: found.is_bot ?? false, is_app_user: false, updated: 1 };
  if (found.deleted === true) return { ...always, deleted: true };
  return {
    ...always,
    deleted: false,
    real_name: profile.real_name,
    tz,
    tz_label: tz,
    tz_offset,
    is_admin: found.is_admin ?? false,
    is_owner: found.is_owner ?? false,
    is_primary_owner: false,
    is_restricted: found.is_restricted ?? false,
    is_ultra_restricted: found.is_ultra_restricted ?? false,
    ...(found.is_stranger === undefined ? {} : { is_stranger: found.is_stranger }),
    ...(enterprise_user === undefined ? {} : { enterprise_user }),
    ...(withLocale ? { locale } : {}),
  };
}

/** What to say of a person beside the name. */
export function kindOf(person: SlackPerson): 'member' | 'admin' | 'guest' | 'outsider' | 'app' | 'deactivated' {
  if (person.deleted === true) return 'deactivated';
  if (person.is_bot === true) return 'app';
  if (person.team_id !== team.id) return 'outsider';
  if (person.is_restricted === true) return 'guest';
  return person.is_admin === true ? 'admin' : 'member';
}
