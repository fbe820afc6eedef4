import { z } from 'zod';
import { defineRecord, type RecordOf } from '../record.ts';
import { visitLifeMs } from '../settings.ts';

/** When a person last opened the app's Home. The app updates the Home of recent visitors only. */
export const visitType = defineRecord({
  key: (person) => `ds:visit:${person}`,
  ttlMs: visitLifeMs,
  schema: z.looseObject({
    version: z.literal(1),
    openedMs: z.number(),
    /** The person's direct message with the app. The person opened Home there. */
    channelId: z.string(),
  }),
});
export type Visit = RecordOf<typeof visitType>;
