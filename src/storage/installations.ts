import { z } from 'zod';
import { Secret } from '../core/secret.ts';
import type { Installation, Installations } from '../core/workspaces/installations.ts';
import type { KeyRing } from './encryption.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createFormat, type Exactly, type RecordFormat } from './record-format.ts';
import { createSealedRecords, type Rotation, rotateSealed } from './sealed-records.ts';

/** Prefix of the keys of installations. After it comes the workspace (`T…`) or organization (`E…`). */
const installationPrefix = 'ds:installation:';

/** The encryption binds an installation to this key. Another form of the key makes stored installations unreadable. */
function installationKey(workspaceId: string): string {
  return `${installationPrefix}${workspaceId}`;
}

const secretSchema = z.string().transform((value) => new Secret(value));

// Objects are loose, so that during a rolling deploy an older process does not drop fields that a newer one added.
const installationSchema = z.looseObject({
  workspaceId: z.string(),
  name: z.string().exactOptional(),
  enterpriseId: z.string().exactOptional(),
  url: z.string().exactOptional(),
  botUserId: z.string(),
  botId: z.string().exactOptional(),
  token: secretSchema,
  refreshToken: secretSchema.exactOptional(),
  expiresAtMs: z.number().exactOptional(),
  refreshAtMs: z.number().exactOptional(),
  scopes: z.array(z.string()),
  installedMs: z.number(),
});

const plainFormat: RecordFormat<Installation> = createFormat<Installation>(
  installationSchema satisfies Exactly<typeof installationSchema, Installation>,
  withoutInstaller,
);

/** Records of earlier versions name the person who installed the app. The next change of such a record erases it. */
function withoutInstaller(stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || !('installedBy' in stored)) return stored;
  const { installedBy: _, ...rest } = stored;
  return rest;
}

/** Stores installations on either engine, the whole record encrypted. They have no expiry. */
export function createInstallations(kv: KeyValueStore, keyRing: KeyRing): Installations {
  const records = createSealedRecords(kv, keyRing, plainFormat);
  return {
    get: (workspaceId) => records.get(installationKey(workspaceId)),
    update: (workspaceId, change) => records.update(installationKey(workspaceId), change),
    replace: (installation) => records.replace(installationKey(installation.workspaceId), installation),
    ids: () => listed(kv),
  };
}

/** Encrypts every installation with the first key, as {@link rotateSealed} does. */
export async function rotateInstallationKeys(kv: KeyValueStore, keyRing: KeyRing): Promise<Rotation> {
  return rotateSealed(kv, keyRing, (await listed(kv)).map(installationKey));
}

async function listed(kv: Pick<KeyValueStore, 'keys'>): Promise<string[]> {
  const ids = new Set<string>();
  for await (const key of kv.keys(installationPrefix)) ids.add(key.slice(installationPrefix.length));
  return [...ids];
}
