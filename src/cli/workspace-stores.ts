import { parseEncryptionKeys } from '../config.ts';
import { isAppError } from '../core/errors.ts';
import { shownLine } from '../core/shown-line.ts';
import type { Installations } from '../core/workspaces/installations.ts';
import type { WorkspaceServices } from '../core/workspaces/own-service.ts';
import { createKeyRing } from '../storage/encryption.ts';
import { createInstallations } from '../storage/installations.ts';
import type { EngineStore } from '../storage/key-value-store.ts';
import { openStoreBeside } from '../storage/open-storage.ts';
import { createWorkspaceServices } from '../storage/workspace-services.ts';
import { type Environment, quietLog, storageLocation, writeOutput } from './program.ts';

/** What the storage has of workspaces. */
export interface WorkspaceStores {
  store: EngineStore;
  installations: Installations;
  workspaceServices: WorkspaceServices;
}

/** Opens the records beside the app. Throws `ConfigError` without keys. */
export async function withStores<Result>(
  environment: Environment,
  work: (stores: WorkspaceStores) => Promise<Result>,
): Promise<Result> {
  const keyRing = createKeyRing(parseEncryptionKeys(environment));
  const store = await openStoreBeside(storageLocation(environment), { clock: Date.now, log: quietLog });
  try {
    const installations = createInstallations(store, keyRing);
    return await work({ store, installations, workspaceServices: createWorkspaceServices(store, keyRing) });
  } finally {
    await store.close();
  }
}

/** Reads a record. Undefined if there is none, and `unreadable` if no key decrypts it. */
export async function readSealed<T>(reading: Promise<T | undefined>): Promise<T | 'unreadable' | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return 'unreadable';
  }
}

export function print(...lines: string[]): void {
  writeOutput(lines.map((line) => `${shownLine(line)}\n`).join(''), undefined);
}
