import { z } from 'zod';
import { Secret } from '../../../src/core/secret.ts';
import type { StorageLocation } from '../../../src/storage/open-storage.ts';

const schema = z.object({
  place: z.string(),
  encryptionKey: z.string(),
  person: z.object({ teamId: z.string(), userId: z.string() }),
  serviceUrl: z.string(),
  oauth: z.object({
    clientId: z.string(),
    clientSecret: z.string(),
    authorizeUrl: z.string(),
    tokenUrl: z.string(),
  }),
  leaseMs: z.number(),
});

/** How a process uses a person's account, in the form of an argument. */
export type WrittenRefreshPlan = z.output<typeof schema>;

/** Reads the argument of a process that uses a person's account. */
export function refreshPlan(argument: string | undefined) {
  const { place, encryptionKey, ...plan } = schema.parse(JSON.parse(argument ?? ''));
  const location: StorageLocation = place.startsWith('redis:') ? { redisUrl: place } : { dataDir: place };
  return { ...plan, location, encryptionKeys: [{ id: 'first', key: new Secret(encryptionKey) }] };
}
