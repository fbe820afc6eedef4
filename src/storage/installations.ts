import { createFormat } from '../core/record.ts';
import { type Installations, installationSchema } from '../core/workspaces/installations.ts';
import type { KeyRing } from './encryption.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createSealedRecords, type Rotation, rotateSealed } from './sealed-records.ts';

/** Prefix of the keys of installations. After it comes the workspace (`T…`) or organization (`E…`). */
const installationPrefix = 'ds:installation:';

/** The encryption binds an installation to this key. Another form of the key makes stored installations unreadable. */
function installationKey(workspaceId: string): string {
  return `${installationPrefix}${workspaceId}`;
}

/** Stores installations on either engine, the whole record encrypted. They have no expiry. */
export function createInstallations(kv: KeyValueStore, keyRing: KeyRing): Installations {
  const records = createSealedRecords(kv, keyRing, createFormat(installationSchema));
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
