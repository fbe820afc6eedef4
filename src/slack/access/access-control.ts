import { z } from 'zod';
import type { ChannelRules, ChannelSettings } from '../../core/channels/channel-settings.ts';
import { createPendingAudit, type PendingAudit } from '../../core/channels/pending-audit.ts';
import type { AuditLog } from '../../core/history/audit.ts';
import type { Clock, Log, Records } from '../../core/ports.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type Admins, createAdmins } from './admins.ts';
import { type Audiences, createAudiences } from './audience.ts';
import { type ChosenRules, createChannelRules, createChosenRules } from './channel-rules.ts';
import { type Channels, createChannels } from './channels.ts';
import { createDepartureCheck, createDepartures, type Departures } from './departures.ts';
import { createMemberships, type Memberships } from './membership.ts';
import { type AccessSettings, createAccessPolicy, type SlackAccessPolicy } from './policy.ts';
import { createDirectory, type Directory } from './user-directory.ts';
import { createUsers, readPerson, type Users } from './users.ts';

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
  pendingAudit: PendingAudit;
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
  audit: Pick<AuditLog, 'note'>;
  log: Log;
  now: Clock;
}): AccessControl {
  const { slack, settings, channelSettings: records, audit, log } = options;
  const { identity } = slack;
  const directory = createDirectory(options);
  const { note, listen } = createDepartures();
  const people = createUsers({ ...options, listed: directory.find, found: note });
  const channels = createChannels(options);
  const audiences = createAudiences({ ...options, people, channels, directory });
  const memberships = createMemberships({ slack, people });
  const pendingAudit = createPendingAudit({ records, audit, log });
  const chosenRules = createChosenRules({ records, pendingAudit, log });
  const access = createAccessPolicy({ people, channels, audiences, identity, settings, chosen: chosenRules, log });
  const channelRules = createChannelRules({ ...options, chosen: chosenRules, records });
  const departures = { listen, check: createDepartureCheck({ people, directory, note, log: options.log }) };
  const admins = createAdmins({ people, listed: settings.admins ?? [] });
  return {
    ...{ people, channels, audiences, memberships, access, chosenRules, channelRules, pendingAudit, admins },
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
