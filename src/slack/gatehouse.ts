import type { WebClient } from '@slack/web-api';
import type { Clock, Journal } from '../core/ports.ts';
import { type Access, type AccessSettings, createAccess } from './access.ts';
import { type Audiences, createAudiences } from './audience.ts';
import { type Channels, createChannels } from './channels.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createPeople, type People } from './people.ts';
import type { Through } from './through.ts';
import type { Identity } from './web-client.ts';

/** Who people are, what channels are, who is in them, and who may ask where. */
export interface Gatehouse {
  people: People;
  channels: Channels;
  audiences: Audiences;
  access: Access;
  directory: Directory;
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
  return { people, channels, audiences, access, directory };
}
