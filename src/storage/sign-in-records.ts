import { z } from 'zod';
import { type SignInTicket, signInLifeMs } from '../core/accounts/sign-in-ticket.ts';
import { createFormat, type Exactly } from './record-format.ts';
import type { RecordType } from './records.ts';

const signInTicketSchema = z.looseObject({
  version: z.literal(1),
  person: z.looseObject({ teamId: z.string(), userId: z.string() }),
  shownName: z.string(),
  locale: z.string().exactOptional(),
  secretDigest: z.string(),
  expiresMs: z.number(),
  browserDigest: z.string().exactOptional(),
  stateDigest: z.string().exactOptional(),
  claim: z.looseObject({ stateDigest: z.string(), by: z.string() }).exactOptional(),
  connectedMs: z.number().exactOptional(),
});

export const signInTicketType: RecordType<SignInTicket> = {
  key: (id) => `ds:sign-in:${id}`,
  ttlMs: signInLifeMs,
  format: createFormat<SignInTicket>(signInTicketSchema satisfies Exactly<typeof signInTicketSchema, SignInTicket>),
};
