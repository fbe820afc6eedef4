import { z } from 'zod';
import { defineRecord, type RecordOf } from '../record.ts';

/** How long a person may take to sign in, in milliseconds. */
export const signInLifeMs = 10 * 60 * 1_000;

/**
 * A started sign-in. It belongs to one person in Slack and to the browser that continued first. Contains digests of all
 * secrets, so a copy of the storage is of no use to sign in.
 */
export const signInTicketType = defineRecord({
  key: (id) => `ds:sign-in:${id}`,
  ttlMs: signInLifeMs,
  schema: z.looseObject({
    version: z.literal(1),
    person: z.looseObject({ teamId: z.string(), userId: z.string() }),
    /** The person's name in Slack, as the page shows it. */
    shownName: z.string(),
    locale: z.string().exactOptional(),
    /** Digest of the secret part of the ticket in the address. */
    secretDigest: z.string(),
    expiresMs: z.number(),
    /** Digest of the cookie of the browser that continued first. */
    browserDigest: z.string().exactOptional(),
    /** Digest of the newest state that was sent to the service. */
    stateDigest: z.string().exactOptional(),
    /** Which request came back with this state first. It alone goes on. */
    claim: z.looseObject({ stateDigest: z.string(), by: z.string() }).exactOptional(),
    connectedMs: z.number().exactOptional(),
  }),
});
export type SignInTicket = RecordOf<typeof signInTicketType>;
