import type { Person } from './accounts.ts';

/** How long a person may take to sign in, in milliseconds. */
export const signInLifeMs = 10 * 60 * 1_000;

/**
 * A started sign-in. It belongs to one person in Slack and to the browser that continued first. Contains digests of all
 * secrets, so a copy of the storage is of no use to sign in.
 */
export interface SignInTicket {
  version: 1;
  person: Person;
  /** The person's name in Slack, as the page shows it. */
  shownName: string;
  locale?: string;
  /** Digest of the secret part of the ticket in the address. */
  secretDigest: string;
  expiresMs: number;
  /** Digest of the cookie of the browser that continued first. */
  browserDigest?: string;
  /** Digest of the newest state that was sent to the service. */
  stateDigest?: string;
  /** Which request came back with this state first. It alone goes on. */
  claim?: { stateDigest: string; by: string };
  connectedMs?: number;
}
