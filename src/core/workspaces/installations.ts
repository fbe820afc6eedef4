import { z } from 'zod';
import { type Read, secret } from '../record.ts';

/** The app in one workspace, or in all workspaces of an organization, as Slack's OAuth flow returned it. */
export const installationSchema = z.looseObject({
  /** `T…`, or `E…` if an organization installed the app. Every stored record of its people carries this id. */
  workspaceId: z.string(),
  /** The name of the workspace or organization. */
  name: z.string().exactOptional(),
  /** The organization that the workspace belongs to, on Enterprise Grid. */
  enterpriseId: z.string().exactOptional(),
  /** The workspace's own address, which ends with a slash. */
  url: z.string().exactOptional(),
  botUserId: z.string(),
  botId: z.string().exactOptional(),
  /** The bot token. */
  token: secret,
  /** Present where Slack rotates the app's tokens. It works once. */
  refreshToken: secret.exactOptional(),
  expiresAtMs: z.number().exactOptional(),
  /** From when on the token is refreshed. */
  refreshAtMs: z.number().exactOptional(),
  scopes: z.array(z.string()),
  /** A later installation has a later time. */
  installedMs: z.number(),
});
export type Installation = Read<typeof installationSchema>;

/**
 * Stored installations, at most one for each workspace or organization, encrypted. Throws `AppError` of kind `storage`, or
 * `corrupt` for a record that none of the configured keys decrypts.
 */
export interface Installations {
  get(workspaceId: string): Promise<Installation | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once. If it returns the same object, nothing is
   * stored. If it returns undefined, the installation is removed. Returns the stored installation after that.
   */
  update(
    workspaceId: string,
    change: (current: Installation | undefined) => Installation | undefined,
  ): Promise<Installation | undefined>;
  /** Stores an installation in place of what is stored, also of what can't be decrypted. */
  replace(installation: Installation): Promise<void>;
  /** Every workspace and organization with an installation, in no particular order. */
  ids(): Promise<string[]>;
}

/** Whether an organization installed the app for its workspaces. */
export function isOrganization(workspaceId: string): boolean {
  return workspaceId.startsWith('E');
}
