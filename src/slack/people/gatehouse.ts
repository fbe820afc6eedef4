import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Clock, Journal } from '../../core/ports.ts';
import type { Through } from '../calls/through.ts';
import type { Identity } from '../calls/web-client.ts';
import { type Access, type AccessSettings, createAccess } from './access.ts';
import { type Audiences, createAudiences } from './audience.ts';
import { type Channels, createChannels } from './channels.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createPeople, type People, readPerson } from './people.ts';

const someone = z.object({ id: z.string().min(1) });

/** Who people are, what channels are, who is in them, and who may ask where. */
export interface Gatehouse {
  people: People;
  channels: Channels;
  audiences: Audiences;
  access: Access;
  directory: Directory;
  /** Slack told of somebody who changed: `raw` is its user object. */
  noteChanged(raw: unknown): void;
}

export function createGatehouse(options: {
  client: WebClient;
  through: Through;
  identity: Identity;
  settings: AccessSettings;
  journal: Journal;
  now: Clock;
}): Gatehouse {
  const { identity, settings, journal } = options;
  const directory = createDirectory(options);
  const people = createPeople({ ...options, listed: directory.find });
  const channels = createChannels(options);
  const audiences = createAudiences({ ...options, people, channels, directory });
  const access = createAccess({ people, channels, audiences, identity, settings, journal });
  return { people, channels, audiences, access, directory, noteChanged };

  /** Of whom Slack tells too little with it, it is asked. */
  function noteChanged(raw: unknown): void {
    const changed = someone.safeParse(raw);
    if (!changed.success) return;
    const { id } = changed.data;
    const person = readPerson(raw, identity);
    const known = person?.kind === 'unknown' ? undefined : person;
    people.note(id, known);
    directory.note(id, known);
  }
}
