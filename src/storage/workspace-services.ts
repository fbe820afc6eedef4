import { z } from 'zod';
import { Secret } from '../core/secret.ts';
import type { WorkspaceService, WorkspaceServices } from '../core/workspaces/own-service.ts';
import type { KeyRing } from './encryption.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createFormat, type Exactly, type RecordFormat } from './record-format.ts';
import { createSealedRecords, type Rotation, rotateSealed } from './sealed-records.ts';

/** Prefix of the keys of workspaces' services. After it comes the workspace (`T…`) or organization (`E…`). */
const servicePrefix = 'ds:service:';

/** The encryption binds a service to this key. Another form of the key makes stored services unreadable. */
function serviceRecordKey(workspaceId: string): string {
  return `${servicePrefix}${workspaceId}`;
}

const ownService = {
  endpoint: z.string(),
  token: z.string().transform((value) => new Secret(value)),
  username: z.string(),
  sudoUser: z.string().exactOptional(),
  api: z.enum(['auto', '1', '2']),
};

// Objects are loose, so that during a rolling deploy an older process does not drop fields that a newer one added.
const serviceSchema = z.looseObject({
  workspaceId: z.string(),
  current: z.looseObject(ownService).exactOptional(),
  former: z.array(z.looseObject({ ...ownService, untilMs: z.number() })),
  changedMs: z.number(),
});

const plainFormat: RecordFormat<WorkspaceService> = createFormat<WorkspaceService>(
  serviceSchema satisfies Exactly<typeof serviceSchema, WorkspaceService>,
);

/** Stores workspaces' services on either engine, the whole record encrypted. They have no expiry. */
export function createWorkspaceServices(kv: KeyValueStore, keyRing: KeyRing): WorkspaceServices {
  const records = createSealedRecords(kv, keyRing, plainFormat);
  return {
    get: (workspaceId) => records.get(serviceRecordKey(workspaceId)),
    update: (workspaceId, change) => records.update(serviceRecordKey(workspaceId), change),
    remove: async (workspaceId) => void (await kv.delete(serviceRecordKey(workspaceId))),
    ids: () => listed(kv),
  };
}

/** Encrypts every service with the first key, as {@link rotateSealed} does. */
export async function rotateServiceKeys(kv: KeyValueStore, keyRing: KeyRing): Promise<Rotation> {
  return rotateSealed(kv, keyRing, (await listed(kv)).map(serviceRecordKey));
}

async function listed(kv: Pick<KeyValueStore, 'keys'>): Promise<string[]> {
  const ids = new Set<string>();
  for await (const key of kv.keys(servicePrefix)) ids.add(key.slice(servicePrefix.length));
  return [...ids];
}
