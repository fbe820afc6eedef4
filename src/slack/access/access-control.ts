import { z } from 'zod';
import type { ChannelRules, ChannelSettings } from '../../core/channels/channel-settings.ts';
import { isAppError } from '../../core/errors.ts';
import type { Clock, Log, Records } from '../../core/ports.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { mostPeopleLookups } from '../settings.ts';
import { type Audiences, createAudiences } from './audience.ts';
import { type Channels, createChannels } from './channels.ts';
import { createMemberships, type Memberships } from './membership.ts';
import {
  type AccessSettings,
  type ChosenRules,
  createAccessPolicy,
  createChannelRules,
  createChosenRules,
  type SlackAccessPolicy,
} from './policy.ts';
import { createDirectory, createUsers, type Directory, readPerson, type SlackUser, type Users } from './users.ts';

const someone = z.object({ id: z.string().min(1) });

/** Who people are, what channels are, who is in them, and who may ask where. */
export interface AccessControl {
  people: Users;
  channels: Channels;
  audiences: Audiences;
  memberships: Memberships;
  access: SlackAccessPolicy;
  /** What admins chose for channels, and who may change that. */
  chosenRules: ChosenRules;
  channelRules: ChannelRules;
  admins: Admins;
  directory: Directory;
  departures: Pick<Departures, 'listen'> & { check: ReturnType<typeof createDepartureCheck> };
  /** Takes note of a person who changed; `raw` is Slack's user object. */
  noteChanged(raw: unknown): void;
  /** Forgets what kind of channel it is and who is in it. Slack is asked the next time. */
  forgetChannel(channelId: string): void;
}

export function createAccessControl(options: {
  slack: SlackApi;
  settings: AccessSettings & {
    /** Ids of people who may change settings, besides the workspace's own admins. */
    admins?: readonly string[];
  };
  channelSettings: Records<ChannelSettings>;
  log: Log;
  now: Clock;
}): AccessControl {
  const { slack, settings, channelSettings: records, log } = options;
  const { identity } = slack;
  const directory = createDirectory(options);
  const { note, listen } = createDepartures();
  const people = createUsers({ ...options, listed: directory.find, found: note });
  const channels = createChannels(options);
  const audiences = createAudiences({ ...options, people, channels, directory });
  const memberships = createMemberships({ slack, people });
  const chosenRules = createChosenRules({ records, log });
  const access = createAccessPolicy({ people, channels, audiences, identity, settings, chosen: chosenRules, log });
  const channelRules = createChannelRules({ ...options, chosen: chosenRules, records });
  const departures = { listen, check: createDepartureCheck({ people, directory, note, log: options.log }) };
  const admins = createAdmins({ people, listed: settings.admins ?? [] });
  return {
    ...{ people, channels, audiences, memberships, access, chosenRules, channelRules, admins },
    ...{ directory, departures, noteChanged, forgetChannel },
  };

  function forgetChannel(channelId: string): void {
    channels.forget(channelId);
    audiences.forget(channelId);
  }

  /** When the event says too little about a person, Slack is asked the next time. */
  function noteChanged(raw: unknown): void {
    const changed = someone.safeParse(raw);
    if (!changed.success) return;
    const { id } = changed.data;
    const person = readPerson(raw, identity);
    const known = person?.kind === 'unknown' ? undefined : person;
    people.note(id, known);
    directory.note(id, known);
    if (known !== undefined) note(known);
  }
}

/** Is told that a person left, or is no full member any more, perhaps again and again. Returns at once, never throws. */
type DepartureObserver = (userId: string) => void;

/** Passes on that people left the workspace, or became guests or outsiders. */
interface Departures {
  /** Takes note of what Slack says about a person. People of whom it says too little count as still there. */
  note(person: SlackUser): void;
  /** Registers one more observer. */
  listen(observer: DepartureObserver): void;
}

export function createDepartures(): Departures {
  const observers: DepartureObserver[] = [];
  return {
    note({ userId, kind }) {
      if (kind !== 'gone' && kind !== 'guest' && kind !== 'outsider') return;
      for (const observer of observers) observer(userId);
    },
    listen: (observer) => void observers.push(observer),
  };
}

/**
 * Looks at people in case the app missed the event of their departure: in the directory, and at Slack those whom the
 * directory does not list, some of them at each check. `people` notes everyone that it looks up.
 */
export function createDepartureCheck(options: {
  people: Pick<Users, 'person'>;
  directory: Pick<Directory, 'find'>;
  note: Departures['note'];
  log: Log;
}): (userIds: readonly string[]) => Promise<void> {
  const { people, directory, note, log } = options;
  let next = 0;

  return async function check(userIds) {
    const unlisted: string[] = [];
    for (const userId of userIds) {
      const listed = directory.find(userId);
      if (listed === undefined) unlisted.push(userId);
      else note(listed);
    }
    const first = next < unlisted.length ? next : 0;
    const asked = unlisted.slice(first, first + mostPeopleLookups);
    next = first + asked.length;
    for (const userId of asked) {
      try {
        await people.person(userId);
      } catch (error) {
        if (!isAppError(error)) throw error;
        log.debug({ event: 'departure_not_checked', kind: error.kind, userId });
      }
    }
  };
}

/** Who may change this app's settings in a workspace. */
interface Admins {
  /** Throws `AppError` when Slack does not say who the person is. */
  isAdmin(userId: string): Promise<boolean>;
}

/** Admins and owners of the workspace, and the people of the setting `ADMINS` who belong to the workspace. */
export function createAdmins({ people, listed }: { people: Pick<Users, 'person'>; listed: readonly string[] }): Admins {
  return {
    async isAdmin(userId) {
      const { kind, isAdmin } = await people.person(userId);
      if (kind === 'member') return isAdmin === true || listed.includes(userId);
      return kind === 'guest' && listed.includes(userId);
    },
  };
}
