import { z } from 'zod';
import type { ReaderChoices } from '../core/question/reader-choices.ts';
import { createFormat, type Exactly } from './record-format.ts';
import { DAY_MS, type RecordType } from './records.ts';

/** How long a person's choices of readers are kept after the last one. */
export const READER_CHOICES_TTL_MS = 400 * DAY_MS;

const readerChoicesSchema = z.looseObject({
  version: z.literal(1),
  threads: z.array(z.looseObject({ channelId: z.string(), threadTs: z.string() })),
  channels: z.array(z.string()),
});

/** The choices of one person, by team and user. */
export const readerChoicesType: RecordType<ReaderChoices> = {
  key: (person) => `ds:showing:${person}`,
  ttlMs: READER_CHOICES_TTL_MS,
  format: createFormat<ReaderChoices>(readerChoicesSchema satisfies Exactly<typeof readerChoicesSchema, ReaderChoices>),
};
