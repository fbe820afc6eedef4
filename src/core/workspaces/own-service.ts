import type { Secret } from '../secret.ts';
import { formerServiceMs } from '../settings.ts';

/** A code search service that a workspace asks instead of the app's own one. */
export interface OwnService {
  /** Without a slash at the end. */
  endpoint: string;
  token: Secret;
  /** Whose account at the service that is. Empty if the service does not tell. */
  username: string;
  /** Present if the token acts as this user (`token-sudo`). */
  sudoUser?: string;
  /** As in the setting `SRC_API`. */
  api: 'auto' | '1' | '2';
}

/** Which service a workspace asks. */
export interface WorkspaceService {
  workspaceId: string;
  /** Absent: the app's own one. */
  current?: OwnService;
  /** The ones before, for what was asked there, and when each was replaced. */
  former: (OwnService & { untilMs: number })[];
  /** When this changed last. Each change has a later time. */
  changedMs: number;
}

/**
 * Stored services, at most one record for each workspace or organization, encrypted. Throws `AppError` of kind `storage`,
 * or `corrupt` for a record that none of the configured keys decrypts.
 */
export interface WorkspaceServices {
  get(workspaceId: string): Promise<WorkspaceService | undefined>;
  /** As `Installations.update`. */
  update(
    workspaceId: string,
    change: (current: WorkspaceService | undefined) => WorkspaceService | undefined,
  ): Promise<WorkspaceService | undefined>;
  /** Removes a record, also one that can't be decrypted. */
  remove(workspaceId: string): Promise<void>;
  /** Every workspace and organization with a record, in no particular order. */
  ids(): Promise<string[]>;
}

/**
 * Whether both name the same account at the same service. Their tokens may differ, unless the service does not tell whose
 * they are: then another token may be another account.
 */
export function isSameAccount(one: OwnService, other: OwnService): boolean {
  if (one.endpoint !== other.endpoint || one.username !== other.username) return false;
  const isTold = one.username !== '';
  return isTold || (one.token.reveal() === other.token.reveal() && one.sudoUser === other.sudoUser);
}

/**
 * The record after a workspace changed to a service, or to the app's own one. What it asked at the service before ends
 * there, with the token of that time. Another token of the same account is no other service.
 */
export function withService(
  workspaceId: string,
  stored: WorkspaceService | undefined,
  next: OwnService | undefined,
  nowMs: number,
): WorkspaceService | undefined {
  const { current, former = [], changedMs = 0 } = stored ?? {};
  if (stored === undefined && next === undefined) return undefined;
  const left = current === undefined ? [] : [{ ...current, untilMs: nowMs }];
  const before = [...left, ...former].filter((each) => next === undefined || !isSameAccount(each, next));
  return {
    workspaceId,
    ...(next === undefined ? {} : { current: next }),
    former: stillNeeded(before, nowMs),
    changedMs: Math.max(nowMs, changedMs + 1),
  };
}

/**
 * The record without services that nothing needs any more. The same object if it has none, and undefined if nothing is
 * left.
 */
export function withoutOldServices(record: WorkspaceService, nowMs: number): WorkspaceService | undefined {
  const former = stillNeeded(record.former, nowMs);
  if (record.current === undefined && former.length === 0) return undefined;
  return former.length === record.former.length ? record : { ...record, former, changedMs: record.changedMs + 1 };
}

function stillNeeded(former: WorkspaceService['former'], nowMs: number): WorkspaceService['former'] {
  return former.filter(({ untilMs }) => nowMs - untilMs < formerServiceMs);
}
